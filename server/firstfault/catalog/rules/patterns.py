"""Rules for `recognise`: literals that are rare, regexes that are right and fast."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import islice

import regex

from firstfault.catalog.library import Page, regexes
from firstfault.catalog.problem import Mistake

SHORTEST_NEAR = 5
LONGEST_TIME = 0.050
"""Seconds of processor time that a regex may take on one hostile line."""
HOSTILE_LENGTH = 8192
_TRIES = 3
_MOST_SAMPLES = 2
_COMMON = {
    "error", "errors", "error:", "timeout", "timeouts", "failed", "failed:", "failure", "warning", "warnings", "warning:", "memory",
    "exception", "exceptions", "traceback", "runtimeerror", "valueerror", "typeerror", "device", "devices", "cuda:", "worker", "process",
    "rank:", "ranks", "step:", "epoch", "training", "torch", "python", "file:", "import", "start", "started", "finished", "code:",
    "status", "server", "client", "model", "batch", "tensor", "index", "value", "invalid", "cannot", "unable", "not found",
    "traceback (most recent call last)", "traceback (most recent call last):",
}  # fmt: skip
_NESTED = re.compile(r"\((?:\?:|\?P<\w+>)?(?:\\.|\[[^\]]+\]|[^()\\|])[*+]\)[*+]")


def check_literals(page: Page) -> Iterator[Mistake]:
    """`near` is long, rare and on one line."""
    for number, pattern in enumerate(page.entry.recognise.any):
        where = ("recognise", "any", number, "near")
        near = pattern.near
        if "\n" in near:
            yield Mistake(where, "near spans more than one line; a literal is looked for within one line")
        if len(near) < SHORTEST_NEAR or not near.strip():
            yield Mistake(where, f"near {near!r} is shorter than {SHORTEST_NEAR} characters and would stop at too many healthy lines")
        elif near.strip().lower() in _COMMON and not (page.entry.scope == "class" and pattern.where == "exception"):
            yield Mistake(where, f"near {near!r} fills healthy logs; take a longer piece of the message")


def check_regexes(page: Page) -> Iterator[Mistake]:
    """Every regex compiles, begins with something, needs something to match, and stands in single quotes."""
    for where, pattern in regexes(page.entry):
        try:
            compiled = regex.compile(pattern)
        except regex.error as error:
            yield Mistake(where, f"the regex does not compile: {error}")
            continue
        if re.match(r"(?:\(\?[a-z]+\))?\^?\(?\.[*+]", pattern):
            yield Mistake(where, "a leading '.*' only costs time; the regex is searched for anywhere in the line")
        if compiled.search(""):
            yield Mistake(where, "the regex matches the empty string, so it matches every line")
        if _NESTED.search(pattern):
            yield Mistake(where, "a quantifier on a quantifier, as in (x+)+, can take forever; write one of them")
        line, column = page.place(where)
        if page.text.splitlines()[line - 1][column - 1 : column] == '"':
            yield Mistake(where, "put the regex in single quotes, so that backslashes stand for themselves", "warning")


def check_speed(page: Page) -> Iterator[Mistake]:
    """No regex is slow on a line made to slow it down."""
    for where, pattern in regexes(page.entry):
        near = page.entry.recognise.any[int(where[2])].near if len(where) == 4 else ""
        took = worst_time(pattern, near, (example.log for example in page.entry.examples.match))
        if took > LONGEST_TIME:
            limit = f"{LONGEST_TIME * 1000:.0f} ms is the limit"
            yield Mistake(where, f"the regex takes {took * 1000:.0f} ms on a hostile line of {HOSTILE_LENGTH} characters; {limit}")


def worst_time(pattern: str, near: str, samples: Iterator[str]) -> float:
    """Seconds that a regex takes on the worst of the hostile lines; 0 when it does not compile."""
    try:
        compiled = regex.compile(pattern)
    except regex.error:
        return 0.0
    return max(_time(compiled, line) for line in _hostile_lines(near, samples))


def _hostile_lines(near: str, samples: Iterator[str]) -> Iterator[str]:
    for unit in ("a", " ", "7"):
        yield unit * HOSTILE_LENGTH
        if near:
            yield (near + unit * HOSTILE_LENGTH)[:HOSTILE_LENGTH]
    for unit in (near, *islice(samples, _MOST_SAMPLES)):
        if unit:
            yield (unit * (HOSTILE_LENGTH // len(unit) + 1))[:HOSTILE_LENGTH]


def _time(compiled: regex.Pattern[str], line: str) -> float:
    best = float("inf")
    for _ in range(_TRIES):
        begun = time.process_time()
        try:
            compiled.search(line, timeout=10 * LONGEST_TIME)
        except TimeoutError:
            return 10 * LONGEST_TIME
        best = min(best, time.process_time() - begun)
        if best <= LONGEST_TIME:
            break
    return best
