"""Code actions over stdio: what an editor applies to the user's files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.features import editor, open_document, told_of, workspace
from tests.unit.lsp.logs import PROGRAM

__all__ = ["editor", "workspace"]
pytestmark = pytest.mark.asyncio(loop_scope="module")
TITLE = "Set find_unused_parameters=True in DistributedDataParallel(...) - train.py:4"
FIXED = PROGRAM.replace("DDP(build())", "DDP(build(), find_unused_parameters=True)")


async def offered(editor: LanguageClient, uri: str, line: int, shown: list[types.Diagnostic]) -> list[types.CodeAction | types.Command]:
    place = types.Range(types.Position(line, 0), types.Position(line, 0))
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext(shown))
    return list(await editor.text_document_code_action_async(params) or ())


def edits(found: list[types.CodeAction | types.Command]) -> list[types.CodeAction]:
    """Actions with an edit; lsprotocol takes those with a command for bare commands."""
    return [a for a in found if isinstance(a, types.CodeAction) and a.edit]


def applied(text: str, edit: types.WorkspaceEdit, uri: str) -> str:
    """The text after the edits, which stand on one line each and in ASCII."""
    rows = text.split("\n")
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == uri
    for part in change.edits:
        assert isinstance(part, types.AnnotatedTextEdit)
        start, end = part.range.start, part.range.end
        rows[start.line] = rows[start.line][: start.character] + part.new_text + rows[end.line][end.character :]
    return "\n".join(rows)


async def test_the_quick_fix_of_a_log_line_mends_the_program(editor: LanguageClient, workspace: Path) -> None:
    uri = open_document(editor, workspace / "run.log")
    shown = await told_of(editor, uri)
    (action,) = edits(await offered(editor, uri, 7, shown))
    assert (action.title, action.is_preferred) == (TITLE, True)
    assert action.edit is not None
    assert applied(PROGRAM, action.edit, (workspace / "job" / "train.py").as_uri()) == FIXED
    assert [n.needs_confirmation for n in (action.edit.change_annotations or {}).values()] == [False]


async def test_the_commands_of_the_client_are_offered(editor: LanguageClient, workspace: Path) -> None:
    uri = open_document(editor, workspace / "run.log")
    titles = [a.title for a in await offered(editor, uri, 7, [])]
    assert titles == [
        TITLE,
        "Explain: DDP: unused parameters did not receive a gradient",
        "Copy the fix",
        "Copy the report, redacted",
        "Silence parallel/ddp-unused-parameters in this workspace",
    ]


async def test_the_program_is_marked_and_offers_the_same_fix_with_unsaved_text(editor: LanguageClient, workspace: Path) -> None:
    open_document(editor, workspace / "run.log")
    program = workspace / "job" / "train.py"
    uri = open_document(editor, program, "python")
    (mark,) = await told_of(editor, uri)
    assert mark.message.startswith("Last run failed here: DDP")
    assert mark.range.start.line == 6
    whole = types.TextDocumentContentChangeWholeDocument("# unsaved\n" + PROGRAM)
    editor.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version=2, uri=uri), [whole]))
    (action,) = edits(await offered(editor, uri, 7, [mark]))
    assert action.edit is not None
    assert applied("# unsaved\n" + PROGRAM, action.edit, uri) == "# unsaved\n" + FIXED


async def test_a_silenced_signature_is_not_reported(editor: LanguageClient, workspace: Path) -> None:
    log = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    import numpie\n'
    (workspace / "other.log").write_text(log + "ModuleNotFoundError: No module named 'numpie'\n", "utf-8")
    uri = open_document(editor, workspace / "other.log")
    (shown, *_) = await told_of(editor, uri)
    assert shown.code == "environment/module-not-found"
    command = types.ExecuteCommandParams("firstfault.server.silence", ["environment/module-not-found"])
    await editor.workspace_execute_command_async(command)

    async def silent() -> None:
        while any(d.code == "environment/module-not-found" for d in editor.diagnostics[uri]):
            await editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    await asyncio.wait_for(silent(), 20)
