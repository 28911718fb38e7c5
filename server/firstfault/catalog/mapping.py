"""Dataclasses from plain mappings, and the JSON Schema of those dataclasses; one model, two views of it."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from firstfault.catalog.entry import YAML_NAMES

T = TypeVar("T")
Path = tuple[str | int, ...]


class ShapeError(ValueError):
    """A value that does not fit the model; `path` leads to it."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


def yaml_name(name: str) -> str:
    """Name of a field as it stands in a catalogue file."""
    return YAML_NAMES.get(name, name)


def from_mapping(cls: type[T], value: object, path: Path = ()) -> T:
    """Build `cls` from a mapping; raises ShapeError at the first value that does not fit."""
    if not isinstance(value, Mapping):
        raise ShapeError(path, f"expected a mapping, found {_kind(value)}")
    given = typing.cast("Mapping[str, object]", value)
    hints = _hints(cls)
    known = {yaml_name(f.name): f for f in fields(typing.cast("Any", cls))}
    for key in given:
        if key not in known:
            raise ShapeError((*path, str(key)), f"unknown field {key!r}; known are {', '.join(known)}")
    arguments: dict[str, object] = {}
    for key, spec in known.items():
        if key not in given or (given[key] is None and spec.default is None):
            if spec.default is MISSING and spec.default_factory is MISSING:
                raise ShapeError(path, f"field {key!r} is missing")
            continue
        arguments[spec.name] = _convert(hints[spec.name], given[key], (*path, key))
        _check_limits(arguments[spec.name], spec.metadata, (*path, key))
    return cls(**arguments)


def _convert(hint: Any, value: object, path: Path) -> object:
    origin = get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(a for a in get_args(hint) if a is not type(None))
        return _convert(inner, value, path)
    if origin is Literal:
        if value not in get_args(hint):
            raise ShapeError(path, f"{value!r} is not one of {', '.join(map(str, get_args(hint)))}")
        return value
    if origin is tuple:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise ShapeError(path, f"expected a list, found {_kind(value)}")
        item = get_args(hint)[0]
        return tuple(_convert(item, v, (*path, i)) for i, v in enumerate(typing.cast("Sequence[object]", value)))
    if origin is dict:
        if not isinstance(value, Mapping):
            raise ShapeError(path, f"expected a mapping, found {_kind(value)}")
        return {str(k): str(v) for k, v in typing.cast("Mapping[object, object]", value).items()}
    if is_dataclass(hint):
        return from_mapping(typing.cast("type[object]", hint), value, path)
    if not isinstance(value, str):
        raise ShapeError(path, f"expected text, found {_kind(value)}; put it in quotes")
    if not value.strip():
        raise ShapeError(path, "is empty")
    return value


def _check_limits(value: object, metadata: Mapping[str, Any], path: Path) -> None:
    pattern, longest = metadata.get("pattern"), metadata.get("max_length")
    if pattern and isinstance(value, str) and not re.search(pattern, value):
        raise ShapeError(path, f"{value!r} does not have the form {pattern}")
    if longest and isinstance(value, str) and len(value) > longest:
        raise ShapeError(path, f"is {len(value)} characters long, at most {longest} are allowed")


def _kind(value: object) -> str:
    names: dict[type, str] = {
        dict: "a mapping",
        list: "a list",
        str: "text",
        int: "a number",
        float: "a number",
        bool: "true/false",
        type(None): "nothing",
    }
    cls: type = type(value)
    return names.get(cls, cls.__name__)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def json_schema(cls: type, *, title: str, schema_id: str, closed: bool = True) -> dict[str, Any]:
    """JSON Schema (2020-12) of a dataclass and of all that it holds; `closed` forbids fields that the classes do not have."""
    definitions: dict[str, Any] = {}
    root = _object_schema(cls, definitions)
    if not closed:
        for schema in (root, *definitions.values()):
            del schema["additionalProperties"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id,
        "title": title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _object_schema(cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for spec in fields(cls):
        name = yaml_name(spec.name)
        schema = _value_schema(_hints(cls)[spec.name], definitions)
        if spec.metadata.get("doc"):
            schema = {"description": spec.metadata["doc"], **schema}
        if spec.metadata.get("pattern"):
            schema["pattern"] = spec.metadata["pattern"]
        if spec.metadata.get("max_length"):
            schema["maxLength"] = spec.metadata["max_length"]
        properties[name] = schema
        if spec.default is MISSING and spec.default_factory is MISSING:
            required.append(name)
    text = (cls.__doc__ or "").strip().splitlines()
    return {
        "type": "object",
        "description": text[0] if text else "",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def _value_schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        kinds = [a for a in get_args(hint) if a is not type(None)]
        return {"anyOf": [*(_value_schema(k, definitions) for k in kinds), {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (tuple, list, frozenset):
        return {"type": "array", "items": _value_schema(get_args(hint)[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _value_schema(get_args(hint)[1], definitions)}
    if is_dataclass(hint):
        name = typing.cast("type", hint).__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _object_schema(typing.cast("type", hint), definitions)
        return {"$ref": f"#/$defs/{name}"}
    return dict(_SCALARS[hint])
