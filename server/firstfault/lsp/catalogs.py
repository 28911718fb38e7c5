"""The catalogue with the user's own signature folders: a broken file costs that file alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from firstfault.catalog.compiled import Catalog, extended, load
from firstfault.catalog.problem import Problem

if TYPE_CHECKING:
    from firstfault.catalog.entry import Entry
    from firstfault.catalog.library import Page


class Loaded(NamedTuple):
    """A catalogue, and what is wrong in the files that it was made of."""

    catalog: Catalog
    problems: tuple[Problem, ...]


def load_with(folders: Sequence[str], root: str | None) -> Loaded:
    """The built-in catalogue with the entries of further folders; relative ones are taken from the workspace root."""
    catalog = load()
    if not folders:
        return Loaded(catalog, ())
    from firstfault.catalog.library import read_library

    problems: list[Problem] = []
    entries: list[Entry] = []
    for name in folders:
        folder = Path(root or ".") / Path(name).expanduser()
        if not folder.is_dir():
            problems.append(Problem(path=str(folder), line=1, column=1, message="this signature folder does not exist"))
            continue
        library = read_library(folder)
        problems.extend(library.unreadable)
        for page in library.pages:
            broken = _broken(page)
            if broken is None:
                entries.append(page.entry)
            else:
                problems.append(broken)
    return Loaded(extended(catalog, entries), tuple(problems))


def _broken(page: Page) -> Problem | None:
    """The first pattern of an entry that cannot be compiled."""
    from firstfault.catalog.library import faults

    fault = next(faults(page.entry), None)
    if fault is None:
        return None
    where, error = fault
    line, column = page.place(where)
    return Problem(path=str(page.path), line=line, column=column, message=f"not a valid regular expression: {error}")
