"""Logs of container engines and tables of schedulers as documents and as the output of a command: the same answer as for files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lsp.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
DEMO = (Path(__file__).parents[2] / "docs" / "demo" / "eight-ranks.log").read_text("utf-8")
QUEUE = (
    "JobID           JobName      State ExitCode        NodeList\n"
    "------------ ---------- ---------- -------- ---------------\n"
    "4242              train    TIMEOUT      0:0      node[1-4]\n"
    "4242.batch        batch  CANCELLED     0:15          node1\n"
)


def records(log: str) -> str:
    """A log as the json-file driver of Docker keeps it."""
    lines = log.splitlines(keepends=True)
    return "".join(json.dumps({"log": line, "stream": "stderr", "time": "2026-12-01T10:00:00.000000000Z"}) + "\n" for line in lines)


async def test_records_are_diagnosed_by_what_they_say_at_their_own_lines(editor: Editor) -> None:
    plain, uri = "file:///logs/plain.log", "file:///logs/docker.log"
    editor.open(plain, DEMO)
    editor.open(uri, records(DEMO))
    expected = (await editor.request("firstfault/report", {"uri": plain})).report
    found = await editor.diagnostics(uri)
    report = (await editor.request("firstfault/report", {"uri": uri})).report
    first, same = report.incidents[0], expected.incidents[0]
    assert (first.signature, first.initiator.rank, first.initiator.line) == (same.signature, same.initiator.rank, same.initiator.line)
    assert found[0].range.start.line == same.initiator.line - 1


async def test_an_edit_of_a_record_is_seen(editor: Editor) -> None:
    uri = "file:///logs/edited.log"
    editor.open(uri, records("step 1\nstep 2\n"))
    assert await editor.diagnostics(uri) == []
    editor.replace(uri, records("step 1\nRuntimeError: CUDA error: an illegal memory access was encountered\n"))
    assert (await editor.diagnostics(uri))[0].range.start.line == 1


async def test_a_table_of_the_scheduler_is_read_as_one(editor: Editor) -> None:
    uri = "file:///logs/sacct.log"
    editor.open(uri, QUEUE)
    report = (await editor.request("firstfault/report", {"uri": uri})).report
    assert report.sources[0].layout == "sacct"


async def test_records_that_a_command_prints_are_read_as_they_come(editor: Editor) -> None:
    output = records(DEMO)
    await editor.request("firstfault/stream/open", {"id": "records", "name": "docker logs"})
    await editor.request("firstfault/stream/append", {"id": "records", "text": output})
    answer = await editor.request("firstfault/stream/close", {"id": "records", "exitCode": 1})
    first = answer.report.incidents[0]
    assert (first.initiator.rank, answer.report.sources[0].layout) == (5, "docker-json")
    assert "KeyError" in output.splitlines()[first.initiator.line - 1]
