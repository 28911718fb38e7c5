"""The language server: which request leads to which feature, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import converters, types
from pygls.lsp.server import LanguageServer

from firstfault import __version__
from firstfault.lsp import messages
from firstfault.lsp.actions import actions, program_actions
from firstfault.lsp.authoring import TEST_COMMAND, authoring_lenses, known_ids, run_signature_test
from firstfault.lsp.authoring_completion import authoring_completion
from firstfault.lsp.client import SERVER_SILENCE
from firstfault.lsp.definition import definition
from firstfault.lsp.folding import folding
from firstfault.lsp.hover import hover
from firstfault.lsp.inlay import inlay
from firstfault.lsp.lenses import lenses
from firstfault.lsp.lines import index_of
from firstfault.lsp.links import links
from firstfault.lsp.log import ClientLog
from firstfault.lsp.protocol import Protocol, as_mapping, standard_streams
from firstfault.lsp.requests import Requests
from firstfault.lsp.session import Session
from firstfault.lsp.settings import SECTION
from firstfault.lsp.symbols import symbols, workspace_symbols

_log = logging.getLogger(__name__)


class Server(LanguageServer):
    """A pygls server whose errors are logged instead of shown in a window."""

    def __init__(self) -> None:
        super().__init__("firstfault", __version__, protocol_cls=Protocol, converter_factory=converters.get_converter)  # pyright: ignore[reportUnknownMemberType]
        self.session = Session(self.text_document_publish_diagnostics, self._refresh)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the error; the client has asked for nothing that it must be told in a window."""
        _log.error("%s", type(error).__name__)

    def _refresh(self) -> None:
        workspace = self.client_capabilities.workspace
        if workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)


def create_server() -> Server:
    """A server with all features registered."""
    server = Server()
    _lifecycle(server)
    _documents(server)
    _pulled(server)
    _features(server)
    _places(server)
    _authoring(server)
    _commands(server)
    _own_requests(server)
    return server


def run() -> int:
    """Serve on standard input and output until the client leaves; returns the exit code."""
    source, sink = standard_streams()
    server = create_server()
    try:
        return asyncio.run(server.protocol.serve(source, sink))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType, reportAttributeAccessIssue]
    except KeyboardInterrupt:
        return 130
    finally:
        server.session.workbench.close()


def _lifecycle(server: Server) -> None:
    session = server.session

    @server.feature(types.INITIALIZE)
    def _initialize(params: types.InitializeParams) -> None:
        session.initialize(params, server.workspace.position_encoding)
        given = as_mapping(params.initialization_options).get("settings")
        if given is not None:
            session.configure(given)

    @server.feature(types.INITIALIZED)
    async def _initialized(_: types.InitializedParams) -> None:
        logging.getLogger("firstfault").addHandler(ClientLog(server.window_log_message))
        session.start()
        await _watch(server)
        await _configure(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def _changed(params: types.DidChangeConfigurationParams) -> None:
        await _configure(server, params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session.folders_changed(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _files(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            session.saved(change.uri)


async def _watch(server: Server) -> None:
    """Ask to be told of settings, where the client tells of them only then."""
    workspace = server.client_capabilities.workspace
    changes = workspace.did_change_configuration if workspace else None
    if changes and changes.dynamic_registration:
        wanted = types.Registration("firstfault-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION})
        await server.client_register_capability_async(types.RegistrationParams([wanted]))


async def _configure(server: Server, pushed: object = None) -> None:
    """Read the settings, from the client where it lets itself be asked."""
    workspace = server.client_capabilities.workspace
    value = pushed
    if workspace and workspace.configuration:
        item = types.ConfigurationItem(section=SECTION)
        answers = await server.workspace_configuration_async(types.ConfigurationParams([item]))
        value = answers[0] if answers else None
    if value is not None:
        for problem in server.session.configure(value):
            _log.warning("%s", problem)


def _documents(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        session.documents.opened(item.uri, item.language_id, item.version, item.text)
        session.opened(item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _change(params: types.DidChangeTextDocumentParams) -> None:
        session.documents.changed(params.text_document.uri, params.text_document.version, params.content_changes)
        session.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def _save(params: types.DidSaveTextDocumentParams) -> None:
        session.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _close(params: types.DidCloseTextDocumentParams) -> None:
        session.documents.closed(params.text_document.uri)
        session.closed(params.text_document.uri)


def _pulled(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False))
    async def _diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        found = await session.problems_of(params.text_document.uri)
        result = f"{hash(repr(found)) & 0xFFFFFFFFFFFFFFFF:x}"
        if params.previous_result_id == result:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result)


def _features(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(params: types.HoverParams) -> types.Hover | None:
        diagnosed = await session.diagnosed(params.text_document.uri)
        return hover(diagnosed, params.position, session.settings, client=session.client) if diagnosed else None

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]))
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        settings, files, client, context = session.settings, session.files, session.client, params.context
        diagnosed = await session.diagnosed(params.text_document.uri)
        if diagnosed is None:
            found = [d.diagnosed or await session.diagnosed(d.uri) for d in session.documents.all if d.is_log]
            logs = [log for log in found if log is not None and log.report.incidents]
            uri, area, shown = params.text_document.uri, params.range, context.diagnostics
            return await session.workbench.run(
                lambda: program_actions(logs, uri, area, settings, files=files, client=client, diagnostics=shown)
            )
        return await session.workbench.run(
            lambda: actions(
                diagnosed, params.range, settings, files=files, client=client, diagnostics=context.diagnostics, only=context.only
            )
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def _symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        diagnosed = await session.diagnosed(params.text_document.uri)
        return symbols(diagnosed, session.settings) if diagnosed else []

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def _folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        diagnosed = await session.diagnosed(params.text_document.uri)
        return folding(diagnosed, session.settings) if diagnosed else []

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def _inlay(params: types.InlayHintParams) -> list[types.InlayHint]:
        diagnosed = await session.diagnosed(params.text_document.uri)
        return inlay(diagnosed, params.range, session.settings) if diagnosed else []


def _places(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def _definition(params: types.DefinitionParams) -> types.Location | None:
        diagnosed = await session.diagnosed(params.text_document.uri)
        settings, files = session.settings, session.files
        if diagnosed is None:
            return None
        return await session.workbench.run(lambda: definition(diagnosed, params.position, settings, files=files))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def _links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        diagnosed = await session.diagnosed(params.text_document.uri)
        settings, files = session.settings, session.files
        return await session.workbench.run(lambda: links(diagnosed, settings, files=files)) if diagnosed else []

    @server.feature(types.WORKSPACE_SYMBOL)
    async def _workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return await session.workbench.run(lambda: workspace_symbols(session.workbench.engine().catalog, params.query))

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def _content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        text = await session.workbench.run(lambda: session.virtual.text(params.uri, session.workbench.engine().catalog))
        return types.TextDocumentContentResult(text)


def _authoring(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def _lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        document, authored = session.documents.get(uri), session.authored(uri)
        if document is not None and authored is not None:
            return authoring_lenses(document.lines.text, authored[0])
        diagnosed = await session.diagnosed(uri)
        return lenses(diagnosed, session.settings, client=session.client) if diagnosed else []

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" ", "{", "[", "-"]))
    async def _completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        uri, place = params.text_document.uri, params.position
        document, authored = session.documents.get(uri), session.authored(uri)
        if document is None or authored is None:
            return []
        folder = authored[1]
        lines = document.lines
        column = index_of(lines.line(place.line), place.character, session.documents.encoding)
        texts = [lines.line(number) for number in range(lines.count)]
        return await session.workbench.run(
            lambda: authoring_completion(texts, place.line, column, known_ids(folder, session.workbench.engine().catalog))
        )


def _commands(server: Server) -> None:
    session = server.session

    @server.command(TEST_COMMAND)
    async def _test(uri: str) -> str:
        document, authored = session.documents.get(uri), session.authored(uri)
        if document is None or authored is None:
            return "This is no open file of a signature folder."
        (path, folder), text = authored, document.lines.text
        told = await session.workbench.run(lambda: run_signature_test(text, path, folder, session.workbench.engine().catalog))
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, told))
        return told

    @server.command(SERVER_SILENCE)
    async def _silence(signature: str) -> str:
        told = session.silence(signature)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, told))
        return told


def _own_requests(server: Server) -> None:
    requests = Requests(server, server.session)

    @server.feature(messages.DIAGNOSE)
    async def _diagnose(params: Any) -> Any:
        return await requests.diagnose(params)

    @server.feature(messages.DIAGNOSE_PATHS)
    async def _diagnose_paths(params: Any) -> Any:
        return await requests.diagnose_paths(params)

    @server.feature(messages.REPORT)
    async def _report(params: Any) -> Any:
        return await requests.report(params)

    @server.feature(messages.STREAM_OPEN)
    def _stream_open(params: Any) -> Any:
        return requests.stream_open(params)

    @server.feature(messages.STREAM_APPEND)
    def _stream_append(params: Any) -> Any:
        return requests.stream_append(params)

    @server.feature(messages.STREAM_CLOSE)
    async def _stream_close(params: Any) -> Any:
        return await requests.stream_close(params)
