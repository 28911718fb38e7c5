"""Times as logs write them, as comparable numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone

from firstfault.lazy import Lazy
from firstfault.model import Stamp
from firstfault.moments import of_epoch

_MONTHS = {m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}
_ISO = Lazy(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T _](\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?: ?(?P<half>[AP])M)?"
    r" ?(?P<zone>Z|[+-]\d\d:?\d\d|[A-Z]{3,4}(?![A-Za-z]))?"
)
_US = Lazy(r"(\d\d?)/(\d\d?)/(\d{2,4})[-, ]+(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?: ?(?P<half>[AP])M)?")
_WORDS = Lazy(
    r"(?:\w{3} )?(\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?: (?P<half>[AP])M)?"
    r"(?: (?:(?P<zone>[A-Z]{3,4}|[+-]\d\d:?\d\d) )?(?P<year>\d{4}))?"
)
_GLOG = Lazy(r"(\d{1,2})-?(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?")
_CLOCK = Lazy(r"(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?: ?(?P<half>[AP])M)?")
_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8,
    "JST": 9, "KST": 9, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AEST": 10, "AEDT": 11,
}  # fmt: skip
"""Hours east of Greenwich. Names that stand for several zones (CST, IST, BST) tell nothing."""
_EARLIEST_YEAR, _LATEST_YEAR = 1970, 3000
"""A year before all computers is the zero of some library, not a time."""
_EPOCH_UNITS = ((17, 1e9), (14, 1e6), (12, 1e3))
"""From how many digits on a whole number is nanoseconds, microseconds, milliseconds since 1970."""

_DEFAULT_YEAR = 2000
_YEAR_UNKNOWN = None


def parse(fields: Mapping[str, str | None]) -> Stamp | None:
    """A stamp from the captures of a line format: `iso`, `us`, `words`, `glog`, `uptime`, `epoch` or `clock`."""
    for name, reader in _READERS.items():
        value = fields.get(name)
        if value:
            try:
                return reader(value)
            except (ValueError, OverflowError, KeyError):
                return None
    return None


def _wall(year: int | None, rest: tuple[int, int, int, int, int], fraction: str | None, zone: str | None = None) -> Stamp:
    month, day, hour, minute, second = rest
    if year is not None and not _EARLIEST_YEAR <= year < _LATEST_YEAR:
        raise ValueError(year)
    moment = datetime(year or _DEFAULT_YEAR, month, day, hour, minute, min(second, 59), tzinfo=timezone.utc)
    seconds = moment.timestamp() + (float(f"0.{fraction}") if fraction else 0.0)
    shown = moment.strftime("%Y-%m-%dT%H:%M:%S" if year else "%m-%dT%H:%M:%S")
    if fraction:
        shown += f".{fraction[:6]}"
    offset = _offset(zone) if zone else None
    if zone and offset is not None:
        shown += ("Z" if not offset else f"{offset // 3600:+03d}:00") if zone[0] not in "+-" else zone
        seconds -= offset
    return Stamp(seconds=seconds, text=shown, has_year=year is not _YEAR_UNKNOWN, has_zone=offset is not None)


def _offset(zone: str) -> int | None:
    """Seconds east of Greenwich, or None for a name that does not tell."""
    if zone[0] not in "+-":
        hours = _ZONES.get(zone)
        return None if hours is None else hours * 3600
    digits = zone[1:].replace(":", "")
    size = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -size if zone[0] == "-" else size


def _hour(hour: str, half: str | None) -> int:
    """The hour of the day; `half` is A before noon and P after it on a clock of twelve hours."""
    return int(hour) if half is None else int(hour) % 12 + (12 if half == "P" else 0)


def _iso(value: str) -> Stamp:
    match = _require(_ISO, value)
    year, month, day, minute, second = (int(match[i]) for i in (1, 2, 3, 5, 6))
    return _wall(year, (month, day, _hour(match[4], match["half"]), minute, second), match[7], match["zone"])


def _us(value: str) -> Stamp:
    match = _require(_US, value)
    month, day, year, minute, second = (int(match[i]) for i in (1, 2, 3, 5, 6))
    rest = (month, day, _hour(match[4], match["half"]), minute, second)
    return _wall(year + 2000 if year < 100 else year, rest, match[7])


def _words(value: str) -> Stamp:
    match = _require(_WORDS, value)
    month = _MONTHS[match[1].lower()]
    day, minute, second = (int(match[i]) for i in (2, 4, 5))
    year = int(match["year"]) if match["year"] else None
    return _wall(year, (month, day, _hour(match[3], match["half"]), minute, second), match[6], match["zone"])


def _glog(value: str) -> Stamp:
    match = _require(_GLOG, value)
    month, day, hour, minute, second = (int(match[i]) for i in range(1, 6))
    return _wall(None, (month, day, hour, minute, second), match[6])


def _uptime(value: str) -> Stamp:
    return Stamp(seconds=float(value), text=f"{value} s after boot", clock="boot", has_date=False, has_year=False)


def _epoch(value: str) -> Stamp:
    whole = value.partition(".")[0]
    seconds = float(value) / next((unit for digits, unit in _EPOCH_UNITS if len(whole) >= digits), 1.0)
    return of_epoch(seconds)


def _clock(value: str) -> Stamp:
    match = _require(_CLOCK, value)
    seconds = _hour(match[1], match["half"]) * 3600 + int(match[2]) * 60 + int(match[3])
    return Stamp(seconds=seconds + float(f"0.{match[4] or 0}"), text=value, has_date=False, has_year=False)


def _require(pattern: Lazy, value: str) -> re.Match[str]:
    match = pattern.search(value)
    if match is None:
        raise ValueError(value)
    return match


_READERS = {
    "iso": _iso,
    "us": _us,
    "words": _words,
    "glog": _glog,
    "uptime": _uptime,
    "epoch": _epoch,
    "clock": _clock,
}
