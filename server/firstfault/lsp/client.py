"""What a client offers beyond the protocol: the commands that it can run itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from lsprotocol import types

from firstfault.lsp.protocol import as_mapping

EXPLAIN = "firstfault.explain"
"""Argument: id of a signature, or a code such as `xid 79`. Shows its page."""
COPY = "firstfault.copy"
"""Argument: a text. Puts it on the clipboard."""
RUN = "firstfault.runInTerminal"
"""Argument: a command line. Puts it into a terminal; the user presses Enter."""
GO_TO = "firstfault.goTo"
"""Arguments: URI and position. Opens the document there."""
COPY_REPORT = "firstfault.copyReport"
"""Argument: URI of a diagnosed document. Asks for the redacted report and puts it on the clipboard."""
SILENCE = "firstfault.silence"
"""Argument: id of a signature. Adds it to the workspace's `firstfault.disabledSignatures`."""
FIX = "firstfault.fix"
"""Arguments: URI and position. Shows the code actions of that place."""
SERVER_SILENCE = "firstfault.server.silence"
"""Argument: id of a signature. The server reports it no more until it ends; for clients without a command of their own."""

ALL = frozenset((EXPLAIN, COPY, RUN, GO_TO, COPY_REPORT, SILENCE, FIX))


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The commands that a client has told in `initialize`."""

    commands: frozenset[str] = frozenset()
    command_links: bool = False
    """It follows `command:` links in Markdown."""
    change_annotations: bool = False
    shows_diagnostics_in_hovers: bool = False
    """It shows the diagnostics of a line above its hover, so that the hover need not repeat them."""

    def can(self, command: str) -> bool:
        """Whether the client runs a command."""
        return command in self.commands

    def link(self, title: str, command: str, *arguments: object) -> str | None:
        """A Markdown link that runs a command, or None where the client does not follow such links."""
        if not self.command_links or command not in self.commands:
            return None
        return f"[{title}](command:{command}?{quote(json.dumps(arguments, ensure_ascii=True), safe='')})"


PLAIN = Client()


def client_of(params: types.InitializeParams) -> Client:
    """Read `initializationOptions: {commands: [...], commandLinks: true, …}` and the capabilities."""
    options = as_mapping(params.initialization_options)
    given = options.get("commands")
    names = cast("list[Any]", given) if isinstance(given, list) else []
    edit = params.capabilities.workspace.workspace_edit if params.capabilities.workspace else None
    return Client(
        commands=ALL & frozenset(str(name) for name in names),
        command_links=options.get("commandLinks") is True,
        shows_diagnostics_in_hovers=options.get("showsDiagnosticsInHovers") is True,
        change_annotations=bool(edit and edit.change_annotation_support and edit.document_changes),
    )
