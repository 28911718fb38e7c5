"""Puts the clocks of a run on one another: the kernel's seconds since boot, and the clocks of several hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from firstfault.correlate.hosts import short_host
from firstfault.correlate.order import SKEW
from firstfault.model import SourceScan, Stamp
from firstfault.moments import of_epoch

if TYPE_CHECKING:
    from firstfault.correlate.coincidence import Kind, Seen

_MAD_TO_SIGMA = 1.4826
_OF_PEERS = ("collective/", "nccl/")
Moved = Callable[["Stamp", "str | None"], Stamp]
"""Gives the stamp of a host as the other clocks would have it."""


class Skew(NamedTuple):
    """How far the clock of a host is ahead of the others, in seconds."""

    host: str
    offset: float
    uncertainty: float
    events: int
    kind: str
    """What the events were."""


class OneClock(NamedTuple):
    """Sources whose stamps can be compared with each other, whatever host they are of."""

    scans: tuple[SourceScan, ...]
    skews: tuple[Skew, ...]

    @property
    def doubt(self) -> float:
        """Seconds below which the order of events of two hosts cannot be told."""
        return max([SKEW, *(s.uncertainty for s in self.skews)])


def on_one_clock(scans: Sequence[SourceScan]) -> OneClock:
    """The scans with what is known of their clocks taken into account; stamps are shown as the log gives them."""
    scans = on_wall_clock(scans)
    skews = {s.host: s for s in skew(scans)} if _several_hosts(scans) else {}

    def moved(stamp: Stamp, host: str | None) -> Stamp:
        known = skews.get(short_host(host)) if host and stamp.clock == "wall" else None
        return stamp if known is None else stamp._replace(seconds=stamp.seconds - known.offset)

    return OneClock(tuple(_restamped(s, moved) for s in scans) if skews else tuple(scans), tuple(skews.values()))


def _several_hosts(scans: Sequence[SourceScan]) -> bool:
    names = {s.identity.host for s in scans} | {f.origin.host for s in scans for f in s.findings}
    names |= {p.origin.host for s in scans for p in s.progress}
    return len({short_host(n) for n in names if n}) > 1


def _restamped(scan: SourceScan, moved: Moved) -> SourceScan:
    own = scan.identity.host

    def new(stamp: Stamp | None, host: str | None) -> Stamp | None:
        return None if stamp is None else moved(stamp, host)

    return scan._replace(
        findings=tuple(f._replace(origin=f.origin._replace(stamp=new(f.origin.stamp, f.origin.host or own))) for f in scan.findings),
        progress=tuple(
            p._replace(
                origin=p.origin._replace(stamp=new(p.origin.stamp, p.origin.host or own)),
                steps=tuple((step, moved(stamp, p.origin.host or own)) for step, stamp in p.steps),
            )
            for p in scan.progress
        ),
        exits=tuple(e._replace(stamp=new(e.stamp, own or e.host)) for e in scan.exits),
    )


# --- seconds since boot -------------------------------------------------------------------------------------------------


def on_wall_clock(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with stamps since boot turned into times of day, where some source of the same host tells when it booted."""
    boots = {_short(s.identity.host): s.boot for s in scans if s.boot is not None}
    if not boots:
        return list(scans)
    hosts = {_short(f.origin.host) for s in scans for f in s.findings} | {_short(s.identity.host) for s in scans}
    alone = next(iter(boots.values())) if len(boots) == 1 and len(hosts - {None}) <= 1 else None
    return [_restamped(s, _since_boot(s, boots, alone)) for s in scans]


def _since_boot(scan: SourceScan, boots: Mapping[str | None, float], alone: float | None) -> Moved:
    own = _short(scan.identity.host)

    def boot_of(host: str | None) -> float | None:
        if scan.boot is not None and (host is None or own is None or host == own):
            return scan.boot
        return alone if host is None else boots.get(host, alone)

    def moved(stamp: Stamp, host: str | None) -> Stamp:
        boot = boot_of(_short(host)) if stamp.clock == "boot" else None
        return stamp if boot is None else wall(stamp, boot)

    return moved


def wall(stamp: Stamp, boot: float) -> Stamp:
    """A stamp since boot as a time of day; `boot` is when the machine booted, in seconds since 1970."""
    try:
        return of_epoch(boot + stamp.seconds, fraction=True)
    except ValueError:
        return stamp


def _short(host: str | None) -> str | None:
    return short_host(host) if host else None


# --- several hosts ------------------------------------------------------------------------------------------------------


def skew(scans: Sequence[SourceScan]) -> list[Skew]:
    """The hosts whose clocks differ from those of most others by more than the events that coincide leave open."""
    from firstfault.correlate.coincidence import KINDS, coincidences

    coupled = any(c.of_job and c.size > 1 for s in scans for c in s.worlds) or any(
        f.signature.startswith(_OF_PEERS) for s in scans for f in s.findings
    )
    seen: dict[Kind, list[Seen]] = {kind: [] for kind in KINDS if coupled or not kind.coupled}
    for item in coincidences(scans):
        if item.kind in seen:
            seen[item.kind].append(item)
    by_host: dict[str, list[Skew]] = {}
    for kind, items in seen.items():
        for found in _offsets(kind, items):
            by_host.setdefault(found.host, []).append(found)
    return [found[0] for _, found in sorted(by_host.items()) if abs(found[0].offset) > found[0].uncertainty and _agree(found)]


def _agree(found: Sequence[Skew]) -> bool:
    """No other kind of event contradicts the most exact one."""
    best = found[0]
    return all(abs(other.offset - best.offset) <= other.uncertainty + best.uncertainty for other in found[1:])


def _offsets(kind: Kind, seen: Iterable[Seen]) -> list[Skew]:
    """How far each host is from the middle one of those that saw the same event, over all events of a kind."""
    events: dict[tuple[object, ...], dict[str, float]] = {}
    for item in seen:
        times = events.setdefault(item.event, {})
        times[item.host] = min(item.seconds, times.get(item.host, item.seconds))
    gaps: dict[str, list[float]] = {}
    for times in events.values():
        middle = sorted(times.values())[(len(times) - 1) // 2]
        for host, seconds in times.items() if len(times) > 1 else ():
            gaps.setdefault(host, []).append(seconds - middle)
    return [_skew(host, kind, own) for host, own in gaps.items() if len(own) >= kind.fewest]


def _skew(host: str, kind: Kind, gaps: Sequence[float]) -> Skew:
    middle = _median(gaps)
    spread = _MAD_TO_SIGMA * _median([abs(gap - middle) for gap in gaps])
    return Skew(host, middle, max(kind.slack, spread), len(gaps), kind.name)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
