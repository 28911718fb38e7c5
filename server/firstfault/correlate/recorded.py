"""What the flight-recorder dumps of a run mean for the decision: time-outs name no culprit, the dumps do."""

from __future__ import annotations

from collections.abc import Sequence

from firstfault.correlate.case import Case
from firstfault.correlate.decision import Decided, Explained, Status
from firstfault.correlate.faults import Fault
from firstfault.correlate.flight_recorder import Kind, Lagging
from firstfault.correlate.phase import last_line
from firstfault.correlate.suspects import Suspect
from firstfault.model import Frame, Progress, Rank, SourceScan

_STALLED = "collective/rank-stalled"
_LEFT = "collective/rank-left-early"
_MISMATCH = "collective/mismatch"
_MEANING: dict[Kind, tuple[str, Status, float]] = {
    "mismatch": (_MISMATCH, "established", 0.9),
    "behind": (_STALLED, "likely", 0.8),
    "ahead": (_MISMATCH, "likely", 0.7),
    "not-started": (_STALLED, "likely", 0.7),
    "no-dump": (_STALLED, "undetermined", 0.45),
    "all-entered": ("collective/watchdog-timeout", "undetermined", 0.4),
}
"""What a verdict on the dumps stands for, and how sure it is."""
_MOST_LINES = 4


def by_dumps(case: Case, verdict: Lagging) -> list[Decided]:
    """The incident that the dumps of the ranks show by themselves."""
    waiting = case.waiting
    if not waiting:
        return []
    signature, status, confidence = _MEANING[verdict.kind]
    if verdict.kind == "mismatch" and not verdict.ranks:
        status, confidence = "likely", 0.7
    rank = verdict.ranks[0] if len(verdict.ranks) == 1 else None
    last = _last_line(case.scans, rank)
    if signature == _STALLED and last is not None and last.finished:
        signature = _LEFT
    suspect = _placed(_suspect(case, verdict, signature, waiting), case, rank)
    explained = tuple(
        Explained(fault=f, because="it waited in a collective, as the flight recorders show" if f.role == "effect" else "it came later")
        for f in (*case.effects, *case.wrappers)
        if not (f is suspect.fault and (f.signature == signature or f.rank == rank))
    )
    why = (verdict.reason, *_where(verdict), *_said(last))
    return [Decided(suspect=suspect, status=status, confidence=confidence, why=why, explained=explained)]


def agreeing(decided: Decided, verdict: Lagging) -> Decided:
    """An incident found by other means, with what the dumps add: their word, or the rank that the logs do not tell."""
    suspect = decided.suspect
    if verdict.reason in decided.why or suspect.rank not in (None, *verdict.ranks) or not verdict.ranks:
        return decided
    if suspect.rank is None and verdict.kind == "no-dump":
        return decided  # its dump may only not be among the files
    if suspect.rank is None and len(verdict.ranks) == 1:
        suspect = suspect._replace(rank=verdict.ranks[0])
    context = (*suspect.context, (verdict.source, 1, f"Flight recorder: {verdict.reason}"))
    why = (*decided.why, f"The flight recorders agree: {verdict.reason}")
    return decided._replace(suspect=suspect._replace(context=context), why=why)


def _suspect(case: Case, verdict: Lagging, signature: str, waiting: Sequence[Fault]) -> Suspect:
    """The odd rank by its own dump, or by that of one that waits for it."""
    rank = verdict.ranks[0] if len(verdict.ranks) == 1 else None
    fault = min(waiting, key=lambda f: (f.best.source != verdict.source, f.rank == rank, f.order))
    own = next((p for s in case.scans if s.info.name == verdict.source for p in s.progress), None)
    text = own.text if own is not None else fault.best.text
    return Suspect(
        signature=signature,
        fault=fault,
        rank=rank,
        stamp=own.origin.stamp if own is not None else fault.stamp,
        source=verdict.source,
        line=1,
        end_line=1,
        text=text,
        context=tuple((f.best.source, f.best.line, f.best.text) for f in waiting[:_MOST_LINES]),
    )


def _placed(suspect: Suspect, case: Case, rank: Rank | None) -> Suspect:
    """The suspect with the host, process and local rank that the logs tell of its rank."""
    if rank is None:
        return suspect
    last = _last_line(case.scans, rank)
    if last is not None:
        context = ((last.source, last.line, last.text), *suspect.context)
        suspect = suspect._replace(host=last.origin.host, pid=last.origin.pid, local_rank=last.origin.local_rank, context=context)
    death = next((d for d in case.deaths.all if d.rank == rank), None)
    if death is None:
        return suspect
    local = death.local_rank if death.local_rank is not None else suspect.local_rank
    return suspect._replace(death=death, host=death.host or suspect.host, pid=death.pid or suspect.pid, local_rank=local)


def _last_line(scans: Sequence[SourceScan], rank: Rank | None) -> Progress | None:
    """The last ordinary line of a rank in the logs beside the dumps."""
    own = [p for s in scans if s.flight is None for p in s.progress if rank is not None and p.origin.rank == rank]
    return own[-1] if own else None


def _where(verdict: Lagging) -> tuple[str, ...]:
    frame = verdict.frame
    if frame is None:
        return ()
    if verdict.kind == "behind":
        return (f"It made that call in {_place(frame)}.",) if len(verdict.ranks) == 1 else ()
    if verdict.kind in ("mismatch", "ahead") and len(verdict.ranks) == 1:
        return (f"Rank {verdict.ranks[0]} called it in {_place(frame)}.",)
    return (f"They called it in {_place(frame)}.",)


def _place(frame: Frame) -> str:
    return f"{frame.function} at {frame.file}:{frame.line}" if frame.line is not None else f"{frame.function} in {frame.file}"


def _said(last: Progress | None) -> tuple[str, ...]:
    return (last_line(last),) if last is not None else ()
