"""Diagnostics: one error at the first fault, what followed from it linked to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.conftest import Start
from tests.lsp.editor import OOM, Editor

LOG = "untitled:run.log"
pytestmark = pytest.mark.asyncio(loop_scope="module")
PULLING = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()))
COLLECTIVE = (Path(__file__).parents[1] / "cases" / "infra" / "ecc-rank12-collateral-watchdogs" / "log.txt").read_text("utf-8")
"""Rank 12 fails at line 35; the others time out, before it and behind it in the file."""


async def test_the_first_fault_is_the_only_error_and_names_the_cause(editor: Editor) -> None:
    editor.open(LOG, OOM)
    (error,) = [d for d in await editor.diagnostics(LOG) if d.severity == types.DiagnosticSeverity.Error]
    assert error.range.start.line == 5
    assert error.message.startswith("First fault: ")
    assert "memory" in error.message
    assert len(error.message) <= 120
    assert error.code == "memory/cuda-out-of-memory"
    assert error.code_description is not None
    assert error.code_description.href.startswith("https://")


async def test_the_message_names_the_rank(editor: Editor) -> None:
    editor.open(LOG, COLLECTIVE)
    found = await editor.diagnostics(LOG)
    assert found[0].message.startswith("First fault: rank 12 on node-d, ")
    assert found[0].message.endswith("ranks then timed out waiting for it")


async def test_collateral_is_grouped_and_leads_to_the_first_fault(editor: Editor) -> None:
    editor.open(LOG, COLLECTIVE)
    found = await editor.diagnostics(LOG)
    (waiting,) = [d for d in found if d.code == "collective/watchdog-timeout"]
    assert waiting.severity == types.DiagnosticSeverity.Information
    assert waiting.message.startswith("28 × ")
    assert "explained by line 35" in waiting.message
    assert waiting.related_information is not None
    assert waiting.related_information[0].location.range.start.line == 34
    assert waiting.related_information[0].location.uri == LOG


async def test_what_a_launcher_says_of_it_is_a_hint(editor: Editor) -> None:
    editor.open(LOG, COLLECTIVE)
    (summary,) = [d for d in await editor.diagnostics(LOG) if d.severity == types.DiagnosticSeverity.Hint]
    assert "Launcher summary" in summary.message


async def test_a_thousand_alike_lines_are_a_handful_of_diagnostics(editor: Editor) -> None:
    (timeout, *_) = [line for line in COLLECTIVE.splitlines() if "Watchdog caught" in line]
    editor.open(LOG, COLLECTIVE + "".join(f"{timeout}\nstep\nstep\nstep\nstep\n" for _ in range(1000)))
    assert len(await editor.diagnostics(LOG)) < 20


async def test_a_healthy_log_has_none(editor: Editor) -> None:
    editor.open(LOG, "step 1 loss=2.0\nstep 2 loss=1.9\nTraining finished\n")
    assert await editor.diagnostics(LOG) == []


async def test_codes_lead_to_the_page_where_the_client_shows_virtual_documents(start: Start) -> None:
    able = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(text_document_content=types.TextDocumentContentClientCapabilities())
    )
    editor = await start(able)
    editor.open(LOG, OOM)
    code = (await editor.diagnostics(LOG))[0].code_description
    assert code is not None
    page = await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(code.href))
    assert "memory/cuda-out-of-memory" in page.text


async def test_a_client_that_pulls_is_answered_for_the_present_text_and_sent_nothing(start: Start) -> None:
    editor = await start(PULLING)
    editor.open(LOG, OOM)
    first = await editor.pull(LOG)
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    assert first.items[0].range.start.line == 5
    editor.type(LOG, 0, 0, "a new line\n")
    second = await editor.pull(LOG, first.result_id)
    assert isinstance(second, types.RelatedFullDocumentDiagnosticReport)
    assert second.items[0].range.start.line == 6
    assert LOG not in editor.published


async def test_a_pull_that_would_bring_nothing_new_says_so(start: Start) -> None:
    editor = await start(PULLING)
    editor.open(LOG, OOM)
    first = await editor.pull(LOG)
    editor.type(LOG, 0, 0, "x")
    assert isinstance(await editor.pull(LOG, first.result_id), types.RelatedUnchangedDocumentDiagnosticReport)


async def test_closing_takes_the_diagnostics_back(editor: Editor) -> None:
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    editor.close(LOG)
    await editor.until(lambda: not editor.published[LOG].diagnostics)


@pytest.mark.parametrize("language", ["python", "yaml"])
async def test_documents_that_are_no_logs_are_left_alone(editor: Editor, language: str) -> None:
    editor.open("untitled:train.py", OOM, language)
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    assert "untitled:train.py" not in editor.published
