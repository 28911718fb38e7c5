"""Reads catalogue files: YAML with the place of every value, turned into entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from firstfault.catalog.entry import Entry
from firstfault.catalog.mapping import ShapeError, from_mapping
from firstfault.catalog.yaml_loader import read_with
from firstfault.errors import SignatureError

ValuePath = tuple[str | int, ...]


def entry_files(folder: Path) -> list[Path]:
    """All `<category>/<name>.yaml` files below a signature folder, sorted."""
    return sorted(p for p in folder.glob("*/*.yaml") if p.parent.name != "tables")


def read_entry(path: Path) -> Entry:
    """Read one catalogue file; raises SignatureError with the place of the first mistake."""
    return parse_entry(read_text(path), path)[0]


def read_text(path: Path) -> str:
    """Text of a catalogue file; raises SignatureError."""
    try:
        return path.read_text("utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise SignatureError(str(path), f"cannot be read: {error}") from error


def parse_entry(text: str, path: Path) -> tuple[Entry, yaml.Node]:
    """The entry that a text holds, with its places, as if it stood in the file; raises SignatureError at the first mistake."""
    node = _compose(text, path)
    value: object = _plain(node)
    try:
        entry = from_mapping(Entry, value)
    except ShapeError as error:
        place = locate(node, error.path)
        name = ".".join(map(str, error.path)) or "the file"
        raise SignatureError(str(path), f"{name}: {error}", line=place[0], column=place[1]) from error
    expected = f"{path.parent.name}/{path.stem}"
    if entry.id != expected:
        place = locate(node, ("id",))
        raise SignatureError(str(path), f"id is {entry.id!r} but the file says {expected!r}", line=place[0], column=place[1])
    return entry, node


def place_of(path: Path, value_path: ValuePath) -> tuple[int, int]:
    """Line and column (1-based) of a value in a catalogue file."""
    return locate(_compose(read_text(path), path), value_path)


def _compose(text: str, path: Path) -> yaml.Node:
    try:
        node = cast("yaml.Node | None", read_with(cast("Any", yaml).compose, text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise SignatureError(str(path), f"not valid YAML: {error.problem}", line=line, column=column) from error
    except yaml.YAMLError as error:
        raise SignatureError(str(path), f"cannot be read: {error}") from error
    if node is None:
        raise SignatureError(str(path), "the file is empty")
    return node


def _plain(node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        return {str(_plain(k)): _plain(v) for k, v in pairs}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in cast("list[yaml.Node]", node.value)]
    scalar = cast("Any", node)
    if not scalar.style and scalar.value in ("", "null", "~"):
        return None
    return str(scalar.value)


def locate(node: yaml.Node, path: ValuePath) -> tuple[int, int]:
    """Place of the value at `path`, or of the deepest part of the path that exists."""
    for step in path:
        below = _child(node, step)
        if below is None:
            break
        node = below
    return node.start_mark.line + 1, node.start_mark.column + 1


def _child(node: yaml.Node, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        pairs: Iterator[tuple[yaml.Node, yaml.Node]] = iter(cast("list[tuple[yaml.Node, yaml.Node]]", node.value))
        return next((v for k, v in pairs if cast("Any", k).value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return cast("yaml.Node", node.value[step])
    return None
