"""Seconds since 1970, as a stamp."""

from datetime import datetime, timezone

from firstfault.model import Stamp

LATEST = 32503680000.0
"""Seconds from 1970 to the year 3000: what is beyond is some other number."""


def of_epoch(seconds: float, *, fraction: bool = False) -> Stamp:
    """The stamp of a moment in seconds since 1970, shown with its microseconds where they were given; raises ValueError
    for a number that is no time."""
    if not 0 <= seconds <= LATEST:
        raise ValueError(seconds)
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return Stamp(seconds=seconds, text=moment.strftime("%Y-%m-%dT%H:%M:%S.%f" if fraction else "%Y-%m-%dT%H:%M:%S") + "Z")
