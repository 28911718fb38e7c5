"""Which of several causes came first."""

from collections.abc import Sequence

from firstfault.correlate.accounting import Accounting
from firstfault.correlate.case import Case
from firstfault.correlate.deaths import FATAL_SIGNALS
from firstfault.correlate.faults import Fault
from firstfault.correlate.order import later
from firstfault.correlate.suspects import Suspect


def first_causes(case: Case, causes: Sequence[Fault]) -> list[Fault]:
    """Causes that no other cause accounts for, one for each kind, first of all the one that began."""
    accounting = Accounting(case.edges)
    # errors that were retried or only warned of, until a failure came that they account for
    causes = [*causes, *accounting.accounting((p.fault for p in case.passing if p.fault.best.scope == "specific"), causes, later=True)]
    left = accounting.unaccounted(causes) or causes
    by_process: dict[object, Fault] = {}
    for fault in sorted(left, key=_within_process):
        by_process.setdefault(fault.process, fault)
    ordered = sorted(by_process.values(), key=lambda f: f.order)
    chosen: dict[str, Fault] = {}
    for fault in _by_time(ordered, case):
        chosen.setdefault(fault.signature, fault)
    return list(chosen.values())


def hinted(case: Case) -> Fault | None:
    """Something that ended nothing by itself, but accounts for the effects that did: a long save before a timeout."""
    causes = (p.fault for p in case.passing if p.fault.role == "cause" and p.fault.best.scope == "specific")
    return next(Accounting(case.edges).accounting(causes, case.effects), None)


def _within_process(fault: Fault) -> tuple[bool, int]:
    return (_weak(fault), fault.order)


def _weak(fault: Fault) -> bool:
    """Known only by its type or code: a failure that the catalogue knows well explains more."""
    return fault.best.scope != "specific"


def _by_time(faults: list[Fault], case: Case) -> list[Fault]:
    """Faults with the earliest first: by the launcher's word, by comparable stamps, by their order in the log."""
    named = {d.rank for d in case.deaths.all if d.first and d.failed and d.rank is not None and d.reports[0].reporter != "torchrun-summary"}

    stamps = [f.stamp for f in faults]
    clearly, at_all = later(stamps, case.doubt), later(stamps, 0.0)

    def key(index: int) -> tuple[bool, bool, int, bool, int, int]:
        fault = faults[index]
        unnamed = fault.rank not in named if named else False
        return (fault.best.severity != "critical", unnamed, clearly[index], _weak(fault), at_all[index], fault.order)

    return [faults[index] for index in sorted(range(len(faults)), key=key)]


def death_wins(first: Fault, dead: Suspect | None, case: Case) -> bool:
    """Whether a process killed by a signal, with no error of its own, comes before the errors that others printed."""
    if dead is None or dead.death is None or dead.death.code not in FATAL_SIGNALS:
        return False
    if first.rank is not None and first.rank == dead.rank:
        return first.best.source == dead.source and dead.line is not None and dead.line < first.best.line
    if first.best.severity == "critical" or first.best.scope == "specific":
        return False
    others = [f for f in case.effects if f.rank != dead.rank]
    return bool(others) or first.best.scope == "structure"
