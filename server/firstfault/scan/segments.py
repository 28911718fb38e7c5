"""Scans a text that changes: it is cut into pieces of whole lines, and after an edit only the pieces that the edit can reach
are scanned again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from firstfault.model import Finding, LineNumber, Progress, Provenance
from firstfault.scan.moved import moved_block
from firstfault.scan.parts import Carry, PartFound, PartScanner
from firstfault.scan.piece_end import PieceEnd
from firstfault.scan.scanner import LOOK_AHEAD, LOOK_BACK
from firstfault.scan.window import Window

STRETCH = 4 * 1024 * 1024
"""Characters that are scanned together, as a scan by blocks does: what was in vain in one stretch counts for those behind it."""
FURTHEST = 1024 * 1024
"""Characters beyond which no line is looked at from another one."""


class Text(Protocol):
    """A piece of a text: whole lines, but for the last piece. Equal pieces are the same object."""

    @property
    def text(self) -> str:
        """Its characters."""
        ...

    @property
    def feeds(self) -> int:
        """Number of line feeds in it."""
        ...

    @property
    def size(self) -> int:
        """Its bytes in UTF-8."""
        ...


class Scanned(NamedTuple):
    """A piece with what was found in it."""

    piece: Text
    first_line: LineNumber
    """The line number of its first line when it was scanned; what was found counts from there."""
    before: Carry
    found: PartFound


class Ending(NamedTuple):
    """How the text ends, and what its processes last said before things were found."""

    watched: tuple[tuple[Scanned, int], ...]
    """The pieces that it was made of, and by how many lines they had moved."""
    progress: tuple[Progress, ...]
    last: tuple[tuple[LineNumber, str], ...]
    loss: Finding | None


class Segments(NamedTuple):
    """The scan of a text by pieces."""

    done: tuple[Scanned, ...] = ()
    complete: bool = False
    ends: tuple[tuple[Scanned, PieceEnd], ...] = ()
    """What `scan/ending.py` made of some pieces, for the next time."""
    ending: Ending | None = None


def rescan(pieces: Sequence[Text], earlier: Segments, scanner: PartScanner, cancelled: Callable[[], bool]) -> Segments:
    """Scan pieces, taking from an earlier scan what still holds. Where it is cancelled, the result is incomplete."""
    work = _Work(pieces, earlier, scanner)
    done = list(earlier.done[: work.kept_before])
    carry = _behind(done[-1], work.lines[len(done)]) if done else Carry()
    for index in range(len(done), len(pieces)):
        if work.joins(index, carry):
            done.extend(earlier.done[len(earlier.done) - (len(pieces) - index) :])
            break
        if cancelled():
            return Segments(tuple(done), False, earlier.ends, earlier.ending)
        done.append(work.scan(done, carry))
        carry = done[-1].found.carry
    return Segments(tuple(done), True, earlier.ends, earlier.ending)


def positions(done: Sequence[Scanned]) -> Iterator[tuple[Scanned, int]]:
    """Each scanned piece with the number of lines by which it has moved since it was scanned."""
    line = 1
    for item in done:
        yield item, line - item.first_line
        line += item.piece.feeds


def joined(pieces: Sequence[Text]) -> bytes:
    """Pieces as the bytes that are scanned."""
    return "".join([p.text for p in pieces]).encode("utf-8", "surrogatepass")


def _behind(item: Scanned, line: LineNumber) -> Carry:
    """What a piece means for the one that follows it, which begins at a line."""
    return moved_carry(item.found.carry, line - item.first_line - item.piece.feeds)


def moved_carry(carry: Carry, by: int) -> Carry:
    """What the lines before a part mean for it, when all of them have moved."""
    if not by or not (carry.covered or carry.summary_end):
        return carry
    covered = tuple(c._replace(block=moved_block(c.block, by), end_line=c.end_line + by) for c in carry.covered)
    return carry._replace(covered=covered, summary_end=carry.summary_end + by if carry.summary_end else 0)


class _Work:
    """One pass over the pieces."""

    def __init__(self, pieces: Sequence[Text], earlier: Segments, scanner: PartScanner) -> None:
        self._pieces = pieces
        self._earlier = earlier
        self._scanner = scanner
        self.lines = list(accumulate((p.feeds for p in pieces), initial=1))
        old = [d.piece for d in earlier.done]
        same = _common(old, pieces)
        self._same_after = min(min(len(old), len(pieces)) - same, _common(old[::-1], pieces[::-1])) if earlier.complete else 0
        self.kept_before = self._unreached(same)
        """Pieces at the beginning whose scan still holds."""
        self._done: Sequence[Scanned] = ()
        self._window: Window | None = None
        self._next = self._limit = self._position = 0

    def _unreached(self, same: int) -> int:
        kept, distance, index = same, 0, same
        while same < len(self._pieces) and index > 0 and distance < FURTHEST:
            index -= 1
            if self._earlier.done[index].found.reach[1] > distance:
                kept = index
            distance += len(self._pieces[index].text)
        return kept

    def joins(self, index: int, carry: Carry) -> bool:
        """Whether from this piece on the earlier scan still holds."""
        left = len(self._pieces) - index
        if left > self._same_after:
            return False
        old = self._earlier.done[len(self._earlier.done) - left :]
        distance = sum(len(p.text) for p in self._pieces[len(self._pieces) - self._same_after : index])
        for item in old:
            if item.found.reach[0] > distance:
                return False
            distance += len(item.piece.text)
            if distance > FURTHEST:
                break
        return moved_carry(old[0].before, self.lines[index] - old[0].first_line) == carry

    def scan(self, done: Sequence[Scanned], carry: Carry) -> Scanned:
        """Scan the piece that follows those that are done, among its neighbours."""
        index, self._done = len(done), done
        if self._window is None or index != self._next or index >= self._limit:
            if self._window is not None:
                self._scanner.settle()
            self._open(index, carry.section)
        assert self._window is not None
        start = self._position
        self._position = end = start + self._pieces[index].size
        self._next = index + 1
        found = self._scanner.scan_part(self._window, start, end, carry)
        return Scanned(self._pieces[index], self.lines[index], carry, found)

    def _open(self, index: int, section: Provenance | None) -> None:
        """A window over pieces that are scanned together, with what stands before and behind them."""
        pieces = self._pieces
        first, limit, before, ahead = index, index + 1, 0, 0
        while first > 0 and before < LOOK_BACK:
            first -= 1
            before += len(pieces[first].text)
        room = STRETCH - len(pieces[index].text)
        while limit < len(pieces) - self._same_after and room > 0:
            room -= len(pieces[limit].text)
            limit += 1
        stop = limit
        while stop < len(pieces) and ahead < LOOK_AHEAD:
            ahead += len(pieces[stop].text)
            stop += 1
        data = joined(pieces[first:stop])
        self._window = self._scanner.window(data, self.lines[first], self._done[first].before.section if first < index else section)
        self._next, self._limit, self._position = index, limit, sum(p.size for p in pieces[first:index])


def _common(first: Sequence[Text], second: Sequence[Text]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one is not other:
            break
        count += 1
    return count
