"""Lenses, outline, folds, links, hints, definitions and catalogue symbols over stdio."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.features import at, editor, open_document, workspace

__all__ = ["editor", "workspace"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def log(editor: LanguageClient, workspace: Path) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(open_document(editor, workspace / "run.log"))


async def test_lenses_stand_on_the_initiating_line(editor: LanguageClient, log: types.TextDocumentIdentifier) -> None:
    found = await editor.text_document_code_lens_async(types.CodeLensParams(log))
    titles = [lens.command.title for lens in found or () if lens.command]
    assert titles == ["rank 1 · first fault", "explain", "fix"]
    assert {lens.range.start.line for lens in found or ()} == {7}


async def test_the_outline_is_a_tree(editor: LanguageClient, log: types.TextDocumentIdentifier) -> None:
    (incident,) = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(log)) or ()
    assert isinstance(incident, types.DocumentSymbol)
    assert [c.name for c in incident.children or ()] == ["rank 1", "launcher"]
    assert [b.detail for c in (incident.children or ())[:1] for b in c.children or ()] == ["parallel/ddp-unused-parameters"]


async def test_the_traceback_folds(editor: LanguageClient, log: types.TextDocumentIdentifier) -> None:
    found = await editor.text_document_folding_range_async(types.FoldingRangeParams(log))
    assert (2, 8) in [(f.start_line, f.end_line) for f in found or ()]


async def test_a_frame_leads_to_the_program(editor: LanguageClient, log: types.TextDocumentIdentifier, workspace: Path) -> None:
    program = (workspace / "job" / "train.py").as_uri()
    (link,) = await editor.text_document_document_link_async(types.DocumentLinkParams(log)) or ()
    assert link.target == f"{program}#L7"
    place = await editor.text_document_definition_async(types.DefinitionParams(**at(log.uri, 3, 25)))
    assert isinstance(place, types.Location)
    assert (place.uri, place.range.start.line) == (program, 6)


async def test_hints_name_the_rank(editor: LanguageClient, log: types.TextDocumentIdentifier) -> None:
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    found = await editor.text_document_inlay_hint_async(types.InlayHintParams(log, whole))
    assert "rank 1" in [h.label for h in found or ()]


async def test_the_catalogue_is_searched_by_words(editor: LanguageClient) -> None:
    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("unused parameters"))
    first = (found or ())[0]
    assert first.container_name == "parallel/ddp-unused-parameters"
    page = await editor.workspace_text_document_content_async(types.TextDocumentContentParams(first.location.uri))
    assert page.text.startswith("# DDP: unused parameters")
