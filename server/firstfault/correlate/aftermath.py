"""Crashes of processes that were at their end already: what follows an error is no first fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firstfault.correlate.deaths import Death
from firstfault.correlate.faults import Fault

_ABORTED = frozenset({"python/terminate-called", "launch/worker-sigabrt"})
_CRASHED = frozenset({*_ABORTED, "launch/worker-sigsegv", "launch/worker-sigbus", "launch/worker-sigill", "structure/native-crash"})


class Ending:
    """The processes that an error brought to their end which only tells of another process: a lost connection, a time-out."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        errors = [f for f in faults if _ends_as_effect(f)]
        self._first = {f.rank: f for f in reversed(errors) if f.rank is not None}
        self._any = bool(errors)

    def holds(self, rank: int | None) -> bool:
        """Whether this rank had come to its end so."""
        return rank in self._first

    def is_aftermath(self, fault: Fault) -> bool:
        """A crash below such an error of the same rank. An abort that names neither its process nor a reason may be one as well,
        since an interpreter that ends while native threads still run aborts like that."""
        if fault.signature not in _CRASHED:
            return False
        if fault.rank is not None:
            error = self._first.get(fault.rank)
            return error is not None and (error.source_index != fault.source_index or error.order < fault.order)
        gives_no_reason = fault.best.block is None and fault.signature in _ABORTED
        return self._any and gives_no_reason and _without_owner(fault)


def owned(faults: Sequence[Fault], deaths: Sequence[Death]) -> list[Fault]:
    """The faults, with the aborts that name no process given to the one that is said to have ended by an abort."""
    aborted = [d for d in deaths if d.code == -6 and d.failed]
    if len(aborted) != 1 or aborted[0].rank is None:
        return list(faults)
    rank = aborted[0].rank
    return [f._replace(rank=rank) if f.signature in _ABORTED and _without_owner(f) else f for f in faults]


def _ends_as_effect(fault: Fault) -> bool:
    block = fault.best.block
    return fault.role == "effect" and fault.uncaught and block is not None and block.kind == "traceback"


def _without_owner(fault: Fault) -> bool:
    return fault.rank is None and fault.pid is None and fault.best.origin.label is None
