"""Recognises codes and states that stand in a table, where no entry of the catalogue has to know the line."""

from __future__ import annotations

from typing import NamedTuple

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.spelling import written
from firstfault.catalog.table_match import TableRow, resolve
from firstfault.scan.verify import found

_ONLY_EXPLAINED = frozenset({"errno", "repair-actions"})
"""Tables whose rows say too little by themselves to be a finding."""


class CodeMatch(NamedTuple):
    """A row that a line names, and the entry that explains it, where there is one."""

    row: TableRow
    entry: str | None
    position: int

    @property
    def signature(self) -> str:
        """Id of the finding: that of the entry, or `table/<table>/<code>`."""
        return self.entry or f"table/{self.row.table}/{self.row.code}"


class CodeReader:
    """Looks lines up in the tables of a catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rows: dict[str, list[dict[str, str]]] = {}

    def read(self, number: int, text: str) -> CodeMatch | None:
        """What the table pattern with this number finds in a text."""
        pattern = self._catalog.table_patterns[number]
        if pattern.table in _ONLY_EXPLAINED or pattern.near.lower() not in text.lower():
            return None
        match = found(pattern.line, text)
        if match is None:
            return None
        if pattern.table not in self._rows:
            self._rows[pattern.table] = self._catalog.table(pattern.table)
        row = resolve(self._rows[pattern.table], pattern.table, {k: v for k, v in match.groupdict().items() if v})
        if row is None:
            return None
        return CodeMatch(row, self._catalog.codes.get(written(pattern.table, row.code).lower()), match.start())
