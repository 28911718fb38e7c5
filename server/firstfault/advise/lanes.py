"""Says in which lane of the timeline a fault, an exit or a line belongs: that of a rank, a process, a launcher or a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from firstfault.correlate.deaths import Death
from firstfault.correlate.decision import Decision
from firstfault.correlate.faults import Fault
from firstfault.correlate.suspects import Suspect
from firstfault.model import Progress


class LaneKey(NamedTuple):
    """What makes a lane; the order of the fields is that of the lanes on the page."""

    kind: int
    rank: int
    host: str
    name: str

    @property
    def of_process(self) -> bool:
        """A process of the run itself, rather than its launcher or kernel."""
        return self.kind < _LAUNCHER


_RANK, _PROCESS, _LAUNCHER, _KERNEL = range(4)


class Lanes:
    """Knows which pids are launchers."""

    def __init__(self, decision: Decision) -> None:
        faults = [e.fault for d in decision.incidents for e in d.explained]
        self._launchers = {(f.host, f.pid) for f in faults if f.role == "wrapper" and f.rank is None and f.pid is not None}

    def of_fault(self, fault: Fault) -> LaneKey:
        """The lane of a fault."""
        label = fault.best.origin.label
        if fault.rank is not None and fault.role != "wrapper":
            return _rank(fault.rank)
        if fault.role == "wrapper" or (fault.host, fault.pid) in self._launchers:
            return LaneKey(_LAUNCHER, 0, fault.host or "", "launcher")
        if fault.best.origin.logger == "kernel":
            return LaneKey(_KERNEL, 0, fault.host or "", "kernel")
        return _process(fault.host, fault.pid, label or "no rank given")

    def of_suspect(self, suspect: Suspect) -> LaneKey:
        """The lane of what was taken as first."""
        if suspect.rank is not None:
            return _rank(suspect.rank)
        if suspect.fault is not None:
            return self.of_fault(suspect.fault)
        return _process(suspect.host, suspect.pid, f"a process on {suspect.host}" if suspect.host else "a process")

    def of_death(self, death: Death) -> LaneKey | None:
        """The lane of a process that somebody says has ended; None for one that its launcher ended and that no rank is known of."""
        if death.rank is not None:
            return _rank(death.rank)
        return None if death.told or death.pid is None else _process(death.host, death.pid, "")

    def of_progress(self, progress: Progress) -> LaneKey | None:
        """The lane of an ordinary line; None where its writer is no known process."""
        who = progress.origin
        if who.rank is not None:
            return _rank(who.rank)
        if (who.host, who.pid) in self._launchers or (who.pid is None and who.label is None):
            return None
        return _process(who.host, who.pid, who.label or "")


def several(keys: Iterable[LaneKey]) -> bool:
    """Whether the lanes are those of more than one process."""
    return sum(key.of_process for key in keys) > 1


def by_absence(suspect: Suspect) -> bool:
    """Whether the suspect was found by what others say, and not by a line of its own."""
    fault = suspect.fault
    others = fault is not None and None not in (fault.rank, suspect.rank) and fault.rank != suspect.rank
    return others or suspect.signature.startswith(("collective/rank-", "launch/node-lost"))


def _rank(rank: int) -> LaneKey:
    return LaneKey(_RANK, rank, "", f"rank {rank}")


def _process(host: str | None, pid: int | None, name: str) -> LaneKey:
    return LaneKey(_PROCESS, 0, host or "", f"pid {pid}" if pid is not None else name)
