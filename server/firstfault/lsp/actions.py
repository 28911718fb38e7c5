"""Code actions of a diagnosed line: edits of the user's own files, and commands of the client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from firstfault.correlate.decision import Decided
from firstfault.lsp.client import COPY, COPY_REPORT, EXPLAIN, GO_TO, PLAIN, RUN, SERVER_SILENCE, SILENCE, Client
from firstfault.lsp.convert import SOURCE
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.file_edits import FileEdit, concerns, file_edits, workspace_edit
from firstfault.lsp.hover import first_place
from firstfault.lsp.same_fault import same_fault_at
from firstfault.lsp.settings import Settings
from firstfault.lsp.workspace_files import WorkspaceFiles
from firstfault.report import Incident
from firstfault.views.phrases import check_command
from firstfault.wording import shortened

_LONGEST_TITLE = 70
_Diagnostics = Sequence[types.Diagnostic]


def actions(
    diagnosed: Diagnosed,
    area: types.Range,
    settings: Settings,
    *,
    files: WorkspaceFiles,
    client: Client = PLAIN,
    diagnostics: _Diagnostics = (),
    only: Sequence[types.CodeActionKind | str] | None = None,
) -> list[types.CodeAction]:
    """What can be done about the failures of a range; the edits first."""
    if only and not any("quickfix".startswith(_name(kind)) for kind in only):
        return []
    mine = [d for d in diagnostics if d.source == SOURCE]
    out: list[types.CodeAction] = []
    for incident, decided, explained in _incidents(diagnosed, area):
        if incident.signature in settings.disabled:
            continue
        out += [action for _, action in _edits(incident, decided, diagnosed, files, client, mine)]
        out += list(_commands(diagnosed, incident, client, explained, mine))
    return out


def program_actions(
    logs: Sequence[Diagnosed],
    uri: str,
    area: types.Range,
    settings: Settings,
    *,
    files: WorkspaceFiles,
    client: Client = PLAIN,
    diagnostics: _Diagnostics = (),
) -> list[types.CodeAction]:
    """The edits of a program that the open logs ask for, where the cursor is on what changes or on the mark of the last run."""
    mine = [d for d in diagnostics if d.source == SOURCE]
    out: list[types.CodeAction] = []
    for diagnosed in logs:
        for incident, decided in diagnosed.incidents:
            if incident.signature in settings.disabled:
                continue
            if not concerns(incident, decided, uri, files):
                continue
            marked = any(d.code == incident.signature for d in mine)
            for edit, action in _edits(incident, decided, diagnosed, files, client, mine):
                if edit.file.uri == uri and (marked or area.start.line <= edit.proposal.line - 1 <= area.end.line):
                    out.append(action)
    return out


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _incidents(diagnosed: Diagnosed, area: types.Range) -> Iterator[tuple[Incident, Decided, str | None]]:
    """Incidents that the range touches, with the signature of the collateral where the range is on one."""
    first, last = diagnosed.core_line(area.start.line), diagnosed.core_line(area.end.line)
    seen: set[int] = set()
    for number, (incident, decided) in enumerate(diagnosed.incidents):
        suspect = decided.suspect
        start, end = suspect.line or 0, max(suspect.line or 0, suspect.end_line or 0)
        block = suspect.fault.best.block if suspect.fault else None
        if block is not None:
            start, end = min(start, block.start_line), max(end, block.end_line)
        if suspect.source == diagnosed.source and start <= last and first <= end:
            seen.add(number)
            yield incident, decided, None
    same = same_fault_at(diagnosed, first, last)
    if same is not None and not seen:
        yield same[0], same[1], None
        return
    for number, (incident, decided) in enumerate(diagnosed.incidents):
        if number in seen:
            continue
        for item in decided.explained:
            fault = item.fault
            if fault.best.source == diagnosed.source and fault.start_line <= last and first <= fault.end_line:
                yield incident, decided, fault.signature
                break


def _edits(
    incident: Incident, decided: Decided, diagnosed: Diagnosed, files: WorkspaceFiles, client: Client, diagnostics: _Diagnostics
) -> Iterator[tuple[FileEdit, types.CodeAction]]:
    found = file_edits(incident, decided, files)
    preferred = [e for e in found if e.first and e.harmless]
    for edit in found:
        yield (
            edit,
            types.CodeAction(
                title=edit.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=list(diagnostics) or None,
                is_preferred=True if len(preferred) == 1 and edit is preferred[0] else None,
                edit=workspace_edit(edit, diagnosed.encoding, client),
                command=_shown(edit) if edit.harmless and client.can(GO_TO) else None,
            ),
        )


def _shown(edit: FileEdit) -> types.Command:
    """Shows what was changed: nobody has been asked, and the file need not be the one on the screen."""
    return types.Command(
        title="Show the change", command=GO_TO, arguments=[edit.file.uri, {"line": edit.proposal.line - 1, "character": 0}]
    )


def _commands(
    diagnosed: Diagnosed, incident: Incident, client: Client, explained: str | None, diagnostics: _Diagnostics
) -> Iterator[types.CodeAction]:
    signature = explained or incident.signature
    for title, command, arguments in _offered(diagnosed, incident, signature, explained is not None):
        # A client without a command of its own can still have the server silence a signature.
        known = command if client.can(command) else SERVER_SILENCE if command == SILENCE else None
        if known is not None:
            yield types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=list(diagnostics) or None,
                command=types.Command(title=title, command=known, arguments=arguments),
            )


def _offered(diagnosed: Diagnosed, incident: Incident, signature: str, collateral: bool) -> Iterator[tuple[str, str, list[object]]]:
    target = first_place(diagnosed, incident)
    if collateral and target is not None:
        yield f"Go to the first fault: {shortened(incident.title, _LONGEST_TITLE)}", GO_TO, [*target]
    known = diagnosed.catalog.by_id.get(signature)
    if known is not None:
        yield f"Explain: {shortened(known.title, _LONGEST_TITLE)}", EXPLAIN, [signature]
    if not collateral:
        fix = next((f.command for f in incident.fix if f.command), None)
        if fix:
            yield f"Copy the fix: {shortened(fix, _LONGEST_TITLE)}", COPY, [fix]
        elif incident.fix:
            yield "Copy the fix", COPY, [incident.fix[0].text]
        check = check_command(incident)
        if check:
            yield f"Verify in a terminal: {shortened(check, _LONGEST_TITLE)}", RUN, [check]
    yield "Copy the report, redacted", COPY_REPORT, [diagnosed.uri]
    if known is not None:
        yield f"Silence {signature} in this workspace", SILENCE, [signature]
