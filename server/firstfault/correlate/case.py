"""Everything known while deciding: faults with their ranks, sorted by what they can be, and how processes ended."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstfault.catalog.compiled import Catalog
from firstfault.correlate.deaths import Deaths
from firstfault.correlate.edges import Edges
from firstfault.correlate.fatal import FatalityJudge
from firstfault.correlate.faults import Fault, gather
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
    world: int | None
    ranks: frozenset[int]
    causes: list[Fault] = field(default_factory=list[Fault])
    effects: list[Fault] = field(default_factory=list[Fault])
    wrappers: list[Fault] = field(default_factory=list[Fault])
    passing: list[Fault] = field(default_factory=list[Fault])


def prepare(scans: Sequence[SourceScan], catalog: Catalog, only_rank: int | None) -> Case:
    """Put together what the sources say of one run."""
    deaths = Deaths(scans)
    faults = _attributed([_placed(f, deaths, scans) for f in gather(scans, catalog)], deaths)
    if only_rank is not None:
        faults = [f for f in faults if f.rank in (None, only_rank)]
    worlds = [s.world_size for s in scans if s.world_size]
    seen = {f.rank for f in faults} | {d.rank for d in deaths.all} | {p.origin.rank for s in scans for p in s.progress}
    seen |= {_rank_of_identity(s) for s in scans}
    ranks = frozenset(r for r in seen if r is not None)
    judge = FatalityJudge(scans, deaths.all, faults)
    world = max(worlds) if worlds else None
    case = Case(scans, catalog, Edges(catalog), deaths, faults, judge, world, ranks)
    for fault in faults:
        _sort_in(case, fault)
    return case


def _placed(fault: Fault, deaths: Deaths, scans: Sequence[SourceScan]) -> Fault:
    """The fault with the global rank that its pid or local rank stands for."""
    rank = fault.rank
    if rank is None and fault.pid is not None:
        rank = deaths.rank_of_pid.get(fault.pid)
    if rank is None and fault.best.origin.label is not None:
        rank = _rank_of_label(fault.best.origin.label, scans[fault.source_index])
    if rank is None and fault.best.block is not None:
        block = fault.best.block
        spawned = [
            r for (i, line), r in deaths.rank_of_spawned.items() if i == fault.source_index and block.start_line <= line <= block.end_line
        ]
        rank = spawned[0] if spawned else None
    if rank is None:
        rank = deaths.rank_of_local(fault.local_rank, fault.host)
    if rank is None and fault.local_rank is not None and not _several_nodes(scans):
        rank = fault.local_rank
    return fault._replace(rank=rank) if rank != fault.rank else fault


def _attributed(faults: list[Fault], deaths: Deaths) -> list[Fault]:
    """Tracebacks without a rank belong to the one failed process that no other error belongs to, where there is just one."""
    spoken = {f.rank for f in faults if f.rank is not None}
    known = {d.rank for d in deaths.all if d.rank is not None}
    failed = {d.rank for d in deaths.all if d.failed and d.rank is not None}
    quiet = failed - spoken or (known - spoken if spoken else set())
    if len(quiet) != 1 or len(deaths.all) < 2:
        return faults
    rank = quiet.pop()
    return [
        f._replace(rank=rank) if f.rank is None and f.role == "cause" and f.best.block is not None and f.best.origin.label is None else f
        for f in faults
    ]


def _rank_of_label(label: str, scan: SourceScan) -> int | None:
    """The one rank that a pod, container or actor speaks for elsewhere in the log."""
    ranks = {p.origin.rank for p in scan.progress if p.origin.label == label and p.origin.rank is not None}
    return ranks.pop() if len(ranks) == 1 else None


def _several_nodes(scans: Sequence[SourceScan]) -> bool:
    hosts = {s.identity.host for s in scans if s.identity.host} | {e.host for s in scans for e in s.exits if e.host}
    return len(hosts) > 1


def _rank_of_identity(scan: SourceScan) -> int | None:
    return scan.identity.rank if scan.identity.rank is not None else scan.identity.local_rank


def _sort_in(case: Case, fault: Fault) -> None:
    if fault.role == "wrapper":
        (case.wrappers if case.judge.run_failed or case.judge.is_fatal(fault) else case.passing).append(fault)
    elif fault.role == "effect":
        (case.effects if case.judge.is_fatal(fault) else case.passing).append(fault)
    elif fault.role == "cause":
        if case.judge.is_fatal(fault):
            case.causes.append(fault)
        else:
            case.passing.append(fault)


def hosts_of(case: Case) -> tuple[str, ...]:
    """Hosts that the logs name, in order of first mention."""
    names = [f.host for f in case.faults] + [d.host for d in case.deaths.all] + [s.identity.host for s in case.scans]
    names += [h for s in case.scans for h in s.hosts]
    return tuple(dict.fromkeys(n for n in names if n))
