"""Everything known while deciding: faults with their ranks, sorted by what they can be, and how processes ended."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstfault.catalog.compiled import Catalog
from firstfault.correlate.aftermath import Ending
from firstfault.correlate.attribution import attributed
from firstfault.correlate.deaths import Deaths
from firstfault.correlate.edges import Edges
from firstfault.correlate.fatal import FatalityJudge, Spared
from firstfault.correlate.faults import Fault, gather
from firstfault.correlate.order import SKEW
from firstfault.correlate.unlogged import ranks_without_log
from firstfault.correlate.world import world_size
from firstfault.model import SourceScan


@dataclass(slots=True)
class Case:
    """Everything known while deciding."""

    scans: Sequence[SourceScan]
    catalog: Catalog
    edges: Edges
    deaths: Deaths
    faults: list[Fault]
    judge: FatalityJudge
    ending: Ending
    world: int | None
    ranks: frozenset[int]
    hosts: tuple[str, ...]
    """Hosts that the logs name, in order of first mention."""
    unlogged: frozenset[int]
    """Ranks of which no log of their own was given, though others have one."""
    causes: list[Fault] = field(default_factory=list[Fault])
    effects: list[Fault] = field(default_factory=list[Fault])
    wrappers: list[Fault] = field(default_factory=list[Fault])
    passing: list[Spared] = field(default_factory=list[Spared])
    """Errors that ended nothing."""
    doubt: float = SKEW
    """Seconds below which the order of events of two hosts cannot be told by their clocks."""
    aftermath: list[Fault] = field(default_factory=list[Fault])
    """Crashes of processes that had come to their end before."""

    @property
    def waiting(self) -> list[Fault]:
        """What only tells of another process, and was no mere warning."""
        return [f for f in self.effects if f.best.severity != "warning"]


def prepare(scans: Sequence[SourceScan], catalog: Catalog, only_rank: int | None) -> Case:
    """Put together what the sources say of one run."""
    deaths = Deaths(scans)
    faults = attributed(gather(scans, catalog), deaths, scans)
    if only_rank is not None:
        faults = [f for f in faults if f.rank in (None, only_rank)]
    seen = {f.rank for f in faults} | {d.rank for d in deaths.all} | {p.origin.rank for s in scans for p in s.progress}
    seen |= {_rank_of_identity(s) for s in scans}
    ranks = frozenset(r for r in seen if r is not None)
    judge = FatalityJudge(scans, deaths.all, faults)
    world, hosts = world_size(scans, ranks), _hosts(faults, deaths, scans)
    unlogged = ranks_without_log(scans, ranks, world, hosts)
    case = Case(scans, catalog, Edges(catalog), deaths, faults, judge, Ending(faults), world, ranks, hosts, unlogged)
    for fault in faults:
        _sort_in(case, fault)
    return case


def _rank_of_identity(scan: SourceScan) -> int | None:
    return scan.identity.rank if scan.identity.rank is not None else scan.identity.local_rank


def _sort_in(case: Case, fault: Fault) -> None:
    if fault.role == "notice":
        return
    if fault.role == "cause" and case.ending.is_aftermath(fault):
        case.aftermath.append(fault)
        return
    kinds = {"wrapper": case.wrappers, "effect": case.effects, "cause": case.causes}
    reported = fault.role == "wrapper" and case.judge.run_failed
    because = None if reported else case.judge.spared(fault)
    if because is None:
        kinds[fault.role].append(fault)
    else:
        case.passing.append(Spared(fault, because))


def _hosts(faults: Sequence[Fault], deaths: Deaths, scans: Sequence[SourceScan]) -> tuple[str, ...]:
    names = [f.host for f in faults] + [d.host for d in deaths.all] + [s.identity.host for s in scans]
    names += [h for s in scans for h in s.hosts]
    return tuple(dict.fromkeys(n for n in names if n))
