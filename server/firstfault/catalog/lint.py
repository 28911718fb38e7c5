"""Checks a signature folder against every rule of its README and gives all problems in one list."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import date
from pathlib import Path

from firstfault.catalog.examples import run_examples
from firstfault.catalog.library import Library, Page, catalog_of
from firstfault.catalog.problem import Mistake, Problem
from firstfault.catalog.rules.links import check_cascades, check_ids, check_references, check_requires, check_unique
from firstfault.catalog.rules.patterns import check_literals, check_regexes, check_speed
from firstfault.catalog.rules.privacy import check_examples
from firstfault.catalog.rules.texts import check_placeholders, check_statements, check_title
from firstfault.engine import Engine

_PAGE_RULES: tuple[Callable[[Page], Iterator[Mistake]], ...] = (
    check_title,
    check_literals,
    check_regexes,
    check_speed,
    check_requires,
    check_statements,
    check_placeholders,
    check_examples,
)


def lint(library: Library, *, only: Collection[Path] = (), today: date | None = None) -> list[Problem]:
    """All problems of a library, in order of their places; with `only`, those of the given files."""
    wanted = {path.resolve() for path in only}
    pages = [page for page in library.pages if not wanted or page.path.resolve() in wanted]
    problems = list(library.unreadable)
    for page in pages:
        problems.extend(problem_at(page, mistake) for mistake in page_mistakes(page, today or date.today()))
    for page, mistake in (*check_ids(library), *check_unique(library)):
        problems.append(problem_at(page, mistake))
    problems.extend(check_cascades(library))
    engine = Engine(catalog_of(library.folder, library.entries))
    for page in pages:
        problems.extend(problem_at(page, mistake) for mistake in _unused(engine, page))
    return sorted(p for p in problems if not wanted or Path(p.path).resolve() in wanted)


def problem_at(page: Page, mistake: Mistake) -> Problem:
    """A mistake with its place in the file."""
    line, column = page.place(mistake.where)
    return Problem(path=str(page.path), line=line, column=column, message=mistake.message, level=mistake.level)


def page_mistakes(page: Page, today: date) -> Iterator[Mistake]:
    """What is wrong with one entry, whatever the others say."""
    for rule in _PAGE_RULES:
        yield from rule(page)
    yield from check_references(page, today)


def _unused(engine: Engine, page: Page) -> Iterator[Mistake]:
    if page.entry.id not in engine.catalog.by_id:
        return
    used = {number for outcome in run_examples(engine, page) if outcome.kind == "match" for number in outcome.patterns}
    for number in range(len(page.entry.recognise.any)):
        if number not in used:
            yield Mistake(("recognise", "any", number), f"no match example shows pattern {number + 1} at work", "warning")
