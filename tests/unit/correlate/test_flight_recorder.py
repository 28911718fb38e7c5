"""Who the others wait for, told by the flight-recorder dumps of all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from firstfault.correlate.flight_recorder import Lagging, lagging
from firstfault.flight import FlightRecord
from firstfault.read.flight_recorder import parse

from ..read.flight import dump, entry, pickled

Dumps = Mapping[int, Sequence[dict[str, Any]]]


def records(dumps: Dumps, *, world: int = 4, **changes: Any) -> list[FlightRecord]:
    return [
        parse(pickled(dump(entries, world=world, **changes)), name=f"trace_{rank}")._replace(rank=rank) for rank, entries in dumps.items()
    ]


def verdict(dumps: Dumps, *, world: int = 4) -> Lagging:
    found = lagging(records(dumps, world=world))
    assert found is not None
    return found


def done(last: int) -> list[dict[str, Any]]:
    return [entry(n) for n in range(1, last + 1)]


def waits(seq: int, op: str = "all_reduce", **changes: Any) -> list[dict[str, Any]]:
    return [*done(seq - 1), entry(seq, op, "started", **changes)]


def test_the_rank_that_did_not_come_is_the_one_that_the_others_wait_for() -> None:
    found = verdict({0: waits(5), 1: waits(5), 2: done(4), 3: waits(5)})
    assert (found.kind, found.ranks, found.seq, found.op, found.source) == ("behind", (2,), 5, "all_reduce", "trace_2")
    assert found.reason == "Rank 2 last entered all_reduce 4 of default_pg and never came to all_reduce 5, in which ranks 0, 1, 3 wait."
    assert found.frame is not None
    assert (found.frame.file, found.frame.line) == ("/workspace/train.py", 200)


def test_several_ranks_may_be_behind() -> None:
    assert verdict({0: waits(5), 1: done(4), 2: done(4), 3: waits(5)}).ranks == (1, 2)


def test_processes_enqueue_ahead_of_what_is_stuck() -> None:
    """What was enqueued behind the stuck collective differs by right, and is nobody's fault."""
    stuck = waits(5)
    ahead = [*stuck, entry(6, state="scheduled"), entry(7, state="scheduled")]
    found = verdict({0: ahead, 1: stuck, 2: ahead, 3: ahead})
    assert (found.kind, found.ranks, found.seq) == ("all-entered", (), 5)


def test_the_one_rank_with_a_call_too_many_is_ahead() -> None:
    found = verdict({0: done(4), 1: done(4), 2: waits(5, "broadcast"), 3: done(4)})
    assert (found.kind, found.ranks, found.op) == ("ahead", (2,), "broadcast")


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"op": "broadcast"}, "rank 1 called broadcast, while ranks 0, 2, 3 called all_reduce."),
        ({"input_sizes": [[3, 4]]}, "rank 1 called it with sizes [3, 4], while ranks 0, 2, 3 called it with sizes [8, 4]."),
        ({"input_dtypes": ["Half"]}, "rank 1 called it with Half, while ranks 0, 2, 3 called it with Float."),
        ({"input_sizes": []}, "rank 1 called it without a tensor, while ranks 0, 2, 3 called it with sizes [8, 4]."),
    ],
)
def test_the_rank_that_called_something_else_is_the_odd_one(odd: dict[str, Any], said: str) -> None:
    found = verdict({0: waits(5), 1: waits(5, **odd), 2: waits(5), 3: waits(5)})
    assert (found.kind, found.ranks, found.seq, found.source) == ("mismatch", (1,), 5, "trace_1")
    assert found.reason == f"At collective 5 of default_pg, {said}"


def test_two_sides_of_equal_size_cannot_be_told_apart() -> None:
    found = verdict({0: waits(5), 1: waits(5, "broadcast"), 2: waits(5), 3: waits(5, "broadcast")})
    assert (found.kind, found.ranks) == ("mismatch", ())
    assert found.reason.endswith("Which side is wrong cannot be told from the dumps.")


@pytest.mark.parametrize("op", ["all_to_all", "gather", "reduce_scatter_v", "scatter"])
def test_operations_whose_sizes_differ_by_right_are_no_mismatch(op: str) -> None:
    found = verdict({r: waits(5, op, input_sizes=[[r + 1, 4]]) for r in range(4)})
    assert found.kind == "all-entered"


def test_a_mismatch_that_was_survived_is_not_the_one() -> None:
    uneven = [entry(1, input_sizes=[[3]]), *(entry(n) for n in range(2, 5)), entry(5, state="started")]
    assert verdict({0: waits(5), 1: uneven, 2: done(4), 3: waits(5)}).kind == "behind"


def test_the_rank_without_a_dump_is_absent_while_the_others_wait() -> None:
    found = verdict({0: waits(5), 1: waits(5), 3: waits(5)})
    assert (found.kind, found.ranks, found.seq) == ("no-dump", (2,), 5)
    assert found.reason == "Rank 2 of default_pg wrote no flight-recorder dump; ranks 0, 1, 3 wait in all_reduce 5."


def test_dumps_that_are_mostly_missing_say_nothing_of_those_that_are() -> None:
    found = verdict({0: waits(5), 1: waits(5)}, world=64)
    assert (found.kind, found.ranks) == ("all-entered", ())


def test_a_device_that_did_not_get_to_it_holds_up_the_others() -> None:
    late = [*done(4), entry(5, state="scheduled")]
    found = verdict({0: waits(5), 1: waits(5), 2: waits(5), 3: late})
    assert (found.kind, found.ranks) == ("not-started", (3,))


AT_PEACE: list[Dumps] = [{}, {0: done(4)}, {r: done(4) for r in range(4)}, {r: [] for r in range(4)}]


@pytest.mark.parametrize("dumps", AT_PEACE)
def test_dumps_in_which_nobody_waits_accuse_nobody(dumps: Dumps) -> None:
    assert lagging(records(dumps)) is None


def test_gloo_never_says_completed_and_the_count_alone_tells() -> None:
    def gloo(last: int) -> list[dict[str, Any]]:
        return [entry(n, state="scheduled", retired=True, profiling_name="gloo:all_reduce") for n in range(1, last + 1)]

    found = lagging(records({0: gloo(4), 1: gloo(4), 2: gloo(3)}, world=3))
    assert found is not None
    assert (found.kind, found.ranks, found.seq) == ("behind", (2,), 4)


# --- several groups ---------------------------------------------------------------------------------------------------


def grouped(rank: int, groups: Mapping[str, tuple[list[int], list[dict[str, Any]]]]) -> FlightRecord:
    config = {name: {"name": name, "desc": f"tp{name}", "ranks": str(members)} for name, (members, _) in groups.items()}
    entries = [{**e, "process_group": (name, f"tp{name}")} for name, (_, own) in groups.items() for e in own]
    status = {
        name: {
            "last_enqueued_collective": max(e["collective_seq_id"] for e in own),
            "last_completed_collective": max((e["collective_seq_id"] for e in own if e["state"] == "completed"), default=-1),
            "last_started_collective": -1,
        }
        for name, (_, own) in groups.items()
    }
    return parse(pickled(dump(entries, pg_config=config, pg_status=status)), name=f"trace_{rank}")._replace(rank=rank)


def test_a_rank_that_is_itself_held_up_in_another_group_is_not_the_first() -> None:
    """Rank 1 is late in the group of all, because in its pair it waits for rank 3."""
    everyone, pair, other = [0, 1, 2, 3], [1, 3], [0, 2]
    found = lagging(
        [
            grouped(0, {"0": (everyone, waits(5)), "2": (other, done(3))}),
            grouped(1, {"0": (everyone, done(4)), "1": (pair, waits(9))}),
            grouped(2, {"0": (everyone, waits(5)), "2": (other, done(3))}),
            grouped(3, {"0": (everyone, done(4)), "1": (pair, done(8))}),
        ]
    )
    assert found is not None
    assert (found.ranks, found.group, found.seq) == ((3,), "1", 9)


def test_groups_of_other_ranks_may_have_the_same_name() -> None:
    found = lagging(
        [
            grouped(0, {"1": ([0, 1], done(30))}),
            grouped(1, {"1": ([0, 1], done(30))}),
            grouped(2, {"1": ([2, 3], waits(5))}),
            grouped(3, {"1": ([2, 3], done(4))}),
        ]
    )
    assert found is not None
    assert (found.ranks, found.seq) == ((3,), 5)
