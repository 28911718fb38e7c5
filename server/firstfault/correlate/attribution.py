"""Gives faults that name no rank to the rank that they belong to: by pid, by local rank, by what a multiplexer says, by elimination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from firstfault.correlate.aftermath import owned
from firstfault.correlate.deaths import Death, Deaths
from firstfault.correlate.faults import Fault
from firstfault.correlate.origins import origins
from firstfault.lazy import Lazy
from firstfault.model import Introduction, ProcessExit, Provenance, SourceScan

_Voice = tuple[str | None, int | None]
"""Label and task that a multiplexer put before a line: a launcher and the processes that it started share it."""
_OF_WHOLE_JOBS = frozenset({"launch/interrupted", "scheduler/slurm-time-limit", "scheduler/slurm-cancelled", "scheduler/slurm-preempted"})
"""What ends all processes of a job names none of them, though it stands behind the label of a task."""
_Spoken = Mapping[str, frozenset[int]]
"""Ranks that a source speaks of behind each label."""


def attributed(faults: Sequence[Fault], deaths: Deaths, scans: Sequence[SourceScan]) -> list[Fault]:
    """The faults, each with the rank that can be told."""
    labels = [_ranks_by_label(scan) for scan in scans]
    introduced = _Introduced(scans)
    several_nodes = _several_nodes(scans)
    placed = [
        fault._replace(rank=None)
        if fault.signature in _OF_WHOLE_JOBS
        else _placed(fault, deaths, introduced, labels[fault.source_index], several_nodes=several_nodes)
        for fault in faults
    ]
    return _by_elimination(owned(placed, deaths.all), deaths.all)


_PCI = Lazy(r"(?:(?P<domain>[0-9a-fA-F]{4,8}):)?(?P<bus>[0-9a-fA-F]{2}):(?P<device>[0-9a-fA-F]{2})(?:\.(?P<function>[0-7]))?$")


class _Introduced:
    """Processes whose rank some line tells, by host and pid, and by host and GPU."""

    def __init__(self, scans: Sequence[SourceScan]) -> None:
        said: dict[tuple[int, str | None], list[Introduction]] = {}
        for introduction in (i for scan in scans for i in scan.introductions):
            if introduction.pid is not None:
                said.setdefault((introduction.pid, introduction.host), []).append(introduction)
        spoken: dict[tuple[int | None, str | None], set[int]] = {}
        for who in (who for scan in scans for who in origins(scan)):
            if who.rank is not None:
                spoken.setdefault((who.pid, who.host), set()).add(who.rank)
        self._ranks: dict[int, dict[str | None, int]] = {}
        for (pid, host), of_process in said.items():
            # Of several communicators of a process, the one of most members is that of the job.
            most = max(i.members or 0 for i in of_process)
            ranks = {i.rank for i in of_process if (i.members or 0) == most}
            if len(ranks | spoken.get((pid, host), set())) == 1:  # else it is a service that holds several
                self._ranks.setdefault(pid, {})[host] = ranks.pop()
        self._of_device = self._devices(said)

    def _devices(self, said: Mapping[tuple[int, str | None], Sequence[Introduction]]) -> dict[tuple[str | None, int], set[int]]:
        found: dict[tuple[str | None, int], set[int]] = {}
        for (pid, host), of_process in said.items():
            rank = self.rank_of(pid, host)
            for introduction in of_process:
                if introduction.bus is not None and rank is not None:
                    found.setdefault((host, introduction.bus), set()).add(rank)
        return found

    def rank_at(self, pci: str | None, host: str | None) -> int | None:
        """The one rank that works on the GPU at a PCI address of a host."""
        address = _PCI.match(pci) if pci else None
        if address is None:
            return None
        domain, bus, device, function = (int(part or "0", 16) for part in address.groups())
        ranks = self._of_device.get((host, domain << 20 | bus << 12 | device << 4 | function), set())
        return next(iter(ranks)) if len(ranks) == 1 else None

    def rank_of(self, pid: int | None, host: str | None) -> int | None:
        """The rank of a process; None where its pid is unknown, or used on several hosts of which none is this."""
        of_hosts = self._ranks.get(pid, {}) if pid is not None else {}
        if host in of_hosts:
            return of_hosts[host]
        return next(iter(of_hosts.values())) if len(of_hosts) == 1 and (host is None or None in of_hosts) else None


def _placed(fault: Fault, deaths: Deaths, introduced: _Introduced, spoken: _Spoken, *, several_nodes: bool) -> Fault:
    """The fault with the global rank that its pid, label or local rank stands for."""
    rank = fault.rank
    if rank is None and fault.pid is not None:
        rank = introduced.rank_of(fault.pid, fault.host)
        rank = rank if rank is not None else deaths.rank_of_pid.get(fault.pid)
    if rank is None:
        rank = introduced.rank_at(dict(fault.best.captures).get("pci"), fault.host)
    if rank is None and len(of_label := spoken.get(fault.best.origin.label or "", frozenset())) == 1:
        rank = next(iter(of_label))
    if rank is None and fault.best.block is not None:
        block = fault.best.block
        spawned = [
            r for (i, line), r in deaths.rank_of_spawned.items() if i == fault.source_index and block.start_line <= line <= block.end_line
        ]
        rank = spawned[0] if spawned else None
    if rank is None:
        rank = deaths.rank_of_local(fault.local_rank, fault.host)
    if rank is None and fault.local_rank is not None and not several_nodes:
        rank = fault.local_rank
    return fault._replace(rank=rank) if rank != fault.rank else fault


def _ranks_by_label(scan: SourceScan) -> dict[str, frozenset[int]]:
    """A pod, container or actor that speaks of one rank alone is that rank; one that speaks of several is a node."""
    said: dict[str, set[int]] = {}
    ranks = [(p.origin.label, p.origin.rank) for p in scan.progress]
    ranks += [(f.origin.label, f.origin.rank) for f in scan.findings]
    ranks += [(e.label, e.rank) for e in scan.exits] + [(i.label, i.rank) for i in scan.introductions if i.itself]
    for label, rank in ranks:
        if label is not None and rank is not None:
            said.setdefault(label, set()).add(rank)
    return {label: frozenset(of_label) for label, of_label in said.items()}


def _several_nodes(scans: Sequence[SourceScan]) -> bool:
    hosts = {s.identity.host for s in scans if s.identity.host} | {e.host for s in scans for e in s.exits if e.host}
    return len(hosts) > 1


# --- by elimination ------------------------------------------------------------------------------------------------------


def _by_elimination(faults: list[Fault], deaths: Sequence[Death]) -> list[Fault]:
    """Tracebacks without a rank belong to the one failed process that no other error belongs to, where there is just one."""
    spoken = {f.rank for f in faults if f.rank is not None}
    quiet = {voice: _quiet(of_voice, spoken) for voice, of_voice in _by_voice(deaths).items()}
    return [
        f._replace(rank=quiet.get(_voice(f.best.origin))) if f.rank is None and f.role == "cause" and f.best.block is not None else f
        for f in faults
    ]


def _voice(said: Provenance | ProcessExit) -> _Voice:
    return (said.label, said.task)


def _by_voice(deaths: Iterable[Death]) -> dict[_Voice, list[Death]]:
    found: dict[_Voice, list[Death]] = {}
    for death in deaths:
        for voice in {_voice(report) for report in death.reports}:
            found.setdefault(voice, []).append(death)
    return found


def _quiet(deaths: Sequence[Death], spoken: set[int]) -> int | None:
    """The one process that ended without an error that is known to be its own."""
    known = {d.rank for d in deaths if d.rank is not None}
    failed = {d.rank for d in deaths if d.failed and d.rank is not None}
    quiet = failed - spoken or (known - spoken if spoken else set())
    return quiet.pop() if len(quiet) == 1 and len(deaths) > 1 else None
