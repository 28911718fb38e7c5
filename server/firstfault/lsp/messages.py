"""Parameters and answers of the requests `firstfault/…`; docs/protocol.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from firstfault.lsp.pictures import picture_json
from firstfault.lsp.protocol import as_mapping
from firstfault.report import Report

DIAGNOSE = "firstfault/diagnose"
DIAGNOSE_PATHS = "firstfault/diagnosePaths"
REPORT = "firstfault/report"
STREAM_OPEN = "firstfault/stream/open"
STREAM_APPEND = "firstfault/stream/append"
STREAM_CLOSE = "firstfault/stream/close"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a diagnosis answers."""

    report: Report
    report_uri: str
    """The report as a virtual document."""
    unreadable: tuple[str, ...] = ()
    """A sentence for each input that could not be read."""

    def to_json(self) -> dict[str, Any]:
        """The answer as it is sent."""
        return {
            "report": asdict(self.report),
            "reportUri": self.report_uri,
            "unreadable": list(self.unreadable),
            "picture": picture_json(self.report.timeline),
        }


class Params:
    """The parameters of one request, read field by field; a field of another type is refused by name."""

    def __init__(self, method: str, value: object) -> None:
        self._method = method
        self._given: Mapping[str, Any] = as_mapping(value)

    def text(self, name: str) -> str:
        """A text that must be there."""
        value = self.optional_text(name)
        if value is None:
            raise self.refusal(f"{name} is missing")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, or None."""
        return self._typed(name, str, "a text")

    def flag(self, name: str) -> bool:
        """A truth value; absent means no."""
        return bool(self._typed(name, bool, "true or false"))

    def number(self, name: str) -> int | None:
        """A whole number, or None."""
        value = self._typed(name, int, "a whole number")
        if isinstance(value, bool):
            raise self.refusal(f"{name} must be a whole number")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts that must be there and not be empty."""
        value: object = self._given.get(name)
        if isinstance(value, (list, tuple)):
            items = list(cast("list[Any]", value))
            if items and all(isinstance(item, str) for item in items):
                return cast("list[str]", items)
        raise self.refusal(f"{name} must be a list of at least one text")

    def token(self, name: str) -> int | str | None:
        """A progress token, or None."""
        value: object = self._given.get(name)
        return value if isinstance(value, (int, str)) else None

    def area(self, name: str) -> types.Range | None:
        """A range, or None."""
        value: object = self._given.get(name)
        if value is None:
            return None
        given = as_mapping(value)
        return types.Range(self._position(given.get("start"), name), self._position(given.get("end"), name))

    def _position(self, value: object, name: str) -> types.Position:
        given = as_mapping(value)
        line, character = given.get("line"), given.get("character")
        if isinstance(line, int) and isinstance(character, int) and line >= 0 and character >= 0:
            return types.Position(line, character)
        raise self.refusal(f"{name} must be a range with start and end")

    def _typed(self, name: str, kind: type[T], called: str) -> T | None:
        value: object = self._given.get(name)
        if value is None or isinstance(value, kind):
            return value
        raise self.refusal(f"{name} must be {called}")

    def refusal(self, why: str) -> JsonRpcInvalidParams:
        """The error that says what is wrong with the parameters."""
        return JsonRpcInvalidParams(f"{self._method}: {why}")
