"""Where the lines of a rewritten text stand in the source that it was made from."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from firstfault.model import LineNumber


class LineMap:
    """Line numbers of a source by those of a text made from it; grows only where the two stop going side by side."""

    def __init__(self) -> None:
        self._rewritten = array("q", [1])
        self._source = array("q", [1])
        self._step = bytearray([1])

    def hold(self, rewritten: LineNumber, source: LineNumber) -> None:
        """From here on all lines come from one line of the source."""
        self._add(rewritten, source, 0)

    def go_on(self, rewritten: LineNumber, source: LineNumber) -> None:
        """From here on each line comes from a line of its own."""
        if self._step[-1] == 0 or self.of(rewritten) != source:
            self._add(rewritten, source, 1)

    def _add(self, rewritten: LineNumber, source: LineNumber, step: int) -> None:
        if self._rewritten[-1] == rewritten:
            self._source[-1], self._step[-1] = source, step
            return
        self._rewritten.append(rewritten)
        self._source.append(source)
        self._step.append(step)

    def of(self, rewritten: LineNumber) -> LineNumber:
        """The line of the source that a line of the rewritten text comes from."""
        index = max(0, bisect_right(self._rewritten, rewritten) - 1)
        return self._source[index] + (rewritten - self._rewritten[index]) * self._step[index]
