"""Completion in a signature file: the fields of the schema, the values of closed sets, and the ids of entries."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from lsprotocol import types

from firstfault.catalog.entry import Entry
from firstfault.catalog.mapping import json_schema

_KEY = re.compile(r"^(?P<indent> *(?:- +)*)(?P<key>[A-Za-z_]+):(?P<rest>.*)$")
_QUOTED = re.compile(r"'[^']*'?|\"[^\"]*\"?")
_ID_FIELDS = frozenset(("related", "explains", "yields_to"))
_REQUIREMENTS = ("match", "uncaught", "died", "nearby", "two-patterns", "collateral", "signal:SIGBUS", "exit:137")

Path = tuple[str, ...]


class Place(NamedTuple):
    """Where the cursor stands: the fields that lead there, and whether a value is being written."""

    path: Path
    value: bool
    given: frozenset[str]
    """Fields that the mapping around the cursor has already."""


def authoring_completion(lines: Sequence[str], line: int, column: int, ids: Collection[str]) -> list[types.CompletionItem]:
    """What may stand at a place of a signature file; `column` counts characters."""
    place = place_at(lines, line, column)
    schema = _at(place.path)
    if place.value:
        name = place.path[-1] if place.path else ""
        return [
            types.CompletionItem(label=value, kind=types.CompletionItemKind.EnumMember, sort_text=f"{number:05}")
            for number, value in enumerate(_values(name, schema, ids))
        ]
    return _fields(schema, place.given)


def place_at(lines: Sequence[str], line: int, column: int) -> Place:
    """The place of the cursor, from the indentation above it and the brackets before it."""
    before = lines[line][:column] if line < len(lines) else ""
    path, given = _outer(lines, min(line, len(lines)), before)
    match = _KEY.match(before)
    own = (*path, match["key"]) if match else path
    flow = _flow(own, before, match.start("rest") if match else _content_column(before))
    if flow is not None:
        return flow
    if match:
        return Place(own, True, frozenset())
    if re.match(r"^ *- +[^:]*$", before) and path and _is_plain_list(path):
        return Place(path, True, frozenset())
    return Place(path, False, given)


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open: what was written in it."""

    kind: str
    start: int
    key: str | None = None
    given: set[str] = field(default_factory=set[str])


def _flow(path: Path, before: str, start: int) -> Place | None:
    """The place of the cursor within brackets of its line, or None outside of brackets."""
    bare = _QUOTED.sub(lambda m: "x" * len(m[0]), before)
    open_brackets: list[_Bracket] = []
    for index in range(start, len(bare)):
        character = bare[index]
        inner = open_brackets[-1] if open_brackets else None
        if character in "[{" and (inner or not bare[start:index].strip()):
            open_brackets.append(_Bracket(character, index + 1))
        elif inner is None:
            continue
        elif character in "]}":
            open_brackets.pop()
        elif character == ",":
            inner.key, inner.start = None, index + 1
        elif character == ":" and inner.kind == "{" and inner.key is None:
            inner.key = bare[inner.start : index].strip()
            inner.given.add(inner.key)
    if not open_brackets:
        return None
    outer = tuple(b.key for b in open_brackets[:-1] if b.key)
    last = open_brackets[-1]
    if last.kind == "[":
        return Place((*path, *outer), True, frozenset())
    if last.key is not None:
        return Place((*path, *outer, last.key), True, frozenset())
    return Place((*path, *outer), False, frozenset(last.given))


def _outer(lines: Sequence[str], line: int, before: str) -> tuple[Path, frozenset[str]]:
    """Fields that enclose a line by its indentation, and those beside it in the same mapping."""
    indent = _content_column(before) if before.strip(" -") or "-" in before else len(before)
    path: list[str] = []
    given: set[str] = set()
    limit, inside_item = indent, "- " in before[: indent + 1]
    for number in range(line - 1, -1, -1):
        text = lines[number]
        match = _KEY.match(text)
        if not text.strip() or text.lstrip().startswith("#") or match is None:
            continue
        column = len(match["indent"])
        if column < limit:
            path.append(match["key"])
            limit = len(text) - len(text.lstrip(" "))
            inside_item = True
        elif column == indent and not path and not inside_item:
            given.add(match["key"])
            inside_item = "-" in match["indent"]
        if limit == 0:
            break
    return tuple(reversed(path)), frozenset(given)


def _content_column(before: str) -> int:
    match = re.match(r"^ *(?:- +)*", before)
    return match.end() if match else 0


# --- the schema -------------------------------------------------------------------------------------------------------


@cache
def _schema() -> Mapping[str, Any]:
    return json_schema(Entry, title="entry", schema_id="entry")


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while True:
        if "$ref" in schema:
            schema = _schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
        elif "anyOf" in schema:
            schema = next(s for s in schema["anyOf"] if s.get("type") != "null")
        elif schema.get("type") == "array":
            schema = schema["items"]
        else:
            return schema


def _at(path: Path) -> Mapping[str, Any]:
    schema = _schema()
    for step in path:
        schema = _resolved(schema).get("properties", {}).get(step, {})
    return _resolved(schema)


def _is_plain_list(path: Path) -> bool:
    return "properties" not in _at(path)


def _fields(schema: Mapping[str, Any], given: Collection[str]) -> list[types.CompletionItem]:
    required = schema.get("required", ())
    out: list[types.CompletionItem] = []
    for number, (name, below) in enumerate(schema.get("properties", {}).items()):
        if name in given:
            continue
        out.append(
            types.CompletionItem(
                label=name,
                kind=types.CompletionItemKind.Field,
                detail="mandatory" if name in required else "optional",
                documentation=below.get("description"),
                insert_text=f"{name}: ",
                sort_text=f"{0 if name in required else 1}{number:04}",
            )
        )
    return out


def _values(name: str, schema: Mapping[str, Any], ids: Collection[str]) -> list[str]:
    if name in _ID_FIELDS:
        return sorted(ids)
    if name == "requires":
        return list(_REQUIREMENTS)
    return [str(value) for value in schema.get("enum", ())]
