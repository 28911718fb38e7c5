"""Which fault accounts for which: the edges that the catalogue and the cascades file give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast

from firstfault.catalog.compiled import Catalog
from firstfault.correlate.faults import Fault
from firstfault.correlate.order import apart


@dataclass(frozen=True, slots=True)
class Edge:
    """Faults of `causes` account for faults of `effects`."""

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    same: str
    within: float
    because: str

    def holds(self, cause: Fault, effect: Fault) -> bool:
        """Whether the edge leads from one fault to the other."""
        if not _any(self.causes, cause.signature) or not _any(self.effects, effect.signature):
            return False
        if self.same == "process" and cause.process != effect.process:
            return False
        if self.same == "host" and cause.host and effect.host and cause.host.split(".")[0] != effect.host.split(".")[0]:
            return False
        gap = apart(cause.stamp, effect.stamp)
        return gap is None or -self.within <= gap


def _any(patterns: Sequence[str], signature: str) -> bool:
    return any(fnmatchcase(signature, p) for p in patterns)


def edges(catalog: Catalog) -> tuple[Edge, ...]:
    """All edges of a catalogue, from entries and from classes."""
    out = [
        Edge((s.id,), tuple(sorted(s.explains)), "run", 120.0, f"an effect of {s.title[0].lower() + s.title[1:] if not s.title[:2].isupper() else s.title}")
        for s in catalog.signatures
        if s.explains
    ]
    for row in catalog.cascades:
        out.append(_edge(row))
    return tuple(out)


def _edge(row: Mapping[str, Any]) -> Edge:
    return Edge(
        tuple(cast("list[str]", row["from"])),
        tuple(cast("list[str]", row["to"])),
        str(row.get("same", "run")),
        float(row.get("within", 120)),
        str(row["because"]),
    )


def explanation(cause: Fault, effect: Fault, known: Sequence[Edge]) -> str | None:
    """Why one fault accounts for another, or None."""
    for edge in known:
        if edge.holds(cause, effect):
            return edge.because
    return None
