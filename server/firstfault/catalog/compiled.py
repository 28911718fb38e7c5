"""The compiled catalogue: one JSON-lines file; the first line is the index, every other line one page."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from firstfault.catalog.table_match import TablePattern
from firstfault.errors import FirstfaultError
from firstfault.read.provenance import LineFormat, PathFormat

if TYPE_CHECKING:
    from pathlib import Path

    from firstfault.catalog.entry import Entry
    from firstfault.catalog.page import Page

FORMAT = 4
SUBJECTS = "subjects"
PACKED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_catalog.jsonl")


class CatalogError(FirstfaultError):
    """The compiled catalogue is missing or not of this version."""


class SignaturePattern(NamedTuple):
    """One way to recognise a failure, ready to be used."""

    near: str
    line: str
    exception_only: bool
    frames: str | None
    nearby: str | None


class Signature(NamedTuple):
    """The part of an entry that recognition and correlation need."""

    id: str
    title: str
    role: str
    scope: str
    severity: str
    owner: str
    patterns: tuple[SignaturePattern, ...]
    exclude: tuple[str, ...]
    requires: tuple[str, ...]
    yields_to: frozenset[str]
    explains: frozenset[str]


class Subject(NamedTuple):
    """The part of an entry that people search by."""

    id: str
    title: str
    aliases: tuple[str, ...]
    codes: tuple[str, ...]
    cause: str


class Catalog:
    """Signatures, tables and pages of one compiled catalogue; pages are read when they are asked for."""

    def __init__(self, index: Mapping[str, Any], page: Callable[[str], Mapping[str, Any]]) -> None:
        self._index = index
        self._page = page
        self._tables: dict[str, list[dict[str, str]]] = {}

    @property
    def version(self) -> str:
        """Version of the catalogue, year.month.day of its newest file."""
        return str(self._index["version"])

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """All signatures that may be recognised, in order of their ids."""
        return tuple(_signature(row) for row in self._index["signatures"])

    @cached_property
    def by_id(self) -> dict[str, Signature]:
        """Signatures by id."""
        return {s.id: s for s in self.signatures}

    @cached_property
    def line_formats(self) -> tuple[LineFormat, ...]:
        """Prefixes that a line may carry."""
        return tuple(LineFormat(**row) for row in self._index["line_formats"])

    @cached_property
    def path_formats(self) -> tuple[PathFormat, ...]:
        """Ways to name log files."""
        return tuple(PathFormat(**row) for row in self._index["path_formats"])

    @cached_property
    def cascades(self) -> tuple[Mapping[str, Any], ...]:
        """Edges that hold for whole classes of failures."""
        return tuple(self._index["cascades"])

    @property
    def codes(self) -> Mapping[str, str]:
        """Table rows that an entry explains: `xid 48` to its id."""
        return cast("Mapping[str, str]", self._index["codes"])

    def table(self, name: str) -> list[dict[str, str]]:
        """Rows of a table under `signatures/tables/`."""
        if name not in self._tables:
            self._tables[name] = self._page(f"table:{name}")["rows"]
        return self._tables[name]

    @cached_property
    def table_patterns(self) -> tuple[TablePattern, ...]:
        """Ways in which a line names a row of a table."""
        return tuple(TablePattern(*row) for row in self._index.get("table_patterns", ()))

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """What people search each entry by."""
        return tuple(Subject(r["id"], r["title"], tuple(r["aliases"]), tuple(r["codes"]), r["cause"]) for r in self._page(SUBJECTS)["rows"])

    @property
    def table_names(self) -> list[str]:
        """Names of the tables."""
        return list(self._index["tables"])

    def page(self, signature: str) -> Page | None:
        """What a report needs of an entry, or None when there is no such entry."""
        return cast("Page", self._page(signature)) if signature in self.by_id else None

    def entry(self, signature: str) -> Entry | None:
        """The whole page of an entry, or None when there is no such entry."""
        if signature not in self.by_id:
            return None
        from firstfault.catalog.entry import Entry
        from firstfault.catalog.mapping import from_mapping

        return from_mapping(Entry, _renamed(self._page(signature)))

    def entries(self) -> Iterable[Entry]:
        """All pages."""
        for signature in self.signatures:
            entry = self.entry(signature.id)
            if entry:
                yield entry


def extended(catalog: Catalog, entries: Iterable[Entry]) -> Catalog:
    """A catalogue with further entries; one with the id of a built-in entry takes its place."""
    added = {e.id: e for e in entries if e.status != "retired"}
    index = catalog._index  # pyright: ignore[reportPrivateUsage]
    rows = [row for row in index["signatures"] if row["id"] not in added] + [index_row(e) for e in added.values()]
    codes = {**index["codes"], **{code.lower(): e.id for e in added.values() for code in e.codes}}

    def page(name: str) -> Mapping[str, Any]:
        if name in added:
            return asdict(added[name])
        given = catalog._page(name)  # pyright: ignore[reportPrivateUsage]
        if name != SUBJECTS:
            return given
        return {"rows": [row for row in given["rows"] if row["id"] not in added] + [_subject(e) for e in added.values()]}

    return Catalog({**index, "signatures": rows, "codes": codes}, page)


def _signature(row: Mapping[str, Any]) -> Signature:
    return Signature(
        id=row["id"],
        title=row["title"],
        role=row["kind"],
        scope=row["scope"],
        severity=row["severity"],
        owner=row["owner"],
        patterns=tuple(SignaturePattern(*p) for p in row["patterns"]),
        exclude=tuple(row["not"]),
        requires=tuple(row["requires"]),
        yields_to=frozenset(row["yields_to"]),
        explains=frozenset(row["explains"]),
    )


def _renamed(page: Any) -> Any:
    """Field names as in a catalogue file, from the names of the classes."""
    from firstfault.catalog.entry import YAML_NAMES

    if isinstance(page, dict):
        pairs = cast("dict[str, Any]", page).items()
        return {YAML_NAMES.get(k, k): _renamed(v) for k, v in pairs if v is not None}
    if isinstance(page, list):
        return [_renamed(v) for v in cast("list[Any]", page)]
    return page


def index_row(entry: Entry) -> dict[str, Any]:
    """The row of an entry in the index."""
    return {
        "id": entry.id,
        "title": entry.title,
        "kind": "notice" if entry.status == "draft" else entry.kind,
        "scope": entry.scope,
        "severity": entry.severity,
        "owner": entry.owner,
        "patterns": [[p.near, p.line, p.where == "exception", p.frames, p.nearby] for p in entry.recognise.any],
        "not": list(entry.recognise.exclude),
        "requires": list(entry.requires),
        "yields_to": list(entry.yields_to),
        "explains": list(entry.explains),
    }


def _subject(entry: Entry) -> dict[str, Any]:
    """What a search reads of an entry."""
    return {"id": entry.id, "title": entry.title, "aliases": entry.aliases, "codes": entry.codes, "cause": entry.cause}


def build(folder: Path) -> bytes:
    """Compile a signature folder; raises SignatureError at the first mistake."""
    from firstfault.catalog.source import entry_files, read_entry
    from firstfault.catalog.tables import formats_of, read_tables, read_yaml

    entries = [read_entry(path) for path in entry_files(folder)]
    active = [e for e in entries if e.status != "retired"]
    tables = read_tables(folder / "tables")
    cascades = cast("dict[str, Any]", read_yaml(folder / "cascades.yaml"))
    recognised = cast("dict[str, Any]", read_yaml(folder / "tables" / "recognise.yaml"))
    index = {
        "format": FORMAT,
        "sources": source_hash(folder),
        "version": _version(entries),
        "signatures": [index_row(e) for e in active],
        "codes": {code.lower(): e.id for e in active for code in e.codes},
        **formats_of(folder),
        "cascades": cascades["edges"],
        "tables": sorted(tables),
        "table_patterns": [[p["table"], p["near"], p["line"]] for p in recognised["tables"]],
    }
    pages: dict[str, Any] = {e.id: asdict(e) for e in active}
    pages[SUBJECTS] = {"rows": [_subject(e) for e in active]}
    pages.update({f"table:{name}": {"rows": rows} for name, rows in tables.items()})
    return pack(index, pages)


def _version(entries: Iterable[Entry]) -> str:
    newest = max((r.seen for e in entries for r in e.references), default="2026-12-01")
    year, month, day = newest.split("-")
    return f"{year}.{int(month)}.{int(day)}"


def pack(index: dict[str, Any], pages: Mapping[str, Any]) -> bytes:
    """Bytes of a compiled catalogue; the index knows where each page lies, counted from the end of the first line."""
    places: dict[str, tuple[int, int]] = {}
    body = bytearray()
    for name, page in pages.items():
        row = json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()
        places[name] = (len(body), len(row))
        body += row + b"\n"
    head = json.dumps({**index, "places": places}, ensure_ascii=False, separators=(",", ":")).encode()
    return head + b"\n" + bytes(body)


def unpack(data: bytes) -> Catalog:
    """A catalogue from its bytes; raises CatalogError."""
    end = data.find(b"\n")
    try:
        index = json.loads(data[:end])
    except ValueError as error:
        raise CatalogError("the compiled catalogue is damaged; install firstfault again") from error
    if index.get("format") != FORMAT:
        raise CatalogError("the compiled catalogue is of another version; run `make catalog`")
    places = index["places"]

    def page(name: str) -> Mapping[str, Any]:
        start, length = places[name]
        return json.loads(data[end + 1 + start : end + 1 + start + length])

    return Catalog(index, page)


def source_hash(folder: Path) -> str:
    """Hash over names and contents of everything a catalogue is compiled from."""
    import hashlib

    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".yaml", ".tsv")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def load() -> Catalog:
    """The built-in catalogue."""
    try:
        with open(PACKED, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CatalogError("the compiled catalogue is missing; run `make catalog` in the checkout") from error
    return unpack(data)
