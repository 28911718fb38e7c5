"""Rules for what an entry refers to: sources, requirements, and other entries."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from firstfault.catalog.entry import REQUIREMENT, Entry
from firstfault.catalog.library import Library, Page
from firstfault.catalog.problem import Mistake, Problem
from firstfault.catalog.source import place_of
from firstfault.catalog.tables import read_yaml

_REFERRING = ("yields_to", "explains", "related")


def check_requires(page: Page) -> Iterator[Mistake]:
    """Every requirement is one that can be met."""
    patterns = page.entry.recognise.any
    for number, requirement in enumerate(page.entry.requires):
        where = ("requires", number)
        if not re.search(REQUIREMENT, requirement):
            known = "match, uncaught, died, nearby, two-patterns, collateral, signal:SIGBUS, exit:137"
            yield Mistake(where, f"requires {requirement!r} is not known; it may be {known}")
        elif requirement == "nearby" and not any(p.nearby for p in patterns):
            yield Mistake(where, "requires nearby, but no pattern has a nearby regex")
        elif requirement == "two-patterns" and len(patterns) < 2:
            yield Mistake(where, "requires two-patterns, but there is only one")
        elif requirement.startswith("signal:") and requirement[7:] not in signal.Signals.__members__:
            yield Mistake(where, f"requires {requirement!r}, but there is no signal of that name")


def check_references(page: Page, today: date) -> Iterator[Mistake]:
    """References are https addresses that somebody has looked at."""
    if not page.entry.references:
        yield Mistake(("references",), "a reference is missing: name at least one authoritative source")
    for number, reference in enumerate(page.entry.references):
        if not re.match(r"https://[\w.-]+\.\w{2,}(/|$)", reference.url):
            yield Mistake(("references", number, "url"), f"{reference.url!r} is not an https address")
        where = ("references", number, "seen")
        try:
            seen = date.fromisoformat(reference.seen)
        except ValueError:
            yield Mistake(where, f"seen {reference.seen!r} is no date")
            continue
        if seen > today:
            yield Mistake(where, f"seen {reference.seen} lies in the future")


def check_ids(library: Library) -> Iterator[tuple[Page, Mistake]]:
    """Every id that an entry refers to exists, and is not its own."""
    known = {page.entry.id for page in library.pages}
    known |= {f"{Path(p.path).parent.name}/{Path(p.path).stem}" for p in library.unreadable}
    for page in library.pages:
        for field in _REFERRING:
            for number, other in enumerate(cast("tuple[str, ...]", getattr(page.entry, field))):
                if other == page.entry.id:
                    yield page, Mistake((field, number), f"{field} names the entry itself")
                elif other not in known:
                    yield page, Mistake((field, number), f"{field} names {other!r}, but there is no such entry")


def check_unique(library: Library) -> Iterator[tuple[Page, Mistake]]:
    """No two entries share a title or a code."""
    titles: dict[str, Entry] = {}
    codes: dict[str, Entry] = {}
    for page in library.pages:
        entry = page.entry
        first = titles.setdefault(entry.title.lower().rstrip(". "), entry)
        if first is not entry:
            yield page, Mistake(("title",), f"{first.id} has the same title; say what tells the two apart")
        for number, code in enumerate(entry.codes):
            owner = codes.setdefault(code.lower(), entry)
            if owner is not entry:
                yield page, Mistake(("codes", number), f"{code!r} already belongs to {owner.id}")


def check_cascades(library: Library) -> Iterator[Problem]:
    """Every glob of cascades.yaml reaches some entry."""
    path = library.folder / "cascades.yaml"
    if not path.exists():
        return
    ids = [entry.id for entry in library.entries]
    edges = cast("list[Mapping[str, Any]]", cast("Mapping[str, Any]", read_yaml(path))["edges"])
    for number, edge in enumerate(edges):
        for side in ("from", "to"):
            for position, glob in enumerate(cast("list[str]", edge[side])):
                if not any(fnmatchcase(i, glob) for i in ids):
                    line, column = place_of(path, ("edges", number, side, position))
                    message = f"{glob!r} matches no entry"
                    yield Problem(path=str(path), line=line, column=column, message=message, level="warning")
