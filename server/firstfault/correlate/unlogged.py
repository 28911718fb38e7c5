"""Ranks and hosts of the run whose own logs are not among those given: that they say nothing tells nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firstfault.correlate.hosts import short_host
from firstfault.correlate.origins import origins
from firstfault.model import Rank, SourceScan

_LARGEST = 4096
"""Processes up to which each one without a log is listed."""


def ranks_without_log(scans: Sequence[SourceScan], ranks: Iterable[Rank], world: int | None, hosts: Sequence[str]) -> frozenset[Rank]:
    """Ranks without a file of their own where others have one."""
    owners = _owners(scans, one_node=len(hosts) < 2)
    if len(owners) < 2:
        return frozenset()
    known = set(ranks) | set(range(world if world and world <= _LARGEST else 0))
    speaking = {who.rank for scan in scans if _is_log(scan) for who in origins(scan)}
    return frozenset(known - owners - speaking)


def _owners(scans: Sequence[SourceScan], *, one_node: bool) -> set[Rank]:
    """Ranks that have a file of their own, by its name."""
    logs = [scan for scan in scans if _is_log(scan)]
    named = {scan.identity.rank for scan in logs}
    if one_node:
        named |= {scan.identity.local_rank for scan in logs if scan.identity.rank is None}
    return {rank for rank in named if rank is not None}


def _is_log(scan: SourceScan) -> bool:
    """Neither a flight-recorder dump nor torchrun's record of one error: those are written beside the output of all ranks."""
    return scan.flight is None and not scan.info.name.endswith("error.json")


def hosts_without_log(scans: Sequence[SourceScan], hosts: Iterable[str]) -> tuple[str, ...]:
    """Hosts without a file of their own where others have one."""
    owners = {short_host(scan.identity.host) for scan in scans if scan.identity.host}
    return tuple(host for host in hosts if short_host(host) not in owners) if len(owners) > 1 else ()
