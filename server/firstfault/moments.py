"""Stamps as moments: seconds since 1970, and the time between two of them."""

from collections.abc import Iterable
from datetime import datetime, timezone

from firstfault.model import Stamp

LATEST = 32503680000.0
"""Seconds from 1970 to the year 3000: what is beyond is some other number."""
_DAY = 86400.0
_QUARTER = 900.0
_NEAREST, _FARTHEST = 3600.0, 14 * 3600.0
"""Seconds by which zones differ from that of Greenwich."""
_COLLECTED_WITHIN, _AHEAD = 60.0, 2.0
"""Seconds after which a line has its second stamp, and by which that may seem to be earlier."""
_ANY_YEAR = (2000, 2001)
"""A leap year and one that is none, for two stamps neither of which has a year."""


def of_epoch(seconds: float, *, fraction: bool = False) -> Stamp:
    """The stamp of a moment in seconds since 1970, shown with its microseconds where they were given; raises ValueError
    for a number that is no time."""
    if not 0 <= seconds <= LATEST:
        raise ValueError(seconds)
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return Stamp(seconds=seconds, text=moment.strftime("%Y-%m-%dT%H:%M:%S.%f" if fraction else "%Y-%m-%dT%H:%M:%S") + "Z", has_zone=True)


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


def in_zone_of(inner: Stamp, outer: Stamp) -> Stamp:
    """A stamp without a zone, when the same line also carries one that has it: a program logs its local time, and what collects
    its lines puts another before them, a moment later. What zones differ by, an hour or more in whole quarters, is taken off;
    a line that came late from a buffer tells no zone."""
    gap = apart(outer, inner)
    if inner.has_zone or not outer.has_zone or not outer.has_date or gap is None:
        return inner
    east = round(gap / _QUARTER) * _QUARTER
    known = abs(east) <= _FARTHEST and (east == 0 or abs(east) >= _NEAREST) and -_COLLECTED_WITHIN < gap - east < _AHEAD
    if not known:
        return inner
    return inner._replace(seconds=outer.seconds + gap - east, has_date=True, has_year=outer.has_year, has_zone=True)
