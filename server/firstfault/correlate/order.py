"""Which of two things came first, where that can be told."""

from __future__ import annotations

from firstfault.model import Stamp

HALF_A_YEAR = 180 * 86400.0


def apart(first: Stamp | None, second: Stamp | None) -> float | None:
    """Seconds from the first stamp to the second, or None when they cannot be compared."""
    if first is None or second is None or first.clock != second.clock:
        return None
    if not first.has_date or not second.has_date:
        if first.has_date != second.has_date:
            day = 86400.0
            return (second.seconds - first.seconds + day / 2) % day - day / 2
        return second.seconds - first.seconds
    gap = second.seconds - first.seconds
    if first.has_year != second.has_year:
        year = 365.25 * 86400
        gap = (gap + year / 2) % year - year / 2
    return gap
