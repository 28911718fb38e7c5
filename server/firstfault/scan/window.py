"""A stretch of a stream in memory, seen as lines that are parsed only when somebody looks at them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

from firstfault.model import Line, Provenance
from firstfault.read.clean import LONGEST
from firstfault.read.provenance import Prefixes

_BETWEEN_MARKS = 4096
"""Bytes after which the number of a line is remembered."""


class Window:
    """Bytes of a stream from a line start on, with the number of the first line and its offset in the stream."""

    def __init__(self, data: bytes, first_line: int, offset: int, prefixes: Prefixes, sections: list[tuple[int, Provenance]]) -> None:
        self.data = data
        self._prefixes = prefixes
        self.sections = sections
        self._offset = offset
        self._marks: list[tuple[int, int]] = [(0, first_line)]
        self._cache: dict[int, list[Line]] = {}
        self.hits: list[tuple[int, int]] | None = None
        """What the prefilter found, for windows that are scanned in parts."""
        self.low = self.high = 0
        """Between these positions lines were looked at."""

    def start_of(self, position: int) -> int:
        """Start of the line that holds a position."""
        return self.data.rfind(b"\n", 0, position) + 1

    def end_of(self, start: int) -> int:
        """End of the line that begins at `start`, without its line feed."""
        end = self.data.find(b"\n", start)
        return len(self.data) if end < 0 else end

    def number_of(self, start: int) -> int:
        """1-based number of the line that begins at `start`."""
        index = bisect_right(self._marks, start, key=itemgetter(0))
        position, number = self._marks[index - 1]
        if index < len(self._marks) and self._marks[index][0] - start < start - position:
            position, number = self._marks[index]
            number -= self.data.count(b"\n", start, position)
        else:
            number += self.data.count(b"\n", position, start)
        if abs(start - position) > _BETWEEN_MARKS:
            self._marks.insert(index, (start, number))
        return number

    def lines_at(self, start: int, around: int | None = None) -> list[Line]:
        """The line that begins at `start`; several when carriage returns redrew it. Of a line longer than can be looked
        at, the part around a position is taken."""
        end = self.end_of(start)
        self.low, self.high = min(self.low, start), max(self.high, end)
        if around is not None and end - start > LONGEST:
            left = max(start, around - LONGEST // 2)
            return self._split(self.data[left : min(end, left + LONGEST)], start)
        cached = self._cache.get(start)
        if cached is None:
            raw = self.data[start : min(end, start + LONGEST)]
            cached = self._split(raw, start)
            self._cache[start] = cached
        return cached

    def _split(self, raw: bytes, start: int) -> list[Line]:
        identity: Provenance | None = None
        if self.sections:
            identity = self.section_at(start)
        return self._prefixes.split(raw, self.number_of(start), identity)

    def section_at(self, position: int) -> Provenance | None:
        """Who wrote the line at a position, as the last heading said."""
        return next((who for offset, who in reversed(self.sections) if offset <= self._offset + position), None)

    def hits_between(self, start: int, end: int) -> list[tuple[int, int]]:
        """What the prefilter found from one position to another."""
        hits = self.hits or []
        return hits[bisect_right(hits, start, key=itemgetter(1)) : bisect_right(hits, end, key=itemgetter(1))]

    def offset_of(self, position: int) -> int:
        """Offset in the stream of a position in the window."""
        return self._offset + position

    def line_at(self, start: int) -> Line:
        """What a terminal shows last of the line that begins at `start`."""
        return self.lines_at(start)[-1]

    def _shown(self, start: int) -> list[Line]:
        """What stands there in the end: the last redraw, or what several ranks wrote to one line."""
        lines = self.lines_at(start)
        return lines[-1:] if len(lines) > 1 and b"\r" in self.data[start : self.end_of(start)] else lines

    def after(self, start: int, most: int) -> Iterator[tuple[int, Line]]:
        """Lines that follow the one at `start`, with their starts."""
        for _ in range(most):
            start = self.end_of(start) + 1
            if start >= len(self.data):
                return
            for line in self._shown(start):
                yield start, line

    def before(self, start: int, most: int) -> Iterator[tuple[int, Line]]:
        """Lines in front of the one at `start`, nearest first, with their starts."""
        for _ in range(most):
            if start <= 0:
                return
            start = self.start_of(start - 1)
            for line in reversed(self._shown(start)):
                yield start, line
