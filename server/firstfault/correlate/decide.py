"""Decides what failed first. The steps that decide also write down why, so the explanation cannot drift from the decision."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from firstfault.catalog.compiled import Catalog
from firstfault.correlate import suspects
from firstfault.correlate.absence import TIMEOUTS
from firstfault.correlate.case import Case, prepare
from firstfault.correlate.clocks import on_one_clock
from firstfault.correlate.deaths import FATAL_SIGNALS
from firstfault.correlate.decision import Decided, Decision, Explained
from firstfault.correlate.faults import Fault
from firstfault.correlate.first import death_wins, first_causes, hinted
from firstfault.correlate.lost_host import by_lost_host
from firstfault.correlate.mismatch import OddRank, odd_rank
from firstfault.correlate.status import status_of
from firstfault.correlate.suspects import Suspect
from firstfault.correlate.understood import understood
from firstfault.model import CUT_OFF, SourceScan
from firstfault.wording import ranks_named

if TYPE_CHECKING:
    from firstfault.correlate.flight_recorder import Lagging

_MISMATCH = "collective/mismatch"
_ABORTS = TIMEOUTS | {"collective/coordination-service-lost"}
"""What a process that waits for others reports before it aborts itself."""
_STOPPED = frozenset({"launch/interrupted", "launch/terminated-from-outside", "launch/sighup"})
"""Somebody stopped the run: what a rank then prints is no fault of that rank."""
_AFTERMATH = "its process had come to its end before, by an error that only tells of another process"
_LAUNCHER = "the launcher reports that a process failed; it does not know why"


def correlate(scans: Sequence[SourceScan], catalog: Catalog, *, only_rank: int | None = None) -> Decision:
    """Find the first faults of a run. `only_rank` looks at one rank alone."""
    clock = on_one_clock(understood(scans))
    scans = clock.scans
    case = prepare(scans, catalog, only_rank)
    case.doubt = clock.doubt
    recorded = _recorded(case)
    incidents = _decide(case, recorded)
    verdict: Literal["failure", "no-failure", "undetermined"] = "no-failure"
    if incidents:
        verdict = "undetermined" if incidents[0].status == "undetermined" else "failure"
    return Decision(
        verdict=verdict,
        incidents=tuple(incidents),
        passing=tuple(Explained(item.fault, item.because) for item in case.passing),
        deaths=case.deaths.all,
        world_size=case.world,
        ranks=tuple(sorted(case.ranks)),
        hosts=case.hosts,
        unlogged=tuple(sorted(case.unlogged)),
        scans=tuple(scans),
        clocks=clock.skews,
        recorded=recorded,
        attempts=max([1, *(s.attempts for s in scans), *((f.attempt or 0) + 1 for f in case.faults)]),
    )


def _recorded(case: Case) -> "Lagging | None":
    """What the flight-recorder dumps show, where there are any."""
    records = [s.flight for s in case.scans if s.flight is not None]
    if not records:
        return None
    from firstfault.correlate.flight_recorder import lagging

    return lagging(records, world=case.world)


def _decide(case: Case, recorded: "Lagging | None") -> list[Decided]:
    incidents = _found(case, recorded)
    if recorded is None or not incidents:
        return incidents
    from firstfault.correlate.recorded import agreeing

    return [agreeing(incidents[0], recorded), *incidents[1:]]


def _found(case: Case, recorded: "Lagging | None") -> list[Decided]:
    """Causes first, then deaths, then what accounts for the waiting, then what flight recorders hold, then absences; last of all
    what is only an effect."""
    causes = [f for f in case.causes if not f.signature.startswith("launch/worker-")]
    exit_faults = [f for f in case.causes if f.signature.startswith("launch/worker-")]
    first = first_causes(case, causes)
    timeouts = any(f.signature in TIMEOUTS for f in case.effects)
    aborts = any(f.signature in _ABORTS for f in case.effects)
    dead = suspects.by_death([d for d in case.deaths.all if not case.ending.holds(d.rank)], exit_faults, aborts=aborts)
    if first and not death_wins(first[0], dead, case):
        chosen = [first[0], *(f for f in first[1:] if _independent(f, first[0]))]
        return [_established(case, fault, chosen) for fault in chosen]
    dumped = _by_dumps(case, recorded)
    if dead is not None and not (dumped and dead.death is not None and dead.death.code not in FATAL_SIGNALS):
        return [_by_death(case, dead)]
    return (
        _by_hint(case) or dumped or _by_cut_off(case) or _by_silence(case, timeouts=timeouts) or _by_rest(case, exit_faults, aborts=aborts)
    )


def _by_dumps(case: Case, recorded: "Lagging | None") -> list[Decided]:
    if recorded is None:
        return []
    from firstfault.correlate.recorded import by_dumps

    return by_dumps(case, recorded)


def _independent(fault: Fault, first: Fault) -> bool:
    """A fault of another rank's own: worth an incident of its own beside the first."""
    if fault.rank is None or fault.rank == first.rank or fault.best.scope == "structure":
        return False
    block = fault.best.block
    return fault.best.scope == "specific" or (block is not None and block.kind == "traceback")


def _by_hint(case: Case) -> list[Decided]:
    fault = hinted(case)
    if fault is None:
        return []
    absent = suspects.by_absence(case, case.effects, timeouts=True)
    if fault.rank is None and absent is not None:
        fault = fault._replace(rank=absent.rank)
    return [_established(case, fault, [fault])]


def _by_cut_off(case: Case) -> list[Decided]:
    """The process whose log breaks off inside a traceback failed by itself, whatever the others lost by that."""
    faults = [f for f in case.effects if f.signature == CUT_OFF]
    if not faults:
        return []
    fault = min(faults, key=lambda f: f.order)
    suspect = Suspect.of_fault(fault, case.deaths.all)
    explained = _others(case, suspect, (*case.causes, *case.effects, *case.wrappers), "it lost its peer when that process ended")
    why = ("The log breaks off inside a traceback; the line that names its exception is not there.",)
    return [Decided(suspect=suspect, status="undetermined", confidence=0.4, why=why, explained=explained)]


def _by_silence(case: Case, *, timeouts: bool) -> list[Decided]:
    peers = [f for f in case.waiting if f.signature.startswith(("collective/", "launch/", "nccl/"))]
    if not peers:
        return []
    suspect = by_lost_host(peers, [*case.causes, *case.waiting, *case.wrappers], case.scans)
    if suspect is None:
        suspect = suspects.by_absence(case, peers, timeouts=timeouts)
    return [_by_absence(case, suspect)] if suspect is not None else []


def _by_rest(case: Case, exit_faults: Sequence[Fault], *, aborts: bool) -> list[Decided]:
    crashes = [f for f in exit_faults if not (aborts and f.signature == "launch/worker-sigabrt")]
    if crashes:
        return [_by_crash(case, min(crashes, key=lambda f: f.order))]
    unknown = suspects.unknown(case.waiting, case.wrappers, case.deaths.all, case.judge.run_failed)
    return [_undetermined(case, unknown)] if unknown is not None else []


def _established(case: Case, fault: Fault, chosen: Sequence[Fault]) -> Decided:
    fault = _as_the_launcher_says(case, fault) if fault.signature in _STOPPED else fault
    explained = _explained_by(case, fault, chosen)
    if fault.rank is None and fault.signature not in _STOPPED:
        struck = {
            e.fault.rank
            for e in explained
            if e.fault.role == "cause" and e.fault.rank is not None and case.edges.explanation(fault, e.fault)
        }
        struck = struck or {f.rank for f in case.causes if f.rank is not None and _same_event(f, fault)}
        fault = fault._replace(rank=struck.pop()) if len(struck) == 1 else fault
    also = tuple(f for f in case.causes if f is not fault and f.signature == fault.signature and _elsewhere(f, fault))
    odd = _odd_rank(case, fault)
    if odd is not None:
        fault = fault._replace(rank=odd.rank, host=None, local_rank=None, pid=None)
    unknown = _failed_before(case, fault)
    status, confidence = status_of(case, fault)
    why = suspects.why_cause(fault, [e.fault for e in explained], also, case.deaths.all)
    if odd is not None:
        why = (odd.why,)
        # The cause may be plain, but who is to mend it is not.
        status, confidence = (status, confidence) if odd.rank is not None else ("likely", min(confidence, 0.75))
    if unknown:
        own = f"rank {fault.rank}"
        why = (
            f"{ranks_named(unknown).capitalize()} had failed, too, when the launcher ended {own}; what happened there is in no given file.",
            f"Whether the error of {own} came first cannot be told.",
        )
        status, confidence, fault = "undetermined", 0.4, fault._replace(rank=None, local_rank=None, pid=None)
    return Decided(
        suspect=Suspect.of_fault(fault, case.deaths.all),
        status=status,
        confidence=confidence,
        why=why,
        explained=explained,
        also=also,
        anybody=bool(unknown) or (odd is not None and odd.rank is None),
    )


def _as_the_launcher_says(case: Case, fault: Fault) -> Fault:
    """A stop from outside by the word of the launcher, which got the signal; without that word, a stop of all ranks that tell of it."""
    same = [f for f in (*case.causes, *(item.fault for item in case.passing)) if f.signature == fault.signature]
    told = min((f for f in same if f.rank is None), key=lambda f: f.order, default=None)
    if told is not None:
        return told
    return fault._replace(rank=None, local_rank=None, pid=None) if len({f.rank for f in same}) > 1 else fault


def _failed_before(case: Case, fault: Fault) -> list[int]:
    """The ranks that failed by themselves while the fault's own process was still there for the launcher to end, where all of
    them are ranks whose logs were not given."""
    own = next((d for d in case.deaths.all if d.rank is not None and d.rank == fault.rank), None)
    failed = {d.rank for d in case.deaths.all if d.failed and d.rank is not None}
    return sorted(failed) if own is not None and own.told and not own.failed and failed <= case.unlogged else []


def _same_event(fault: Fault, first: Fault) -> bool:
    """One thing that a kernel tells on several lines, of which only some name the process."""
    return fault.signature == first.signature and fault.source_index == first.source_index and fault.host == first.host


def _elsewhere(fault: Fault, first: Fault) -> bool:
    """In another process than the first fault; a copy of its text without a rank, as in a launcher's summary, is not."""
    return fault.process != first.process and (fault.rank is not None or first.rank is None)


def _odd_rank(case: Case, fault: Fault) -> OddRank | None:
    """The rank that ran another collective than the rest, and how one knows; None for a fault of another kind."""
    if fault.signature != _MISMATCH:
        return None
    return odd_rank(f.best.text for f in case.causes if f.signature == _MISMATCH)


def _explained_by(case: Case, fault: Fault, chosen: Sequence[Fault]) -> tuple[Explained, ...]:
    out = _after_the_end(case)
    for other in (*case.causes, *case.effects, *case.wrappers):
        if other is fault or other in chosen or other.signature == fault.signature:
            continue
        because = case.edges.explanation(fault, other)
        if because is None:
            if other.role == "wrapper":
                because = _LAUNCHER
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


def _after_the_end(case: Case) -> list[Explained]:
    return [Explained(fault=f, because=_AFTERMATH) for f in case.aftermath]


def _others(case: Case, suspect: Suspect, faults: Sequence[Fault], because: str) -> tuple[Explained, ...]:
    """What the suspect accounts for; launchers only report, whatever the processes did."""
    others = [Explained(fault=f, because=_LAUNCHER if f.role == "wrapper" else because) for f in faults if f is not suspect.fault]
    return (*others, *_after_the_end(case))


def _by_death(case: Case, suspect: Suspect) -> Decided:
    explained = _others(case, suspect, (*case.causes, *case.effects, *case.wrappers), "it lost its peer when that process ended")
    why = suspects.why_death(suspect, [e.fault for e in explained])
    return Decided(suspect=suspect, status="undetermined", confidence=0.5, why=why, explained=explained)


def _by_crash(case: Case, fault: Fault) -> Decided:
    """A crash that the log announces, though nobody reports how the process ended."""
    suspect = Suspect.of_fault(fault, case.deaths.all)
    explained = _others(case, suspect, (*case.causes, *case.effects, *case.wrappers), "it came with the crash")
    why = ("The log announces the crash; it has no error that comes before it.",)
    return Decided(suspect=suspect, status="undetermined", confidence=0.5, why=why, explained=explained)


def _by_absence(case: Case, suspect: Suspect) -> Decided:
    explained = _others(case, suspect, (*case.effects, *case.wrappers), "it waited for the rank that did not come")
    told = suspect.signature.startswith(("collective/rank-", "launch/node-lost", "launch/task-count-mismatch"))
    return Decided(
        suspect=suspect,
        status="likely" if told else "undetermined",
        confidence=0.65 if told else 0.4,
        why=suspect.why,
        explained=explained,
        anybody=suspect.rank is None and suspect.host is None,
    )


def _undetermined(case: Case, suspect: Suspect) -> Decided:
    explained = _others(case, suspect, (*case.effects, *case.wrappers), "an effect; its cause is not in the log")
    return Decided(suspect=suspect, status="undetermined", confidence=0.3, why=suspect.why, explained=explained)
