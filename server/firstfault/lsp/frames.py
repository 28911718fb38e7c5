"""Frames of tracebacks in the lines of a document, and the files of the workspace that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from firstfault.blocks.frames import is_library
from firstfault.correlate.decision import Decided
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.workspace_files import FileText, WorkspaceFiles
from firstfault.model import Frame

_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_SHORT = re.compile(r"(?<![\w/\\.-])(?P<file>(?:[\w.~-]*[/\\])*[\w.-]+\.py):(?P<line>\d+)(?!\d)")
LONGEST_LINE = 4000
_MOVED = 100
"""Lines by which a statement may have moved since the run; `main()` far away is that of another program of the same name."""


class NamedFrame(NamedTuple):
    """A place in a program that a line names."""

    file: str
    line: int
    start: int
    end: int


def frames_in(text: str) -> Iterator[NamedFrame]:
    """Places named in a line: `File "train.py", line 3` and `train.py:3`."""
    part = text[:LONGEST_LINE]
    if ".py" not in part and 'File "' not in part:
        return
    for pattern in (_FRAME, _SHORT):
        for match in pattern.finditer(part):
            start = match.start("file")
            yield NamedFrame(match["file"], int(match["line"]), start, match.end("line"))


def frame_lines(diagnosed: Diagnosed) -> Iterator[tuple[int, NamedFrame]]:
    """Frames of all blocks of a document with their lines (0-based)."""
    lines = diagnosed.lines
    for block in diagnosed.blocks:
        last = lines.first_of(block.end_line + 1)
        for number in range(lines.first_of(block.start_line), max(last, lines.first_of(block.end_line) + 1)):
            for frame in frames_in(lines.line(number)):
                yield number, frame


def own_frames(decided: Decided) -> list[Frame]:
    """Frames of an incident in the user's own code, the innermost first, of all exceptions of its block."""
    fault = decided.suspect.fault
    if fault is None:
        return []
    best = fault.best
    raised = [best.raised] if best.raised else []
    raised += [r for r in reversed(best.block.raised) if r not in raised] if best.block else []
    seen: set[tuple[str, int]] = set()
    out: list[Frame] = []
    for exception in raised:
        for frame in reversed(exception.frames):
            if frame.line is None or is_library(frame.file) or (frame.file, frame.line) in seen:
                continue
            seen.add((frame.file, frame.line))
            out.append(frame)
    return out


def frame_line(text: str, line: int | None, source: str) -> int | None:
    """The line at which the file now has what the traceback has quoted: the same, or the only one to which it has moved."""
    if line is None:
        return None
    quoted = source.strip()
    rows = [row.strip() for row in re.split(r"\r\n|\n|\r", text)]
    now = rows[line - 1] if line <= len(rows) else ""
    # A traceback quotes one line of a statement, or several of them run together.
    if now and (not quoted or quoted in now or now in quoted):
        return line
    near = enumerate(rows[max(0, line - 1 - _MOVED) : line + _MOVED], max(1, line - _MOVED))
    moved = [number for number, row in near if quoted and row == quoted]
    return moved[0] if len(moved) == 1 else None


class FramePlaces:
    """Where the frames of a document are in the files of the workspace: only where the file has the line, and what the traceback
    quotes of it. A file that is merely called alike is another program."""

    def __init__(self, diagnosed: Diagnosed, files: WorkspaceFiles) -> None:
        self._files = files
        self._read: dict[str, FileText | None] = {}
        frames = (f for block in diagnosed.blocks for raised in block.raised for f in raised.frames if f.line is not None)
        self._quoted = {(frame.file, frame.line): frame.source for frame in frames}

    def of(self, frame: NamedFrame) -> tuple[str, int] | None:
        """Path and line (from 1)."""
        if frame.file not in self._read:
            path = self._files.find(frame.file)
            self._read[frame.file] = self._files.read(path) if path else None
        file = self._read[frame.file]
        line = frame_line(file.text, frame.line, self._quoted.get((frame.file, frame.line), "")) if file else None
        return (file.path, line) if file and line is not None else None
