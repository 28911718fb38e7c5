"""Small logs, read into blocks by the stage itself."""

from __future__ import annotations

from firstfault.blocks.traceback import HEADER, TracebackReader
from firstfault.model import Line, Raised

from ..read.prefixes import parse


def lines(log: str) -> list[Line]:
    return [parse(text)._replace(number=number) for number, text in enumerate(log.splitlines(), 1)]


def read(log: str) -> tuple[list[Raised], int]:
    """The first traceback of a log, and its last line."""
    parsed = lines(log)
    start = next(i for i, line in enumerate(parsed) if HEADER.match(line.text))
    return TracebackReader(parsed[start]).read(parsed[start + 1 :])
