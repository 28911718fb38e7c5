"""Files of single processes that say themselves which rank they are, whatever the files are called."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import gcd

from firstfault.correlate.origins import origins, with_origins
from firstfault.correlate.tasks import AGENTS
from firstfault.model import Provenance, Rank, SourceScan

_LAUNCHERS = AGENTS | {"mpirun", "srun"}


def with_introduced_ranks(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans of a run in which every file speaks of one rank alone, each of another, with that rank for all their lines. Where
    the ranks lie apart by a stride, as 0, 8, 16, the files are those of nodes of which only the first process says its rank."""
    ranks = {index: rank for index, scan in enumerate(scans) if (rank := _introduced(scan)) is not None}
    known = sorted(set(ranks.values()))
    stride = gcd(*(later - earlier for earlier, later in pairwise(known))) if len(known) > 1 else 0
    if stride != 1:
        return list(scans)
    return [_of_rank(scan, ranks[index]) if index in ranks else scan for index, scan in enumerate(scans)]


def _introduced(scan: SourceScan) -> Rank | None:
    """The only rank that a file speaks of, where no multiplexer, launcher or name says that it holds more."""
    introduced = {i.rank for i in scan.introductions if i.itself}
    if len(introduced) != 1 or any(e.reporter in _LAUNCHERS for e in scan.exits):
        return None
    (rank,) = introduced
    said = list(origins(scan))
    if any(who.rank not in (None, rank) or who.local_rank is not None or who.host != scan.identity.host for who in said):
        return None
    return rank if len({(who.label, who.task) for who in said if who is not scan.identity}) <= 1 else None


def _of_rank(scan: SourceScan, rank: Rank) -> SourceScan:
    def named(who: Provenance) -> Provenance:
        return who._replace(rank=rank) if who.rank is None else who

    return with_origins(scan, named)
