"""Regular expressions that are compiled when they are first used, so that a short log does not pay for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property


class Lazy:
    """A pattern with the methods of `re.Pattern` that are needed here."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._source = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self._compiled.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        return self._compiled.finditer(text)

    def split(self, text: str) -> list[str | None]:
        """As `re.Pattern.split`."""
        return self._compiled.split(text)

    def sub(self, replacement: str, text: str, count: int = 0) -> str:
        """As `re.Pattern.sub` with a text to put in."""
        return self._compiled.sub(replacement, text, count)
