"""Remembers the shapes of lines that hinted at something and turned out to be nothing, so that a log that repeats them a
million times is not verified a million times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from firstfault.catalog.compiled import Catalog, Signature
from firstfault.lazy import Lazy
from firstfault.scan.prefilter import TABLES
from firstfault.scan.window import Window

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MOST_SHAPES = 50_000
_LONGEST = 4096
_HARMLESS = Lazy(r"\{\d+(?:,\d*)?\}|\[0-9(?:\\?[-_.a-zA-Z])*\]|\(\?P<\w+>|\\[xu][0-9a-fA-F]+")
_CLASS = Lazy(r"\[[^\]]*\d[^\]]*\]")
_NUMBER = re.compile(rb"\d+")
_STRUCTURE = {"traceback", "summary", "section", "terminate", "node", "world", "restart"}

Key = tuple[bytes, frozenset[bytes]]


class BarrenShapes:
    """Shapes that gave nothing: lines with every digit as 0, and beside them those of their numbers that a candidate pattern
    spells out, so that `Xid 13` is never taken for `Xid 79`."""

    def __init__(self, catalog: Catalog) -> None:
        self._signatures = catalog.signatures
        self._numbers: dict[int, frozenset[bytes] | None] = {}
        self._shapes: set[Key] = set()
        self._noted: list[Key] = []

    def holds(self, window: Window, start: int, triggers: Iterable[str], targets: Mapping[int, object]) -> bool:
        """Whether a line of this shape was looked at before, in vain."""
        if not self._shapes:
            return False
        key = self._key(window, start, targets)
        return key is not None and key in self._shapes

    def note(self, window: Window, start: int, triggers: Iterable[str], targets: Mapping[int, object]) -> None:
        """Remember a line that gave nothing."""
        if len(self._shapes) >= _MOST_SHAPES or not _STRUCTURE.isdisjoint(triggers):
            return
        key = self._key(window, start, targets)
        if key is not None:
            self._noted.append(key)

    def settle(self) -> None:
        """Let what was noted count from now on."""
        self._shapes.update(self._noted)
        self._noted.clear()

    def _key(self, window: Window, start: int, targets: Mapping[int, object]) -> Key | None:
        end = window.end_of(start)
        if end - start > _LONGEST:
            return None
        line = window.data[start:end]
        spelt: set[bytes] = set()
        for number in targets:
            if number == TABLES:
                return None
            if number not in self._numbers:
                self._numbers[number] = _numbers(self._signatures[number])
            numbers = self._numbers[number]
            if numbers is None:
                return None
            spelt |= numbers
        kept = frozenset(spelt.intersection(_NUMBER.findall(line))) if spelt else frozenset[bytes]()
        return line.translate(_DIGITS), kept


def _numbers(signature: Signature) -> frozenset[bytes] | None:
    """Numbers that the patterns of a signature spell out; None when they depend on more than the line and whole numbers."""
    if any(p.nearby for p in signature.patterns):
        return None
    found: set[bytes] = set()
    for text in (*(p.line for p in signature.patterns), *(p.near for p in signature.patterns), *signature.exclude):
        plain = _HARMLESS.sub("", text)
        if _CLASS.search(plain):
            return None
        found.update(_NUMBER.findall(plain.encode()))
    return frozenset(found)
