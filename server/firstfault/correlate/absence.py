"""Finds the culprit that says nothing: the rank that is named as missing, silent, behind, or gone early."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from firstfault.correlate.case import Case
from firstfault.correlate.deaths import Death
from firstfault.correlate.faults import Fault
from firstfault.lazy import Lazy
from firstfault.model import Progress
from firstfault.wording import ranks_named

_NAMED = (
    Lazy(r"Ranks? (?P<ranks>\d+(?:, ?\d+)*) failed to pass monitoredBarrier"),
    Lazy(r"\[Rank 0\]: Rank (?P<ranks>\d+) failed to pass monitoredBarrier"),
    Lazy(r"wait timeout after .{0,200}?keys: \S*/(?P<ranks>\d+)(?=[,\s]|$)"),
    Lazy(r"[Ff]inished collective #\d+, but didn't join collective #\d+.*?\[(?P<ranks>\d+)\]"),
    Lazy(r"replica:\d+/task:(?P<ranks>\d+)"),
    Lazy(r"missing ranks?:? \[?(?P<ranks>\d+(?:, ?\d+)*)\]?"),
)
_JOINED = Lazy(r"(?P<joined>\d+)/(?P<of>\d+) clients joined")


TIMEOUTS = frozenset(
    {
        "collective/watchdog-timeout",
        "collective/gloo-timeout",
        "collective/nccl-heartbeat",
        "collective/monitored-barrier",
        "launch/store-wait-timeout",
    }
)
"""Effects that say that somebody waited in vain, rather than that a connection broke."""


_LOST_PEER = "launch/peer-connection-closed"
_FEWEST_THAT_GAVE_UP = 2
"""Ranks that timed out, so that the one that did not is odd."""
_TERMINATED = "launch/worker-sigterm"
"""Said of a process that its launcher ended, it is no error of that process."""


class Absent(NamedTuple):
    """The rank that the others waited for, and how one knows."""

    rank: int
    why: str
    left: bool
    """It had come to its end, rather than being stuck."""
    progress: Progress | None
    evidence: Fault | None
    named: bool
    unseen: bool
    """Its own log is not among those given, so that its silence tells nothing."""
    never_started: bool = False
    """Nothing was ever heard of such a rank: the world is said to be larger than what was started."""


class _Scene(NamedTuple):
    """What the rules look at."""

    effects: Sequence[Fault]
    last: Mapping[int, Progress]
    """The last ordinary line of each rank."""
    deaths: Sequence[Death]
    world: int | None
    seen: frozenset[int]
    unlogged: frozenset[int]


def find_absent(case: Case, effects: Sequence[Fault]) -> Absent | None:
    """The one rank that explains the others' waiting, or None where the logs do not tell it."""
    progress = sorted((p for s in case.scans for p in s.progress), key=lambda p: p.line)
    last = {p.origin.rank: p for p in progress if p.origin.rank is not None}
    scene = _Scene(effects, last, case.deaths.all, case.world, case.ranks, case.unlogged)
    for rule in (_by_count, _named, _by_missing_log, _by_exit, _late, _by_step, _by_silence):
        absent = rule(scene)
        if absent is not None:
            return absent
    return None


def _absent(scene: _Scene, rank: int, why: str, *, evidence: Fault | None = None, named: bool = False) -> Absent:
    progress = scene.last.get(rank)
    left = bool(progress and progress.finished)
    unseen = rank in scene.unlogged
    if unseen:
        why += "; its own log is not among the given files"
    return Absent(rank=rank, why=why, left=left, progress=progress, evidence=evidence, named=named, unseen=unseen)


def _by_count(scene: _Scene) -> Absent | None:
    """Processes that never joined, where the store counted them and every rank below spoke."""
    for fault in scene.effects:
        match = _JOINED.search(fault.best.text)
        if match and scene.seen == frozenset(range(int(match["joined"]))):
            joined, wanted = int(match["joined"]), int(match["of"])
            who = f"rank {joined}" if wanted == joined + 1 else f"ranks {joined} to {wanted - 1}"
            why = f"The store waited for {wanted} processes and {joined} joined; no log speaks of {who}"
            return _absent(scene, joined, why, evidence=fault, named=True)._replace(never_started=True)
    return None


def _named(scene: _Scene) -> Absent | None:
    """The rank that the others name; where the named one names another in its turn, the end of that chain."""
    named = {fault.rank: (rank, fault) for fault in scene.effects if (rank := _named_by(fault)) is not None}
    if not named:
        return None
    rank, fault = next(iter(named.values()))
    for _ in named:
        if rank not in named or named[rank][0] == fault.rank:
            break
        rank, fault = named[rank]
    who = f"Rank {fault.rank}" if fault.rank is not None else "The log"
    why = f"{who} names rank {rank} as the one that did not arrive"
    never = bool(scene.seen) and rank not in scene.seen and rank > max(scene.seen)
    if never:
        why += f"; no log speaks of such a rank, only of ranks up to {max(scene.seen)}"
    return _absent(scene, rank, why, evidence=fault, named=True)._replace(never_started=never)


def _named_by(fault: Fault) -> int | None:
    for pattern in _NAMED:
        match = pattern.search(fault.best.text)
        if match:
            ranks = [int(r) for r in re.findall(r"\d+", match["ranks"])]
            if len(ranks) == 1 and ranks[0] != fault.rank:
                return ranks[0]
    return None


def _by_missing_log(scene: _Scene) -> Absent | None:
    """A rank that failed by its launcher's word, and whose log is not there to say why; where the others waited in vain until
    they gave up, it may have done just that."""
    if any(f.signature in TIMEOUTS for f in scene.effects):
        return None
    failed = sorted({d.rank for d in scene.deaths if d.failed and d.rank is not None and d.rank in scene.unlogged})
    if len(failed) != 1:
        return None
    return _absent(scene, failed[0], f"The launcher reports that rank {failed[0]} failed by itself")


def _by_exit(scene: _Scene) -> Absent | None:
    """A rank that was alive (ended by the launcher) or left with 0 while every other one failed on its own."""
    known = {d.rank: d for d in scene.deaths if d.rank is not None}
    ended = {r for r, d in known.items() if d.told}
    failing = {f.rank for f in scene.effects if f.rank is not None and not (f.signature == _TERMINATED and f.rank in ended)}
    failing |= {r for r, d in known.items() if d.failed}
    if any(f.rank is None for f in scene.effects) and not scene.deaths:
        return None
    everyone = set(range(scene.world)) if scene.world else set(known) | failing | set(scene.seen)
    quiet = sorted(r for r in everyone if r not in failing)
    if len(quiet) == 1 and len(failing) >= 1:
        rank = quiet[0]
        death = known.get(rank)
        if rank in scene.unlogged:
            why = f"Every other rank reports that it waited, and nothing is known of rank {rank}"
        elif death is not None and death.told:
            why = f"Rank {rank} has no error of its own and was still alive when the launcher ended it; every other rank reports that it waited"
        elif death is None and _not_in_summary(scene, rank):
            why = f"torchrun names every process that failed or that it stopped, and rank {rank} is not among them: it had ended with exit code 0"
            return _absent(scene, rank, why)._replace(left=True)
        else:
            why = f"Rank {rank} is the only one of {len(everyone)} without an error of its own; every other rank waited"
        return _absent(scene, rank, why)
    return None


def _not_in_summary(scene: _Scene, rank: int) -> bool:
    """Whether a summary of torchrun, which is that of one node, leaves out a rank of this node."""
    listed = [r for d in scene.deaths for r in d.reports if r.reporter == "torchrun-summary"]
    one_node = len(listed) > 1 and all(r.rank == r.local_rank for r in listed) and len({r.host for r in listed}) == 1
    return one_node and rank in scene.last and all(r.source == scene.last[rank].source for r in listed)


def _late(scene: _Scene) -> Absent | None:
    """A rank that came to the collective when all others had given it up: they timed out, and it then found their connections closed."""
    first: dict[int, Fault] = {}
    for fault in scene.effects:
        if fault.rank is not None and fault.uncaught:
            first.setdefault(fault.rank, fault)
    gave_up = [f for f in first.values() if f.signature in TIMEOUTS]
    others = [f for f in first.values() if f.signature == _LOST_PEER]
    everyone = set(range(scene.world or len({d.rank for d in scene.deaths if d.rank is not None})))
    if len(gave_up) < _FEWEST_THAT_GAVE_UP or len(others) != 1 or set(first) != everyone or len(gave_up) + 1 != len(first):
        return None
    late = others[0]
    if late.rank is None or late.order < min(f.order for f in gave_up):
        return None
    who = ranks_named(sorted(f.rank for f in gave_up if f.rank is not None)).capitalize()
    why = f"{who} timed out waiting; rank {late.rank} alone did not, and then found their connections closed: it came too late"
    return _absent(scene, late.rank, why, evidence=late)


def _by_step(scene: _Scene) -> Absent | None:
    steps = {r: p.step for r, p in scene.last.items() if p.step is not None}
    if len(steps) < 2:
        return None
    lowest = min(steps.values())
    behind = [r for r, s in steps.items() if s == lowest]
    if len(behind) == 1 and max(steps.values()) > lowest:
        others = sorted(v for r, v in steps.items() if r != behind[0])
        return _absent(scene, behind[0], f"Rank {behind[0]} logged step {lowest} last; the others reached step {others[0]}")
    return None


def _by_silence(scene: _Scene) -> Absent | None:
    finished = [r for r, p in scene.last.items() if p.finished]
    if len(finished) == 1 and len(scene.last) > 1:
        return _absent(scene, finished[0], f"Rank {finished[0]} had come to its end; the others still waited for it")
    return None


def ranks_of(faults: Iterable[Fault]) -> list[int]:
    """Ranks of faults, sorted."""
    return sorted({f.rank for f in faults if f.rank is not None})
