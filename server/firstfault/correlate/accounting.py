"""Which faults of many account for others, without asking of each pair: a few of each kind stand for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firstfault.correlate.edges import Edges
from firstfault.correlate.faults import Fault
from firstfault.correlate.hosts import short_host

_OF_TWO_PROCESSES = 2
"""An edge may ask for another process, so that of each kind two are kept."""


class Accounting:
    """Answers which faults others account for, by the edges of the catalogue."""

    def __init__(self, edges: Edges) -> None:
        self._edges = edges

    def accounts(self, cause: Fault, effect: Fault) -> bool:
        """Whether one fault accounts for another; where both could, the one that was read first does."""
        if self._edges.explanation(cause, effect) is None:
            return False
        return not (effect.order < cause.order and self._edges.explanation(effect, cause) is not None)

    def unaccounted(self, faults: Sequence[Fault]) -> list[Fault]:
        """The faults that no other of them accounts for."""
        known = _Some(faults, last=False)
        signatures = _pairs(self._edges, causes=known.signatures, effects=known.signatures)
        return [
            f
            for f in faults
            if not any(
                cause is not f and self.accounts(cause, f) for name in signatures.get(f.signature, ()) for cause in known.near(f, name)
            )
        ]

    def accounting(self, causes: Iterable[Fault], effects: Sequence[Fault], *, later: bool = False) -> Iterator[Fault]:
        """Those causes that account for some of the effects; with `later` only for what comes later, under another name."""
        causes = list(causes)
        known = _Some(effects, last=True)
        signatures = _pairs(self._edges, causes=known.signatures, effects=dict.fromkeys(c.signature for c in causes), turned=True)
        for cause in causes:
            candidates = (
                effect
                for name in signatures.get(cause.signature, ())
                if not later or name != cause.signature
                for effect in known.near(cause, name)
            )
            if any(self.accounts(cause, e) for e in candidates if not later or cause.order < e.order):
                yield cause


def _pairs(edges: Edges, *, causes: Iterable[str], effects: Iterable[str], turned: bool = False) -> dict[str, list[str]]:
    """For each of the second the first that an edge connects it with; `turned` reads the edge from the second to the first."""
    return {e: [c for c in causes if (edges.between(e, c) if turned else edges.between(c, e))] for e in effects}


class _Some:
    """Faults by signature, of which the first (or last) ones stand for all: in a process, on a host, anywhere."""

    def __init__(self, faults: Sequence[Fault], *, last: bool) -> None:
        ordered = sorted(faults, key=lambda f: f.order, reverse=last)
        timed = sorted(ordered, key=lambda f: f.stamp.seconds if f.stamp else 0.0, reverse=last)
        self._groups: dict[tuple[object, ...], dict[int, Fault]] = {}
        seen: dict[tuple[object, ...], set[object]] = {}
        for how, fault in [*(("order", f) for f in ordered), *((_clock(f), f) for f in timed)]:
            for group in _groups_of(fault):
                processes = seen.setdefault((how, *group), set())
                if len(processes) < _OF_TWO_PROCESSES and fault.process not in processes:
                    processes.add(fault.process)
                    self._groups.setdefault(group, {}).setdefault(id(fault), fault)
        self.signatures = list(dict.fromkeys(f.signature for f in ordered))

    def near(self, fault: Fault, signature: str) -> Iterator[Fault]:
        """Faults of a signature one of which accounts for a fault, or is accounted for by it, if any does."""
        for group in dict.fromkeys((*_groups_of(fault, signature), (signature, "host", None), (signature, "run"))):
            yield from self._groups.get(group, {}).values()


def _groups_of(fault: Fault, signature: str | None = None) -> tuple[tuple[object, ...], ...]:
    name = signature or fault.signature
    host = short_host(fault.host) if fault.host else None
    return ((name, "process", fault.process, fault.source_index), (name, "host", host), (name, "run"))


def _clock(fault: Fault) -> tuple[object, ...]:
    stamp = fault.stamp
    return (stamp.clock, stamp.has_date, stamp.has_year) if stamp else ()
