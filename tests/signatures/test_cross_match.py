"""No example of an entry is claimed by another cause without one of the two saying so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from signature_bench import VALID, LibraryMaker

from firstfault.catalog.examples import ForeignMatch, foreign_matches
from firstfault.catalog.library import Library, catalog_of
from firstfault.engine import Engine


def test_the_library_has_no_undeclared_foreign_matches(engine: Engine, library: Library) -> None:
    found = foreign_matches(engine, library.entries)
    assert not found, "\n" + "\n".join(map(str, found))


def _foreign(library: Library) -> list[ForeignMatch]:
    return foreign_matches(Engine(catalog_of(library.folder, library.entries)), library.entries)


def _renamed(text: str) -> str:
    return text.replace("The widget", "The other widget")


def test_two_causes_at_one_place_are_reported_for_every_example_of_both(make_library: LibraryMaker) -> None:
    found = _foreign(make_library({"good/one": VALID, "good/two": _renamed(VALID)}))
    assert {(match.signature, match.number, match.foreign) for match in found} == {
        ("good/one", 1, "good/two"),
        ("good/one", 2, "good/two"),
        ("good/two", 1, "good/one"),
        ("good/two", 2, "good/one"),
    }


SILENT: dict[str, Callable[[str], str]] = {
    "one yields to the other": lambda text: text.replace("requires:", "yields_to: [good/one]\nrequires:"),
    "one explains the other": lambda text: text.replace("requires:", "explains: [good/one]\nrequires:"),
    "one names the other as related": lambda text: text.replace("requires:", "related: [good/one]\nrequires:"),
}


@pytest.mark.parametrize("change", SILENT.values(), ids=SILENT.keys())
def test_a_match_that_is_declared_is_not_reported(change: Callable[[str], str], make_library: LibraryMaker) -> None:
    assert _foreign(make_library({"good/one": VALID, "good/two": change(_renamed(VALID))})) == []


@pytest.mark.parametrize("general", ["scope: class", "kind: effect", "kind: notice", "status: draft"])
def test_an_example_of_a_cause_may_also_be_recognised_as_something_weaker(general: str, make_library: LibraryMaker) -> None:
    field = general.split(":", maxsplit=1)[0]
    lines = [line for line in _renamed(VALID).split("\n") if not line.startswith(f"{field}:")]
    found = _foreign(make_library({"good/one": VALID, "good/two": "\n".join([lines[0], general, *lines[1:]])}))
    assert [match for match in found if match.signature == "good/one"] == []


def test_a_cause_on_another_line_of_the_example_is_no_clash(make_library: LibraryMaker) -> None:
    other = _renamed(VALID).replace("cogs", "nuts")
    both = VALID.replace('log: "widget out of cogs: 3 left"', 'log: "widget out of nuts: 1 left\\nwidget out of cogs: 3 left"')
    assert _foreign(make_library({"good/one": both, "good/two": other})) == []
