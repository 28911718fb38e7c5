"""Puts the clocks of a run on one another: the kernel's seconds since boot, and the clocks of several hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from firstfault.model import Finding, SourceScan, Stamp

_WATCHDOGS = frozenset({"collective/watchdog-timeout", "collective/gloo-timeout", "collective/monitored-barrier"})
_LEAST_UNCERTAINTY = {"flight": 0.05, "watchdog": 1.0, "step": 2.0}
"""Seconds by which the events of one kind differ on hosts whose clocks agree."""
_FEWEST = {"flight": 3, "watchdog": 1, "step": 1}
_MAD_TO_SIGMA = 1.4826

Event = tuple[object, ...]


class Skew(NamedTuple):
    """How far the clock of a host is ahead of the others, in seconds."""

    offset: float
    uncertainty: float


# --- seconds since boot -------------------------------------------------------------------------------------------------


def on_wall_clock(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with stamps since boot turned into times of day, where some source of the same host tells when it booted."""
    boots = {s.identity.host: s.boot for s in scans if s.boot is not None}
    hosts = {f.origin.host for s in scans for f in s.findings} | {s.identity.host for s in scans}
    alone = next(iter(boots.values())) if len(boots) == 1 and len(hosts - {None}) <= 1 else None
    if not boots:
        return list(scans)
    return [_at_wall(s, _boot_of(s, boots, alone)) for s in scans]


def _boot_of(scan: SourceScan, boots: dict[str | None, float], alone: float | None) -> Callable[[str | None], float | None]:
    def of(host: str | None) -> float | None:
        if scan.boot is not None and (host is None or host == scan.identity.host or scan.identity.host is None):
            return scan.boot
        return boots.get(host or scan.identity.host) if host or scan.identity.host else alone

    return of


def _at_wall(scan: SourceScan, boot_of: Callable[[str | None], float | None]) -> SourceScan:
    def moved(stamp: Stamp | None, host: str | None) -> Stamp | None:
        boot = boot_of(host) if stamp is not None and stamp.clock == "boot" else None
        return stamp if stamp is None or boot is None else wall(stamp, boot)

    findings = tuple(f._replace(origin=f.origin._replace(stamp=moved(f.origin.stamp, f.origin.host))) for f in scan.findings)
    progress = tuple(p._replace(origin=p.origin._replace(stamp=moved(p.origin.stamp, p.origin.host))) for p in scan.progress)
    exits = tuple(e._replace(stamp=moved(e.stamp, e.host)) for e in scan.exits)
    return scan._replace(findings=findings, progress=progress, exits=exits)


def wall(stamp: Stamp, boot: float) -> Stamp:
    """A stamp since boot as a time of day; `boot` is when the machine booted, in seconds since 1970."""
    seconds = boot + stamp.seconds
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return Stamp(seconds=seconds, text=moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z")


# --- several hosts ------------------------------------------------------------------------------------------------------


def skew(scans: Sequence[SourceScan]) -> dict[str, Skew]:
    """How far the clock of each host is ahead of the first one's, by events that must coincide: the same collectives entered,
    the same collective timing out, the same step logged. Only hosts whose clock differs by more than can be told apart."""
    for kind, events in (("flight", _collectives(scans)), ("watchdog", _timeouts(scans)), ("step", _steps(scans))):
        found = _offsets(kind, events)
        if found:
            return {host: s for host, s in found.items() if abs(s.offset) > s.uncertainty}
    return {}


def _offsets(kind: str, events: Iterable[tuple[str, Event, float]]) -> dict[str, Skew]:
    times: dict[str, dict[Event, float]] = {}
    for host, event, seconds in events:
        known = times.setdefault(host, {})
        known[event] = min(seconds, known.get(event, seconds))
    hosts = sorted(times)
    if len(hosts) < 2:
        return {}
    first, *others = hosts
    found: dict[str, Skew] = {first: Skew(0.0, 0.0)}
    for host in others:
        gaps = [seconds - times[first][event] for event, seconds in times[host].items() if event in times[first]]
        if len(gaps) >= _FEWEST[kind]:
            middle = _median(gaps)
            spread = _MAD_TO_SIGMA * _median(abs(gap - middle) for gap in gaps)
            found[host] = Skew(middle, max(_LEAST_UNCERTAINTY[kind], spread))
    return _around_most(found) if len(found) > 1 else {}


def _around_most(found: dict[str, Skew]) -> dict[str, Skew]:
    """Offsets from the clock that most hosts agree with."""
    middle = sorted(s.offset for s in found.values())[(len(found) - 1) // 2]
    least = max(s.uncertainty for s in found.values())
    return {host: Skew(s.offset - middle, s.uncertainty or least) for host, s in found.items()}


def _median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _host(own: str | None, scan: SourceScan) -> str | None:
    host = own or scan.identity.host
    return host.split(".")[0] if host and not host[0].isdigit() else host


def _seconds(stamp: Stamp | None) -> float | None:
    return stamp.seconds if stamp is not None and stamp.clock == "wall" and stamp.has_date else None


def _collectives(scans: Sequence[SourceScan]) -> Iterator[tuple[str, Event, float]]:
    for scan in scans:
        host = _host(None, scan)
        for group in scan.flight.groups if scan.flight and host else ():
            for item in group.collectives:
                if item.created is not None and host:
                    yield host, (group.name, group.members, item.seq), item.created


def _timeouts(scans: Sequence[SourceScan]) -> Iterator[tuple[str, Event, float]]:
    for scan in scans:
        for finding in scan.findings:
            host, seconds = _host(finding.origin.host, scan), _seconds(finding.origin.stamp)
            if finding.signature in _WATCHDOGS and host and seconds is not None and (event := _timeout(finding)):
                yield host, event, seconds


def _timeout(finding: Finding) -> Event | None:
    captured = dict(finding.captures)
    sequence = captured.get("seq")
    return (finding.signature, sequence, captured.get("op", "")) if sequence else None


def _steps(scans: Sequence[SourceScan]) -> Iterator[tuple[str, Event, float]]:
    for scan in scans:
        for item in scan.progress:
            host, seconds = _host(item.origin.host, scan), _seconds(item.origin.stamp)
            if host and seconds is not None and item.step is not None:
                yield host, ("step", item.step), seconds
