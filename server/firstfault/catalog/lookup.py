"""Answers `what is …`: an entry by its id, a code in any usual spelling, a line of a log, or a few words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.search import Match, ranked, words_of
from firstfault.catalog.spelling import BARE_NUMBERS, PREFIXES, Spelled, spelled, written
from firstfault.catalog.table_match import TableRow, resolve, row_of

MOST_SUGGESTIONS = 5
_OTHERS = 8
_EXACT = 100.0
LEAST_NAMING = 4.0
"""Score per word that only title, alias and id reach: words of a cause alone say too little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the catalogue knows about a question, best first."""

    query: str
    entries: tuple[Match, ...] = ()
    rows: tuple[TableRow, ...] = ()
    suggestions: tuple[str, ...] = ()
    """Questions that are near to this one."""

    @property
    def found(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.entries or self.rows)


def lookup(catalog: Catalog, query: str) -> Answer:
    """The answer to a question; without one it carries the nearest suggestions."""
    text = " ".join(query.split())
    for attempt in (_by_id, _by_code, _by_name, _by_line, _by_words):
        answer = attempt(catalog, text)
        if answer is not None:
            return answer
    return Answer(query=text, suggestions=_nearest(catalog, text))


def rows_of(catalog: Catalog, table: str) -> list[TableRow]:
    """All rows of a table, in its own order."""
    return [row_of(table, row) for row in catalog.table(table)]


def rows_saying(rows: Iterable[TableRow], question: str) -> list[TableRow]:
    """Rows whose name, meaning or printed text hold all words of a question."""
    words = words_of(question)
    return [row for row in rows if words and all(word in _said(row) for word in words)]


def explaining(catalog: Catalog, rows: Iterable[TableRow]) -> list[Match]:
    """Entries that name one of the rows in their `codes`; among equals the one that covers more of the table comes first."""
    found: dict[str, Match] = {}
    for row in rows:
        keys = _keys(row)
        group = [s for s in catalog.subjects if keys & {c.casefold() for c in s.codes}]
        for subject in sorted(group, key=lambda s: (-len(s.codes), s.id)):
            found.setdefault(subject.id, Match(subject.id, subject.title, _EXACT))
    return list(found.values())


def _keys(row: TableRow) -> set[str]:
    names = (row.code, row.name, *row.aliases)
    return {f"{prefix} {name}".casefold() for prefix in PREFIXES.get(row.table, (row.table,)) for name in names}


def _by_id(catalog: Catalog, text: str) -> Answer | None:
    wanted = text.lower().strip("/")
    subject = next((s for s in catalog.subjects if s.id == wanted), None)
    if subject is None:
        return None
    rows = [row for code in subject.codes for row in _rows_for(catalog, spelled(code))]
    return Answer(query=text, entries=(Match(subject.id, subject.title, _EXACT),), rows=tuple(dict.fromkeys(rows)))


def _by_code(catalog: Catalog, text: str) -> Answer | None:
    readings = spelled(text)
    rows = _rows_for(catalog, readings)
    if not rows:
        numbers = [r for r in readings if r.is_number]
        return Answer(query=text, suggestions=_codes_near(catalog, numbers)) if numbers else None
    alike = _same_number(catalog, readings) if text.lstrip("-").isdecimal() else ()
    return _about(catalog, text, rows, alike)


def _by_name(catalog: Catalog, text: str) -> Answer | None:
    wanted = text.casefold()
    rows = [row for table in _tables(catalog) for row in rows_of(catalog, table) if wanted in _names(row)]
    return _about(catalog, text, _names_first(rows, wanted)) if rows else None


def _names(row: TableRow) -> set[str]:
    return {name.casefold() for name in (row.code, row.name, *row.aliases, *row.strings)}


def _names_first(rows: Sequence[TableRow], wanted: str) -> list[TableRow]:
    return sorted(rows, key=lambda row: wanted not in (row.code.casefold(), row.name.casefold()))


def _by_line(catalog: Catalog, text: str) -> Answer | None:
    lowered = text.lower()
    rows: list[TableRow] = []
    for pattern in catalog.table_patterns:
        match = re.search(pattern.line, text) if pattern.near.lower() in lowered else None
        row = resolve(catalog.table(pattern.table), pattern.table, {k: v for k, v in match.groupdict().items() if v}) if match else None
        if row is not None and row not in rows:
            rows.append(row)
    return _about(catalog, text, rows) if rows else None


def _by_words(catalog: Catalog, text: str) -> Answer | None:
    matches = ranked(catalog.subjects, text)
    if matches:
        return Answer(query=text, entries=tuple(matches[: 1 + _OTHERS]))
    rows = [row for table in _tables(catalog) for row in rows_saying(rows_of(catalog, table), text)]
    return Answer(query=text, rows=tuple(rows[: 1 + _OTHERS])) if rows else None


def _said(row: TableRow) -> str:
    return " ".join((row.code, row.name.replace("_", " "), row.meaning, *row.strings)).lower().replace("-", " ")


def _about(catalog: Catalog, text: str, rows: Sequence[TableRow], suggestions: tuple[str, ...] = ()) -> Answer:
    entries = explaining(catalog, rows[:1]) or explaining(catalog, rows) or _naming(catalog, rows[0])
    return Answer(query=text, entries=tuple(entries[: 1 + _OTHERS]), rows=tuple(rows[: 1 + _OTHERS]), suggestions=suggestions)


def _naming(catalog: Catalog, row: TableRow) -> list[Match]:
    """Entries that name both the row and its system, where none lists the row among its codes."""
    for prefix in PREFIXES.get(row.table, ()):
        for name in (row.name, *row.strings):
            question = f"{prefix} {name}"
            matches = [m for m in ranked(catalog.subjects, question) if m.score >= LEAST_NAMING * len(words_of(question))]
            if matches:
                return matches
    return []


def _rows_for(catalog: Catalog, readings: Iterable[Spelled]) -> list[TableRow]:
    rows: list[TableRow] = []
    for reading in readings:
        if reading.table not in catalog.table_names:
            continue
        captures = {"code": reading.code} if reading.is_number else {"code": reading.code, "name": reading.code, "text": reading.code}
        row = resolve(catalog.table(reading.table), reading.table, captures)
        if row is not None:
            rows.append(row)
    return rows


def _tables(catalog: Catalog) -> list[str]:
    return [t for t in PREFIXES if t in catalog.table_names]


def _same_number(catalog: Catalog, readings: Sequence[Spelled]) -> tuple[str, ...]:
    code, own = readings[0].code, readings[0].table
    tables = [t for t in _tables(catalog) if t != own and resolve(catalog.table(t), t, {"code": code})]
    return tuple(written(t, code) for t in tables[:MOST_SUGGESTIONS])


def _codes_near(catalog: Catalog, readings: Sequence[Spelled]) -> tuple[str, ...]:
    """The nearest numbers of the table that was meant; for a number without context the same number in other tables."""
    reading = readings[0]
    if reading.table == BARE_NUMBERS:
        return _same_number(catalog, readings)
    numbers = [int(row["code"]) for row in catalog.table(reading.table) if row["code"].lstrip("-").isdecimal()]
    nearest = sorted(numbers, key=lambda n: (abs(n - int(reading.code)), n))[:3]
    return tuple(written(reading.table, str(n)) for n in nearest)


def _nearest(catalog: Catalog, text: str) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for subject in catalog.subjects:
        for name in (subject.id, subject.id.split("/", 1)[1], subject.title.lower(), *(a.lower() for a in subject.aliases)):
            names.setdefault(name, subject.id)
    for table in _tables(catalog):
        for row in catalog.table(table):
            names.setdefault(row["name"].lower(), row["name"])
    close = get_close_matches(text.lower(), list(names), n=MOST_SUGGESTIONS, cutoff=0.6)
    return tuple(dict.fromkeys(names[name] for name in close))
