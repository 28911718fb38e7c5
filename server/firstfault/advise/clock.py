"""Puts the lines of all sources on one axis of seconds, and says where a line without a time may stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from firstfault.correlate.order import apart
from firstfault.model import SourceScan, Stamp

_SKEW = 1.0
"""Seconds by which the clocks of two hosts may differ without notice."""


class Moment(NamedTuple):
    """A place on the axis: exact when the line carries a stamp, else somewhere between `low` and `high`."""

    at: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """The line itself tells its time."""
        return self.low == self.high


class _Mark(NamedTuple):
    source: str
    line: int
    rank: int | None
    host: str | None
    stamp: Stamp
    exit: bool


class Clock:
    """The common axis of a run; its zero is arbitrary until the timeline shifts it."""

    def __init__(self, scans: Sequence[SourceScan], offsets: Mapping[str, float]) -> None:
        marks = list(_marks(scans))
        self._offsets = offsets
        self._zero = max((m.stamp for m in marks), key=lambda s: (s.clock == "wall", s.has_date, s.has_year), default=None)
        self._of_source: dict[str, list[tuple[int, float]]] = {}
        self._of_rank: dict[int, tuple[list[float], list[float]]] = {}
        for mark in marks:
            seconds = self.seconds(mark.stamp, mark.host)
            if seconds is None:
                continue
            self._of_source.setdefault(mark.source, []).append((mark.line, seconds))
            if mark.rank is not None:
                self._of_rank.setdefault(mark.rank, ([], []))[mark.exit].append(seconds)
        for places in self._of_source.values():
            places.sort()
        hosts = {m.host.split(".")[0] for m in marks if m.host}
        whole = bool(marks) and not any(set(m.stamp.text) & set(".,") for m in marks)
        self.uncertainty = _SKEW if len(hosts) > 1 or whole else 0.0

    def seconds(self, stamp: Stamp | None, host: str | None) -> float | None:
        """Where a stamp stands on the axis, the known offset of its host taken off."""
        gap = apart(self._zero, self._dated(stamp))
        return None if gap is None else gap - self._offsets.get(host or "", 0.0)

    def _dated(self, stamp: Stamp | None) -> Stamp | None:
        """A stamp without a year (glog, kernel logs) in the year that brings it nearest to the others."""
        zero = self._zero
        if stamp is None or zero is None or not (zero.has_year and stamp.has_date) or stamp.has_year:
            return stamp
        year = datetime.fromtimestamp(zero.seconds, timezone.utc).year
        moment = datetime.fromtimestamp(stamp.seconds, timezone.utc)
        dated = [moment.replace(year=y, day=min(moment.day, 28) if moment.month == 2 else moment.day) for y in (year - 1, year, year + 1)]
        nearest = min(dated, key=lambda d: abs(d.timestamp() - zero.seconds))
        return stamp._replace(seconds=nearest.timestamp(), has_year=True)

    def last_word(self, rank: int) -> float | None:
        """When a rank last said something with a time of its own."""
        return max(self._of_rank.get(rank, ([], []))[0], default=None)

    def moment(self, source: str, line: int, stamp: Stamp | None, host: str | None, rank: int | None) -> Moment | None:
        """When a line was written, as far as it or its neighbours tell."""
        exact = self.seconds(stamp, host)
        if exact is not None:
            return Moment(exact, exact, exact)
        places = self._of_source.get(source)
        return self._between(places, line, rank) if places else self._by_rank(rank)

    def _between(self, places: Sequence[tuple[int, float]], line: int, rank: int | None) -> Moment:
        """Between the stamped lines around it, in proportion to the lines, so that the order in the file is kept."""
        index = bisect_left(places, (line, float("-inf")))
        before = places[index - 1] if index > 0 else None
        after = places[index] if index < len(places) else None
        exits = [e for e in self._of_rank.get(-1 if rank is None else rank, ([], []))[1] if before is not None and e > before[1]]
        if before is not None and after is None and exits:
            return Moment(min(exits), before[1], min(exits))  # a process writes its last lines when it ends
        if before is None or after is None:
            line_at, only = before or after or (line, 0.0)
            far = 1e-3 * (line - line_at)
            return Moment(only + far, only, only + far) if far > 0 else Moment(only + far, only + far, only)
        low, high = before[1], max(before[1], after[1])
        share = (line - before[0]) / max(1, after[0] - before[0])
        return Moment(low + share * (high - low), low, max(high, low + 1e-3))

    def _by_rank(self, rank: int | None) -> Moment | None:
        said, exits = self._of_rank.get(-1 if rank is None else rank, ([], []))
        if said:
            low = max(said)
            return Moment(low, low, max(min(exits, default=low), low + 1e-3))
        return Moment(min(exits), min(exits) - 1e-3, min(exits)) if exits else None


def _marks(scans: Sequence[SourceScan]) -> Iterator[_Mark]:
    for scan in scans:
        name = scan.info.name
        for finding in scan.findings:
            if finding.origin.stamp is not None:
                yield _Mark(name, finding.line, finding.origin.rank, finding.origin.host, finding.origin.stamp, False)
        for progress in scan.progress:
            if progress.origin.stamp is not None:
                yield _Mark(name, progress.line, progress.origin.rank, progress.origin.host, progress.origin.stamp, False)
        for report in scan.exits:
            if report.stamp is not None:
                yield _Mark(name, report.line, report.rank, report.host or scan.identity.host, report.stamp, True)
