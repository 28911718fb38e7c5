"""Document links: from the frames of a log to the files of the workspace."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.convert import span_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.frames import FramePlaces, frame_lines
from firstfault.lsp.settings import Settings
from firstfault.lsp.workspace_files import WorkspaceFiles, uri_of

MOST_LINKS = 2000


def links(diagnosed: Diagnosed, settings: Settings, *, files: WorkspaceFiles) -> list[types.DocumentLink]:
    """Links for the frames whose file the workspace has."""
    places = FramePlaces(diagnosed, files)
    out: list[types.DocumentLink] = []
    for number, frame in frame_lines(diagnosed):
        found = places.of(frame)
        if found is None:
            continue
        path, line = found
        place = span_range(diagnosed.lines, number, frame.start, frame.end, diagnosed.encoding)
        out.append(types.DocumentLink(place, target=f"{uri_of(path)}#L{line}", tooltip=f"Open {path}:{line}"))
        if len(out) == MOST_LINKS:
            break
    return out
