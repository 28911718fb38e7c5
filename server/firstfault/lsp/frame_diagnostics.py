"""Diagnostics on the user's own files after a run: where the code stood when it failed."""

from __future__ import annotations

from lsprotocol import types

from firstfault.correlate.decision import Decided
from firstfault.lsp.convert import SOURCE, line_range, start_of_line
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.frames import frame_line, own_frames
from firstfault.lsp.hover import first_place
from firstfault.lsp.lines import Lines
from firstfault.lsp.settings import Settings
from firstfault.lsp.workspace_files import WorkspaceFiles
from firstfault.report import Incident
from firstfault.views import phrases
from firstfault.wording import shortened


def frame_diagnostics(diagnosed: Diagnosed, settings: Settings, *, files: WorkspaceFiles) -> dict[str, list[types.Diagnostic]]:
    """Diagnostics by URI: one for each incident, at its innermost own frame, while the file has what the traceback quotes."""
    out: dict[str, list[types.Diagnostic]] = {}
    for incident, decided in diagnosed.incidents:
        if decided.suspect.source != diagnosed.source or incident.signature in settings.disabled:
            continue
        found = _diagnostic(diagnosed, incident, decided, files)
        if found is not None:
            out.setdefault(found[0], []).append(found[1])
    return out


def _diagnostic(diagnosed: Diagnosed, incident: Incident, decided: Decided, files: WorkspaceFiles) -> tuple[str, types.Diagnostic] | None:
    for frame in own_frames(decided):
        path = files.find(frame.file)
        file = files.read(path) if path else None
        if file is None:
            continue
        line = frame_line(file.text, frame.line, frame.source)
        if line is None:
            return None
        subject = phrases.who(incident.initiator)
        message = f"Last run failed here: {incident.title}" + (f" ({subject})" if subject else "")
        return file.uri, types.Diagnostic(
            range=line_range(Lines.of(file.text), line - 1, diagnosed.encoding),
            message=shortened(message, 160),
            severity=types.DiagnosticSeverity.Warning,
            source=SOURCE,
            code=incident.signature,
            related_information=_related(diagnosed, incident),
        )
    return None


def _related(diagnosed: Diagnosed, incident: Incident) -> list[types.DiagnosticRelatedInformation] | None:
    target = first_place(diagnosed, incident)
    if target is None:
        return None
    uri, position = target
    text = shortened(incident.initiator.text or incident.title, 160)
    return [types.DiagnosticRelatedInformation(types.Location(uri, start_of_line(position["line"])), text)]
