"""Which of two things came first by their times, where that can be told."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from firstfault.model import Stamp
from firstfault.moments import apart

__all__ = ["SKEW", "Axis", "apart", "later"]

SKEW = 1.0
"""Seconds by which the clocks of two hosts may differ without notice."""


class Axis:
    """Puts stamps on one axis, as far as they can be compared with the one among them that tells most."""

    def __init__(self, stamps: Iterable[Stamp]) -> None:
        self._zero = max(stamps, key=lambda s: (s.clock == "wall", s.has_date, s.has_year, s.seconds), default=None)

    def at(self, stamp: Stamp | None) -> float | None:
        """Seconds from the zero of the axis, or None for a stamp that has no place on it."""
        return apart(self._zero, stamp)


def later(stamps: Sequence[Stamp | None], by: float = SKEW) -> list[int]:
    """For each stamp the number of the others than which it is later by more than `by` seconds."""
    axis = Axis(s for s in stamps if s is not None)
    places = [axis.at(s) for s in stamps]
    ordered = sorted(p for p in places if p is not None)
    return [0 if p is None else bisect_left(ordered, p - by) for p in places]
