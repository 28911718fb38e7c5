"""Files and folders as one run: one report, progress, cancellation, diagnostics in files that are not open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from tests.lsp.conftest import Start
from tests.lsp.editor import OOM, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
SHOWS_PROGRESS = types.ClientCapabilities(window=types.WindowClientCapabilities(work_done_progress=True))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Logs of four ranks; rank 2 runs out of memory, the others lose their peer."""
    lost = "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:4711\n"
    for rank in range(4):
        traceback = 'Traceback (most recent call last):\n  File "/workspace/train.py", line 9, in <module>\n    step()\n'
        text = "step 1 loss=2.0\n" + (OOM if rank == 2 else traceback + lost)
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / f"rank{rank}.log").write_text(text, "utf-8")
    return tmp_path / "logs"


async def test_a_folder_is_one_run(editor: Editor, run: Path) -> None:
    answer = await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    assert answer.report.incidents[0].initiator.rank == 2
    assert len(answer.report.sources) == 4


async def test_the_first_fault_is_shown_in_its_file_and_the_others_lead_there(editor: Editor, run: Path) -> None:
    await editor.request("firstfault/diagnosePaths", {"paths": [run.as_uri()]})
    first, other = (run / "rank2.log").as_uri(), (run / "rank0.log").as_uri()
    error = (await editor.told(first))[0]
    assert error.severity == types.DiagnosticSeverity.Error
    assert error.range.start.line == 6
    related = (await editor.told(other))[0].related_information
    assert related is not None
    assert related[0].location.uri == first


async def test_an_open_file_speaks_for_itself(editor: Editor, run: Path) -> None:
    first = (run / "rank2.log").as_uri()
    await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    await editor.told(first)
    editor.open(first, "step 1\n")
    assert await editor.diagnostics(first) == []


async def test_the_next_run_takes_the_last_one_back(editor: Editor, run: Path, tmp_path: Path) -> None:
    first = (run / "rank2.log").as_uri()
    await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    await editor.told(first)
    (tmp_path / "healthy.log").write_text("step 1\n", "utf-8")
    await editor.request("firstfault/diagnosePaths", {"paths": [str(tmp_path / "healthy.log")]})
    await editor.until(lambda: not editor.published[first].diagnostics)


async def test_the_report_is_a_virtual_document(editor: Editor, run: Path) -> None:
    answer = await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    params = types.TextDocumentContentParams(answer.reportUri)
    assert "Rank 2" in (await editor.client.workspace_text_document_content_async(params)).text


async def test_progress_is_told_under_a_token_that_the_client_was_asked_for(start: Start, run: Path) -> None:
    editor = await start(SHOWS_PROGRESS)
    await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    (reports,) = editor.client.progress_reports.values()
    assert [type(r) for r in reports] == [types.WorkDoneProgressBegin, *[types.WorkDoneProgressReport] * 4, types.WorkDoneProgressEnd]
    assert reports[0].cancellable
    assert "rank0.log (1 of 4)" in reports[1].message


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Work for some seconds."""
    text = "".join(f"ValueError: {n}\n" for n in range(20_000))
    (tmp_path / "many").mkdir()
    for number in range(40):
        (tmp_path / "many" / f"{number}.log").write_text(text, "utf-8")
    return tmp_path / "many"


async def test_the_button_of_the_progress_cancels(start: Start, many: Path) -> None:
    editor = await start(SHOWS_PROGRESS)
    waiting = asyncio.ensure_future(editor.request("firstfault/diagnosePaths", {"paths": [str(many)]}))
    while not any(editor.client.progress_reports.values()):
        await asyncio.sleep(0.01)
    (token,) = editor.client.progress_reports
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    with pytest.raises(JsonRpcException, match="cancelled"):
        await waiting


async def test_cancelling_the_request_ends_it(start: Start, many: Path) -> None:
    editor = await start()
    protocol = editor.client.protocol
    future = protocol.send_request("firstfault/diagnosePaths", {"paths": [str(many)]}, msg_id="many")
    await asyncio.sleep(0.3)
    editor.client.cancel_request(types.CancelParams("many"))
    with pytest.raises(JsonRpcException, match="cancelled"):
        await asyncio.wait_for(asyncio.wrap_future(future), 3)
    assert (await editor.request("firstfault/diagnose", {"text": "step 1\n"})).report.verdict == "no-failure"


async def test_a_file_that_cannot_be_read_is_named_and_the_others_are_diagnosed(editor: Editor, run: Path) -> None:
    (run / "broken.log.gz").write_bytes(b"\x1f\x8b\x08 broken")
    answer = await editor.request("firstfault/diagnosePaths", {"paths": [str(run)]})
    assert "broken.log.gz" in answer.unreadable[0]
    assert answer.report.verdict == "failure"


async def test_standard_input_is_not_read(editor: Editor) -> None:
    with pytest.raises(JsonRpcInvalidParams, match="standard input"):
        await editor.request("firstfault/diagnosePaths", {"paths": ["-"]})
