"""How each process of the run ended, put together from everything that launchers, shells and schedulers say."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from firstfault.correlate.endings import ends_well
from firstfault.correlate.hosts import same_host
from firstfault.model import ProcessExit, SourceScan, Stamp

SIGNATURES = {
    -9: "launch/worker-sigkill",
    -11: "launch/worker-sigsegv",
    -7: "launch/worker-sigbus",
    -6: "launch/worker-sigabrt",
    -4: "launch/worker-sigill",
    -15: "launch/worker-sigterm",
    -1: "launch/sighup",
    -2: "launch/interrupted",
}
FATAL_SIGNALS = frozenset({-9, -11, -7, -4, -8})
"""Signals that the launcher does not send on its own: they speak of the process itself."""

_HEARSAY = frozenset({"shell", "subprocess", "container", "kubernetes", "make"})
"""Reporters whose sentences also stand in the output of tests and supervisors that go on."""


class Death(NamedTuple):
    """One process and all that is said about its end."""

    rank: int | None
    local_rank: int | None
    host: str | None
    pid: int | None
    attempt: int | None
    code: int | None
    told: bool
    first: bool
    stamp: Stamp | None
    reports: tuple[ProcessExit, ...]
    source_index: int

    @property
    def signature(self) -> str:
        """Catalogue id of this way to die."""
        if self.code is None:
            return "launch/worker-exit-nonzero"
        return SIGNATURES.get(self.code, "launch/worker-exit-nonzero" if self.code > 0 else "launch/worker-sigabrt")

    @property
    def failed(self) -> bool:
        """The process failed by itself, not because its launcher ended it."""
        if self.code == -15:
            if all(r.reporter in _HEARSAY for r in self.reports):
                return True
            own_word = any(r.reporter == "torchrun" and r.code == -15 and not r.told for r in self.reports)
            return own_word and not any(r.told and r.reporter != "torchrun-summary" for r in self.reports)
        return not self.told and self.code not in (0, None)


class Deaths:
    """All ends of processes in a run, with the ranks that they belong to."""

    def __init__(self, scans: Sequence[SourceScan]) -> None:
        exits = [(i, e) for i, s in enumerate(scans) for e in _with_codes(s.exits)]
        self.rank_of_pid = {e.pid: e.rank for _, e in exits if e.pid is not None and e.rank is not None}
        self._rank_of_local: dict[tuple[str | None, int], int] = {}
        for _, e in exits:
            if e.rank is not None and e.local_rank is not None:
                self._rank_of_local[(e.host, e.local_rank)] = e.rank
        self.all = _credible(self._merge(exits), scans)
        self.rank_of_pid |= {d.pid: d.rank for d in self.all if d.pid is not None and d.rank is not None}
        self.rank_of_spawned = _spawned(scans)

    def rank_of_local(self, local_rank: int | None, host: str | None) -> int | None:
        """Global rank of a local rank where the launcher's summary tells it."""
        if local_rank is None:
            return None
        known = {r for (h, lr), r in self._rank_of_local.items() if lr == local_rank and same_host(h, host) is not False}
        return known.pop() if len(known) == 1 else None

    def _merge(self, exits: Iterable[tuple[int, ProcessExit]]) -> tuple[Death, ...]:
        merged: dict[tuple[object, ...], Death] = {}
        exits = list(exits)
        single = len({e.host for _, e in exits if e.host}) <= 1 and len({i for i, e in exits if e.local_rank is not None}) <= 1
        for index, report in exits:
            rank = report.rank if report.rank is not None or report.pid is None else self.rank_of_pid.get(report.pid)
            if rank is None:
                rank = self.rank_of_local(report.local_rank, report.host)
            if rank is None and single and not self._rank_of_local:
                rank = report.local_rank
            key = self._key(index, report, rank)
            earlier = merged.get(key)
            if earlier is None:
                merged[key] = _death(index, report, rank)
                continue
            merged[key] = earlier._replace(
                rank=earlier.rank if earlier.rank is not None else rank,
                local_rank=earlier.local_rank if earlier.local_rank is not None else report.local_rank,
                host=earlier.host or report.host,
                pid=earlier.pid or report.pid,
                code=earlier.code if earlier.code not in (None,) else report.code,
                told=earlier.told or report.told,
                first=earlier.first or report.first,
                stamp=earlier.stamp or report.stamp,
                reports=(*earlier.reports, report),
            )
        return tuple(merged.values())

    def _key(self, index: int, report: ProcessExit, rank: int | None) -> tuple[object, ...]:
        if report.pid is not None:
            return ("pid", report.pid)
        if rank is not None:
            pid = next((p for p, r in self.rank_of_pid.items() if r == rank), None)
            return ("pid", pid) if pid is not None else ("rank", rank)
        return ("line", index, report.line)


def _death(index: int, report: ProcessExit, rank: int | None) -> Death:
    return Death(
        rank=rank,
        local_rank=report.local_rank,
        host=report.host,
        pid=report.pid,
        attempt=report.attempt,
        code=report.code,
        told=report.told,
        first=report.first,
        stamp=report.stamp,
        reports=(report,),
        source_index=index,
    )


def _with_codes(exits: Sequence[ProcessExit]) -> Iterable[ProcessExit]:
    """mpirun names the process and its exit code, or since Open MPI 5 its signal, on two lines; they are put together."""
    waiting: ProcessExit | None = None
    for report in exits:
        if report.reporter == "mpirun" and report.rank is not None and report.code is None:
            if waiting is not None:
                yield waiting
            waiting = report
        elif report.reporter == "mpirun" and waiting is not None and report.rank is None:
            yield waiting._replace(code=report.code)
            waiting = None
        else:
            yield report
    if waiting is not None:
        yield waiting


def _spawned(scans: Sequence[SourceScan]) -> dict[tuple[int, int], int]:
    """Rank by source and line of the sentence with which mp.spawn introduces the traceback of a process."""
    return {
        (i, e.line): e.rank for i, s in enumerate(scans) for e in s.exits if e.reporter == "mp.spawn" and e.rank is not None and not e.told
    }


def _credible(deaths: Sequence[Death], scans: Sequence[SourceScan]) -> tuple[Death, ...]:
    """Deaths without the hearsay of sources that went on and ended well."""
    good = [ends_well(s) for s in scans]
    return tuple(d for d in deaths if not (good[d.source_index] and d.rank is None and _hearsay(d, scans[d.source_index].info.lines)))


def _hearsay(death: Death, lines: int) -> bool:
    return all(r.reporter in _HEARSAY and r.line < lines - 1 for r in death.reports)
