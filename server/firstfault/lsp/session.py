"""One client's session: its capabilities and settings, its documents, and what it was told."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types

from firstfault.lsp.authoring import authoring_diagnostics, signature_folder
from firstfault.lsp.client import PLAIN, client_of
from firstfault.lsp.convert import SOURCE, encoding_of, start_of_line
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.diagnostics import diagnostics
from firstfault.lsp.documents import Documents, OpenDocument
from firstfault.lsp.frame_diagnostics import frame_diagnostics
from firstfault.lsp.published import Published
from firstfault.lsp.settings import Settings, read_settings
from firstfault.lsp.streams import Streams
from firstfault.lsp.virtual import VirtualDocuments
from firstfault.lsp.work import Workbench
from firstfault.lsp.workspace_files import FileText, WorkspaceFiles, path_of, uri_of

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Session:
    """Everything that lives as long as the connection."""

    def __init__(self, publish: Callable[[types.PublishDiagnosticsParams], None], refresh: Callable[[], None]) -> None:
        self.workbench = Workbench()
        self.documents = Documents(self.workbench, self._scanned)
        self.published = Published(publish)
        self.streams = Streams()
        self.virtual = VirtualDocuments()
        self.client = PLAIN
        self.settings = Settings()
        self.files = WorkspaceFiles(())
        self.pulls = False
        """The client asks for diagnostics of open documents; else they are sent."""
        self.pages = False
        """The client shows virtual documents."""
        self._refresh = refresh
        self._roots: list[str] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    # --- the client --------------------------------------------------------------------------------------------------

    def initialize(self, params: types.InitializeParams, encoding: types.PositionEncodingKind | str | None) -> None:
        """Learn what the client can do."""
        self.client = client_of(params)
        self.documents.encoding = encoding_of(encoding)
        document, workspace = params.capabilities.text_document, params.capabilities.workspace
        self.pulls = self.documents.on_demand = bool(document and document.diagnostic)
        self.pages = bool(workspace and workspace.text_document_content)
        folders = [f.uri for f in params.workspace_folders or []] or ([params.root_uri] if params.root_uri else [])
        self._roots = [path for path in map(path_of, folders) if path]
        self.workbench.root = self._roots[0] if self._roots else None
        self._map_files()

    def folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """The user has added or removed folders of the workspace."""
        gone = {path_of(f.uri) for f in event.removed}
        added = [path for path in (path_of(f.uri) for f in event.added) if path]
        self._roots = [r for r in self._roots if r not in gone] + added
        self.workbench.root = self._roots[0] if self._roots else None
        self._map_files()

    def _map_files(self) -> None:
        self.files = WorkspaceFiles(self._roots, self.settings.path_mappings, self._opened)

    def _opened(self, uri: str) -> FileText | None:
        document = self.documents.get(uri)
        path = path_of(uri)
        return FileText(uri, path, document.lines.text, document.version) if document and path else None

    def configure(self, value: object) -> tuple[str, ...]:
        """Use other settings; returns a sentence for each that cannot be used."""
        self.settings, problems = read_settings(value)
        self.documents.settings = self.settings
        self._map_files()
        self.reload(force=False)
        return problems

    def silence(self, signature: str) -> str:
        """Report a signature no more, for a client that cannot keep it in its settings; returns what to tell the user."""
        self.settings = replace(self.settings, disabled=self.settings.disabled | {signature})
        self.documents.settings = self.settings
        self.reload(force=False)
        return f"{signature} is silent until the server ends; name it in firstfault.disabledSignatures to keep it so."

    def reload(self, *, force: bool = True) -> None:
        """Take the signature folders anew, where they have changed, and diagnose everything again."""
        if self.workbench.configure(self.settings, reload=force) or self.settings.signature_folders:
            self.spawn(self._tell_problems())
        self.documents.reconsider()
        for document in self.documents.all:
            self.changed(document.uri)
        if self.pulls:
            self._refresh()

    def start(self) -> None:
        """Make the engine ready before the first log comes."""
        self.spawn(self._prepare())

    async def _prepare(self) -> None:
        await self.workbench.run(self.workbench.engine)
        # The catalogue and the protocol's classes live as long as the process; looking at them again costs more than a scan.
        gc.freeze()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin work that nobody waits for; what goes wrong in it is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("%s", task.exception())

    def authored(self, uri: str) -> tuple[str, Path] | None:
        """Path and signature folder of a signature file; None for any other document."""
        path = path_of(uri)
        folder = signature_folder(path, self.settings) if path else None
        return (path, folder) if path and folder else None

    # --- documents ---------------------------------------------------------------------------------------------------

    async def diagnosed(self, uri: str) -> Diagnosed | None:
        """The diagnosis of an open log."""
        return await self.documents.current(uri)

    async def problems_of(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of an open document."""
        document = self.documents.get(uri)
        if document is None:
            return []
        authored = self.authored(uri)
        if authored is not None:
            return await self._signature_problems(document, *authored)
        diagnosed = await self.documents.current(uri)
        if diagnosed is not None:
            return diagnostics(diagnosed, self.settings, pages=self.pages)
        return [_notice(document.failure)] if document.failure else []

    async def _signature_problems(self, document: OpenDocument, path: str, folder: Path) -> list[types.Diagnostic]:
        text, encoding = document.lines.text, self.documents.encoding

        def check() -> list[types.Diagnostic]:
            return authoring_diagnostics(text, path, folder, self.workbench.engine().catalog, encoding)

        return await self.workbench.run(check)

    def changed(self, uri: str) -> None:
        """The text of a document is another; logs announce themselves when they are scanned."""
        if self.documents.get(uri) is not None and not self.pulls and self.authored(uri):
            self.spawn(self._publish(uri))

    def opened(self, uri: str) -> None:
        """A document is open: from now on only its own diagnostics count."""
        for kind in ("run", "signatures"):
            self.published.withdraw(kind, uri)
        self.changed(uri)

    def closed(self, uri: str) -> None:
        """A document is no longer open."""
        self.published.say(("document", uri), {})
        self.published.say(("frames", uri), {})

    def saved(self, uri: str) -> None:
        """A signature file that was saved is used at once."""
        if self.authored(uri):
            self.reload()

    def _scanned(self, document: OpenDocument) -> None:
        if not self.pulls:
            self.spawn(self._publish(document.uri))
        self.spawn(self._frames(document.uri))

    async def _publish(self, uri: str) -> None:
        found = await self.problems_of(uri)
        document = self.documents.get(uri)
        if document is not None:
            self.published.say(("document", uri), {uri: found}, document.version)

    async def _frames(self, uri: str) -> None:
        diagnosed = await self.documents.current(uri)
        if diagnosed is not None:
            files, settings = self.files, self.settings
            found = await self.workbench.run(lambda: frame_diagnostics(diagnosed, settings, files=files))
            self.published.say(("frames", uri), found)

    async def _tell_problems(self) -> None:
        """Show the mistakes of signature files that are not open."""
        await self.workbench.run(self.workbench.engine)
        said: dict[str, list[types.Diagnostic]] = {}
        for problem in self.workbench.problems:
            uri = uri_of(problem.path)
            if self.documents.get(uri) is None:
                place = start_of_line(problem.line - 1)
                said.setdefault(uri, []).append(
                    types.Diagnostic(place, problem.message, severity=types.DiagnosticSeverity.Error, source=SOURCE)
                )
        self.published.say(("signatures", ""), said)


def _notice(text: str) -> types.Diagnostic:
    return types.Diagnostic(start_of_line(0), text, severity=types.DiagnosticSeverity.Information, source=SOURCE)
