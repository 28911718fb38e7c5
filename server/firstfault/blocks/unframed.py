"""Exceptions of which only the last line (or the lower part of the traceback) is in the log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from firstfault.blocks.traceback import HEADER, TracebackReader
from firstfault.lazy import Lazy
from firstfault.model import CUT_OFF, Frame, Line, Raised, Role

_EXCEPTION = Lazy(
    r"^(?:Error: |Uncaught |Unhandled |E   +)?(?P<type>(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Interrupt|Timeout|NotFound|Failure|Exit|Iteration))(?:\([\w.]*\))?)(?::(?: |$)|$)"
)
_EMBEDDED = Lazy(
    r"(?:\b(?i:failed|failure|error|exception|crashed|aborted|fatal)\b.{0,80}?[:(] ?)(?P<rest>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::? .*|\(.*|$))"
)
_FRAME = Lazy(r'^\s+File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<function>.*))?')

_LONGEST_NOTEBOOK = 300
"""Lines that a notebook may print between the head of a traceback and the line of its exception."""
_FARTHEST = 100
"""Lines of other processes that may stand between an exception and the rest of its message."""


def read_exception(line: Line, before: Iterator[Line], following: Iterable[Line]) -> Raised | None:
    """The exception that begins at a line, or None when the line is something else."""
    text = line.text
    match = _EXCEPTION.match(text.strip())
    if not match:
        return _embedded(line)
    frames, start = _frames_above(line, before)
    reader = TracebackReader(line)
    raised, _end = reader.read(_indented(line, following))
    if not raised:
        return None
    last = raised[0]
    return Raised(
        type=last.type,
        message=last.message,
        line=last.line,
        end_line=last.end_line,
        start_line=start,
        frames=frames,
    )


def named_by_structure(kind: str, last: Raised) -> tuple[str, Role]:
    """What a block is called that no entry of the catalogue knows, and what it can be."""
    if kind == "native":
        return "structure/native-crash", "cause"
    return ("structure/uncaught-exception", "cause") if last.type else (CUT_OFF, "effect")


def read_traceback(head: Line, following: Callable[[], Iterator[Line]]) -> tuple[tuple[Raised, ...], int, tuple[object, ...]]:
    """The exceptions of the traceback below a head, also of one without its end, with its last line and the process that wrote it."""
    reader = TracebackReader(head)
    raised, end = reader.read(following())
    cut = None if raised else reader.breaks_off or read_notebook_head(head, following())
    return ((cut,), cut.end_line, reader.body) if cut is not None else (tuple(raised), end, reader.body)


def read_notebook_head(line: Line, following: Iterable[Line]) -> Raised | None:
    """The exception whose traceback a notebook headed with its type, where the log breaks off before the line with its message."""
    head = HEADER.match(line.text)
    lead = (head["lead"] or "").strip() if head else ""
    if not lead or not (match := _EXCEPTION.match(lead)) or match.end() < len(lead):
        return None
    last = line.number
    for after in following:
        if after.process != line.process:
            continue
        if after.number - line.number > _LONGEST_NOTEBOOK or after.text.strip().startswith((f"{lead}:", f"{lead}(")):
            return None
        last = after.number
    return Raised(type=lead, message=lead, line=line.number, end_line=last, start_line=line.number)


def _embedded(line: Line) -> Raised | None:
    """An exception inside the message of a logged error: `training failed: KeyError: 'x'`."""
    if line.origin.level not in ("error", "fatal"):
        return None
    match = _EMBEDDED.search(line.text)
    if not match:
        return None
    message = match["rest"].rstrip()
    name = re.split(r"[:( ]", message, maxsplit=1)[0]
    return Raised(type=name, message=message, line=line.number, end_line=line.number, start_line=line.number)


def _indented(line: Line, following: Iterable[Line]) -> Iterator[Line]:
    """The line and the indented ones that continue its message; without the traceback around it nothing else is sure."""
    yield line
    for after in following:
        if after.number - line.number > _FARTHEST:
            return
        if after.process != line.process:
            continue
        if not after.text[:1].isspace() or after.prefix != line.prefix:
            return
        yield after


def _frames_above(line: Line, before: Iterator[Line]) -> tuple[tuple[Frame, ...], int]:
    frames: list[Frame] = []
    start = line.number
    source = ""
    for earlier in before:
        if earlier.process != line.process:
            continue
        if not earlier.text[:1].isspace():
            break
        match = _FRAME.match(earlier.text)
        if match:
            frames.append(Frame(file=match["file"], line=int(match["line"]), function=match["function"] or "", source=source))
            start, source = earlier.number, ""
        elif set(earlier.text.strip()) - set("^~ "):
            source = earlier.text.strip()[:300]
    return tuple(reversed(frames)), start
