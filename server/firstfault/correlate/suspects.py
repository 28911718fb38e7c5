"""Builds the suspect of an incident from what points to it: a fault, the way a process ended, or an absence."""

from collections.abc import Sequence
from typing import NamedTuple

from firstfault.correlate.absence import TIMEOUTS, find_absent, ranks_of
from firstfault.correlate.case import Case
from firstfault.correlate.deaths import FATAL_SIGNALS, Death
from firstfault.correlate.faults import Fault
from firstfault.correlate.order import apart, later
from firstfault.correlate.phase import last_line
from firstfault.model import ProcessExit, Stamp
from firstfault.wording import exit_status, plural, ranges, ranks_named

_NO_HEARTBEAT = "collective/coordination-service-lost"
"""Heartbeats come from a thread of their own: that they stop tells of a process that ended rather than of one that waits."""


class Suspect(NamedTuple):
    """What is taken as the first fault, with its place and process."""

    signature: str
    fault: Fault | None = None
    death: Death | None = None
    rank: int | None = None
    local_rank: int | None = None
    host: str | None = None
    pid: int | None = None
    stamp: Stamp | None = None
    source: str | None = None
    line: int | None = None
    end_line: int | None = None
    text: str | None = None
    why: tuple[str, ...] = ()
    context: tuple[tuple[str, int, str], ...] = ()
    """Further lines worth quoting: source, line, text."""

    @staticmethod
    def of_fault(fault: Fault, deaths: Sequence[Death]) -> "Suspect":
        """The suspect that a fault names."""
        own = next((d for d in deaths if d.rank is not None and d.rank == fault.rank), None)
        finding = fault.best
        return Suspect(
            signature=fault.signature,
            fault=fault,
            rank=fault.rank,
            local_rank=fault.local_rank if fault.local_rank is not None else (own.local_rank if own else None),
            host=fault.host or (own.host if own else None),
            pid=fault.pid or (own.pid if own else None),
            stamp=fault.stamp,
            source=finding.source,
            line=finding.line,
            end_line=finding.end_line,
            text=finding.text,
        )


def by_death(deaths: Sequence[Death], faults: Sequence[Fault], *, aborts: bool) -> Suspect | None:
    """The process that died first by a signal or exit code of its own. With `aborts` somebody waited for the others in vain: a
    watchdog or a coordination service then aborts its own process, so that SIGABRT says nothing."""
    failed = [d for d in deaths if d.failed and d.code is not None]
    fatal = [d for d in failed if d.code in FATAL_SIGNALS]
    quiet = [d for d in failed if d.code not in (1, -6)]
    aborted = [] if aborts else [d for d in failed if d.code == -6]
    chosen = _earliest(fatal) or _earliest(quiet) or _earliest(aborted)
    if chosen is None:
        return None
    report = _best_report(chosen.reports)
    fault = next((f for f in faults if f.best.source == report.source and f.best.line <= report.line <= f.best.end_line), None)
    crash = next((f for f in faults if f.best.block is not None and f.best.block.kind == "native" and f.rank in (None, chosen.rank)), None)
    if crash is not None and crash.signature == (fault.signature if fault else chosen.signature):
        return Suspect.of_fault(crash, deaths)._replace(death=chosen, context=tuple((r.source, r.line, r.text) for r in chosen.reports))
    return Suspect(
        signature=fault.signature if fault else chosen.signature,
        fault=fault,
        death=chosen,
        rank=chosen.rank,
        local_rank=chosen.local_rank,
        host=chosen.host or next((d.host for d in failed if d.code == chosen.code and d.host), None),
        pid=chosen.pid,
        stamp=chosen.stamp,
        source=report.source,
        line=report.line,
        end_line=report.line,
        text=report.text,
        context=tuple((r.source, r.line, r.text) for r in chosen.reports if r is not report),
    )


def _best_report(reports: Sequence[ProcessExit]) -> ProcessExit:
    return next((r for r in reports if r.reporter not in ("torchrun-summary",)), reports[0])


def _earliest(deaths: Sequence[Death]) -> Death | None:
    if not deaths:
        return None
    first = [d for d in deaths if d.first]
    pool = [d for d in first if d.reports[0].reporter != "torchrun-summary"] or list(deaths)
    clearly = later([d.stamp for d in pool])
    return min(zip(clearly, pool, strict=True), key=lambda item: (item[0], item[1].source_index, item[1].reports[0].line))[1]


def by_absence(case: Case, effects: Sequence[Fault], *, timeouts: bool) -> Suspect | None:
    """The rank that the others waited for (`timeouts`), or that vanished from their connections."""
    absent = find_absent(case, effects)
    if absent is None:
        return None
    fault = absent.evidence or min(effects, key=lambda f: (f.rank == absent.rank, f.signature not in TIMEOUTS, f.order))
    last = absent.progress
    why = [absent.why + "."]
    context = [(f.best.source, f.best.line, f.best.text) for f in effects[:6]]
    if last is not None:
        why.append(last_line(last))
        context.insert(0, (last.source, last.line, last.text))
    signature = "collective/rank-left-early" if absent.left else "collective/rank-stalled"
    if absent.never_started:
        signature = "launch/task-count-mismatch"
    dead_or_stuck = fault.signature == _NO_HEARTBEAT
    if not absent.left and (absent.unseen or dead_or_stuck or not (timeouts or absent.named)):
        signature = fault.signature
        why.append("How its process ended is not in the log.")
    suspect = Suspect(
        signature=signature, fault=fault, rank=None if absent.never_started else absent.rank, why=tuple(why), context=tuple(context)
    )
    if last is not None:
        suspect = suspect._replace(stamp=last.origin.stamp, host=last.origin.host)
    if absent.left and last is not None:
        suspect = suspect._replace(source=last.source, line=last.line, end_line=last.line, text=last.text)
    else:
        place = fault.best
        suspect = suspect._replace(source=place.source, line=place.line, end_line=place.end_line, text=place.text)
    death = next((d for d in case.deaths.all if d.rank == absent.rank), None)
    return suspect if death is None else suspect._replace(death=death, host=death.host, pid=death.pid, local_rank=death.local_rank)


def unknown(effects: Sequence[Fault], wrappers: Sequence[Fault], deaths: Sequence[Death], run_failed: bool) -> Suspect | None:
    """What can be said when only effects and launchers speak."""
    faults = [*effects, *wrappers]
    if faults:
        fault = min(faults, key=lambda f: (f.role == "wrapper", f.order))
        finding = fault.best
        what = "only effects of it are" if effects else "only the launcher's word is"
        return Suspect(
            signature=fault.signature,
            fault=fault,
            source=finding.source,
            line=finding.line,
            end_line=finding.end_line,
            text=finding.text,
            why=(f"The first fault is not in this log: {what}.",),
        )
    failed = [d for d in deaths if d.failed]
    if not failed or not run_failed:
        return None
    death = failed[0]
    report = death.reports[0]
    return Suspect(
        signature=death.signature,
        death=death,
        rank=death.rank,
        host=death.host,
        pid=death.pid,
        source=report.source,
        line=report.line,
        end_line=report.line,
        text=report.text,
        why=("The process ended with a failure, but the log has no error of its own.",),
    )


def why_cause(fault: Fault, explained: Sequence[Fault], also: Sequence[Fault], deaths: Sequence[Death]) -> tuple[str, ...]:
    """Why a fault is taken as the first one, in sentences that can be checked against the log."""
    who = f"Rank {fault.rank}" if fault.rank is not None else "The process"
    effects = [f for f in explained if f.role == "effect"]
    sentences = [_why_cause(fault, who, effects, explained, also)]
    own = [d for d in deaths if d.rank is not None and d.rank == fault.rank and d.code not in (None,)]
    if own:
        report = own[0].reports[0]
        sentences.append(f"The launcher reports that rank {fault.rank} ended with {_ended(own[0])} ({report.source}:{report.line}).")
    return tuple(sentences)


def _why_cause(fault: Fault, who: str, effects: Sequence[Fault], explained: Sequence[Fault], also: Sequence[Fault]) -> str:
    alone = "only" if not also and all(f.role != "cause" for f in explained) else "first"
    if effects and fault.rank is not None:
        ranks = ranks_of(f for f in effects if f.rank != fault.rank)
        gap = next((g for f in effects if f.rank != fault.rank and (g := apart(fault.stamp, f.stamp)) is not None), None)
        when = f", {_gap(gap)} later" if gap is not None and gap >= 1 else ""
        count = ranks_named(ranks) if ranks else plural(len(effects), "other failure")
        told = f"It is the {alone} local error: {who.lower()} failed by itself (line {fault.best.line})"
        return f"{told}, and {count} then only waited or lost the connection{when}."
    if effects:
        others = (
            "the other failure in the log only follows" if len(effects) == 1 else f"{len(effects)} other failures in the log only follow"
        )
        return f"It is the {alone} error with a cause of its own; {others} from it."
    if also:
        ranks = sorted({f.rank for f in (fault, *also) if f.rank is not None})
        where = f" (ranks {ranges(ranks)})" if ranks else ""
        return f"The same fault came in {plural(1 + len(also), 'process', 'processes')}{where}; this is the earliest."
    if len(explained) == 1:
        return f"It comes before the one other failure in the log (line {explained[0].best.line}), which follows from it."
    if explained:
        return f"It comes before the {len(explained)} other failures in the log, which follow from it."
    return "It is the only failure in the log."


def why_death(suspect: Suspect, explained: Sequence[Fault]) -> tuple[str, ...]:
    """Why the end of a process is taken as the first fault."""
    death = suspect.death
    assert death is not None
    who = f"rank {death.rank}" if death.rank is not None else f"process {death.pid}" if death.pid else "the process"
    sentences = [
        f"{who.capitalize()} ended with {_ended(death)}, printed no error of its own, and no launcher line says that it was told to stop."
    ]
    ranks = ranks_of(f for f in explained if f.role == "effect")
    if ranks:
        sentences.append(f"{'Ranks' if len(ranks) > 1 else 'Rank'} {ranges(ranks)} only lost the connection to it.")
    return tuple(sentences)


def _ended(death: Death) -> str:
    return "an unknown status" if death.code is None else exit_status(death.code)


def _gap(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
