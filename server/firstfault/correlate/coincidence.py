"""Events that happen at one moment on all hosts of a run: what shows by how much their clocks differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from firstfault.correlate.hosts import short_host
from firstfault.correlate.order import Axis
from firstfault.lazy import Lazy
from firstfault.model import Finding, SourceScan, Stamp
from firstfault.moments import of_epoch


class Kind(NamedTuple):
    """One kind of event, and how well it coincides."""

    name: str
    slack: float
    """Seconds by which such an event may differ on hosts whose clocks agree."""
    fewest: int
    """Common events without which it tells nothing."""
    coupled: bool = False
    """It coincides only where the processes wait for each other."""


class Seen(NamedTuple):
    """An event as one host saw it."""

    kind: Kind
    host: str
    event: tuple[object, ...]
    seconds: float


ENDED = Kind("collectives that ended in both flight recorders", slack=1.0, fewest=3)
"""The watchdog looks once a second at most."""
STEPS = Kind("steps that both logged", slack=2.0, fewest=2, coupled=True)
CALLED = Kind("collectives that both flight recorders hold", slack=5.0, fewest=3)
"""A process may call ahead of what its device does."""
SIGNALS = Kind("messages that reach all processes at once", slack=5.0, fewest=1)
TIMEOUTS = Kind("time-outs of the same collective", slack=60.0, fewest=1)
"""A host may come late to a collective; a minute after the first time-out its peers have ended the run."""
KINDS = (ENDED, STEPS, CALLED, SIGNALS, TIMEOUTS)
"""The most exact first."""

_TIMED_OUT = frozenset({"collective/watchdog-timeout", "collective/gloo-timeout", "collective/monitored-barrier"})
_DUMP_SIGNAL = Lazy(r"(?:Received a|Observed flight recorder) dump signal")
_DEATH_SIGNAL = Lazy(r"Received (?P<signal>\S+) death signal, shutting down workers")
_FINGERPRINTS = Lazy(r"Detected mismatch between collectives on ranks\..{0,200}?SequenceNumber=(?P<seq>\d+)")
_TOLD_TO_ALL = (_DUMP_SIGNAL, _DEATH_SIGNAL, _FINGERPRINTS)


def coincidences(scans: Sequence[SourceScan]) -> Iterator[Seen]:
    """All such events, on one axis of seconds."""
    axis = Axis(stamp for stamp in _stamps(scans) if _tells(stamp))
    for scan in scans:
        yield from _recorded(scan, axis)
        yield from _found(scan, axis)
        yield from _steps(scan, axis)


def _stamps(scans: Sequence[SourceScan]) -> Iterator[Stamp]:
    for scan in scans:
        yield from (f.origin.stamp for f in scan.findings if f.origin.stamp is not None)
        yield from (stamp for p in scan.progress for _, stamp in p.steps)
        items = (item for group in scan.flight.groups for item in group.collectives) if scan.flight else ()
        yield from (of_epoch(at) for item in items for at in (item.created, item.ended) if at is not None)


def _tells(stamp: Stamp | None) -> bool:
    return stamp is not None and stamp.clock == "wall" and stamp.has_date


def _recorded(scan: SourceScan, axis: Axis) -> Iterator[Seen]:
    """Collectives in flight recorders; one that did not end may have been entered late."""
    host = scan.identity.host
    for group in scan.flight.groups if scan.flight and host else ():
        for item in group.collectives:
            event = (group.name, group.members, item.seq)
            if host and item.done and item.created is not None:
                yield from _seen(CALLED, host, event, of_epoch(item.created), axis)
            if host and item.done and item.ended is not None:
                yield from _seen(ENDED, host, event, of_epoch(item.ended), axis)


def _found(scan: SourceScan, axis: Axis) -> Iterator[Seen]:
    for finding in scan.findings:
        host, stamp = finding.origin.host or scan.identity.host, finding.origin.stamp
        if host is None or stamp is None or not _tells(stamp):
            continue
        if (event := _timeout(finding)) is not None:
            yield from _seen(TIMEOUTS, host, event, stamp, axis)
        for number, pattern in enumerate(_TOLD_TO_ALL):
            match = pattern.search(finding.text)
            if match is not None:
                yield from _seen(SIGNALS, host, (number, finding.origin.attempt, *match.groups()), stamp, axis)


def _timeout(finding: Finding) -> tuple[object, ...] | None:
    if finding.signature not in _TIMED_OUT:
        return None
    captured = dict(finding.captures)
    sequence = captured.get("seq")
    return (finding.signature, finding.origin.attempt, sequence, captured.get("op", "")) if sequence else None


def _steps(scan: SourceScan, axis: Axis) -> Iterator[Seen]:
    for progress in scan.progress:
        host = progress.origin.host or scan.identity.host
        for step, stamp in progress.steps if host else ():
            if host and _tells(stamp):
                yield from _seen(STEPS, host, (progress.origin.attempt, step), stamp, axis)


def _seen(kind: Kind, host: str, event: tuple[object, ...], stamp: Stamp, axis: Axis) -> Iterator[Seen]:
    seconds = axis.at(stamp)
    if seconds is not None:
        yield Seen(kind, short_host(host), event, seconds)
