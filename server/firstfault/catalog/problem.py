"""What a check of the catalogue has to say, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ValuePath = tuple[str | int, ...]
Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A broken rule, at a value of an entry."""

    where: ValuePath
    message: str
    level: Level = "error"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """A broken rule, at a place in a file; line and column are 1-based."""

    path: str
    line: int
    column: int
    message: str
    level: Level = "error"

    def __str__(self) -> str:
        """The line that a command prints."""
        mark = "warning: " if self.level == "warning" else ""
        return f"{self.path}:{self.line}:{self.column}: {mark}{self.message}"
