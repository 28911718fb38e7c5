"""Puts the lines of all sources on one axis of seconds, and says where a line without a time may stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from firstfault.correlate.clocks import Skew
from firstfault.correlate.decision import Decided, Decision
from firstfault.correlate.hosts import short_host
from firstfault.correlate.order import SKEW, Axis
from firstfault.model import SourceScan, Stamp

_QUARTER = 900.0


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
    """The common axis of a run; its zero is arbitrary until the timeline shifts it. The skews are taken off the stamps already."""

    def __init__(self, scans: Sequence[SourceScan], skews: Sequence[Skew] = ()) -> None:
        marks = list(_marks(scans))
        self._axis = Axis(m.stamp for m in marks)
        self._of_source: dict[str, list[tuple[int, float]]] = {}
        self._of_rank: dict[int, tuple[list[float], list[float]]] = {}
        for mark in marks:
            seconds = self._axis.at(mark.stamp)
            if seconds is None:
                continue
            self._of_source.setdefault(mark.source, []).append((mark.line, seconds))
            if mark.rank is not None:
                self._of_rank.setdefault(mark.rank, ([], []))[mark.exit].append(seconds)
        for places in self._of_source.values():
            places.sort()
        hosts = {short_host(m.host) for m in marks if m.host}
        whole = bool(marks) and not any(set(m.stamp.text) & set(".,") for m in marks)
        self.uncertainty = max([SKEW if len(hosts) > 1 or whole else 0.0, *(s.uncertainty for s in skews)])

    def last_word(self, rank: int) -> float | None:
        """When a rank last said something with a time of its own."""
        return max(self._of_rank.get(rank, ([], []))[0], default=None)

    def moment(self, source: str, line: int, stamp: Stamp | None, rank: int | None) -> Moment | None:
        """When a line was written, as far as it or its neighbours tell."""
        exact = self._axis.at(stamp)
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


def clock_notes(decision: Decision) -> list[str]:
    """What a reader should know of the clocks before he compares stamps."""
    notes = [_note(skew) for skew in decision.clocks]
    if decision.incidents and len({s.has_zone for s in _compared(decision.incidents[0])}) > 1:
        notes.append("Some of these times name no zone; they are compared as if they were in UTC")
    return notes


def _compared(decided: Decided) -> Iterator[Stamp]:
    """The times of day of an incident."""
    stamps = [decided.suspect.stamp, *(e.fault.stamp for e in decided.explained)]
    return (s for s in stamps if s is not None and s.clock == "wall" and s.has_date)


def _note(skew: Skew) -> str:
    which = "ahead of" if skew.offset > 0 else "behind"
    zone = " (as in another time zone)" if _of_zone(skew) else ""
    told = f"told by {skew.events} {skew.kind}" if skew.events > 1 else f"told by {skew.kind}"
    return (
        f"The clock of {skew.host} is {abs(skew.offset):.1f} s (±{skew.uncertainty:.1f} s) {which} the others{zone}, {told}; "
        "this is taken into account, and times are shown as the log gives them"
    )


def _of_zone(skew: Skew) -> bool:
    """A whole number of quarters of an hour, as zones differ."""
    quarters = round(abs(skew.offset) / _QUARTER)
    return quarters > 1 and abs(abs(skew.offset) - quarters * _QUARTER) <= skew.uncertainty
