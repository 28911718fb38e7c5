"""Finds the odd rank out of a mismatched collective, by comparing what all ranks say they ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from firstfault.lazy import Lazy
from firstfault.wording import ranks_named

_RUNNING = Lazy(r"[Rr]ank (?P<rank>\d+) is running collective: (?P<what>.{1,2000}?)(?=, but [Rr]ank \d|\.\s?Collectives? differ|\n|$)")


class OddRank(NamedTuple):
    """Which rank ran another collective than the rest."""

    rank: int | None
    """None where the logs do not tell: the rank that reports a mismatch may be the one that was right."""
    why: str


def odd_rank(texts: Iterable[str]) -> OddRank:
    """The one rank that ran something else than all others, by what reports of a mismatch say that each rank ran."""
    ran: dict[int, str] = {}
    for text in texts:
        for match in _RUNNING.finditer(text):
            ran.setdefault(int(match["rank"]), " ".join(match["what"].split()))
    counts = Counter(ran.values())
    if len(ran) < 3 or len(counts) != 2:
        return _untold(ran)
    (_, most), (what, least) = counts.most_common(2)
    if least != 1 or most < 2:
        return _untold(ran)
    rank = next(r for r, w in ran.items() if w == what)
    return OddRank(rank, f"Rank {rank} ran {what[:160]}, while the other {most} ranks that say it ran the same thing.")


def _untold(ran: Mapping[int, str]) -> OddRank:
    head = "It is the first report that ranks ran different collectives"
    if ran:
        sides = "; ".join(
            f"{ranks_named(sorted(r for r in ran if ran[r] == what))} ran {what[:160]}" for what in dict.fromkeys(ran.values())
        )
        return OddRank(None, f"{head}: {sides}. Which side is wrong cannot be told from this log.")
    return OddRank(None, f"{head}. A rank that reports one may be right: which rank ran something else cannot be told from this log.")
