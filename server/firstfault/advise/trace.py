"""Lists every finding with what it was taken for and the step that took it so, for a reader who wants to check the decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from firstfault.advise.lanes import by_absence
from firstfault.advise.titles import ended, title_of
from firstfault.catalog.compiled import Catalog
from firstfault.correlate.deaths import Death
from firstfault.correlate.decision import Decided, Decision
from firstfault.correlate.faults import Fault
from firstfault.model import Finding, SourceScan
from firstfault.report import Taken, TraceStep
from firstfault.wording import shortened

_Place = tuple[str, int, str]


class _Part(NamedTuple):
    """The part of a finding in the decision."""

    taken_as: Taken
    because: str
    incident: int | None = None
    fault: Fault | None = None


def trace_of(decision: Decision, scans: Sequence[SourceScan], catalog: Catalog) -> list[TraceStep]:
    """Every finding and every reported end of a process, in reading order."""
    parts = dict(reversed(list(_parts(decision))))  # what the decision names first wins
    steps: list[TraceStep] = []
    for scan in scans:
        for finding in scan.findings:
            part = parts.get(_place(finding)) or _left_over(finding, decision)
            steps.append(_step(finding, part, catalog))
    steps += [_exit(death, decision) for death in decision.deaths]
    steps += [_absence(decided, number, catalog) for number, decided in enumerate(decision.incidents) if _is_absence(decided)]
    order = {scan.info.name: number for number, scan in enumerate(scans)}
    return sorted(steps, key=lambda s: (order.get(s.source, len(order)), s.line))


def _place(finding: Finding) -> _Place:
    return (finding.source, finding.line, finding.signature)


def _parts(decision: Decision) -> Iterator[tuple[_Place, _Part]]:
    """What the decision says of each of its faults; first of all what was taken as first."""
    for number, decided in enumerate(decision.incidents):
        yield from _suspected(decided, number)
        for fault in decided.also:
            yield from _of_fault(fault, _Part("same", "the same fault in another process, and not earlier", number, fault))
        for item in decided.explained:
            taken: Taken = item.fault.role if item.fault.role in ("effect", "wrapper") else "cause"
            yield from _of_fault(item.fault, _Part(taken, item.because, number, item.fault))
    for item in decision.passing:
        yield from _of_fault(item.fault, _Part("passing", f"it ended nothing: {item.because}", None, item.fault))


def _suspected(decided: Decided, number: int) -> Iterator[tuple[_Place, _Part]]:
    fault = decided.suspect.fault
    if fault is None:
        return
    taken: Taken = fault.role if fault.role in ("effect", "wrapper") else "cause"
    if fault.signature == decided.suspect.signature:
        first = taken == "cause" or decided.suspect.death is not None
        yield from _of_fault(fault, _Part("first" if first else taken, " ".join(decided.why), number, fault))
        return
    yield from _of_fault(fault, _Part(taken, "it tells of the first fault, which printed nothing itself", number, fault))


def _of_fault(fault: Fault, part: _Part) -> Iterator[tuple[_Place, _Part]]:
    yield _place(fault.best), part
    for other in fault.others:
        again = other.signature == fault.signature
        why = "the same block says it once more" if again else f"the same place; {fault.signature} names it best"
        yield _place(other), _Part("detail", why, part.incident, fault)


def _left_over(finding: Finding, decision: Decision) -> _Part:
    if finding.role == "notice":
        return _Part("passing", "a notice: context, not a failure by itself")
    for number, decided in enumerate(decision.incidents):
        if decided.suspect.signature == finding.signature:
            return _Part("same", "the same fault again, in the same process or as a copy of its text", number)
    return _Part("detail", "the decision did not need it")


def _step(finding: Finding, part: _Part, catalog: Catalog) -> TraceStep:
    fault = part.fault
    return TraceStep(
        source=finding.source,
        line=finding.line,
        text=shortened(finding.text, 200),
        rank=fault.rank if fault is not None else finding.origin.rank,
        host=fault.host if fault is not None else finding.origin.host,
        signature=finding.signature,
        title=title_of(finding, catalog),
        role=finding.role,
        taken_as=part.taken_as,
        incident=part.incident,
        because=part.because,
        count=finding.count,
    )


def _exit(death: Death, decision: Decision) -> TraceStep:
    report = death.reports[0]
    number = next((n for n, d in enumerate(decision.incidents) if d.suspect.death is death and d.suspect.fault is None), None)
    return TraceStep(
        source=report.source,
        line=report.line,
        text=shortened(report.text, 200),
        rank=death.rank,
        host=death.host,
        signature=death.signature,
        title=ended(death),
        role="exit",
        taken_as="exit" if number is None else "first",
        incident=number,
        because=" ".join(decision.incidents[number].why) if number is not None else _told(death),
        count=1,
    )


def _is_absence(decided: Decided) -> bool:
    """Nothing in the logs shows the first fault itself: it was concluded from who is silent, or gone."""
    suspect = decided.suspect
    fault = suspect.fault
    unseen = suspect.death is None if fault is None else fault.signature != suspect.signature
    return unseen or (suspect.death is None and by_absence(suspect))


def _absence(decided: Decided, number: int, catalog: Catalog) -> TraceStep:
    suspect = decided.suspect
    known = catalog.by_id.get(suspect.signature)
    source, line, text = suspect.context[0] if suspect.context else (suspect.source or "", suspect.line or 1, suspect.text or "")
    return TraceStep(
        source=source,
        line=line,
        text=shortened(text, 200),
        rank=suspect.rank,
        host=suspect.host,
        signature=suspect.signature,
        title=known.title if known else suspect.signature,
        role="cause",
        taken_as="first",
        incident=number,
        because=" ".join(decided.why),
        count=1,
    )


def _told(death: Death) -> str:
    reporters = " and ".join(dict.fromkeys(r.reporter for r in death.reports))
    if death.told:
        return f"the launcher ended this process itself (told by {reporters})"
    if death.first:
        return f"the launcher saw this end first, which does not say what failed first (told by {reporters})"
    return f"how the process ended, told by {reporters}"
