"""How many processes the run has, by what its logs state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from firstfault.model import Rank, SourceScan


def world_size(scans: Sequence[SourceScan], ranks: Iterable[Rank]) -> int | None:
    """The number that most lines state of the job, or the largest communicator where none does; never one too small for the
    ranks that are seen. A single line about another run, such as the one whose checkpoint is read, does not outvote the rest."""
    least = max(ranks, default=-1) + 1
    of_job: Counter[int] = Counter()
    of_groups: set[int] = set()
    for claim in (claim for scan in scans for claim in scan.worlds if claim.size >= least):
        if claim.of_job:
            of_job[claim.size] += claim.times
        else:
            of_groups.add(claim.size)
    if of_job:
        # Of two that are stated as often, the smaller one: what is larger than the ranks seen has less to say for it.
        return min(of_job, key=lambda size: (-of_job[size], size))
    return max(of_groups, default=None)
