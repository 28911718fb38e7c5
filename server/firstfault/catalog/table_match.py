"""Leads from what a line or a person says to the row of a table: a code, a name, or the text that software prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

TRUNCATED = "+"
"""How sacct ends a state that does not fit its column."""


class TablePattern(NamedTuple):
    """One way in which a line names a row of a table, ready to be used."""

    table: str
    near: str
    line: str


class TableRow(NamedTuple):
    """One code or state with all that its table says about it."""

    table: str
    code: str
    name: str
    meaning: str
    kind: str
    severity: str
    owner: str
    action: str
    source: str
    applies_to: str = ""
    related: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    """The exact texts that software prints for it."""


def row_of(table: str, row: Mapping[str, str]) -> TableRow:
    """The row of a table as it stands in the compiled catalogue."""
    return TableRow(
        table=table,
        code=row["code"],
        name=row["name"],
        meaning=row["meaning"],
        kind=row["kind"],
        severity=row["severity"],
        owner=row["owner"],
        action=row["action"],
        source=row["source"],
        applies_to=row.get("applies_to", ""),
        related=_parts(row.get("related", ""), ";"),
        aliases=_parts(row.get("aliases", ""), ";"),
        strings=_parts(row.get("string", ""), "|"),
    )


def resolve(table_rows: Iterable[Mapping[str, str]], table: str, captures: Mapping[str, str]) -> TableRow | None:
    """The row that the captures of a table pattern name: `name`, then `code`, then the longest `text`; None when there is none."""
    rows = list(table_rows)
    name, code, text = (captures.get(key) or "" for key in ("name", "code", "text"))
    found = (name and _named(rows, name)) or (code and _coded(rows, code)) or (text and _printed(rows, text))
    return row_of(table, found) if found else None


def _coded(rows: list[Mapping[str, str]], code: str) -> Mapping[str, str] | None:
    wanted = _plain_code(code)
    if wanted.endswith(TRUNCATED):
        return next((row for row in rows if row["code"].casefold().startswith(wanted[:-1])), None)
    return next((row for row in rows if _plain_code(row["code"]) == wanted), None)


def _named(rows: list[Mapping[str, str]], name: str) -> Mapping[str, str] | None:
    wanted = name.casefold()
    return next((row for row in rows if wanted == row["name"].casefold() or wanted in _folded(row.get("aliases", ""), ";")), None)


def _printed(rows: list[Mapping[str, str]], text: str) -> Mapping[str, str] | None:
    said = text.casefold()
    best: Mapping[str, str] | None = None
    longest = 0
    for row in rows:
        for string in _folded(row.get("string", ""), "|"):
            if len(string) > longest and said.startswith(string) and not said[len(string) : len(string) + 1].isalnum():
                best, longest = row, len(string)
    return best or _named(rows, text)


def _plain_code(code: str) -> str:
    """A code without leading zeros and in one case, so that all its spellings are equal."""
    digits = code.lstrip("-")
    if digits.isdecimal():
        return code[: len(code) - len(digits)] + (digits.lstrip("0") or "0")
    return code.casefold()


def _parts(cell: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(separator) if part.strip())


def _folded(cell: str, separator: str) -> tuple[str, ...]:
    return _parts(cell.casefold(), separator)
