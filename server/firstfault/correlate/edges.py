"""Which fault accounts for which: the edges that the catalogue and the cascades file give."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, cast

from firstfault.catalog.compiled import Catalog, Signature
from firstfault.correlate.faults import Fault
from firstfault.correlate.hosts import same_host
from firstfault.correlate.order import apart


class Edge(NamedTuple):
    """Faults of `causes` account for faults of `effects`."""

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    same: str
    within: float
    because: str

    def holds(self, cause: Fault, effect: Fault) -> bool:
        """Whether place and time of two faults with the right signatures fit the edge."""
        one_process = cause.process == effect.process
        if self.same == "process" and not one_process:
            return False
        if self.same == "other" and (one_process or cause.rank is None or effect.rank is None):
            return False
        if self.same == "host" and same_host(cause.host, effect.host) is False:
            return False
        if one_process and cause.source_index == effect.source_index and cause.order < effect.order:
            return True  # a process says things in order, whatever stamps it gives them
        gap = apart(cause.stamp, effect.stamp)
        return gap is None or -self.within <= gap


def _any(patterns: Sequence[str], signature: str) -> bool:
    return any(fnmatchcase(signature, p) for p in patterns)


class Edges:
    """All edges of a catalogue, looked up by the two signatures."""

    def __init__(self, catalog: Catalog) -> None:
        self._all = [*map(_of_signature, (s for s in catalog.signatures if s.explains)), *map(_of_row, catalog.cascades)]
        self._between: dict[tuple[str, str], tuple[Edge, ...]] = {}

    def explanation(self, cause: Fault, effect: Fault) -> str | None:
        """Why one fault accounts for another, or None."""
        for edge in self.between(cause.signature, effect.signature):
            if edge.holds(cause, effect):
                return edge.because
        return None

    def between(self, cause: str, effect: str) -> tuple[Edge, ...]:
        """Edges that lead from one signature to another."""
        key = (cause, effect)
        if key not in self._between:
            self._between[key] = tuple(e for e in self._all if _any(e.causes, cause) and _any(e.effects, effect))
        return self._between[key]


def _of_signature(signature: Signature) -> Edge:
    title = signature.title if signature.title[:2].isupper() else signature.title[0].lower() + signature.title[1:]
    return Edge((signature.id,), tuple(sorted(signature.explains)), "run", 120.0, f"an effect of {title}")


def _of_row(row: Mapping[str, Any]) -> Edge:
    return Edge(
        tuple(cast("list[str]", row["from"])),
        tuple(cast("list[str]", row["to"])),
        str(row.get("same", "run")),
        float(row.get("within", 120)),
        str(row["because"]),
    )
