"""A signature folder as authors work on it: every file that can be read, and the mistakes of those that cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import regex
import yaml

from firstfault.catalog.compiled import FORMAT, Catalog, index_row
from firstfault.catalog.entry import Entry
from firstfault.catalog.problem import Problem, ValuePath
from firstfault.catalog.source import entry_files, locate, parse_entry, read_text
from firstfault.catalog.tables import formats_of, read_yaml
from firstfault.errors import SignatureError


@dataclass(frozen=True, slots=True)
class Page:
    """An entry with the file that it came from."""

    path: Path
    entry: Entry
    node: yaml.Node
    text: str

    def place(self, where: ValuePath) -> tuple[int, int]:
        """Line and column of a value, or of the deepest part of its path that stands in the file."""
        return locate(self.node, where)

    def spot(self, where: ValuePath) -> str:
        """The place of a value as `file:line`."""
        return f"{self.path}:{self.place(where)[0]}"


@dataclass(frozen=True, slots=True)
class Library:
    """All entries of a folder that can be read, and what is wrong with the others."""

    folder: Path
    pages: tuple[Page, ...]
    unreadable: tuple[Problem, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries, in order of their files."""
        return tuple(page.entry for page in self.pages)


def read_library(folder: Path) -> Library:
    """Read all entries of a folder."""
    pages: list[Page] = []
    unreadable: list[Problem] = []
    for path in entry_files(folder):
        try:
            pages.append(page_of(read_text(path), path))
        except SignatureError as error:
            unreadable.append(Problem(path=str(path), line=error.line, column=error.column, message=error.message))
    return Library(folder, tuple(pages), tuple(unreadable))


def page_of(text: str, path: Path) -> Page:
    """The entry that a text holds as if it stood in the file; raises SignatureError at the first mistake."""
    entry, node = parse_entry(text, path)
    return Page(path, entry, node, text)


def catalog_of(folder: Path, entries: Iterable[Entry]) -> Catalog:
    """A catalogue of these entries, with the tables and cascades of the folder; entries that cannot be used are left out."""
    usable = {entry.id: entry for entry in entries if entry.status != "retired" and not any(faults(entry))}
    index: dict[str, Any] = {
        "format": FORMAT,
        "version": "0",
        "signatures": [index_row(entry) for entry in usable.values()],
        "codes": {code.lower(): entry.id for entry in usable.values() for code in entry.codes},
        "cascades": _cascades(folder),
        "tables": [],
        **formats_of(folder),
    }

    def page(name: str) -> Mapping[str, Any]:
        return asdict(usable[name])

    return Catalog(index, page)


def _cascades(folder: Path) -> list[Any]:
    path = folder / "cascades.yaml"
    return cast("Mapping[str, list[Any]]", read_yaml(path))["edges"] if path.exists() else []


def regexes(entry: Entry) -> Iterator[tuple[ValuePath, str]]:
    """All regexes of an entry with the path that leads to each."""
    for number, pattern in enumerate(entry.recognise.any):
        yield ("recognise", "any", number, "line"), pattern.line
        if pattern.frames:
            yield ("recognise", "any", number, "frames"), pattern.frames
        if pattern.nearby:
            yield ("recognise", "any", number, "nearby"), pattern.nearby
    for number, exclusion in enumerate(entry.recognise.exclude):
        yield ("recognise", "not", number), exclusion


def faults(entry: Entry) -> Iterator[tuple[ValuePath, str]]:
    """The regexes that cannot be compiled, with the reason."""
    for where, pattern in regexes(entry):
        try:
            regex.compile(pattern)
        except regex.error as error:
            yield where, str(error)
