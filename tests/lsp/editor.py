"""What a test asks of an editor: open, type, wait for diagnostics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

PATIENCE = 20.0

OOM = """\
step 1 loss=2.10
step 2 loss=2.05
Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    loss = model(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.40 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.10 GiB is free.
"""
"""The log of a run of one process; line 6 is the first fault."""


class Editor:
    """A client with the waiting that a person does."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.result: types.InitializeResult | None = None
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.times: dict[str, int] = {}
        """How often diagnostics were sent for a document."""
        self._version: dict[str, int] = {}
        self._news = asyncio.Condition()
        client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self._receive

    async def _receive(self, params: types.PublishDiagnosticsParams) -> None:
        async with self._news:
            self.published[params.uri] = params
            self.times[params.uri] = self.times.get(params.uri, 0) + 1
            self._news.notify_all()

    async def until(self, settled: Callable[[], bool]) -> None:
        """Wait for diagnostics until something holds."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(settled), PATIENCE)

    def open(self, uri: str, text: str, language: str = "log") -> None:
        """Open a document; it has version 1."""
        self._version[uri] = 1
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text)))

    def type(self, uri: str, line: int, character: int, text: str, *, end: tuple[int, int] | None = None) -> None:
        """Put text at a position, or in place of what stands up to `end`."""
        stop = types.Position(*(end or (line, character)))
        area = types.Range(types.Position(line, character), stop)
        self._change(uri, types.TextDocumentContentChangePartial(range=area, text=text))

    def replace(self, uri: str, text: str) -> None:
        """Another text as a whole, as when a file has grown on the disk."""
        self._change(uri, types.TextDocumentContentChangeWholeDocument(text=text))

    def _change(self, uri: str, change: types.TextDocumentContentChangeEvent) -> None:
        self._version[uri] += 1
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self._version[uri])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        """Close a document."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close_all(self) -> None:
        """Close whatever is open, and forget what was sent."""
        for uri in self._version:
            self.close(uri)
        self._version.clear()
        self.published.clear()
        self.times.clear()

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics that the server sends for the present version."""
        await self.until(lambda: uri in self.published and self.published[uri].version == self._version[uri])
        return list(self.published[uri].diagnostics)

    async def told(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics that the server sends for a file, open or not."""
        await self.until(lambda: uri in self.published and bool(self.published[uri].diagnostics))
        return list(self.published[uri].diagnostics)

    async def request(self, method: str, params: object) -> Any:
        """A request that the protocol package does not know."""
        return await asyncio.wait_for(self.client.protocol.send_request_async(method, params), PATIENCE)

    async def pull(self, uri: str, previous: str | None = None) -> types.DocumentDiagnosticReport:
        """Ask for the diagnostics of a document."""
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await asyncio.wait_for(self.client.text_document_diagnostic_async(params), PATIENCE)
