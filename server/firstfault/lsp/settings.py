"""The settings `firstfault.*` of an editor, read from whatever JSON the client sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

SeverityName = Literal["error", "warning", "information", "hint", "off"]
SECTION = "firstfault"
_SEVERITIES: tuple[SeverityName, ...] = ("error", "warning", "information", "hint", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Severities:
    """How each part of an incident is shown."""

    initiating: SeverityName = "error"
    undetermined: SeverityName = "warning"
    collateral: SeverityName = "information"
    wrapper: SeverityName = "hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMapping:
    """A folder as the log names it, and the same folder on this machine."""

    remote: str
    local: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds that keep the editor quick."""

    document_megabytes: int = 50
    """Larger documents are not scanned; their files are, by `firstfault/diagnosePaths`."""
    diagnostics_per_file: int = 100
    debounce_milliseconds: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user has set; the defaults are those of the extension's manifest."""

    severities: Severities = field(default_factory=Severities)
    disabled: frozenset[str] = frozenset()
    """Ids of signatures that are not reported."""
    signature_folders: tuple[str, ...] = ()
    path_mappings: tuple[PathMapping, ...] = ()
    limits: Limits = field(default_factory=Limits)
    inlay_hints: bool = False


def read_settings(value: object) -> tuple[Settings, tuple[str, ...]]:
    """Settings from the client's JSON, and a sentence for each value that cannot be used and was left at its default."""
    given = _mapping(value)
    if SECTION in given:
        given = _mapping(given[SECTION])
    problems: list[str] = []
    settings = Settings(
        severities=_severities(_mapping(given.get("severities")), problems),
        disabled=frozenset(_texts(given, "disabledSignatures", problems)),
        signature_folders=_texts(given, "signatureFolders", problems),
        path_mappings=_mappings(given.get("pathMappings"), problems),
        limits=_limits(_mapping(given.get("limits")), problems),
        inlay_hints=_flag(_mapping(given.get("inlayHints")), problems),
    )
    return settings, tuple(problems)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _severities(given: Mapping[str, Any], problems: list[str]) -> Severities:
    chosen: dict[str, SeverityName] = {}
    for name in ("initiating", "undetermined", "collateral", "wrapper"):
        value = given.get(name)
        if value in _SEVERITIES:
            chosen[name] = value
        elif value is not None:
            problems.append(f"firstfault.severities.{name}: {value!r} is not one of {', '.join(_SEVERITIES)}")
    return Severities(**chosen)


def _texts(given: Mapping[str, Any], name: str, problems: list[str]) -> tuple[str, ...]:
    value = given.get(name)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) for item in cast("list[Any]", value)):
        return tuple(cast("list[str]", value))
    problems.append(f"firstfault.{name}: expected a list of texts")
    return ()


def _mappings(value: object, problems: list[str]) -> tuple[PathMapping, ...]:
    """Either `{remote: local}` or a list of `{remote, local}`."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        pairs: list[tuple[Any, Any]] = list(cast("Mapping[Any, Any]", value).items())
    elif isinstance(value, list):
        pairs = [(_mapping(v).get("remote"), _mapping(v).get("local")) for v in cast("list[Any]", value)]
    else:
        pairs = [(None, None)]
    if all(isinstance(part, str) for pair in pairs for part in pair):
        return tuple(PathMapping(remote=remote, local=local) for remote, local in pairs)
    problems.append("firstfault.pathMappings: expected a mapping of folders in the log to folders on this machine")
    return ()


def _limits(given: Mapping[str, Any], problems: list[str]) -> Limits:
    names = {
        "documentMegabytes": "document_megabytes",
        "diagnosticsPerFile": "diagnostics_per_file",
        "debounceMilliseconds": "debounce_milliseconds",
    }
    chosen: dict[str, int] = {}
    for name, attribute in names.items():
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            chosen[attribute] = value
        elif value is not None:
            problems.append(f"firstfault.limits.{name}: expected a whole number of at least 0")
    return Limits(**chosen)


def _flag(given: Mapping[str, Any], problems: list[str]) -> bool:
    value = given.get("enabled")
    if value is None or isinstance(value, bool):
        return bool(value)
    problems.append("firstfault.inlayHints.enabled: expected true or false")
    return False
