"""What the tests of the catalogue share: the folders, one valid entry, and a way to make libraries of entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from firstfault.catalog.library import Library, read_library

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SIGNATURES = ROOT / "signatures"
VALID = (HERE / "good" / "valid.yaml").read_text("utf-8")

LibraryMaker = Callable[[Mapping[str, str]], Library]


@cache
def whole_library() -> Library:
    return read_library(SIGNATURES)
