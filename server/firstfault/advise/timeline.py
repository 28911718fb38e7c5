"""Makes the picture of a failed run of several processes: what each of them did at the end, and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from firstfault.advise.clock import Clock, Moment
from firstfault.advise.lanes import LaneKey, Lanes, by_absence, several
from firstfault.advise.titles import ended, title_of
from firstfault.catalog.compiled import Catalog
from firstfault.correlate.decision import Decided, Decision
from firstfault.correlate.faults import Fault
from firstfault.correlate.suspects import Suspect
from firstfault.model import Progress, SourceScan, Stamp
from firstfault.timeline import ClockOffset, EventKind, Lane, Timeline, TimelineEvent
from firstfault.wording import shortened

MOST_EVENTS = 12
"""Events in one lane; what comes later says nothing new."""
_FAULTS = ("first", "cause", "effect", "wrapper")


class _Seen(NamedTuple):
    """One event before it has its place on the axis."""

    lane: LaneKey
    kind: EventKind
    source: str
    line: int
    text: str
    title: str
    signature: str | None = None
    stamp: Stamp | None = None
    host: str | None = None
    told: bool = False
    """The launcher ended the process itself."""
    hearsay: bool = False
    """The line tells of something that happened earlier: a death, or a silence."""


def timeline_of(decision: Decision, scans: Sequence[SourceScan], catalog: Catalog) -> Timeline | None:
    """The timeline of a decision; None where one process alone is concerned, or nothing failed."""
    if not decision.incidents:
        return None
    lanes = Lanes(decision)
    seen = list(_faults(decision, lanes, catalog))
    known = {(s.lane, s.source, s.line) for s in seen}
    seen += (s for s in _exits(decision, lanes) if (s.lane, s.source, s.line) not in known)
    seen += _progress(decision, seen, lanes, scans)
    if not several({item.lane for item in seen}):
        return None
    offsets = [ClockOffset(host=s.host, seconds=round(s.offset, 3), uncertainty=s.uncertainty) for s in decision.clocks]
    return _drawn(_once(seen), Clock(scans, decision.clocks), offsets)


# --- what happened ----------------------------------------------------------------------------------------------------


def _faults(decision: Decision, lanes: Lanes, catalog: Catalog) -> Iterator[_Seen]:
    for number, decided in enumerate(decision.incidents):
        suspect = decided.suspect
        yield _first(suspect, lanes, catalog, "cause" if number else "first")
        for fault in (*decided.also, *_quoted(decided), *(e.fault for e in decided.explained)):
            kind: EventKind = fault.role if fault.role in ("effect", "wrapper") else "cause"
            times = f" ({fault.count} times)" if fault.count > 1 else ""
            yield _of_fault(fault, lanes, kind, title_of(fault.best, catalog) + times)


def _quoted(decided: Decided) -> tuple[Fault, ...]:
    """The fault that gives away a suspect who printed none: it is somebody else's."""
    suspect, fault = decided.suspect, decided.suspect.fault
    return (fault,) if fault is not None and fault.rank is not None and fault.rank != suspect.rank and by_absence(suspect) else ()


def _victim(suspect: Suspect) -> EventKind | None:
    """The kind of what stands for a first fault that the logs do not hold."""
    fault = suspect.fault
    if fault is None or by_absence(suspect) or suspect.death is not None or fault.signature != suspect.signature:
        return None
    return fault.role if fault.role in ("effect", "wrapper") else None


def _first(suspect: Suspect, lanes: Lanes, catalog: Catalog, kind: EventKind) -> _Seen:
    known = catalog.by_id.get(suspect.signature)
    title = known.title if known else title_of(suspect.fault.best, catalog) if suspect.fault else suspect.signature
    if by_absence(suspect) and suspect.fault is not None and suspect.fault.signature == suspect.signature:
        title = "lost by its peers; how it ended is not in the log"
    return _Seen(
        lane=lanes.of_suspect(suspect),
        kind=_victim(suspect) or kind,
        source=suspect.source or "",
        line=suspect.line or 1,
        text=suspect.text or "",
        title=title,
        signature=suspect.signature,
        stamp=suspect.stamp,
        host=suspect.host,
        hearsay=suspect.death is not None or by_absence(suspect) or suspect.signature.startswith("launch/worker-"),
    )


def _of_fault(fault: Fault, lanes: Lanes, kind: EventKind, title: str) -> _Seen:
    best = fault.best
    return _Seen(lanes.of_fault(fault), kind, best.source, best.line, best.text, title, best.signature, fault.stamp, fault.host)


def _exits(decision: Decision, lanes: Lanes) -> Iterator[_Seen]:
    for death in decision.deaths:
        lane, report = lanes.of_death(death), death.reports[0]
        if lane is not None:
            title = ended(death)
            yield _Seen(
                lane, "exit", report.source, report.line, report.text, title, death.signature, report.stamp, death.host, told=death.told
            )


def _progress(decision: Decision, seen: Sequence[_Seen], lanes: Lanes, scans: Sequence[SourceScan]) -> Iterator[_Seen]:
    """The last ordinary line of each process, which marks a silence where the process printed no error and nobody reports its end."""
    spoke = {s.lane for s in seen if s.kind in _FAULTS or not s.told}
    known = {s.lane for s in seen}
    places = {(s.source, s.line) for s in seen}
    first = decision.incidents[0].suspect
    waited = by_absence(first)
    silent = lanes.of_suspect(first) if waited else None
    last: dict[LaneKey, Progress] = {}
    for progress in (p for scan in scans for p in scan.progress):
        lane = lanes.of_progress(progress)
        if lane is not None and (lane in known or progress.origin.rank is not None):
            last[lane] = progress
    for lane, item in last.items():
        quiet = lane == silent or (lane not in spoke and (waited or lane not in known))
        if quiet or (item.source, item.line) not in places:
            kind: EventKind = "silent" if quiet else "last-progress"
            title = "says nothing after this line" if quiet else "last ordinary line"
            yield _Seen(lane, kind, item.source, item.line, item.text.strip(), title, None, item.origin.stamp, item.origin.host)


def _once(seen: Iterable[_Seen]) -> list[_Seen]:
    """Without events that say the same of the same process again."""
    kept: dict[tuple[object, ...], _Seen] = {}
    for item in seen:
        again = ("again", item.lane, item.kind, item.signature or item.line)
        if again not in kept:
            kept[again] = item
    return list(kept.values())


# --- when it happened -------------------------------------------------------------------------------------------------


def _drawn(seen: Sequence[_Seen], clock: Clock, offsets: list[ClockOffset]) -> Timeline:
    moments = [_moment(item, clock) for item in seen]
    times = _consistent(seen, moments) if _told(moments) else [None] * len(seen)
    zero = min((t for t in times if t is not None), default=0.0)
    origin = next((i for i, s in enumerate(seen) if s.kind == "first"), None)
    lanes: dict[LaneKey, list[tuple[float, int, TimelineEvent]]] = {}
    for index, (item, moment, at) in enumerate(zip(seen, moments, times, strict=True)):
        exact = moment is not None and moment.exact
        close = exact and origin is not None and _close(item, at, seen[origin], times[origin], clock.uncertainty)
        event = _event(item, None if at is None else at - zero, uncertain=close or not exact)
        lanes.setdefault(item.lane, []).append((float("inf") if at is None else at, index if at is None else item.line, event))
    hosts = {s.lane: s.host for s in reversed(seen) if s.host}
    stamped = sorted((t, s.stamp.text) for s, t in zip(seen, times, strict=True) if s.stamp is not None and t is not None)
    start, end = (stamped[0][1], stamped[-1][1]) if stamped else (None, None)
    return Timeline(
        lanes=[_lane(key, lanes[key], hosts.get(key)) for key in sorted(lanes)],
        start=start,
        end=end,
        uncertainty=clock.uncertainty,
        clocks=offsets,
    )


def _told(moments: Sequence[Moment | None]) -> bool:
    """Whether at least two events tell their times; estimates around one alone would measure nothing."""
    return len({moment.at for moment in moments if moment is not None and moment.exact}) > 1


def _moment(item: _Seen, clock: Clock) -> Moment | None:
    rank = item.lane.rank if item.lane.kind == 0 else None
    moment = clock.moment(item.source, item.line, item.stamp, rank)
    if moment is None or not item.hearsay:
        return moment
    last = clock.last_word(rank) if rank is not None else None
    low = min(moment.at, last) if last is not None else moment.low
    return Moment(moment.at, low, max(moment.high, low + 1e-3))


def _consistent(seen: Sequence[_Seen], moments: Sequence[Moment | None]) -> list[float | None]:
    """Times in which no estimate puts an effect before what was found to be first."""
    times = [None if m is None else m.at for m in moments]
    index = next((i for i, s in enumerate(seen) if s.kind == "first"), None)
    own = None if index is None else moments[index]
    if index is None or own is None:
        return times
    later = {i: m for i, s in enumerate(seen) if s.kind in ("effect", "wrapper", "exit") and (m := moments[i]) is not None}
    earliest = min([own.at, *(m.at for m in later.values())])
    told = min((m.at for m in later.values() if m.exact), default=own.low)
    first = own.at if own.exact else max(min(own.low, told), earliest)
    times[index] = first
    for i, moment in later.items():
        if not moment.exact:
            times[i] = max(moment.at, first)
    return times


def _close(item: _Seen, at: float | None, first: _Seen, first_at: float | None, uncertainty: float) -> bool:
    """Too near to the first fault, on another clock, to say by time alone which came before."""
    if at is None or first_at is None or item.kind in ("first", "last-progress", "silent"):
        return False
    other = item.source != first.source or (item.host is not None and first.host is not None and item.host != first.host)
    return other and abs(at - first_at) < uncertainty


def _event(item: _Seen, seconds: float | None, *, uncertain: bool) -> TimelineEvent:
    return TimelineEvent(
        time=item.stamp.text if item.stamp is not None else None,
        seconds=None if seconds is None else round(seconds, 3),
        source=item.source,
        line=item.line,
        text=shortened(item.text, 200),
        kind=item.kind,
        signature=item.signature,
        title=item.title,
        uncertain=uncertain,
    )


def _lane(key: LaneKey, events: Sequence[tuple[float, int, TimelineEvent]], host: str | None) -> Lane:
    kept = [event for _, _, event in sorted(events, key=lambda e: e[:2])]
    more = len(kept) - MOST_EVENTS
    if more > 0:
        kept = kept[:MOST_EVENTS]
        kept[-1] = replace(kept[-1], title=f"{kept[-1].title} (and {more} more)")
    return Lane(rank=key.rank if key.kind == 0 else None, label=key.name, host=host, events=kept)
