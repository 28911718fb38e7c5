"""What an edit is made of: replaced stretches of one text, and the sentence that says what they do."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Characters from `start` to `end` become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that fits a file."""

    title: str
    line: int
    """1-based line that changes."""
    changes: tuple[Change, ...]
    exact: bool
    """The log names this very place."""


def applied(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes made."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


class TextPlaces:
    """Leads from the places that Python's parser gives to offsets in the text as it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]

    def offset(self, line: int, byte_column: int) -> int:
        """Offset of a 1-based line and a column in UTF-8 bytes; a byte order mark at the start is not counted as a column."""
        start = self._starts[line - 1]
        if start == 0 and self.text.startswith(_BOM):
            start = 1
        row = self.text[start : self.line_end(line)]
        if row.isascii():
            return start + byte_column
        return start + len(row.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace"))

    def line_of(self, offset: int) -> int:
        """1-based line of an offset."""
        return bisect_right(self._starts, offset)

    def line_start(self, line: int) -> int:
        """Offset of the first character of a line."""
        return self._starts[line - 1]

    def line_end(self, line: int) -> int:
        """Offset behind the last character of a line, before its line ending."""
        if line >= len(self._starts):
            return len(self.text)
        end = self._starts[line]
        return end - 2 if self.text[end - 2 : end] == "\r\n" else end - 1

    def indent(self, line: int) -> str:
        """White space at the start of a line."""
        row = self.text[self.line_start(line) : self.line_end(line)]
        return row[: len(row) - len(row.lstrip())]

    @property
    def newline(self) -> str:
        """Line ending of the file."""
        first = _LINE_END.search(self.text)
        return first[0] if first else "\n"

    @property
    def lines(self) -> int:
        """Number of lines."""
        return len(self._starts)
