"""Which rank the others wait for, by comparing the flight-recorder dumps of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, cast

from firstfault.flight import Collective, FlightRecord, GroupFlight
from firstfault.model import Frame, Rank
from firstfault.wording import ranks_named

Kind = Literal["mismatch", "behind", "ahead", "no-dump", "not-started", "all-entered"]

_UNEQUAL_SIZES = ("all_to_all", "alltoall", "gather", "scatter", "_v", "coalesced", "send", "recv")
"""Operations whose sizes may differ from rank to rank by right; those of the `_base` and `_into_tensor` forms may not."""
_EQUAL_SIZES = ("_all_gather_base", "_allgather_base", "_reduce_scatter_base", "all_gather_into_tensor", "reduce_scatter_tensor")


_Key = tuple[str, tuple[Rank, ...]]


class Lagging(NamedTuple):
    """The first collective that did not come to its end, and who is to blame for it."""

    kind: Kind
    ranks: tuple[Rank, ...]
    """The odd ones out; empty when the dumps show that all of them came."""
    group: str
    seq: int
    op: str
    reason: str
    """One or two sentences that can be checked against the dumps."""
    source: str
    """The dump that shows it best: the odd rank's own, or that of one that waits."""
    frame: Frame | None = None
    """Where the odd rank had got to in its own code, or where the others wait."""


def lagging(records: Iterable[FlightRecord], *, world: int | None = None) -> Lagging | None:
    """Which rank is mismatched, behind or absent at the first unfinished collective; None when the dumps show none."""
    by_rank = {r.rank: r for r in records if r.rank is not None}
    verdicts = [v for key in _keys(by_rank.values()) if (v := _judge(_Group(key, by_rank, world))) is not None]
    if not verdicts:
        return None
    waiting = _waiting(by_rank)

    def place(verdict: Lagging) -> tuple[bool, bool, bool, int]:
        mismatch = verdict.kind == "mismatch"
        held_up = any(waiting.get(r, set()) - {verdict.group} for r in verdict.ranks)
        return (not verdict.ranks, held_up and not mismatch, not mismatch, len(verdict.ranks))

    return min(verdicts, key=place)


class _Group:
    """One process group as all ranks that wrote a dump saw it."""

    def __init__(self, key: _Key, by_rank: Mapping[Rank, FlightRecord], world: int | None) -> None:
        name, told = key
        seen = {r: g for r, record in by_rank.items() for g in record.groups if g.name == name and g.members in (told, ())}
        everyone = name in ("0", "") or any(g.description == "default_pg" for g in seen.values())
        members = told or (tuple(range(world)) if world and everyone else ())
        self.seen: dict[Rank, GroupFlight] = {r: g for r, g in seen.items() if not members or r in members}
        self.members = members or tuple(sorted(seen))
        self.sources = {r: by_rank[r].source for r in self.seen}
        self.label = next((g.description for g in seen.values() if g.description), "") or f"group {name}"
        self.name = name
        self.collectives: dict[Rank, dict[int, Collective]] = {r: {c.seq: c for c in g.collectives} for r, g in self.seen.items()}
        self.enqueued = {r: g.enqueued or 0 for r, g in self.seen.items()}

    def at(self, seq: int) -> dict[Rank, Collective]:
        """The collective of that number on each rank that still has it."""
        return {r: c[seq] for r, c in self.collectives.items() if seq in c}

    def op(self, seq: int) -> str:
        """What most ranks do at that number."""
        ops = Counter(c.op for c in self.at(seq).values())
        return ops.most_common(1)[0][0] if ops else "collective"

    def verdict(self, kind: Kind, ranks: Sequence[Rank], seq: int, reason: str, *, frame: Frame | None = None) -> Lagging:
        """The verdict on the group, with the dump and the frame that show it."""
        odd = next((r for r in ranks if r in self.sources), None)
        shown = odd if odd is not None else next(iter(self.at(seq)), min(self.sources))
        last = self.collectives[shown].get(seq) or max(self.collectives[shown].values(), default=None)
        frame = frame or (last.frame if last else None)
        return Lagging(kind, tuple(ranks), self.name, seq, self.op(seq), reason, self.sources[shown], frame)


def _keys(records: Iterable[FlightRecord]) -> list[_Key]:
    """Name and members of each group: groups of other ranks may have the same name."""
    groups = [g for record in records for g in record.groups]
    told = {g.name for g in groups if g.members}
    return list(dict.fromkeys((g.name, g.members) for g in groups if g.members or g.name not in told))


def _judge(group: _Group) -> Lagging | None:
    if len(group.seen) < 2 and len(group.members) < 2:
        return None
    return _mismatch(group) or _uneven(group) or _no_dump(group) or _unfinished(group)


# --- rules, in the order in which they hold ----------------------------------------------------------------------------


def _mismatch(group: _Group) -> Lagging | None:
    """The rank that came to the collective with another operation, type or shape than the others."""
    for seq in sorted({s for c in group.collectives.values() for s in c}):
        present = group.at(seq)
        if len(present) < 2 or all(c.state == "completed" for c in present.values()):
            continue
        for what, key in _SIDES:
            sides: dict[object, list[Rank]] = {}
            for rank, collective in present.items():
                sides.setdefault(key(collective), []).append(rank)
            if len(sides) > 1:
                return _odd_side(group, seq, what, sides)
    return None


def _odd_side(group: _Group, seq: int, what: str, sides: Mapping[object, list[Rank]]) -> Lagging:
    ordered = sorted(sides.items(), key=lambda item: (len(item[1]), min(item[1])))
    (odd_value, odd), (value, most) = ordered[0], ordered[-1]
    told = len(odd) < len(most)
    head = f"At collective {seq} of {group.label}, {ranks_named(odd)} called {_side(what, odd_value)}, while {ranks_named(most)} called"
    reason = f"{head} {_side(what, value)}."
    if not told:
        reason += " Which side is wrong cannot be told from the dumps."
    return group.verdict("mismatch", sorted(odd) if told else (), seq, reason)


def _uneven(group: _Group) -> Lagging | None:
    """The ranks that have not come to a collective that the others have entered."""
    low, high = min(group.enqueued.values()), max(group.enqueued.values())
    stuck = min((c.seq for c in _open(group).values()), default=low + 1)
    if low == high or stuck <= low:
        # A device lags behind what its process enqueues: the counts differ by right beyond the collective that is stuck.
        return None
    behind = sorted(r for r, n in group.enqueued.items() if n == low)
    ahead = sorted(r for r, n in group.enqueued.items() if n > low)
    seq = low + 1
    if len(behind) > len(ahead) and len(ahead) * 2 < len(group.seen):
        reason = (
            f"{ranks_named(ahead).capitalize()} entered {group.op(seq)} {seq} of {group.label}; {ranks_named(behind)} never came to it."
        )
        return group.verdict("ahead", ahead, seq, reason + " Either those skipped it, or it is one call too many.")
    done = group.op(low) if group.at(low) else "collective"
    came = f"{ranks_named(behind).capitalize()} last entered {done} {low} of {group.label}"
    reason = f"{came} and never came to {group.op(seq)} {seq}, in which {ranks_named(ahead)} {_verb(ahead, 'waits', 'wait')}."
    frame = next((c.frame for r in behind if (c := group.collectives[r].get(low))), None)
    return group.verdict("behind", behind, seq, reason, frame=frame)


def _no_dump(group: _Group) -> Lagging | None:
    """The members that wrote no dump, while the others wait."""
    absent = sorted(set(group.members) - set(group.seen))
    waiting = _open(group)
    if not absent or not waiting or len(absent) > len(group.seen):
        return None
    seq = min(c.seq for c in waiting.values())
    reason = (
        f"{ranks_named(absent).capitalize()} of {group.label} wrote no flight-recorder dump; "
        f"{ranks_named(sorted(waiting))} {_verb(sorted(waiting), 'waits', 'wait')} in {group.op(seq)} {seq}."
    )
    return group.verdict("no-dump", absent, seq, reason)


def _unfinished(group: _Group) -> Lagging | None:
    """All came to the same collective, and it did not end: who had not begun it on the device, or nobody."""
    waiting = _open(group)
    if not waiting or len(waiting) < 2:
        return None
    seq = min(c.seq for c in waiting.values())
    states = {r: c.state for r, c in group.at(seq).items() if r in waiting}
    late = sorted(r for r, s in states.items() if s == "scheduled")
    running = sorted(r for r, s in states.items() if s == "started")
    op = group.op(seq)
    if late and running and len(late) <= len(running):
        reason = (
            f"All ranks enqueued {op} {seq} of {group.label}, but on {ranks_named(late)} it never started: "
            f"an earlier kernel still held the device; {ranks_named(running)} {_verb(running, 'waits', 'wait')} in it."
        )
        return group.verdict("not-started", late, seq, reason)
    reason = f"All {len(waiting)} ranks entered {op} {seq} of {group.label} and none left it: the exchange itself did not come to its end."
    return group.verdict("all-entered", (), seq, reason)


# --- parts ------------------------------------------------------------------------------------------------------------


def _open(group: _Group) -> dict[Rank, Collective]:
    """The first collective of each rank that it entered and has not left."""
    found: dict[Rank, Collective] = {}
    for rank, seen in group.seen.items():
        first = next((c for c in seen.collectives if not c.done), None)
        if first is not None:
            found[rank] = first
    return found


def _waiting(by_rank: Mapping[Rank, FlightRecord]) -> dict[Rank, set[str]]:
    """Groups in which a rank waits, by rank."""
    return {rank: {g.name for g in record.groups if any(not c.done for c in g.collectives)} for rank, record in by_rank.items()}


def _operation(collective: Collective) -> object:
    return collective.op


def _dtypes(collective: Collective) -> object:
    return collective.dtypes


def _shapes(collective: Collective) -> object:
    """Sizes that must agree, or nothing for an operation that lets them differ."""
    name = collective.op
    if any(part in name for part in _UNEQUAL_SIZES) and not name.startswith(_EQUAL_SIZES):
        return None
    return collective.sizes


_SIDES = (("op", _operation), ("dtype", _dtypes), ("size", _shapes))


def _side(what: str, value: object) -> str:
    if what == "op":
        return str(value)
    if not value:
        return "it without a tensor"
    if what == "dtype":
        return f"it with {', '.join(cast('tuple[str, ...]', value))}"
    return f"it with sizes {', '.join(str(list(size)) for size in cast('tuple[tuple[int, ...], ...]', value))}"


def _verb(ranks: Sequence[Rank], one: str, many: str) -> str:
    return one if len(ranks) == 1 else many
