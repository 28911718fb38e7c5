"""The same fault in other processes: a first fault that several ranks meet at once stands in the log once for each of them."""

from __future__ import annotations

from firstfault.correlate.decision import Decided
from firstfault.correlate.faults import Fault
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.report import Incident


def same_fault_at(diagnosed: Diagnosed, first: int, last: int) -> tuple[Incident, Decided, Fault] | None:
    """The incident that another process met too, at lines `first` to `last` (1-based)."""
    for incident, decided in diagnosed.incidents:
        for fault in decided.also:
            if fault.best.source == diagnosed.source and fault.start_line <= last and first <= fault.end_line:
                return incident, decided, fault
    return None
