"""Every entry recognises its match examples with the captures asked for, and leaves its near misses alone."""

from __future__ import annotations

from itertools import pairwise

from signature_bench import VALID, LibraryMaker

from firstfault.catalog.examples import ExampleKind, run_example, run_examples
from firstfault.catalog.library import Library, Page, catalog_of
from firstfault.engine import Engine


def test_every_file_can_be_read(library: Library) -> None:
    assert [str(problem) for problem in library.unreadable] == []
    assert len(library.pages) > 100


def test_example(engine: Engine, example: tuple[Page, ExampleKind, int]) -> None:
    page, kind, number = example
    if page.entry.status == "retired":
        return
    outcome = run_example(engine, page, kind, number)
    assert outcome.complaint is None, f"\n{outcome.complaint}"


def _complaint(library: Library, number: int = 1) -> str:
    engine = Engine(catalog_of(library.folder, library.entries))
    return run_examples(engine, library.pages[0])[number - 1].complaint or ""


def test_a_pattern_that_stops_shows_where_with_a_caret(make_library: LibraryMaker) -> None:
    library = make_library({"good/valid": VALID.replace('log: "widget out of cogs: 3 left"', 'log: "[rank3]: widget out of cogs: 3 lost"')})
    shown = _complaint(library).split("\n")
    text, caret = next((a, b) for a, b in pairwise(shown) if b.strip() == "^")
    assert text.strip() == "widget out of cogs: 3 lost"
    assert text[caret.index("^") :] == "ost"


def test_an_explanation_names_the_file_and_line_of_each_pattern(make_library: LibraryMaker) -> None:
    library = make_library({"good/valid": VALID.replace('log: "widget out of cogs: 3 left"', 'log: "all is lost"')})
    shown = _complaint(library)
    line = VALID.split("\n").index("      line: 'widget out of cogs: (?P<left>\\d+) left'") + 1
    assert f'({library.pages[0].path}:{line}): near "widget out of cogs" does not stand in the text' in shown


def test_a_pattern_for_exceptions_says_that_a_line_is_none(make_library: LibraryMaker) -> None:
    changed = VALID.replace('near: "widget out of cogs"', 'near: "widget out of cogs"\n      in: exception')
    assert "`in: exception` asks for the text of an exception" in _complaint(make_library({"good/valid": changed}))


def test_a_pattern_with_frames_says_that_there_is_no_traceback(make_library: LibraryMaker) -> None:
    changed = VALID.replace('near: "cogs exhausted"', "near: \"cogs exhausted\"\n      frames: 'in turn'")
    assert "`frames` does not match as there is no traceback" in _complaint(make_library({"good/valid": changed}), 2)


def test_an_exclusion_that_matches_is_named(make_library: LibraryMaker) -> None:
    changed = VALID.replace("requires:", "  not: ['3 left']\nrequires:")
    assert "so does the exclusion '3 left'" in _complaint(make_library({"good/valid": changed}))


def test_examples_know_which_patterns_recognised_them(make_library: LibraryMaker) -> None:
    library = make_library({"good/valid": VALID})
    outcomes = run_examples(Engine(catalog_of(library.folder, library.entries)), library.pages[0])
    assert [(outcome.name, set(outcome.patterns), outcome.complaint) for outcome in outcomes] == [
        ("good/valid#1", {0}, None),
        ("good/valid#2", {1}, None),
        ("good/valid#near-miss-1", set[int](), None),
    ]
