"""Hover over stdio."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.features import at, editor, open_document, workspace

__all__ = ["editor", "workspace"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def text_at(editor: LanguageClient, uri: str, line: int, character: int) -> str | None:
    found = await editor.text_document_hover_async(types.HoverParams(**at(uri, line, character)))
    return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else None


async def test_the_first_fault_is_explained_with_links_that_the_client_runs(editor: LanguageClient, workspace: Path) -> None:
    text = await text_at(editor, open_document(editor, workspace / "run.log"), 7, 12)
    assert text is not None
    assert "failed first: DDP: unused parameters" in text
    assert "[Apply](command:firstfault.fix?" in text


async def test_a_token_is_explained_on_a_healthy_line(editor: LanguageClient, workspace: Path) -> None:
    (workspace / "healthy.log").write_text("export NCCL_IB_TIMEOUT=22\nstep 2\n", "utf-8")
    uri = open_document(editor, workspace / "healthy.log")
    assert "acknowledgement" in (await text_at(editor, uri, 0, 10) or "")
    assert await text_at(editor, uri, 1, 1) is None


async def test_places_that_do_not_exist_have_no_hover(editor: LanguageClient, workspace: Path) -> None:
    uri = open_document(editor, workspace / "run.log")
    assert await text_at(editor, uri, 99999, 99999) is None
    assert await text_at(editor, "file:///nowhere.log", 0, 0) is None
