"""Which rank each task of a job step is: its own number where every task is one process, or none where a task starts several."""

from __future__ import annotations

from collections.abc import Sequence

from firstfault.correlate.origins import origins, with_origins
from firstfault.model import Provenance, SourceScan

AGENTS = frozenset({"torchrun", "torchrun-summary", "mp.spawn", "deepspeed", "lightning"})
"""Reporters that run inside a task and start processes of their own there."""


def with_ranks_of_tasks(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with the numbers that `srun --label`, `mpirun --tag-output` and their like put before lines taken for ranks,
    unless some line shows that a task is not one rank but holds several, as with `srun torchrun`."""
    numbered = [_has_tasks(scan) for scan in scans]
    if not any(numbered) or not _are_ranks(scans):
        return list(scans)
    return [with_origins(scan, _ranked) if has_tasks else scan for scan, has_tasks in zip(scans, numbered, strict=True)]


def _has_tasks(scan: SourceScan) -> bool:
    return any(who.task is not None for who in origins(scan))


def _are_ranks(scans: Sequence[SourceScan]) -> bool:
    if any(e.task is not None and e.reporter in AGENTS for s in scans for e in s.exits):
        return False
    local_ranks: dict[int, set[int]] = {}
    for who in (who for scan in scans for who in origins(scan)):
        if who.task is None:
            continue
        if who.rank is not None and who.rank != who.task:
            return False
        if who.local_rank is not None:
            local_ranks.setdefault(who.task, set()).add(who.local_rank)
    return all(len(of_task) == 1 for of_task in local_ranks.values())


def _ranked(who: Provenance) -> Provenance:
    return who._replace(rank=who.task) if who.rank is None and who.task is not None else who
