"""Rules for what people read: real statements, titles that name the failure, placeholders that can be filled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import cast

import regex

from firstfault.catalog.library import Page
from firstfault.catalog.mapping import yaml_name
from firstfault.catalog.problem import Mistake, ValuePath

STANDARD_VALUES = frozenset({"rank", "host", "pid", "gpu", "file", "line"})
"""Placeholders that every entry may use without a capture."""
_EMPTY = re.compile(r"(?i)^\W*(?:unknown|n/?a|none|nothing|tbd|todo|fixme|xxx|tba|see above|to do|not known)\W*$")
_CURES = {
    "fix", "set", "use", "install", "reinstall", "increase", "decrease", "reduce", "lower", "raise", "upgrade", "downgrade", "enable",
    "disable", "add", "remove", "reboot", "replace", "avoid", "ensure", "configure",
}  # fmt: skip
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_SHOUT = re.compile(r"\w!(?=\s|$)")
_FILLED = ("title", "cause", "fix", "verify", "confirm", "missing")
_LITERAL = {"see", "read", "run", "code", "promql", "metric", "aliases", "codes", "value", "name", "url", "id"}
"""Fields that hold commands, code or output rather than our own words."""


def strings(value: object, where: ValuePath = ()) -> Iterator[tuple[ValuePath, str]]:
    """All texts of an entry, each with the path that leads to it in the file."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, tuple):
        for number, item in enumerate(cast("tuple[object, ...]", value)):
            yield from strings(item, (*where, number))
    elif is_dataclass(value):
        for spec in fields(value):
            yield from strings(getattr(value, spec.name), (*where, yaml_name(spec.name)))


def check_statements(page: Page) -> Iterator[Mistake]:
    """No text says nothing, repeats the title or shouts."""
    title = _plain(page.entry.title)
    for where, text in strings(page.entry):
        if where and where[0] in ("examples", "recognise"):
            continue
        name = ".".join(str(step) for step in where)
        literal = any(step in _LITERAL for step in where)
        if _EMPTY.match(text) and where[-1] != "read":
            yield Mistake(where, f"{name} says only {text.strip()!r}; say something that helps, or leave the field out")
        elif where != ("title",) and not literal and _plain(text) == title:
            yield Mistake(where, f"{name} repeats the title; say what the title does not")
        if not literal and _SHOUT.search(text):
            yield Mistake(where, f"{name} has an exclamation mark; state it plainly")


def check_title(page: Page) -> Iterator[Mistake]:
    """The title names the failure, not the cure."""
    first = page.entry.title.split()[0].lower().strip(":,")
    if first in _CURES:
        yield Mistake(("title",), f"the title begins with {page.entry.title.split()[0]!r}; name the failure, not the cure")


def check_placeholders(page: Page) -> Iterator[Mistake]:
    """Every `{name}` is a capture of some pattern or one of the standard values."""
    known = STANDARD_VALUES | captures(page)
    for where, text in strings(page.entry):
        if where[0] not in _FILLED:
            continue
        for name in _PLACEHOLDER.findall(text):
            if name not in known:
                yield Mistake(where, f"{{{name}}} is no capture of any pattern and none of {', '.join(sorted(STANDARD_VALUES))}")


def captures(page: Page) -> frozenset[str]:
    """Names of the groups that the patterns of an entry capture."""
    names: set[str] = set()
    for pattern in page.entry.recognise.any:
        try:
            names.update(regex.compile(pattern.line).groupindex)
        except regex.error:
            continue
    return frozenset(names)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w ]+", " ", text.lower()).split())
