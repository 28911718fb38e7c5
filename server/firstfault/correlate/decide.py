"""Decides what failed first. The steps that decide also write down why, so the explanation cannot drift from the decision."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from firstfault.catalog.compiled import Catalog
from firstfault.correlate import suspects
from firstfault.correlate.deaths import FATAL_SIGNALS, Death, Deaths
from firstfault.correlate.edges import Edges
from firstfault.correlate.fatal import FatalityJudge
from firstfault.correlate.faults import Fault, gather
from firstfault.correlate.mismatch import odd_rank
from firstfault.correlate.order import apart
from firstfault.correlate.suspects import TIMEOUTS, Suspect
from firstfault.model import Finding, SourceScan

Status = Literal["established", "likely", "undetermined"]


class Explained(NamedTuple):
    """A failure that another one accounts for."""

    fault: Fault
    because: str


class Decided(NamedTuple):
    """One incident: the suspect taken as first, what it explains, and the steps that led there."""

    suspect: Suspect
    status: Status
    confidence: float
    why: tuple[str, ...]
    explained: tuple[Explained, ...] = ()
    also: tuple[Fault, ...] = ()
    """Faults of the same kind in other processes, at the same time."""


class Decision(NamedTuple):
    """The outcome of correlation."""

    verdict: Literal["failure", "no-failure", "undetermined"]
    incidents: tuple[Decided, ...]
    passing: tuple[Fault, ...]
    """Errors that ended nothing."""
    deaths: tuple[Death, ...]
    world_size: int | None
    ranks: tuple[int, ...]
    hosts: tuple[str, ...]
    attempts: int


_MISMATCH = "collective/mismatch"
_SKEW = 1.0
"""Seconds by which the clocks of two hosts may differ without notice."""


@dataclass(slots=True)
class _Case:
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


def correlate(scans: Sequence[SourceScan], catalog: Catalog, *, only_rank: int | None = None) -> Decision:
    """Find the first faults of a run. `only_rank` looks at one rank alone."""
    case = _prepare(scans, catalog, only_rank)
    incidents = _decide(case)
    verdict: Literal["failure", "no-failure", "undetermined"] = "no-failure"
    if incidents:
        verdict = "undetermined" if incidents[0].status == "undetermined" else "failure"
    return Decision(
        verdict=verdict,
        incidents=tuple(incidents),
        passing=tuple(case.passing),
        deaths=case.deaths.all,
        world_size=case.world,
        ranks=tuple(sorted(case.ranks)),
        hosts=_hosts(case),
        attempts=max([1, *((f.attempt or 0) + 1 for f in case.faults)]),
    )


def _prepare(scans: Sequence[SourceScan], catalog: Catalog, only_rank: int | None) -> _Case:
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
    case = _Case(scans, catalog, Edges(catalog), deaths, faults, judge, world, ranks)
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


def _sort_in(case: _Case, fault: Fault) -> None:
    if fault.role == "wrapper":
        (case.wrappers if case.judge.run_failed or case.judge.is_fatal(fault) else case.passing).append(fault)
    elif fault.role == "effect":
        (case.effects if case.judge.is_fatal(fault) else case.passing).append(fault)
    elif fault.role == "cause":
        if case.judge.is_fatal(fault):
            case.causes.append(fault)
        else:
            case.passing.append(fault)


def _hosts(case: _Case) -> tuple[str, ...]:
    names = [f.host for f in case.faults] + [d.host for d in case.deaths.all] + [s.identity.host for s in case.scans]
    names += [h for s in case.scans for h in s.hosts]
    return tuple(dict.fromkeys(n for n in names if n))


# --- the decision -----------------------------------------------------------------------------------------------------


def _decide(case: _Case) -> list[Decided]:
    causes = [f for f in case.causes if not f.signature.startswith("launch/worker-")]
    exit_faults = [f for f in case.causes if f.signature.startswith("launch/worker-")]
    first = _first_causes(case, causes)
    timeouts = any(f.signature in TIMEOUTS for f in case.effects)
    dead = suspects.by_death(case.deaths.all, exit_faults, timeouts=timeouts)
    if first and not _death_wins(first[0], dead, case):
        return [_established(case, fault, first) for fault in first]
    if dead is not None:
        return [_by_death(case, dead)]
    hinted = _hinted(case)
    if hinted is not None:
        absent = suspects.by_absence(case.effects, case.scans, case.deaths.all, case.world, case.ranks, timeouts=True)
        if hinted.rank is None and absent is not None:
            hinted = hinted._replace(rank=absent.rank)
        return [_established(case, hinted, [hinted])]
    waiting = [f for f in case.effects if f.best.severity != "warning"]
    peers = [f for f in waiting if f.signature.startswith(("collective/", "launch/", "nccl/"))]
    lost = suspects.by_lost_host(peers, [*case.causes, *waiting, *case.wrappers], case.scans)
    if lost is not None:
        return [_by_absence(case, lost)]
    absent = suspects.by_absence(peers, case.scans, case.deaths.all, case.world, case.ranks, timeouts=timeouts) if peers else None
    if absent is not None:
        return [_by_absence(case, absent)]
    if exit_faults:
        return [_by_crash(case, min(exit_faults, key=lambda f: f.order))]
    unknown = suspects.unknown(waiting, case.wrappers, case.deaths.all, case.judge.run_failed)
    return [_undetermined(case, unknown)] if unknown is not None else []


def _first_causes(case: _Case, causes: Sequence[Fault]) -> list[Fault]:
    """Causes that no other cause accounts for, one for each kind, first of all the one that began."""
    causes = [*causes, *_promoted(case, causes)]
    left = [f for f in causes if not any(g is not f and _accounts(case, g, f) for g in causes)] or list(causes)
    by_process: dict[object, Fault] = {}
    for fault in sorted(left, key=_within_process):
        by_process.setdefault(fault.process, fault)
    ordered = sorted(by_process.values(), key=lambda f: f.order)
    chosen: list[Fault] = []
    for fault in _by_time(ordered, case):
        if not any(_alike(fault, c) for c in chosen):
            chosen.append(fault)
    return chosen


def _promoted(case: _Case, causes: Sequence[Fault]) -> list[Fault]:
    """Errors that were retried or only warned of, until a failure came that they account for."""
    return [
        p
        for p in case.passing
        if p.best.scope == "specific" and any(p.order < f.order and p.signature != f.signature and _accounts(case, p, f) for f in causes)
    ]


def _hinted(case: _Case) -> Fault | None:
    """Something that ended nothing by itself, but accounts for the effects that did: a long save before a timeout."""
    for fault in case.passing:
        if fault.role == "cause" and fault.best.scope == "specific" and any(case.edges.explanation(fault, e) for e in case.effects):
            return fault
    return None


def _accounts(case: _Case, cause: Fault, effect: Fault) -> bool:
    if case.edges.explanation(cause, effect) is None:
        return False
    return not (case.edges.explanation(effect, cause) is not None and effect.order < cause.order)


def _within_process(fault: Fault) -> tuple[bool, int]:
    return (_weak(fault), fault.order)


def _weak(fault: Fault) -> bool:
    """Known only by its type or code: a failure that the catalogue knows well explains more."""
    return fault.best.scope != "specific"


def _alike(fault: Fault, other: Fault) -> bool:
    return fault.signature == other.signature


def _by_time(faults: list[Fault], case: _Case) -> list[Fault]:
    """Faults with the earliest first: by the launcher's word, by comparable stamps, by their order in the log."""
    named = {d.rank for d in case.deaths.all if d.first and d.failed and d.rank is not None and d.reports[0].reporter != "torchrun-summary"}

    def later_than(fault: Fault, least: float) -> int:
        return sum(1 for other in faults if (apart(other.stamp, fault.stamp) or 0.0) > least)

    def key(fault: Fault) -> tuple[bool, bool, int, bool, int, int]:
        unnamed = fault.rank not in named if named else False
        return (fault.best.severity != "critical", unnamed, later_than(fault, _SKEW), _weak(fault), later_than(fault, 0.0), fault.order)

    return sorted(faults, key=key)


def _death_wins(first: Fault, dead: Suspect | None, case: _Case) -> bool:
    """Whether a process killed by a signal, with no error of its own, comes before the errors that others printed."""
    if dead is None or dead.death is None or dead.death.code not in FATAL_SIGNALS:
        return False
    if first.rank is not None and first.rank == dead.rank:
        return first.best.source == dead.source and dead.line is not None and dead.line < first.best.line
    if first.best.severity == "critical" or first.best.scope == "specific":
        return False
    others = [f for f in case.effects if f.rank != dead.rank]
    return bool(others) or first.best.scope == "structure"


def _established(case: _Case, fault: Fault, chosen: Sequence[Fault]) -> Decided:
    explained = _explained_by(case, fault, chosen)
    if fault.rank is None:
        struck = {
            e.fault.rank
            for e in explained
            if e.fault.role == "cause" and e.fault.rank is not None and case.edges.explanation(fault, e.fault)
        }
        fault = fault._replace(rank=struck.pop()) if len(struck) == 1 else fault
    also = tuple(f for f in case.causes if f is not fault and f.signature == fault.signature and f.process != fault.process)
    odd = _odd_rank(case, fault)
    if odd is not None:
        fault = fault._replace(rank=odd[0], local_rank=None, pid=None)
    status, confidence = _status(case, fault)
    why = suspects.why_cause(fault, [e.fault for e in explained], also, case.deaths.all)
    if odd is not None:
        why = (f"{odd[1]}.",)
    return Decided(
        suspect=Suspect.of_fault(fault, case.deaths.all), status=status, confidence=confidence, why=why, explained=explained, also=also
    )


def _odd_rank(case: _Case, fault: Fault) -> tuple[int, str] | None:
    """The rank that ran another collective than the rest, and how one knows."""
    if fault.signature != _MISMATCH:
        return None
    return odd_rank(f.best.text for f in case.causes if f.signature == _MISMATCH)


def _explained_by(case: _Case, fault: Fault, chosen: Sequence[Fault]) -> tuple[Explained, ...]:
    out: list[Explained] = []
    for other in (*case.causes, *case.effects, *case.wrappers):
        if other is fault or other in chosen or other.signature == fault.signature:
            continue
        because = case.edges.explanation(fault, other)
        if because is None:
            if other.role == "wrapper":
                because = "the launcher reports that a process failed; it does not know why"
            elif other.role == "effect":
                because = "it waited for, or talked to, the process that had failed"
            elif other.process == fault.process and other.order > fault.order:
                because = "later in the same process"
            elif len(chosen) == 1 or fault is chosen[0]:
                because = "it came later"
            else:
                continue
        out.append(Explained(fault=other, because=because))
    return tuple(out)


def _status(case: _Case, fault: Fault) -> tuple[Status, float]:
    finding = fault.best
    signature = case.catalog.by_id.get(finding.signature)
    if signature is None:
        return ("likely", 0.6)
    if finding.lasting and not case.judge.run_failed:
        return ("undetermined", 0.5)
    met = [r for r in signature.requires if _met(r, fault, finding, case)]
    if finding.scope == "class":
        return ("established", 0.75) if met else ("likely", 0.6)
    return ("established", 0.93) if met else ("likely", 0.75)


def _met(requirement: str, fault: Fault, finding: Finding, case: _Case) -> bool:
    kind, _, value = requirement.partition(":")
    own = [d for d in case.deaths.all if _same(d, fault)]
    if kind == "match":
        return True
    if kind == "uncaught":
        return fault.uncaught
    if kind == "died":
        return any(d.code not in (0, None) for d in own) or (case.judge.run_failed and not own)
    if kind == "nearby":
        return finding.nearby
    if kind == "two-patterns":
        return len({p for f in case.faults if f.signature == fault.signature for p in f.best.patterns}) >= 2
    if kind == "collateral":
        return bool(case.effects or case.wrappers)
    if kind == "signal":
        return any(d.signature == f"launch/worker-{value.lower()}" for d in own or case.deaths.all)
    if kind == "exit":
        return any(str(d.code) == value for d in own or case.deaths.all)
    return False


def _same(death: Death, fault: Fault) -> bool:
    if death.rank is not None and fault.rank is not None:
        return death.rank == fault.rank
    return death.pid is not None and death.pid == fault.pid


def _by_death(case: _Case, suspect: Suspect) -> Decided:
    explained = tuple(
        Explained(
            fault=f,
            because="it lost its peer when that process ended" if f.role == "effect" else "the launcher reports that a process failed",
        )
        for f in (*case.causes, *case.effects, *case.wrappers)
        if f is not suspect.fault
    )
    status: Status = "undetermined"
    return Decided(
        suspect=suspect, status=status, confidence=0.5, why=suspects.why_death(suspect, [e.fault for e in explained]), explained=explained
    )


def _by_crash(case: _Case, fault: Fault) -> Decided:
    """A crash that the log announces, though nobody reports how the process ended."""
    suspect = Suspect.of_fault(fault, case.deaths.all)
    others = (*case.causes, *case.effects, *case.wrappers)
    explained = tuple(Explained(fault=f, because="it came with the crash") for f in others if f is not fault)
    why = ("The log announces the crash; it has no error that comes before it.",)
    return Decided(suspect=suspect, status="undetermined", confidence=0.5, why=why, explained=explained)


def _by_absence(case: _Case, suspect: Suspect) -> Decided:
    explained = tuple(
        Explained(fault=f, because="it waited for the rank that did not come")
        for f in (*case.effects, *case.wrappers)
        if f is not suspect.fault
    )
    told = suspect.signature.startswith(("collective/rank-", "launch/node-lost"))
    return Decided(
        suspect=suspect, status="likely" if told else "undetermined", confidence=0.65 if told else 0.4, why=suspect.why, explained=explained
    )


def _undetermined(case: _Case, suspect: Suspect) -> Decided:
    explained = tuple(
        Explained(fault=f, because="an effect; its cause is not in the log")
        for f in (*case.effects, *case.wrappers)
        if f is not suspect.fault
    )
    return Decided(suspect=suspect, status="undetermined", confidence=0.3, why=suspect.why, explained=explained)
