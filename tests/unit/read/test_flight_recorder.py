"""Dumps of PyTorch's flight recorder are data: they are read, never run."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from firstfault.engine import Engine
from firstfault.errors import UnreadableInputError
from firstfault.model import Frame
from firstfault.read.flight_recorder import is_dump, parse

from .flight import dump, entry, pickled

WAITING = dump([entry(1), entry(2), entry(3, state="started")])


@pytest.mark.parametrize("data", [pickled(WAITING), json.dumps(WAITING).encode()], ids=["pickle", "JSON"])
def test_a_dump_tells_what_a_process_did_in_each_group(data: bytes) -> None:
    assert is_dump(data)
    (group,) = parse(data).groups
    assert (group.name, group.description, group.members, group.enqueued) == ("0", "default_pg", (0, 1, 2, 3), 3)
    assert [(c.seq, c.op, c.state, c.done) for c in group.collectives] == [
        (1, "all_reduce", "completed", True),
        (2, "all_reduce", "completed", True),
        (3, "all_reduce", "started", False),
    ]
    last = group.collectives[-1]
    assert (last.sizes, last.dtypes, last.created) == (((8, 4),), ("Float",), 1796119203.0)


def test_the_frame_is_the_innermost_of_the_users_own_code() -> None:
    (group,) = parse(pickled(WAITING)).groups
    assert group.collectives[-1].frame == Frame("/workspace/train.py", 200, "train_step")


def test_a_collective_that_nobody_waits_for_any_more_counts_as_done() -> None:
    (group,) = parse(pickled(dump([entry(1, state="scheduled", retired=True)]))).groups
    assert group.collectives[0].done


def test_the_default_group_of_gloo_is_configured_under_an_empty_name() -> None:
    config = {"": {"name": "", "desc": "", "ranks": "[0, 1, 2]"}}
    (group,) = parse(pickled(dump([entry(1)], pg_config=config))).groups
    assert group.members == (0, 1, 2)


def test_sends_and_receives_are_no_collectives() -> None:
    (group,) = parse(pickled(dump([entry(1), entry(2, op="send 0->1", is_p2p=True)]))).groups
    assert [c.seq for c in group.collectives] == [1]


def test_only_the_last_collectives_are_kept() -> None:
    (group,) = parse(pickled(dump([entry(n) for n in range(1, 2001)]))).groups
    assert group.collectives[-1].seq == 2000
    assert len(group.collectives) < 100


class _Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("ran",)


def test_a_pickle_that_asks_for_code_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps({"entries": [], "pg_config": {}, "harm": _Harmful()}, protocol=2)
    with pytest.raises(UnreadableInputError, match="refused to read this pickle"):
        parse(data)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "data",
    [
        pickled(WAITING)[:-20],
        pickled(WAITING)[:40],
        pickled([1, 2, 3]),
        pickled({"entries": 3}),
        b"\x80\x02",
        b"\x80\x02}q\x00(X\x07\x00\x00\x00entriesq\x01h\x63u.",
        b'{"entries": [{"collective_seq_id": 1',
        b"[]",
    ],
)
def test_a_broken_dump_is_said_to_be_so(data: bytes) -> None:
    with pytest.raises(UnreadableInputError, match=r"^trace_0: "):
        parse(data, name="trace_0")


ODD: list[dict[str, Any]] = [
    dump([]),
    dump([entry(1, frames=None, input_sizes=None, input_dtypes=None, time_created_ns=None)]),
    dump([entry(1, state=None, process_group="0", profiling_name="")]),
    dump([entry(1, collective_seq_id="7")], pg_status=None, pg_config=None),
    {"entries": [None, 3, {}], "pg_config": [], "pg_status": {"0": 3}},
    dump([entry(1, collective_seq_id="\u00b2")], pg_config={"0": {"ranks": "[0, \u00b2, x]"}}),
    {"version": "2.1", "entries": [{"seq_id": 4, "pg_id": 1, "profiling_name": "nccl:all_reduce", "state": "scheduled"}]},
]


@pytest.mark.parametrize("known", ODD)
def test_whatever_fields_a_version_lacks_the_dump_is_read(known: dict[str, Any]) -> None:
    record = parse(pickled(known))
    assert all(isinstance(c.seq, int) for g in record.groups for c in g.collectives)


@pytest.mark.parametrize("data", [b"\x80\x04\x95", pickled({"model": [1, 2]}), b'{"entries": 3}', b"step 1\n", b"{}", b""])
def test_other_sources_are_no_dumps(data: bytes) -> None:
    assert not is_dump(data)


@pytest.mark.parametrize("nanoseconds", [10**27, 10**400, -5, 0, "soon", float("inf"), float("nan")])
def test_a_time_that_is_none_is_left_out(engine: Engine, nanoseconds: object) -> None:
    odd = dump([entry(1, state="started", time_created_ns=nanoseconds, time_discovered_completed_ns=nanoseconds)])
    (finding,) = engine.scan_blocks(iter([pickled(odd)]), "nccl_trace_rank_5").findings
    assert finding.origin.stamp is None


# --- as a source ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nccl_trace_rank_5", "comm_lib_trace_rank_5", "fr/trace_5.json", "dumps/5"])
def test_the_rank_of_a_dump_is_in_its_name(engine: Engine, name: str) -> None:
    scan = engine.scan_blocks(iter([pickled(WAITING)]), name)
    assert (scan.identity.rank, scan.info.layout, [w.size for w in scan.worlds]) == (5, "flight-recorder", [4])
    assert scan.flight is not None
    assert scan.flight.rank == 5


def test_a_process_that_still_waited_says_for_what(engine: Engine) -> None:
    (finding,) = engine.scan_blocks(iter([pickled(WAITING)]), "nccl_trace_rank_5").findings
    assert (finding.signature, finding.role, finding.line, finding.origin.rank) == ("collective/watchdog-timeout", "effect", 1, 5)
    assert dict(finding.captures) == {"seq": "3", "op": "ALL_REDUCE", "pg": "default_pg"}


def test_a_process_that_waited_for_nothing_only_says_what_it_did_last(engine: Engine) -> None:
    scan = engine.scan_blocks(iter([pickled(dump([entry(1), entry(2)]))]), "nccl_trace_rank_5")
    assert scan.findings == ()
    (last,) = scan.progress
    assert "all_reduce SeqNum=2 of default_pg" in last.text
    assert "/workspace/train.py:200" in last.text


def test_a_folder_of_dumps_is_read_as_it_lies(engine: Engine, tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickled(WAITING))
    diagnosis = engine.diagnose([str(tmp_path)])
    assert diagnosis.unreadable == ()
    assert diagnosis.report.run.ranks_seen == [0, 1]
