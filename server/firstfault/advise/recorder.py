"""What flight-recorder dumps add to a report, and which of them are missing."""

from __future__ import annotations

from firstfault.correlate.decision import Decided, Decision
from firstfault.report import Missing
from firstfault.wording import plural, ranks_named

_WAITED = frozenset({"collective/watchdog-timeout", "collective/nccl-heartbeat"})
"""Time-outs of NCCL's watchdog, which a recorder would settle."""
_LARGEST = 4096
_ON = "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1"


def recorder_summary(decision: Decision) -> str:
    """A sentence behind the summary where the dumps decided."""
    found = decision.recorded
    return f" {found.reason}" if found is not None and decision.incidents and decision.incidents[0].why[0] == found.reason else ""


def recorder_notes(decision: Decision) -> list[str]:
    """What the dumps show, where something else was found to be first."""
    found = decision.recorded
    if found is None or not decision.incidents or any(found.reason in why for why in decision.incidents[0].why):
        return []
    return [f"The flight-recorder dumps of {plural(len(_dumped(decision)), 'rank')} show: {found.reason}"]


def missing_dumps(decided: Decided, decision: Decision) -> list[Missing] | None:
    """The dumps that would tell who did not join; None where none would, an empty list where all are there."""
    faults = [e.fault for e in decided.explained] + ([decided.suspect.fault] if decided.suspect.fault is not None else [])
    if not any(f.signature in _WAITED for f in faults):
        return None
    dumped = _dumped(decision)
    world = decision.world_size if decision.world_size and decision.world_size <= _LARGEST else 0
    absent = sorted((set(decision.ranks) | set(range(world))) - dumped)
    if dumped and not absent:
        return []
    whose = ranks_named(absent) if dumped else "all ranks"
    return [
        Missing(
            fact=f"the flight-recorder dumps of {whose} (/tmp/nccl_trace_rank_<RANK>, or where TORCH_NCCL_DEBUG_INFO_TEMP_FILE or "
            "TORCH_FR_DUMP_TEMP_FILE said); give them beside the logs",
            command="ls -l /tmp/nccl_trace_rank_*",
            would_show="which rank did not come to the collective, or came with another one, and the line of its program",
        ),
        Missing(
            fact="if there are none: a run with the flight recorder on (TORCH_NCCL_TRACE_BUFFER_SIZE, in newer PyTorch "
            "TORCH_FR_BUFFER_SIZE, and TORCH_NCCL_DUMP_ON_TIMEOUT), or the answer of NCCL RAS (NCCL 2.24 and later) while it hangs",
            command=f"{_ON}; ncclras",
            would_show="the same, for the next time",
        ),
    ]


def _dumped(decision: Decision) -> set[int]:
    return {s.flight.rank for s in decision.scans if s.flight is not None and s.flight.rank is not None}
