"""Every case as a document: the same verdict, first line and rank as the command line gives, from one server process."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from firstfault.engine import Engine
from firstfault.report import Report
from tests.lsp.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
CASES = sorted((Path(__file__).parents[1] / "cases").glob("*/*/log.txt"))


def text_of(path: Path) -> str:
    """The text as an editor reads it."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def first(report: Report) -> tuple[str, str | None, int | None, int | None]:
    """What must be the same."""
    if not report.incidents:
        return report.verdict, None, None, None
    incident = report.incidents[0]
    return report.verdict, incident.signature, incident.initiator.line, incident.initiator.rank


async def test_there_are_cases() -> None:
    assert len(CASES) >= 290


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parts[-3]}/{p.parts[-2]}")
async def test_a_document_is_diagnosed_as_its_file_is(editor: Editor, engine: Engine, path: Path) -> None:
    expected = first(engine.diagnose([str(path)], jobs=1).report)
    uri = path.as_uri()
    editor.open(uri, text_of(path))
    found = await editor.diagnostics(uri)
    answer = await editor.request("firstfault/report", {"uri": uri})
    report = answer.report
    assert report.verdict == expected[0]
    if expected[1] is None:
        assert found == []
        return
    incident = report.incidents[0]
    assert (report.verdict, incident.signature, incident.initiator.line, incident.initiator.rank) == expected
    assert found[0].code == expected[1]
    assert expected[2] is None or shown_line(text_of(path), found[0]) == expected[2]


def shown_line(text: str, diagnostic: types.Diagnostic) -> int:
    """The line of a diagnostic as the report counts it: by line feeds."""
    lines = text.replace("\r\n", "\n").replace("\r", "\x00\r").split("\n")
    passed = 0
    for number, line in enumerate(lines, 1):
        passed += 1 + line.count("\r")
        if diagnostic.range.start.line < passed:
            return number
    return len(lines)
