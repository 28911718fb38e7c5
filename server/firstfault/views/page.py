"""Lays words out on a page of a given width: hanging indents, colour, and an ASCII form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Style = Literal["plain", "fail", "pass", "unsure", "label", "quote", "command", "caution", "dim"]
Span = tuple[str, Style]

NO_BREAK = "\u00a0"
NARROWEST = 40
WIDEST = 120
_SGR: dict[Style, str] = {
    "fail": "1;31",
    "pass": "1;32",
    "unsure": "1;33",
    "label": "1",
    "quote": "31",
    "command": "36",
    "caution": "33",
    "dim": "2",
}
_BREAKS = re.compile("[ \t\n]+")
_CODES = re.compile("\x1b\\[[0-9;]*m")
# A log may carry escape codes and direction marks that would let it redraw the terminal or reorder what is read.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_ASCII = str.maketrans(
    {"✖": "x", "✔": "+", "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "→": "->", "…": "...", "×": "x", "·": "|"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How wide a line may be, and what the terminal can show."""

    width: int
    colour: bool
    ascii_only: bool

    def clean(self, text: str) -> str:
        """Text that this page can show."""
        safe = _UNSAFE.sub("", text.replace("\t", " ").replace("\n", " "))
        if self.ascii_only and not safe.isascii():
            return safe.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
        return safe

    def paint(self, text: str, style: Style) -> str:
        """Text in a style; without colour the text alone."""
        code = _SGR.get(style)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text

    def paragraph(self, spans: Sequence[Span], *, indent: int, lead: Sequence[Span] = ()) -> list[str]:
        """Words wrapped at the width; the lead stands in the indent of the first line. A word is never broken."""
        words: list[Span] = []
        for text, style in spans:
            for word in filter(None, _BREAKS.split(text)):
                words.append((self.clean(word.replace(NO_BREAK, " ")), style))
        lines = [self._line(row) for row in self._rows(words, indent)]
        margin = " " * indent
        head = self._margin(lead, indent) if lead else margin
        return [(head if i == 0 else margin) + line for i, line in enumerate(lines)]

    def verbatim(self, text: str, *, indent: int, style: Style) -> list[str]:
        """Lines kept whole, whatever their length, so that they can be copied."""
        return [" " * indent + self.paint(self.clean(line.rstrip()), style) for line in text.splitlines() if line.strip()]

    def beside(self, lines: Sequence[str], right: str, style: Style) -> list[str]:
        """Text at the right end of the last line, or on a line of its own where it does not fit."""
        text = self.clean(right)
        room = self.width - columns(lines[-1]) - columns(text)
        if room >= 2:
            return [*lines[:-1], lines[-1] + " " * room + self.paint(text, style)]
        return [*lines, "  " + self.paint(text, style)]

    def _rows(self, words: Sequence[Span], indent: int) -> Iterator[list[Span]]:
        row: list[Span] = []
        used = indent
        for word, style in words:
            size = columns(word)
            if row and used + 1 + size > self.width:
                yield row
                row, used = [], indent
            used += size + (1 if row else 0)
            row.append((word, style))
        if row:
            yield row

    def _line(self, row: Sequence[Span]) -> str:
        runs: list[tuple[Style, list[str]]] = []
        for text, style in row:
            if runs and runs[-1][0] == style:
                runs[-1][1].append(text)
            else:
                runs.append((style, [text]))
        return " ".join(self.paint(" ".join(texts), style) for style, texts in runs)

    def _margin(self, lead: Sequence[Span], indent: int) -> str:
        cleaned: list[Span] = [(self.clean(text), style) for text, style in lead]
        used = sum(columns(text) for text, _ in cleaned)
        return "".join(self.paint(text, style) for text, style in cleaned) + " " * (indent - used)


def columns(text: str) -> int:
    """Columns that a text takes in a terminal; colour codes take none."""
    bare = _CODES.sub("", text)
    if bare.isascii():
        return len(bare)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in bare)
