"""Which of two things came first by their times, where that can be told."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

from firstfault.model import Stamp

SKEW = 1.0
"""Seconds by which the clocks of two hosts may differ without notice."""
_DAY = 86400.0
_ANY_YEAR = (2000, 2001)
"""A leap year and one that is none, for two stamps neither of which has a year."""


def apart(first: Stamp | None, second: Stamp | None) -> float | None:
    """Seconds from the first stamp to the second, or None when they cannot be compared. What a stamp does not tell (its
    day, its year) is taken so that it comes nearest to the other."""
    if first is None or second is None or first.clock != second.clock:
        return None
    gap = second.seconds - first.seconds
    if first.clock == "boot" or (first.has_year and second.has_year):
        return gap
    if not (first.has_date and second.has_date):
        return (gap + _DAY / 2) % _DAY - _DAY / 2
    if second.has_year:
        return second.seconds - _in_year_near(first.seconds, second.seconds)
    if first.has_year:
        return _in_year_near(second.seconds, first.seconds) - first.seconds
    starts = _in_years(first.seconds, _ANY_YEAR)
    return min((_in_year_near(second.seconds, start) - start for start in starts), key=abs)


def _in_year_near(seconds: float, near: float) -> float:
    """The time of a year that comes nearest to a moment."""
    year = datetime.fromtimestamp(near, timezone.utc).year
    years = [y for y in (year - 1, year, year + 1) if 0 < y < 9999]
    return min(_in_years(seconds, years) or _in_years(seconds - _DAY, years), key=lambda s: abs(s - near))


def _in_years(seconds: float, years: Iterable[int]) -> list[float]:
    """The same day and time in other years; 29 February is in few of them."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    found: list[float] = []
    for year in years:
        try:
            found.append(moment.replace(year=year).timestamp())
        except ValueError:
            continue
    return found


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
