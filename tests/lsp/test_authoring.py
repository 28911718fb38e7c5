"""Writing a signature in the editor, over stdio."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.features import at, editor, open_document, told_of, workspace
from tests.unit.lsp.test_authoring import ENTRY

__all__ = ["editor", "workspace"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def signature(workspace: Path) -> Path:
    return workspace / "signatures" / "storage" / "quota.yaml"


async def test_a_mistake_is_told_at_its_line(editor: LanguageClient, signature: Path) -> None:
    signature.write_text(ENTRY.replace("severity: error", "severity: awful"), "utf-8")
    uri = open_document(editor, signature, "yaml")
    (mistake,) = await told_of(editor, uri)
    assert mistake.range.start.line == 4
    assert "'awful' is not one of critical, error, warning" in mistake.message


async def test_an_example_that_does_not_match_is_told_at_its_line(editor: LanguageClient, signature: Path) -> None:
    signature.write_text(ENTRY.replace("[Errno 122] Disk quota", "[Errno 122] Disk quote"), "utf-8")
    editor.diagnostics.clear()
    uri = open_document(editor, signature, "yaml")
    (mistake, *_) = [d for d in await told_of(editor, uri) if "is not recognised" in d.message]
    assert ENTRY.split("\n")[mistake.range.start.line].lstrip().startswith('- {log: "OSError')


async def test_the_test_lens_answers_in_a_sentence(editor: LanguageClient, signature: Path) -> None:
    signature.write_text(ENTRY, "utf-8")
    uri = open_document(editor, signature, "yaml")
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    command = (lenses or ())[0].command
    assert command is not None
    assert command.title == "test"
    told = await editor.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
    assert told == "3 examples of storage/quota: all as they must be."


async def test_values_are_completed_from_the_schema(editor: LanguageClient, signature: Path) -> None:
    signature.write_text("id: storage/quota\nseverity: \n", "utf-8")
    uri = open_document(editor, signature, "yaml")
    found = await editor.text_document_completion_async(types.CompletionParams(**at(uri, 1, 10)))
    items = found.items if isinstance(found, types.CompletionList) else found or ()
    assert [i.label for i in items] == ["critical", "error", "warning"]
