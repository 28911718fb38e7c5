"""A client as an editor would be, for the tests of features: a workspace with a program, a script and a log."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.unit.lsp.logs import PROGRAM, RANKS

CONFIG = ClientServerConfig(server_command=[sys.executable, "-m", "firstfault", "serve"])
# Without firstfault.goTo: lsprotocol takes an action that has an edit and a command for a bare command.
COMMANDS = [
    "firstfault.explain",
    "firstfault.copy",
    "firstfault.runInTerminal",
    "firstfault.copyReport",
    "firstfault.fix",
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("workspace")
    (root / "job").mkdir()
    (root / "job" / "train.py").write_text(PROGRAM, "utf-8")
    (root / "run.sh").write_text("#!/bin/bash\nexport NCCL_DEBUG=WARN\ntorchrun job/train.py\n", "utf-8")
    (root / "run.log").write_text(RANKS, "utf-8")
    (root / "signatures" / "storage").mkdir(parents=True)
    return root


@pytest_lsp.fixture(scope="module", config=CONFIG)
async def editor(lsp_client: LanguageClient, workspace: Path) -> AsyncGenerator[None, None]:
    settings = {"signatureFolders": [str(workspace / "signatures")], "inlayHints": {"enabled": True}}
    lsp_client.set_configuration({"firstfault": settings})
    params = types.InitializeParams(
        capabilities=capabilities(),
        workspace_folders=[types.WorkspaceFolder(workspace.as_uri(), "workspace")],
        initialization_options={"commands": COMMANDS, "commandLinks": True},
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


def capabilities() -> types.ClientCapabilities:
    """Those of VS Code, apart from what the test client does not answer; diagnostics are sent, so that a test can wait for them."""
    given = client_capabilities("visual-studio-code")
    assert given.workspace is not None
    given.workspace.did_change_configuration = None
    assert given.text_document is not None
    given.text_document.diagnostic = None
    return given


def open_document(editor: LanguageClient, path: Path, language: str = "log") -> str:
    """Open a file as the editor does; returns its URI."""
    uri = path.as_uri()
    item = types.TextDocumentItem(uri, language, 1, path.read_text("utf-8"))
    editor.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


async def told_of(editor: LanguageClient, uri: str, *, seconds: float = 20) -> list[types.Diagnostic]:
    """Diagnostics of a document, once there are some."""

    async def wait() -> list[types.Diagnostic]:
        while not editor.diagnostics.get(uri):
            await editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(editor.diagnostics[uri])

    return await asyncio.wait_for(wait(), seconds)


def at(uri: str, line: int, character: int = 0) -> dict[str, object]:
    """Arguments of a request about a place."""
    return {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(line, character)}
