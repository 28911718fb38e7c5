"""What a reader should know of the logs themselves: which were not there."""

from __future__ import annotations

from collections.abc import Sequence

from firstfault.correlate.decision import Decision
from firstfault.model import SourceScan
from firstfault.wording import plural, ranges

_LARGEST = 4096
"""Ranks up to which those without a log are listed."""


def absent_ranks(decision: Decision, scans: Sequence[SourceScan]) -> list[str]:
    """Ranks without a log of their own where others have one, and ranks that no line speaks of."""
    known = set(decision.ranks)
    if decision.world_size and decision.world_size <= _LARGEST:
        known |= set(range(decision.world_size))
    if not decision.incidents or not known:
        return []
    owners = _owners(scans, one_node=len(decision.hosts) < 2)
    without = sorted(known - owners) if len(owners) > 1 else []
    notes: list[str] = []
    if without:
        notes.append(f"{plural(len(without), 'rank has', 'ranks have')} no log among the given files: {ranges(without)}")
    silent = sorted(known - set(decision.ranks) - set(without))
    if silent and len(silent) < len(known):
        notes.append(f"{plural(len(silent), 'rank')} of {decision.world_size} say nothing in these logs: {ranges(silent)}")
    return notes


def _owners(scans: Sequence[SourceScan], *, one_node: bool) -> set[int]:
    """Ranks that have a file of their own, by its name."""
    named = {scan.identity.rank for scan in scans}
    if one_node:
        named |= {scan.identity.local_rank for scan in scans if scan.identity.rank is None}
    return {rank for rank in named if rank is not None}
