"""Selections and terminals: text that is no document."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.lsp.conftest import Start
from tests.lsp.editor import OOM, Editor
from tests.unit.lsp.logs import RANKS

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def stream(editor: Editor, pieces: list[dict[str, str]], code: int | None = 1) -> Any:
    """What is answered to output that comes in pieces."""
    await editor.request("firstfault/stream/open", {"id": "1", "name": "torchrun train.py"})
    for piece in pieces:
        await editor.request("firstfault/stream/append", {"id": "1", **piece})
    return (await editor.request("firstfault/stream/close", {"id": "1", "exitCode": code})).report


def cut(data: bytes, size: int) -> list[dict[str, str]]:
    return [{"base64": base64.b64encode(data[i : i + size]).decode()} for i in range(0, len(data), size)]


async def test_output_is_diagnosed_when_the_command_ends(editor: Editor) -> None:
    report = await stream(editor, [{"text": OOM}])
    assert report.incidents[0].signature == "memory/cuda-out-of-memory"
    assert report.sources[0].name == "torchrun train.py"


@pytest.mark.parametrize("size", [1, 7, 64])
async def test_pieces_may_end_within_lines_escapes_and_characters(editor: Editor, size: int) -> None:
    shown = f"\x1b]633;C\x07损失 🔥\r\n\x1b[31m{OOM}\x1b[0m".replace("\n", "\r\n")
    report = await stream(editor, cut(shown.encode(), size))
    assert report.incidents[0].signature == "memory/cuda-out-of-memory"
    assert report.incidents[0].initiator.line == 7


async def test_the_workers_that_were_started_again_are_counted(editor: Editor) -> None:
    restart = "[default] Worker group FAILED. 3/3 attempts left; will restart worker group\n"
    report = await stream(editor, [{"text": restart}, {"text": OOM}])
    assert report.run.attempts == 2


async def test_a_character_whose_halves_come_apart(editor: Editor) -> None:
    report = await stream(editor, [{"text": "ValueError: \ud83d"}, {"text": "\udd25 is no number\n"}])
    assert "🔥" in report.incidents[0].initiator.text


async def test_a_failure_long_before_the_end_is_not_forgotten(editor: Editor) -> None:
    chatter = "".join(f"step {n} loss=2.0\n" for n in range(50_000))
    report = await stream(editor, [{"text": OOM}, *({"text": chatter},) * 5])
    assert report.sources[0].lines == 250_006


async def test_the_shell_tells_of_a_kill_that_left_no_word(editor: Editor) -> None:
    report = await stream(editor, [{"text": "step 1 loss=2.0\nstep 2 loss=1.9\n"}], 137)
    assert report.verdict != "no-failure"
    assert "launch/worker-sigkill" in report.incidents[0].signature


@pytest.mark.parametrize("code", [0, 1, 130, None], ids=["success", "failing tests", "Ctrl-C", "unknown"])
async def test_other_exit_codes_add_nothing(editor: Editor, code: int | None) -> None:
    assert (await stream(editor, [{"text": "3 failed, 7 passed in 2.1s\n"}], code)).verdict == "no-failure"


async def test_nothing_printed(editor: Editor) -> None:
    assert (await stream(editor, [], 0)).verdict == "no-failure"


async def test_a_text_is_diagnosed_by_itself(editor: Editor) -> None:
    answer = await editor.request("firstfault/diagnose", {"text": OOM, "name": "clipboard"})
    assert answer.report.incidents[0].initiator.source == "clipboard"


async def test_a_range_of_a_document_is_told_in_lines_of_the_document(editor: Editor) -> None:
    editor.open("untitled:two.log", OOM + "KeyError: 'other run'\n" + OOM)
    area = {"start": {"line": 9, "character": 0}, "end": {"line": 13, "character": 0}}
    answer = await editor.request("firstfault/diagnose", {"uri": "untitled:two.log", "range": area})
    assert [i.initiator.line for i in answer.report.incidents] == [13]


async def test_a_report_for_others_is_redacted(editor: Editor) -> None:
    editor.open("untitled:secret.log", OOM + "ValueError: hf_abcdefghijklmnopqrstuvwxyz0123456789 in /home/alice/run\n")
    plain = await editor.request("firstfault/report", {"uri": "untitled:secret.log"})
    masked = await editor.request("firstfault/report", {"uri": "untitled:secret.log", "redact": True})
    assert "/home/alice" in plain.markdown
    assert "alice" not in masked.markdown
    assert "hf_abc" not in masked.markdown


async def test_the_session_tells_its_version_of_the_protocol(start: Start) -> None:
    editor = await start()
    assert editor.result is not None
    assert editor.result.capabilities.experimental == {"firstfault": {"protocol": 1}}


async def test_the_timeline_comes_laid_out_for_drawing(editor: Editor) -> None:
    answer = await editor.request("firstfault/diagnose", {"text": RANKS, "name": "run.log"})
    picture = answer.picture
    events = [event for lane in answer.report.timeline.lanes for event in lane.events]
    marks = [mark for row in picture.rows for mark in row.marks]
    first = next(mark for mark in marks if mark.kind == "first")
    assert first.line == answer.report.incidents[0].initiator.line
    assert {mark.line for mark in marks} <= {event.line for event in events}
    assert all(0 <= mark.start <= mark.end <= 1 for mark in marks)
    assert [tick.words for tick in picture.ticks if tick.first] == ["first fault"]


async def test_one_process_has_no_timeline_to_draw(editor: Editor) -> None:
    answer = await editor.request("firstfault/diagnose", {"text": OOM})
    assert answer.picture is None
