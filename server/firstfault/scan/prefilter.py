"""One pass over raw bytes that finds the few places where something may be: all literals and triggers at once."""

import zlib
from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import hyperscan

from firstfault.catalog.compiled import Catalog
from firstfault.scan.database_cache import DatabaseCache


class Trigger(NamedTuple):
    """A pattern that opens structure rather than a signature: a traceback, an exit report, a world size."""

    name: str
    pattern: str


TABLES = -1
"""Stands for a signature number where a literal leads to a table pattern."""


class Prefilter:
    """Compiled literals of a catalogue. `scan` gives (id, end offset) of each occurrence; ids below `first_signature`
    are triggers, the others lead to signatures through `signatures_of`."""

    def __init__(self, catalog: Catalog, triggers: Sequence[Trigger], cache: DatabaseCache | None = None) -> None:
        literals: dict[str, list[tuple[int, int]]] = {}
        for number, signature in enumerate(catalog.signatures):
            for index, pattern in enumerate(signature.patterns):
                literals.setdefault(pattern.near.lower(), []).append((number, index))
        for index, table_pattern in enumerate(catalog.table_patterns):
            literals.setdefault(table_pattern.near.lower(), []).append((TABLES, index))
        self.triggers = tuple(triggers)
        self._targets = list(literals.values())
        self._first = len(self.triggers)
        self._lock = Lock()  # a database has one scratch space, which serves one scan at a time
        self._database = _database(self.triggers, list(literals), cache)

    def scan(self, data: Any) -> list[tuple[int, int]]:
        """(id, end offset) of every literal and trigger in the bytes, in order of offsets."""
        found: list[tuple[int, int]] = []

        def note(identifier: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found.append((identifier, end))

        with self._lock:
            self._database.scan(data, match_event_handler=note)
        return found

    def trigger(self, identifier: int) -> str | None:
        """Name of the trigger with this id, or None when it is a signature's literal."""
        return self.triggers[identifier].name if identifier < self._first else None

    def targets(self, identifier: int) -> list[tuple[int, int]]:
        """(signature number, pattern number) pairs that a literal leads to; the signature number is TABLES for a table pattern."""
        return self._targets[identifier - self._first]


def _database(triggers: Sequence[Trigger], literals: Sequence[str], cache: DatabaseCache | None) -> Any:
    """The compiled patterns; compiling takes a tenth of a second, so that it is kept on disk where there is a cache."""
    checksum = zlib.crc32("\n".join([*(t.pattern for t in triggers), *literals]).encode())
    key = f"{checksum:08x}-{getattr(hyperscan, '__version__', '0')}"
    stored = cache.read(key) if cache else None
    if stored:
        try:
            database = hyperscan.loadb(stored, hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
            return database
        except hyperscan.error:
            pass  # written by another version, or on a machine with another processor: compiled anew below
    expressions = [t.pattern.encode() for t in triggers] + [_escaped(x) for x in literals]
    flags = [hyperscan.HS_FLAG_MULTILINE] * len(triggers) + [hyperscan.HS_FLAG_CASELESS] * len(literals)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=expressions, ids=list(range(len(expressions))), flags=flags)
    if cache:
        cache.write(key, hyperscan.dumpb(database))
    return database


def _escaped(literal: str) -> bytes:
    """A literal as a pattern, byte by byte, so that letters outside ASCII stand for themselves."""
    return b"".join(bytes([b]) if chr(b).isalnum() and b < 128 else b"\\x%02x" % b for b in literal.encode())
