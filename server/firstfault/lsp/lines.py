"""Text as a client counts it: lines end at \\n, \\r\\n or \\r, columns are UTF-8, UTF-16 or UTF-32 units.

The text is kept in pieces that each end with a line feed, so that an edit makes one new piece and shares all others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]
PIECE = 64 * 1024
"""Characters after which a piece ends at the next line feed."""
END = 72 * 1024
"""Characters at the end of a text that are cut finer: there every line counts for what a run said last, and there logs grow."""
FINE = 4 * 1024
_BREAK = re.compile(r"\r\n|\n|\r")
_WIDE = re.compile("[\U00010000-\U0010ffff]")


def units(text: str, encoding: Encoding) -> int:
    """Length of a text in the units of an encoding."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(1 for _ in _WIDE.finditer(text))


def index_of(text: str, wanted: int, encoding: Encoding) -> int:
    """Index of the character that begins at, or holds, a unit of an encoding; the end of the text when it is beyond."""
    if wanted <= 0:
        return 0
    if encoding == "utf-32" or text.isascii():
        return min(wanted, len(text))
    if encoding == "utf-8":
        data = text.encode("utf-8", "surrogatepass")[:wanted]
        return len(data.decode("utf-8", "ignore")) if len(data) == wanted else len(text)
    passed = 0
    for match in _WIDE.finditer(text):
        if match.start() + passed >= wanted:
            break
        passed += 1
        if match.start() + passed >= wanted:
            return match.start()
    return min(wanted - passed, len(text))


class Piece:
    """Some whole lines of a text."""

    __slots__ = ("_starts", "count", "feeds", "size", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.feeds = text.count("\n")
        self.size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        """Bytes in UTF-8."""
        self._starts: list[int] | None = None
        plain = "\r" not in text and text.endswith("\n")
        self.count = self.feeds if plain else len(self.starts)
        """Number of lines, by all three line ends."""

    @property
    def starts(self) -> list[int]:
        """Where each line begins, counted by all three line ends; the end of the text is no line."""
        if self._starts is None:
            found = [0, *(m.end() for m in _BREAK.finditer(self.text))]
            if found[-1] == len(self.text):
                found.pop()
            self._starts = found
        return self._starts


def pieces_of(text: str) -> Iterator[Piece]:
    """A text cut behind line feeds."""
    start = 0
    fine = len(text) - END
    while start < len(text):
        end = text.find("\n", start + (PIECE if start + PIECE < fine else FINE)) + 1 or len(text)
        yield Piece(text[start:end])
        start = end


class Lines:
    """An immutable text with its line index."""

    __slots__ = ("_feeds", "_firsts", "pieces")

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces: tuple[Piece, ...] = tuple(pieces)
        self._firsts = list(accumulate((p.count for p in self.pieces), initial=0))
        self._feeds = list(accumulate((p.feeds for p in self.pieces), initial=0))

    @classmethod
    def of(cls, text: str) -> Lines:
        """The lines of a text."""
        return cls(pieces_of(text))

    @property
    def count(self) -> int:
        """Number of lines; a text that ends with a line end has an empty line behind it, as in an editor."""
        last = self.pieces[-1].text if self.pieces else "\n"
        return self._firsts[-1] + (1 if last.endswith(("\n", "\r")) else 0)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(p.text for p in self.pieces)

    @property
    def size(self) -> int:
        """Bytes in UTF-8."""
        return sum(p.size for p in self.pieces)

    def sharing(self, earlier: Lines) -> Lines:
        """The same text with the pieces of an earlier one as far as both begin alike, so that a grown file is known again."""
        alike = 0
        for piece, other in zip(self.pieces, earlier.pieces, strict=False):
            if piece.text != other.text:
                break
            alike += 1
        return Lines((*earlier.pieces[:alike], *self.pieces[alike:]))

    def line(self, number: int) -> str:
        """A line (0-based) without its line end; empty where there is no such line."""
        found = self._piece(number)
        if found is None:
            return ""
        piece, inside = found
        starts = piece.starts
        end = starts[inside + 1] if inside + 1 < len(starts) else len(piece.text)
        return piece.text[starts[inside] : end].rstrip("\r\n")

    def _piece(self, number: int) -> tuple[Piece, int] | None:
        if not 0 <= number < self._firsts[-1]:
            return None
        index = bisect_right(self._firsts, number) - 1
        return self.pieces[index], number - self._firsts[index]

    def first_of(self, core_line: int) -> int:
        """The line (0-based) at which a line of the core (1-based, counted by line feeds) begins."""
        if core_line <= 1 or not self.pieces:
            return 0
        index = min(bisect_right(self._feeds, core_line - 1) - 1, len(self.pieces) - 1)
        piece, inside = self.pieces[index], core_line - 1 - self._feeds[index]
        if "\r" not in piece.text:
            return min(self._firsts[index] + inside, max(0, self.count - 1))
        return self._firsts[index] + bisect_right(piece.starts, _behind_feed(piece.text, inside)) - 1

    def core_line(self, number: int) -> int:
        """The line of the core (1-based) that holds a line (0-based)."""
        found = self._piece(number)
        if found is None:
            return self._feeds[-1] + 1 if number > 0 else 1
        piece, inside = found
        index = bisect_right(self._firsts, number) - 1
        before = inside if "\r" not in piece.text else piece.text.count("\n", 0, piece.starts[inside])
        return self._feeds[index] + before + 1

    def place_of(self, core_line: int, said: str = "") -> int:
        """The line (0-based) of a line of the core; of the redraws that carriage returns made, the one that shows `said`."""
        first = self.first_of(core_line)
        past = self.first_of(core_line + 1) if core_line <= self._feeds[-1] else self._firsts[-1]
        wanted = said.split("\n", 1)[0].strip()[:80]
        if past - first > 1:
            shown = range(past - 1, first - 1, -1)
            return next((n for n in shown if wanted and wanted in self.line(n)), next((n for n in shown if self.line(n).strip()), first))
        return first

    def index_at(self, number: int, character: int, encoding: Encoding) -> tuple[int, int]:
        """Piece and index inside it of a position; positions beyond a line or the text are moved to its end."""
        found = self._piece(number)
        if found is None:
            if number < 0 or not self.pieces:
                return 0, 0
            return len(self.pieces) - 1, len(self.pieces[-1].text)
        piece, inside = found
        index = bisect_right(self._firsts, number) - 1
        return index, piece.starts[inside] + index_of(self.line(number), character, encoding)

    def between(self, start: tuple[int, int], end: tuple[int, int], encoding: Encoding) -> str:
        """The text between two positions (line, character)."""
        (first, begin), (last, stop) = sorted((self.index_at(*start, encoding), self.index_at(*end, encoding)))
        if not self.pieces:
            return ""
        if first == last:
            return self.pieces[first].text[begin:stop]
        middle = [p.text for p in self.pieces[first + 1 : last]]
        return "".join([self.pieces[first].text[begin:], *middle, self.pieces[last].text[:stop]])

    def replaced(self, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> Lines:
        """The text with another one in place of what stands between two positions (line, character)."""
        if not self.pieces:
            return Lines.of(new)
        (first, begin), (last, stop) = sorted((self.index_at(*start, encoding), self.index_at(*end, encoding)))
        head, tail = self.pieces[first].text[:begin], self.pieces[last].text[stop:]
        after = last + 1
        changed = head + new + tail
        if not changed.endswith("\n") and after < len(self.pieces):
            changed += self.pieces[after].text
            after += 1
        return Lines((*self.pieces[:first], *_pieces(changed), *self.pieces[after:]))


class UnreadLines(Lines):
    """The lines of a file that is too large to be held; all that is known are their numbers."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(())

    def first_of(self, core_line: int) -> int:
        """As the file counts its line feeds."""
        return max(0, core_line - 1)

    def core_line(self, number: int) -> int:
        """As the file counts its line feeds."""
        return number + 1

    def place_of(self, core_line: int, said: str = "") -> int:
        """As the file counts its line feeds."""
        return self.first_of(core_line)


def _pieces(text: str) -> Sequence[Piece]:
    """An edited part of a text; it stays one piece, unless it has grown much."""
    return [Piece(text)] if text and len(text) <= 2 * PIECE else list(pieces_of(text))


def _behind_feed(text: str, count: int) -> int:
    position = 0
    for _ in range(count):
        position = text.find("\n", position) + 1
        if not position:
            return len(text)
    return position
