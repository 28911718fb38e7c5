"""Finds the odd rank out of a mismatched collective, by comparing what all ranks say they ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from firstfault.lazy import Lazy

_RUNNING = Lazy(r"[Rr]ank (?P<rank>\d+) is running collective: (?P<what>.{1,2000}?)(?=, but [Rr]ank \d|\.\s?Collectives? differ|\n|$)")


def odd_rank(texts: Iterable[str]) -> tuple[int, str] | None:
    """The one rank that ran something else than all others, with the sentence that says so; None where none stands out."""
    ran: dict[int, str] = {}
    for text in texts:
        for match in _RUNNING.finditer(text):
            ran.setdefault(int(match["rank"]), " ".join(match["what"].split()))
    counts = Counter(ran.values())
    if len(ran) < 3 or len(counts) != 2:
        return None
    (_, most), (what, least) = counts.most_common(2)
    if least != 1 or most < 2:
        return None
    rank = next(r for r, w in ran.items() if w == what)
    return rank, f"Rank {rank} ran {what[:160]}, while the other {most} ranks that say it ran the same thing"
