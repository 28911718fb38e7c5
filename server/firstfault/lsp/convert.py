"""Between the core's places and the protocol's: the only module that builds positions, ranges and severities."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.lines import Encoding, Lines, units
from firstfault.lsp.settings import SeverityName

SOURCE = "firstfault"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_LONGEST = 2000
"""Characters of a line that a range covers; an editor need not underline more."""


def severity(name: SeverityName) -> types.DiagnosticSeverity | None:
    """A severity, or None when this kind of diagnostic is off."""
    return _SEVERITIES.get(name)


def encoding_of(kind: types.PositionEncodingKind | str | None) -> Encoding:
    """The encoding that client and server agreed on."""
    value = kind.value if isinstance(kind, types.PositionEncodingKind) else kind
    return value if value in ("utf-8", "utf-32") else "utf-16"  # pyright: ignore[reportReturnType]


def line_range(lines: Lines, number: int, encoding: Encoding) -> types.Range:
    """A whole line (0-based) without the blanks around its text."""
    text = lines.line(number)[:_LONGEST]
    start = len(text) - len(text.lstrip())
    end = max(start, len(text.rstrip()))
    return types.Range(
        types.Position(number, units(text[:start], encoding)),
        types.Position(number, units(text[:end], encoding)),
    )


def core_range(lines: Lines, line: int, end_line: int, encoding: Encoding, said: str = "") -> types.Range:
    """Lines of the core (1-based, both included) as a range; `said` picks the redraw of the first line that shows it."""
    first = line_range(lines, lines.place_of(line, said), encoding)
    if end_line <= line:
        return first
    return types.Range(first.start, line_range(lines, lines.place_of(end_line), encoding).end)


def span_range(lines: Lines, number: int, start: int, end: int, encoding: Encoding) -> types.Range:
    """Characters `start` to `end` of a line (0-based) as a range."""
    text = lines.line(number)
    return types.Range(
        types.Position(number, units(text[:start], encoding)),
        types.Position(number, units(text[:end], encoding)),
    )


def start_of_line(number: int) -> types.Range:
    """The empty range at the start of a line (0-based), for places whose text is not at hand."""
    position = types.Position(max(0, number), 0)
    return types.Range(position, position)
