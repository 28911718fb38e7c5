"""Frames of tracebacks in the lines of a document, and the files of the workspace that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from firstfault.blocks.frames import is_library
from firstfault.correlate.decision import Decided
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.model import Frame

_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_SHORT = re.compile(r"(?<![\w/\\.-])(?P<file>(?:[\w.~-]*[/\\])*[\w.-]+\.py):(?P<line>\d+)(?!\d)")
LONGEST_LINE = 4000


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
