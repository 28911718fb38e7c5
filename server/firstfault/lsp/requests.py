"""The requests `firstfault/…`: texts, files and folders, terminals."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from firstfault.errors import FirstfaultError
from firstfault.lsp import messages
from firstfault.lsp.analysis import CancelledError, without
from firstfault.lsp.diagnostics import diagnostics
from firstfault.lsp.documents import name_of
from firstfault.lsp.messages import Answer, Params
from firstfault.lsp.paths import Run, diagnose_paths, documents_of
from firstfault.lsp.session import Session
from firstfault.lsp.streams import Stream
from firstfault.model import SourceScan
from firstfault.report import Report
from firstfault.scan.moved import moved_scan

_log = logging.getLogger(__name__)
_RUN = "run"


class Requests:
    """Answers the requests of our own part of the protocol."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
        self._server = server
        self._session = session
        self._progresses: Any = server.work_done_progress
        self._runs = 0

    def _answer(self, report: Report, unreadable: tuple[str, ...] = ()) -> dict[str, Any]:
        return Answer(report=report, report_uri=self._session.virtual.keep(report), unreadable=unreadable).to_json()

    # --- text --------------------------------------------------------------------------------------------------------

    async def diagnose(self, value: object) -> dict[str, Any]:
        """A text by itself, or an open document or a range of it."""
        params = Params(messages.DIAGNOSE, value)
        text, uri = params.optional_text("text"), params.optional_text("uri")
        before = 0
        if text is None:
            if uri is None:
                raise params.refusal("text or uri is missing")
            document = self._session.documents.get(uri)
            if document is None:
                raise params.refusal("the document is not open")
            area = params.area("range")
            text = document.lines.text
            if area is not None:
                start, end = (area.start.line, area.start.character), (area.end.line, area.end.character)
                text = document.lines.between(start, end, self._session.documents.encoding)
                before = document.lines.core_line(area.start.line) - 1
        name = params.optional_text("name") or (name_of(uri) if uri else "<selection>")
        report = await self._session.workbench.run(self._diagnose_text, text, name, before)
        return self._answer(report)

    def _diagnose_text(self, text: str, name: str, before: int) -> Report:
        engine = self._session.workbench.engine()
        scan = engine.scan_text(text, name)
        return self._report(moved_scan(scan, before))

    def _report(self, scan: SourceScan) -> Report:
        return self._session.workbench.engine().report((without(scan, self._session.settings.disabled),))

    async def report(self, value: object) -> dict[str, Any]:
        """The report of an open document or of a virtual one, as Markdown and redacted on request."""
        params = Params(messages.REPORT, value)
        uri = params.text("uri")
        report = self._session.virtual.report(uri)
        if report is None:
            diagnosed = await self._session.diagnosed(uri)
            if diagnosed is None:
                raise params.refusal("there is no diagnosed document or report of this uri")
            report = diagnosed.report
        if params.flag("redact"):
            from firstfault.privacy.redact import redact

            report = redact(report)
        from firstfault.views import markdown

        return {**self._answer(report), "markdown": markdown.render(report)}

    # --- files -------------------------------------------------------------------------------------------------------

    async def diagnose_paths(self, value: object) -> dict[str, Any]:
        """Files and folders as one run, with progress; their diagnostics are sent."""
        params = Params(messages.DIAGNOSE_PATHS, value)
        paths = params.texts("paths")
        token = await self._begin(params.token("workDoneToken"))
        cancelled = threading.Event()

        def is_cancelled() -> bool:
            given = self._progresses.tokens.get(token) if token is not None else None
            return cancelled.is_set() or (given is not None and given.cancelled())

        try:
            return await self._run_paths(paths, is_cancelled, self._progress(token))
        except asyncio.CancelledError:
            cancelled.set()
            raise
        except CancelledError as error:
            raise JsonRpcException("the diagnosis was cancelled", types.LSPErrorCodes.RequestCancelled.value) from error
        except FirstfaultError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        finally:
            self._end(token)

    async def _run_paths(
        self, paths: list[str], is_cancelled: Callable[[], bool], progress: Callable[[int, int, str], None]
    ) -> dict[str, Any]:
        session = self._session
        disabled, settings, encoding, pages = session.settings.disabled, session.settings, session.documents.encoding, session.pages

        def work() -> tuple[Run, dict[str, list[types.Diagnostic]]]:
            engine = session.workbench.engine()
            run = diagnose_paths(engine, paths, disabled, is_cancelled, progress)
            return run, {d.uri: diagnostics(d, settings, pages=pages) for d in documents_of(engine, run, encoding)}

        run, found = await session.workbench.run(work)
        said = {uri: items for uri, items in found.items() if session.documents.get(uri) is None and items}
        session.published.say((_RUN, ""), said)
        return self._answer(run.report, run.unreadable)

    async def _begin(self, token: int | str | None) -> int | str | None:
        """A progress token: the client's, or one of ours where the client shows progress."""
        progress = self._progresses
        window = self._server.client_capabilities.window
        if token is None and window is not None and window.work_done_progress:
            self._runs += 1
            token = f"firstfault-paths-{self._runs}"
            try:
                await asyncio.wait_for(progress.create_async(token), 5)
            except (JsonRpcException, asyncio.TimeoutError):
                return None
        if token is not None:
            progress.begin(token, types.WorkDoneProgressBegin("Reading logs", cancellable=True, percentage=0))
        return token

    def _progress(self, token: int | str | None) -> Callable[[int, int, str], None]:
        loop = asyncio.get_running_loop()

        def tell(done: int, total: int, name: str) -> None:
            if token is not None:
                value = types.WorkDoneProgressReport(message=f"{name} ({done + 1} of {total})", percentage=100 * done // total)
                loop.call_soon_threadsafe(self._progresses.report, token, value)

        return tell

    def _end(self, token: int | str | None) -> None:
        if token is not None:
            self._progresses.end(token, types.WorkDoneProgressEnd())
            self._progresses.tokens.pop(token, None)

    # --- terminals ---------------------------------------------------------------------------------------------------

    def stream_open(self, value: object) -> dict[str, Any]:
        """Begin to read the output of a command."""
        params = Params(messages.STREAM_OPEN, value)
        number = params.text("id")
        stream = Stream(self._session.workbench.engine(), params.optional_text("name") or f"terminal {number}")
        self._session.streams.open(number, stream)
        return {"id": number}

    def stream_append(self, value: object) -> dict[str, Any]:
        """More output; scanned here and now, so that a quick command waits for us and not in our memory."""
        params = Params(messages.STREAM_APPEND, value)
        stream = self._session.streams.get(params.text("id"))
        if stream is None:
            raise params.refusal("there is no open stream of this id")
        text, data = params.optional_text("text"), params.optional_text("base64")
        if (text is None) == (data is None):
            raise params.refusal("either text or base64 must be given")
        if text is not None:
            stream.append_text(text)
        elif data is not None:
            try:
                stream.append_base64(data)
            except ValueError as error:
                raise params.refusal(str(error)) from error
        return {"bytes": stream.size}

    async def stream_close(self, value: object) -> dict[str, Any]:
        """The command has ended: what does its output say."""
        params = Params(messages.STREAM_CLOSE, value)
        stream = self._session.streams.take(params.text("id"))
        if stream is None:
            raise params.refusal("there is no open stream of this id")
        code = params.number("exitCode")
        report = await self._session.workbench.run(lambda: self._report(stream.close(code)))
        return {**self._answer(report), "exitCode": code}
