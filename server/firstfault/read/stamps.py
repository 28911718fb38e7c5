"""Times as logs write them, as comparable numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone

from firstfault.lazy import Lazy
from firstfault.model import Stamp

_MONTHS = {m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}
_ISO = Lazy(r"(\d{4})[-/](\d\d)[-/](\d\d)[T _](\d\d):(\d\d):(\d\d)(?:[.,](\d+))? ?(Z|UTC|[+-]\d\d:?\d\d)?")
_US = Lazy(r"(\d\d)/(\d\d)/(\d{2,4})[- ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
_WORDS = Lazy(r"(?:\w{3} )?(\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?: (?:\w+ )?(\d{4}))?")
_GLOG = Lazy(r"(\d{1,2})-?(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?")
_CLOCK = Lazy(r"(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")

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
    moment = datetime(year or _DEFAULT_YEAR, month, day, hour, minute, min(second, 59), tzinfo=timezone.utc)
    seconds = moment.timestamp() + (float(f"0.{fraction}") if fraction else 0.0)
    shown = moment.strftime("%Y-%m-%dT%H:%M:%S" if year else "%m-%dT%H:%M:%S")
    if fraction:
        shown += f".{fraction[:6]}"
    if zone:
        shown += "Z" if zone in ("Z", "UTC") else zone
        seconds -= _offset(zone)
    return Stamp(seconds=seconds, text=shown, has_year=year is not _YEAR_UNKNOWN)


def _offset(zone: str) -> int:
    if zone in ("Z", "UTC"):
        return 0
    digits = zone[1:].replace(":", "")
    size = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -size if zone[0] == "-" else size


def _iso(value: str) -> Stamp:
    match = _require(_ISO, value)
    year, *rest = (int(match[i]) for i in range(1, 7))
    return _wall(year, (rest[0], rest[1], rest[2], rest[3], rest[4]), match[7], match[8])


def _us(value: str) -> Stamp:
    match = _require(_US, value)
    month, day, year, hour, minute, second = (int(match[i]) for i in range(1, 7))
    return _wall(year + 2000 if year < 100 else year, (month, day, hour, minute, second), match[7])


def _words(value: str) -> Stamp:
    match = _require(_WORDS, value)
    month = _MONTHS[match[1].lower()]
    day, hour, minute, second = (int(match[i]) for i in range(2, 6))
    return _wall(int(match[7]) if match[7] else None, (month, day, hour, minute, second), match[6])


def _glog(value: str) -> Stamp:
    match = _require(_GLOG, value)
    month, day, hour, minute, second = (int(match[i]) for i in range(1, 6))
    return _wall(None, (month, day, hour, minute, second), match[6])


def _uptime(value: str) -> Stamp:
    return Stamp(seconds=float(value), text=f"{value} s after boot", clock="boot", has_date=False, has_year=False)


def _epoch(value: str) -> Stamp:
    moment = datetime.fromtimestamp(float(value), tz=timezone.utc)
    return Stamp(seconds=float(value), text=moment.strftime("%Y-%m-%dT%H:%M:%S") + "Z")


def _clock(value: str) -> Stamp:
    match = _require(_CLOCK, value)
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
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
