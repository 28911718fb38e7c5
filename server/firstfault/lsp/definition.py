"""Go to definition: from a frame of a traceback to the line of the file."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.convert import start_of_line
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.frames import frames_in
from firstfault.lsp.lines import index_of
from firstfault.lsp.settings import Settings
from firstfault.lsp.workspace_files import WorkspaceFiles, uri_of


def definition(diagnosed: Diagnosed, position: types.Position, settings: Settings, *, files: WorkspaceFiles) -> types.Location | None:
    """The place that the frame under the cursor names; the only frame of a line counts wherever the cursor stands."""
    text = diagnosed.lines.line(position.line)
    column = index_of(text, position.character, diagnosed.encoding)
    found = list(frames_in(text))
    frame = next((f for f in found if f.start <= column <= f.end), found[0] if len(found) == 1 else None)
    path = files.find(frame.file) if frame else None
    if frame is None or path is None:
        return None
    return types.Location(uri_of(path), start_of_line(frame.line - 1))
