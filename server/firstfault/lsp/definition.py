"""Go to definition: from a frame of a traceback to the line of the file."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.convert import start_of_line
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.frames import FramePlaces, frames_in
from firstfault.lsp.lines import index_of
from firstfault.lsp.settings import Settings
from firstfault.lsp.workspace_files import WorkspaceFiles, uri_of


def definition(diagnosed: Diagnosed, position: types.Position, settings: Settings, *, files: WorkspaceFiles) -> types.Location | None:
    """The place that the frame under the cursor names; the only frame of a line counts wherever the cursor stands."""
    text = diagnosed.lines.line(position.line)
    column = index_of(text, position.character, diagnosed.encoding)
    found = list(frames_in(text))
    frame = next((f for f in found if f.start <= column <= f.end), found[0] if len(found) == 1 else None)
    place = FramePlaces(diagnosed, files).of(frame) if frame else None
    return types.Location(uri_of(place[0]), start_of_line(place[1] - 1)) if place else None
