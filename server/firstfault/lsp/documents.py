"""The documents that the client has open, and the scan of each: one at a time, begun anew when the text has changed."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from firstfault.lsp.analysis import Analysis, analyse
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.lines import Encoding, Lines
from firstfault.lsp.settings import Settings
from firstfault.lsp.work import Workbench

_log = logging.getLogger(__name__)
NOT_LOGS = frozenset(
    {
        *(
            "python",
            "yaml",
            "dockercompose",
            "json",
            "jsonc",
            "toml",
            "ini",
            "properties",
            "dotenv",
            "shellscript",
            "sh",
            "bash",
            "dockerfile",
        ),
        *("markdown", "restructuredtext", "c", "cpp", "cuda", "cuda-cpp", "rust", "go", "javascript", "typescript", "html", "css", "lua"),
        *("make", "makefile", "cmake", "diff", "git-commit", "gitcommit", "jupyter", "helm", "terraform", "r", "julia", "java", "perl"),
    }
)
"""Languages whose documents are no logs; their text is kept for quick fixes."""


@dataclass(slots=True)
class OpenDocument:
    """A document at its present version."""

    uri: str
    language: str
    version: int | None
    lines: Lines
    generation: int = 0
    """Counts the texts of the document, also those that the client gives no version."""
    analysis: Analysis | None = None
    analysed: int = -1
    cancelled: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    """Requests that wait for the diagnosis."""
    abandoned: bool = False
    """The client has cancelled the only request for it."""
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    failure: str | None = None

    @property
    def is_log(self) -> bool:
        """Whether the document is scanned."""
        return self.language not in NOT_LOGS

    @property
    def settled(self) -> bool:
        """Whether the present text was diagnosed."""
        return self.analysed == self.generation

    @property
    def diagnosed(self) -> Diagnosed | None:
        """The latest diagnosis; `settled` says whether it is that of the present text."""
        return self.analysis.diagnosed if self.analysis else None


class Documents:
    """All open documents. Lives on the loop; only the scanning happens elsewhere."""

    def __init__(self, workbench: Workbench, announce: Callable[[OpenDocument], None]) -> None:
        self._workbench = workbench
        self._announce = announce
        self._open: dict[str, OpenDocument] = {}
        self.settings = Settings()
        self.encoding: Encoding = "utf-16"
        self.on_demand = False
        """The client asks for diagnostics, so that nobody needs a scan whose request was cancelled."""

    def get(self, uri: str) -> OpenDocument | None:
        """An open document."""
        return self._open.get(uri)

    @property
    def all(self) -> Sequence[OpenDocument]:
        """All open documents."""
        return tuple(self._open.values())

    def opened(self, uri: str, language: str, version: int | None, text: str) -> None:
        """The client has opened a document, or opened it again."""
        self.closed(uri)
        document = self._open[uri] = OpenDocument(uri, language, version, Lines.of(text))
        document.hurry.set()
        self._start(document)

    def changed(self, uri: str, version: int | None, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """The client has changed a document; changes of documents that are not open are ignored."""
        document = self._open.get(uri)
        if document is None:
            _log.warning("a change of a document that is not open was ignored")
            return
        lines = document.lines
        for change in changes:
            lines = self._apply(lines, change)
        document.lines, document.version = lines, version
        self._renew(document)

    def _apply(self, lines: Lines, change: types.TextDocumentContentChangeEvent) -> Lines:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = change.range.start, change.range.end
            return lines.replaced((start.line, start.character), (end.line, end.character), change.text, self.encoding)
        return Lines.of(change.text).sharing(lines)

    def closed(self, uri: str) -> None:
        """The client has closed a document."""
        document = self._open.pop(uri, None)
        if document is not None:
            document.generation += 1
            document.cancelled.set()
            document.hurry.set()

    def reconsider(self) -> None:
        """Diagnose all documents again: settings or signatures have changed."""
        for document in self._open.values():
            document.hurry.set()
            self._renew(document)

    def _renew(self, document: OpenDocument) -> None:
        document.generation += 1
        document.cancelled.set()
        self._start(document)

    def _start(self, document: OpenDocument) -> None:
        if document.is_log and (document.task is None or document.task.done()):
            document.abandoned = False
            document.task = asyncio.get_running_loop().create_task(self._scan(document))

    async def current(self, uri: str) -> Diagnosed | None:
        """The diagnosis of the present text, when it is there; None for documents that are not open or no logs."""
        document = self._open.get(uri)
        while document is not None and document.is_log and not document.settled:
            document.hurry.set()
            self._start(document)
            await self._wait(document)
            document = self._open.get(uri)
        return document.diagnosed if document is not None and document.is_log else None

    async def _wait(self, document: OpenDocument) -> None:
        assert document.task is not None
        document.waiting += 1
        try:
            await asyncio.shield(document.task)
        except asyncio.CancelledError:
            if document.waiting == 1 and self.on_demand:
                document.abandoned = True
                document.cancelled.set()
            raise
        finally:
            document.waiting -= 1

    async def _scan(self, document: OpenDocument) -> None:
        """Scan until the text no longer changes meanwhile."""
        while not document.settled and not document.abandoned and self._open.get(document.uri) is document:
            await self._calm(document)
            generation = document.generation
            document.cancelled = threading.Event()
            document.hurry.clear()
            try:
                await self._scan_once(document)
            except Exception as error:
                # A scan must not end the server; the document stays without a diagnosis until it changes.
                _log.error("a document could not be scanned: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
                document.analysis, document.failure = None, f"the document could not be scanned: {type(error).__name__}"
                document.analysed = generation
            if document.settled and self._open.get(document.uri) is document:
                self._announce(document)

    async def _calm(self, document: OpenDocument) -> None:
        """Wait until edits pause; not when somebody waits for the answer."""
        pause = self.settings.limits.debounce_milliseconds / 1000
        while not document.hurry.is_set():
            generation = document.generation
            try:
                await asyncio.wait_for(document.hurry.wait(), pause)
            except asyncio.TimeoutError:
                if document.generation == generation:
                    return

    async def _scan_once(self, document: OpenDocument) -> None:
        generation, lines, cancelled = document.generation, document.lines, document.cancelled
        document.failure = None
        if lines.size > self.settings.limits.document_megabytes * 1_000_000:
            document.analysis, document.analysed = None, generation
            document.failure = "the document is larger than firstfault.limits.documentMegabytes; use firstfault/diagnosePaths for its file"
            return
        wanted = (document.uri, document.version, name_of(document.uri), lines, self.encoding)
        disabled, earlier = self.settings.disabled, document.analysis

        def work() -> Analysis:
            return analyse(self._workbench.engine(), wanted, disabled, earlier, cancelled.is_set)

        analysis = await self._workbench.run(work)
        if analysis.diagnosed is not None:
            document.analysis = analysis
            if document.generation == generation:
                document.analysed = generation
        elif earlier is None or earlier.diagnosed is None:
            document.analysis = analysis


def name_of(uri: str) -> str:
    """How a document is called in reports: the path of a file, else what stands behind the scheme."""
    parts = urlsplit(uri)
    path = unquote(parts.path) or unquote(parts.netloc) or uri
    if parts.scheme == "file" and len(path) > 2 and path[0] == "/" and path[2] == ":":
        path = path[1:]
    return path
