"""A server process over standard input and output, driven as an editor would drive it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import make_test_lsp_client

from tests.lsp.editor import Editor

Start = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture(loop_scope="module")
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """`await start(capabilities=…, settings=…)`: an editor with a server of its own; the workspace is `tmp_path`."""
    editors: list[Editor] = []

    async def begin(capabilities: types.ClientCapabilities | None = None, settings: object = None) -> Editor:
        editors.append(await started(tmp_path, capabilities, settings))
        return editors[-1]

    yield begin
    for editor in editors:
        await stopped(editor)


async def started(workspace: Path, capabilities: types.ClientCapabilities | None = None, settings: object = None) -> Editor:
    """An editor with its server, after `initialize`."""
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "firstfault", "serve")
    editor = Editor(client)
    editor.result = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities or types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(workspace.as_uri(), "work")],
            initialization_options={"settings": settings} if settings is not None else None,
        )
    )
    return editor


async def stopped(editor: Editor) -> None:
    """Leave in order."""
    await editor.client.shutdown_session()
    await editor.client.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One server for all tests of a module that need nothing special of it; it is sent diagnostics, as most editors are."""
    editor = await started(tmp_path_factory.mktemp("work"))
    yield editor
    await stopped(editor)


@pytest_asyncio.fixture(name="editor", loop_scope="module")
async def _editor(shared: Editor) -> AsyncIterator[Editor]:
    """The shared server with no document open."""
    yield shared
    shared.close_all()
