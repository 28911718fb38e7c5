"""The pygls protocol made to last: every request is answered, whatever it holds, and documents are kept by us alone."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Generator, Mapping
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from firstfault.lsp.wire import Message, Reading

PROTOCOL_VERSION = 1
"""Version of the requests `firstfault/…`; it changes when one of them changes its meaning or loses a field."""
SCHEME = "firstfault"
"""Scheme of the virtual documents: pages of the catalogue, reports."""
_log = logging.getLogger(__name__)


class PipeWriter:
    """Writes to a descriptor; a reader that went away is remembered, not raised."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.closed = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Write all of the data."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            self.closed.set()

    def close(self) -> None:
        """Nothing more will be written."""
        self.closed.set()


class Protocol(LanguageServerProtocol):
    """What differs from pygls: messages are checked here, and its copy of the documents, which it would split and join at each
    edit, is not kept."""

    async def serve(self, source: int, sink: int) -> int:
        """Handle messages until the client leaves; returns the exit code."""
        loop = asyncio.get_running_loop()
        writer = PipeWriter(sink)
        self.set_writer(writer)
        ended = asyncio.Event()

        def deliver(message: Message) -> None:
            loop.call_soon_threadsafe(self._take, message, reading, writer)

        def end() -> None:
            loop.call_soon_threadsafe(ended.set)

        reading = Reading(source, deliver, end)
        reading.start()
        waiting = [asyncio.ensure_future(event.wait()) for event in (ended, writer.closed)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        return 0 if self._shutdown else 1

    def _take(self, message: Message, reading: Reading, writer: PipeWriter) -> None:
        try:
            if not writer.closed.is_set():
                self._handle(message)
        finally:
            reading.done_with(message)

    def _handle(self, message: Message) -> None:
        """Handle one message; whatever is wrong with it becomes an answer or a log record."""
        if message.error is not None:
            self._refuse(None, JsonRpcParseError(message.error))
            return
        content = message.content
        if not isinstance(content, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message must be an object; batches are not part of the protocol"))
            return
        given = cast("dict[str, Any]", content)
        number: Any = given.get("id")
        known: int | str | None = number if isinstance(number, (int, str)) else None
        if given.get("jsonrpc") != self.VERSION or not ("method" in given or "result" in given or "error" in given):
            self._refuse(known, JsonRpcInvalidRequest('a message needs "jsonrpc": "2.0" and a method, a result or an error'))
            return
        untimely = self._untimely(given.get("method"))
        if untimely is not None:
            self._refuse(known, untimely, tell="id" in given)
            return
        if "method" in given and "params" not in given:
            given["params"] = None
        try:
            self.handle_message(self.structure_message(given))
        except JsonRpcException as error:
            self._refuse(known if "method" in given else None, error, tell="id" in given)
        except Exception as error:
            # The last line of defence: an unforeseen message must not end the session.
            _log.error("a message could not be handled: %s", type(error).__name__)
            self._refuse(known, JsonRpcInternalError(type(error).__name__), tell="id" in given)

    def _untimely(self, method: object) -> JsonRpcException | None:
        """Why a method cannot be called now."""
        if method is None or method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was shut down")
        if (method == types.INITIALIZE) == (self._workspace is None):
            return None
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server was initialized already")
        return JsonRpcServerNotInitialized("the first request must be initialize")

    def structure_message(self, data: dict[str, Any]) -> Any:
        """As in pygls, but saying which method had wrong parameters."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            method = str(data.get("method", "a response"))
            raise JsonRpcInvalidParams(f"the parameters of {method} do not have the form that the protocol asks for") from error

    def _refuse(self, number: int | str | None, error: JsonRpcException, *, tell: bool = True) -> None:
        _log.warning("a message was refused: %s", error.message)
        if tell:
            answer = {"code": error.code, "message": error.message}
            self._send_data({"jsonrpc": self.VERSION, "id": number, "error": answer})

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        """As in pygls, but without the traceback: an error is one sentence for the user."""
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._answer_error(msg_id, types.LSPErrorCodes.RequestCancelled, "the request was cancelled")
            return
        error = future.exception()
        if error is None:
            self._send_response(msg_id, result=future.result())
        elif isinstance(error, JsonRpcException):
            self._send_response(msg_id, error=error.to_response_error())
        else:
            _log.error("a request failed", exc_info=error if _log.isEnabledFor(logging.DEBUG) else None)
            self._answer_error(msg_id, types.ErrorCodes.InternalError, f"the request failed: {type(error).__name__}")

    def _answer_error(self, number: Any, code: int, message: str) -> None:
        self._send_response(number, error=types.ResponseError(code=int(code), message=message))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """As in pygls, with what it does not know to tell."""
        result = yield from super().lsp_initialize(params)
        workspace = result.capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions(schemes=[SCHEME])
        result.capabilities.workspace = workspace
        result.capabilities.experimental = {"firstfault": {"protocol": PROTOCOL_VERSION}}
        return result

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        """Let `serve` return, so that everything ends in order."""
        yield from ()
        writer = self.writer
        if isinstance(writer, PipeWriter):
            writer.close()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Only our own handler."""
        yield from self._own(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Only our own handler."""
        yield from self._own(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Only our own handler."""
        yield from self._own(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _own(self, method: str, params: object) -> Generator[Any, Any, None]:
        handler = cast("Any", self.fm).features.get(method)
        if handler is not None:
            yield handler, (params,), None


def as_mapping(value: object) -> Mapping[str, Any]:
    """Parameters of a request of ours as a mapping, whatever pygls made of them."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if hasattr(value, "_asdict"):
        return cast("Mapping[str, Any]", value._asdict())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return vars(value) if hasattr(value, "__dict__") else {}


def standard_streams() -> tuple[int, int]:
    """Descriptors for messages. What anything prints by mistake goes to standard error, so that it cannot break the stream."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink
