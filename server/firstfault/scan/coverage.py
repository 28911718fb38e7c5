"""Which block of a process a line belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from firstfault.model import Block, Line

_OVERLAPPING = 3
"""Blocks of one process that may reach over the same line, when an inner one was read on its own."""


class Covered(NamedTuple):
    """A block with the process whose lines it is made of."""

    block: Block
    process: tuple[object, ...]
    end_line: int


class Coverage:
    """Blocks by process, in order of their first lines."""

    def __init__(self, items: Iterable[Covered] = ()) -> None:
        self._of_process: dict[tuple[object, ...], list[Covered]] = {}
        for item in items:
            self.add(item)

    def add(self, item: Covered) -> None:
        """Add a block; blocks of one process come in order."""
        self._of_process.setdefault(item.process, []).append(item)

    def find(self, line: Line) -> Covered | None:
        """The block that a line lies in, or None."""
        items = self._of_process.get(line.process)
        if not items:
            return None
        last = bisect_right(items, line.number, key=_first_line)
        for item in reversed(items[max(0, last - _OVERLAPPING) : last]):
            if line.number <= item.end_line:
                return item
        return None


def _first_line(item: Covered) -> int:
    return item.block.start_line
