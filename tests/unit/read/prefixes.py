"""The real table of line formats, ready to parse single lines with."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from firstfault.model import Line
from firstfault.read.provenance import LineFormat, Prefixes

TABLE = Path(__file__).parents[3] / "signatures" / "tables" / "line-formats.yaml"


@cache
def rows(part: str) -> list[dict[str, Any]]:
    return yaml.safe_load(TABLE.read_text("utf-8"))[part]


@cache
def formats() -> list[LineFormat]:
    return [LineFormat(r["name"], r["starts"], r["pattern"], bool(r.get("after")), bool(r.get("vote"))) for r in rows("formats")]


def parse(text: str, *votes: str) -> Line:
    """A line as the reader sees it in a source whose layout is one of `votes`."""
    voted = [f for f in formats() if f.name in votes]
    return Prefixes([*voted, *(f for f in formats() if not f.vote)]).parse(text)
