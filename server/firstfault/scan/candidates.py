"""The lines that some literal or trigger points to: all that is ever looked at closely."""

from __future__ import annotations

from dataclasses import dataclass, field

from firstfault.scan.prefilter import Prefilter
from firstfault.scan.window import Window


@dataclass(slots=True)
class Candidate:
    """A line that some literal or trigger points to."""

    start: int
    position: int
    triggers: set[str] = field(default_factory=set[str])
    targets: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    fruitful: bool = False
    """Something was recognised here, or the line belongs to a block."""


def find_candidates(window: Window, base: int, edge: int, prefilter: Prefilter, *, wants_world: bool) -> list[Candidate]:
    """The candidates between two positions of a window, in order; without those that only tell the world size, unless wanted."""
    data = window.data
    if window.hits is None:
        hits = prefilter.scan(data if base == 0 and edge == len(data) else data[base:edge])
    else:
        base, hits = 0, window.hits_between(base, edge)
    found_lines: dict[int, Candidate] = {}
    start = end = -1
    candidate: Candidate | None = None
    for identifier, offset in hits:
        name = prefilter.trigger(identifier)
        if name == "world" and not wants_world:
            continue
        position = base + offset - 1
        if candidate is None or not start <= position < end:
            start = window.start_of(position)
            end = window.end_of(position) + 1
            candidate = found_lines.get(start)
            if candidate is None:
                candidate = found_lines[start] = Candidate(start, position)
        if name is not None:
            candidate.triggers.add(name)
            continue
        for signature, pattern in prefilter.targets(identifier):
            candidate.targets.setdefault(signature, set()).add(pattern)
    return sorted(found_lines.values(), key=lambda c: c.start)
