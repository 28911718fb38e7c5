"""The edits that an incident's fixes propose, found in the files of the workspace that its log leads to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types

from firstfault.advise.edits import Proposal, is_launch_file, proposals
from firstfault.correlate.decision import Decided
from firstfault.lsp.client import Client
from firstfault.lsp.frames import frame_line, own_frames
from firstfault.lsp.lines import Encoding, units
from firstfault.lsp.workspace_files import FileText, WorkspaceFiles, path_of, uri_of
from firstfault.report import FixStep, Incident

MOST_FILES = 6
MOST_LAUNCH_FILES = 100
"""Files that are read to find those that start the run."""
MOST_EDITS = 8
_CAREFUL = frozenset(("data-loss", "admin"))


@dataclass(frozen=True, slots=True)
class FileEdit:
    """An edit of a file of the workspace, with the fix that asks for it."""

    file: FileText
    proposal: Proposal
    step: FixStep
    first: bool
    """It is the fix that the entry names first."""

    @property
    def title(self) -> str:
        """What will change, and where."""
        return f"{self.proposal.title} - {os.path.basename(self.file.path)}:{self.proposal.line}"

    @property
    def harmless(self) -> bool:
        """Whether it costs time or memory at most: a price named beside a change of code may be one of safety or correctness,
        and a variable's value is an example that the machine may not fit."""
        step = self.step
        if step.edit is None or step.edit["kind"] == "set-env":
            return False
        return step.risk not in _CAREFUL and not (step.kind == "code" and "(costs: " in step.text)


def concerns(incident: Incident, decided: Decided, uri: str, files: WorkspaceFiles) -> bool:
    """Whether an edit of an incident can be one of this file; tells without reading any."""
    path = path_of(uri)
    kinds = {step.edit["kind"] for step in incident.fix if step.edit is not None}
    if path is None or not kinds:
        return False
    if "set-env" in kinds and is_launch_file(path):
        return True
    found = (files.find(frame.file) for frame in own_frames(decided)) if kinds != {"set-env"} else ()
    return any(file is not None and uri_of(file) == uri for file in found)


def file_edits(incident: Incident, decided: Decided, files: WorkspaceFiles) -> list[FileEdit]:
    """Edits that fit, those at the place that the log names first."""
    out: list[FileEdit] = []
    for number, step in enumerate(incident.fix):
        if step.edit is None:
            continue
        for file, line in _targets(step.edit, decided, files):
            found = proposals(step.edit, file.text, file.path, line)
            out.extend(FileEdit(file, proposal, step, number == 0) for proposal in found)
    # A variable may be set in many files; one that sets it already is the one to change.
    out.sort(key=lambda e: (not e.proposal.exact, not e.first))
    return out[:MOST_EDITS]


def _targets(edit: dict[str, str], decided: Decided, files: WorkspaceFiles) -> Iterator[tuple[FileText, int | None]]:
    if edit["kind"] == "set-env":
        for file in _launch_files(edit["name"], decided, files):
            yield file, None
        return
    seen: set[str] = set()
    for frame in own_frames(decided):
        path = files.find(frame.file)
        if path is None or path in seen:
            continue
        seen.add(path)
        file = files.read(path)
        if file is None:
            continue
        line = frame_line(file.text, frame.line, frame.source)
        # Elsewhere on the machine another program may stand under the same path.
        if line is not None or files.holds(path):
            yield file, line
        if len(seen) == MOST_FILES:
            return


def _launch_files(variable: str, decided: Decided, files: WorkspaceFiles) -> list[FileText]:
    """Files that may start this run: those that set the variable, then those that name its program, then the others."""
    names = {re.split(r"[/\\]", frame.file)[-1] for frame in own_frames(decided)}
    found = [file for file in map(files.read, files.launch_files()[:MOST_LAUNCH_FILES]) if file is not None]
    found.sort(key=lambda f: (variable not in f.text, not any(name in f.text for name in names)))
    return found[:MOST_FILES]


def workspace_edit(edit: FileEdit, encoding: Encoding, client: Client) -> types.WorkspaceEdit:
    """The edit as the client wants it: annotated, so that what may cost more than time is asked about first, or plain."""
    changes = [(_range(edit.file.text, c.start, c.end, encoding), c.text) for c in edit.proposal.changes]
    if not client.change_annotations:
        return types.WorkspaceEdit(changes={edit.file.uri: [types.TextEdit(place, text) for place, text in changes]})
    name = "firstfault"
    document = types.OptionalVersionedTextDocumentIdentifier(edit.file.uri, edit.file.version)
    note = types.ChangeAnnotation(edit.title, needs_confirmation=not edit.harmless, description=edit.step.text)
    edits = [types.AnnotatedTextEdit(name, place, text) for place, text in changes]
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)], change_annotations={name: note})


def _range(text: str, start: int, end: int, encoding: Encoding) -> types.Range:
    return types.Range(_position(text, start, encoding), _position(text, end, encoding))


def _position(text: str, offset: int, encoding: Encoding) -> types.Position:
    before = text[:offset]
    number = before.count("\n") + before.replace("\r\n", "").count("\r")
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    if before.endswith("\r") and text[offset : offset + 1] == "\n":
        number, start = number - 1, max(before.rfind("\n", 0, offset - 1), before.rfind("\r", 0, offset - 1)) + 1
    return types.Position(number, units(text[start:offset], encoding))
