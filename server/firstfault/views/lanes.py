"""Folds the lanes of a timeline that tell the same, and lays their events out from left to right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from firstfault.timeline import EventKind, Lane, Timeline, TimelineEvent
from firstfault.views.phrases import clock
from firstfault.wording import ranks_named

WORDS: dict[EventKind, str] = {
    "first": "first fault",
    "cause": "another fault",
    "effect": "collateral",
    "wrapper": "launcher",
    "exit": "exit",
    "last-progress": "last line",
    "silent": "silent",
}
FIRST = "first fault"
FIRST_KNOWN = "first known failure"
"""What the column is called from which the others count."""

_LATER = {"last-progress": 0, "silent": 0, "first": 1, "cause": 2, "effect": 3, "wrapper": 4, "exit": 5}
_TOGETHER = 0.004
"""Share of the whole time within which events stand in one column."""
_BEFORE = -0.02
"""Where the line of a process begins that ran before the first column."""


class Mark(NamedTuple):
    """One event of a row, or the same event of all its lanes."""

    event: TimelineEvent
    start: float
    end: float
    """Positions from 0 to 1; they differ where the lanes of the row differ in time."""


class Span(NamedTuple):
    """A time in which the process of a row works, or waits or says nothing."""

    start: float
    """Below 0 where it had begun before the first column."""
    end: float
    works: bool


class Row(NamedTuple):
    """One lane, or several that tell the same."""

    label: str
    host: str
    marks: tuple[Mark, ...]
    spans: tuple[Span, ...]


class Picture(NamedTuple):
    """Rows with their marks, and the columns that carry a time."""

    rows: tuple[Row, ...]
    ticks: tuple[tuple[float, str], ...]
    timed: bool
    """The places tell times; else only the order."""
    doubt: tuple[float, float] | None
    """Around the first fault: where the clocks cannot tell the order."""


def picture_of(timeline: Timeline) -> Picture:
    """The picture of a timeline."""
    axis = _Axis(timeline)
    groups: dict[tuple[object, ...], list[Lane]] = {}
    for number, lane in enumerate(timeline.lanes):
        own = any(e.kind in ("first", "cause") for e in lane.events)
        shape = tuple((e.kind, e.signature) for e in lane.events)
        key = (number,) if own else (lane.rank is not None, lane.label if lane.rank is None else "", shape)
        groups.setdefault(key, []).append(lane)
    rows = tuple(_row(lanes, axis) for lanes in groups.values())
    return Picture(rows, axis.ticks(), axis.timed, axis.doubt())


def _row(lanes: Sequence[Lane], axis: _Axis) -> Row:
    ranks = [lane.rank for lane in lanes if lane.rank is not None]
    label = ranks_named(ranks) if len(ranks) > 1 else lanes[0].label
    hosts = list(dict.fromkeys(lane.host for lane in lanes if lane.host))
    marks: list[Mark] = []
    for events in zip(*(lane.events for lane in lanes), strict=True):
        places = [axis.at(event) for event in events]
        earliest = min(range(len(events)), key=lambda i: places[i])
        marks.append(Mark(events[earliest], min(places), max(places)))
    return Row(label, ", ".join(hosts) if len(hosts) < 4 else f"{len(hosts)} hosts", tuple(marks), _spans(marks))


def _spans(marks: Sequence[Mark]) -> tuple[Span, ...]:
    if not marks:
        return ()
    last = max(mark.end for mark in marks)
    quiet = next((m.start for m in marks if m.event.kind in ("last-progress", "silent")), None)
    if quiet is None:
        return (Span(min(m.start for m in marks), last, works=True),)
    silent = any(m.event.kind == "silent" for m in marks)
    failed = any(m.event.kind == "first" for m in marks)
    until = 1.0 if silent and last <= quiet else last
    return (Span(_BEFORE, quiet, works=True), Span(quiet, until, works=failed and not silent))


def told(event: TimelineEvent) -> str:
    """What happened, in a few words."""
    said = event.title if event.kind in ("exit", "last-progress", "silent") else f"{WORDS[event.kind]}: {event.title}"
    return f"{said} (time not certain)" if event.uncertain else said


def _from_to(start: str, end: str) -> str:
    """`2026-12-01 02:24:50 to 02:24:53.`: a date that is that of the start is not told again; some stamps lack the year."""
    first, last = clock(start) or "", clock(end) or ""
    if first.rpartition(" ")[0].endswith(last.rpartition(" ")[0]):
        last = last.rpartition(" ")[2]
    return f"{first}." if first.endswith(last) else f"{first} to {last}."


def axis_words(timeline: Timeline, picture: Picture) -> str:
    """What left and right mean, and how far the clocks can be trusted."""
    if not picture.timed:
        return "From left to right: the order of events. The log gives no time for the first fault."
    zero = next((words for _, words in picture.ticks if words in (FIRST, FIRST_KNOWN)), FIRST)
    words = [f"Time runs to the right, counted from the {zero}; gaps are not to scale."]
    if timeline.start and timeline.end:
        words.append(_from_to(timeline.start, timeline.end))
    if timeline.uncertainty:
        words.append(f"Within {timeline.uncertainty:g} s the times do not tell the order.")
    words += [
        f"The clock of {c.host} is {abs(c.seconds):.1f} s (±{c.uncertainty:.1f} s) {'ahead' if c.seconds > 0 else 'behind'}; corrected."
        for c in timeline.clocks
    ]
    return " ".join(words)


class _Axis:
    """Columns of events; a longer wait is wider, but not in proportion, so that a fault 10 min before the rest can be seen."""

    def __init__(self, timeline: Timeline) -> None:
        events = [e for lane in timeline.lanes for e in lane.events]
        known = [e for e in events if e.seconds is not None]
        self._first = next((e for e in events if e.kind == "first"), None)
        self._zero = self._first or min(known, key=lambda e: (_LATER[e.kind] == 0, e.seconds or 0.0), default=None)
        self._uncertainty = timeline.uncertainty
        self.timed = self._zero is not None and self._zero.seconds is not None
        values = sorted({self._value(e) for e in events}) or [0.0]
        near = (values[-1] - values[0]) * _TOGETHER
        self._columns = [values[0]]
        for value in values[1:]:
            if value - self._columns[-1] > near:
                self._columns.append(value)
        gaps = [b - a for a, b in zip(self._columns, self._columns[1:], strict=False)]
        unit = min(gaps, default=1.0) or 1.0
        widths = [1.0 + math.log1p(gap / unit) for gap in gaps]
        total = sum(widths) or 1.0
        self._places = [0.0]
        for width in widths:
            self._places.append(self._places[-1] + width / total)

    def at(self, event: TimelineEvent) -> float:
        """Position of an event."""
        return self._place(self._value(event))

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Columns with their times, counted from the first fault; where it is not known, from the first failure that is."""
        if self._zero is None or self._zero.seconds is None:
            return ()
        zero, own = self._zero.seconds, self.at(self._zero)
        name = FIRST if self._first is not None else FIRST_KNOWN
        return tuple((p, name if p == own else _since(c - zero)) for c, p in zip(self._columns, self._places, strict=True))

    def doubt(self) -> tuple[float, float] | None:
        """The columns around the first fault that its clock cannot tell apart."""
        if self._first is None or self._first.seconds is None or not self._uncertainty:
            return None
        zero = self._first.seconds
        return (self._between(zero - self._uncertainty), self._between(zero + self._uncertainty))

    def _value(self, event: TimelineEvent) -> float:
        """Seconds where all is told in time; else the order: last words, first fault, what followed."""
        if not self.timed:
            return float(_LATER[event.kind])
        if event.seconds is not None:
            return event.seconds
        return (self._zero.seconds if self._zero is not None else None) or 0.0

    def _place(self, value: float) -> float:
        index = max(i for i, c in enumerate(self._columns) if c <= value or i == 0)
        return self._places[index]

    def _between(self, value: float) -> float:
        for (a, b), (p, q) in zip(
            zip(self._columns, self._columns[1:], strict=False), zip(self._places, self._places[1:], strict=False), strict=False
        ):
            if value <= b:
                return p + (q - p) * max(0.0, value - a) / (b - a)
        return self._places[-1]


def _since(seconds: float) -> str:
    sign, size = ("−" if seconds < 0 else "+"), abs(seconds)
    if size < 1:
        return f"{sign}{size * 1000:.0f} ms"
    if size < 120:
        return f"{sign}{size:.1f} s"
    return f"{sign}{size / 60:.0f} min" if size < 7200 else f"{sign}{size / 3600:.0f} h"
