"""What NCCL's RAS client prints: who does not answer, and who is behind."""

from __future__ import annotations

import json

import pytest

from firstfault.blocks.ras import RasProcess, is_ras, read_ras

HEAD = """\
Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4        7-8            1         32       32

Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
"""
MISSING = (
    HEAD
    + """\
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE

Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 3487984 on node 172.16.64.213 managing GPU 5

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21
"""
)
BEHIND = (
    HEAD
    + """\
    0         1         4         8        32        32   RUNNING  MISMATCH

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  30 ranks have launched up to operation 6650
  2 ranks have launched up to operation 6649
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
  Rank 2 -- GPU 2 managed by process 483074 on node 172.16.64.210
"""
)
DEAD = MISSING.replace(
    "INCOMPLETE\n  Missing communicator data from 1 job process", "DEAD\n  1 job process is considered dead (unreachable)"
)
JSON = json.dumps(
    {
        "nccl_version": "2.29.1",
        "communicators_count": 1,
        "communicators": [
            {
                "hash": "0xae94423cfbb2ef4a",
                "missing_ranks": [
                    {"rank": 21, "host": "172.16.64.213", "pid": 3487984, "cuda_dev": 5, "status": {"considered_dead": True}},
                ],
            }
        ],
    },
    indent=2,
)


@pytest.mark.parametrize("text", [HEAD, MISSING, BEHIND, DEAD, JSON, "NCCL version 2.27.3\n" + MISSING])
def test_an_answer_is_known_by_its_headings(text: str) -> None:
    assert is_ras(text.splitlines())


@pytest.mark.parametrize("text", ["", "step 1\n", "NCCL INFO comm 0x1 rank 3 nranks 16\n", "{}"])
def test_other_text_is_none(text: str) -> None:
    assert not is_ras(text.splitlines())


@pytest.mark.parametrize(("text", "dead"), [(MISSING, False), (DEAD, True), (JSON, True)], ids=["silent", "dead", "JSON"])
def test_the_missing_rank_and_its_process_are_named(text: str, dead: bool) -> None:
    status = read_ras(text.splitlines())
    assert [m.ranks for m in status.missing] == [(21,)]
    (process,) = status.processes
    assert process == RasProcess("172.16.64.213", 3487984, 5, dead, process.line)
    assert status.behind == ()


@pytest.mark.parametrize(("listed", "ranks"), [("21", (21,)), ("3, 21", (3, 21)), ("8-11", (8, 9, 10, 11)), ("0,8-10", (0, 8, 9, 10))])
def test_missing_ranks_may_be_listed(listed: str, ranks: tuple[int, ...]) -> None:
    (missing,) = read_ras(f"#0-0 (cf26) INCOMPLETE\n  The missing ranks: {listed}\n".splitlines()).missing
    assert (missing.ranks, missing.communicator, missing.line) == (ranks, "cf26", 2)


def test_ranks_that_are_behind_are_those_with_fewer_operations() -> None:
    status = read_ras(BEHIND.splitlines())
    assert [(b.ranks, b.operations, b.most) for b in status.behind] == [((0, 2), 6649, 6650)]
    assert status.missing == ()


def test_a_healthy_answer_names_nobody() -> None:
    status = read_ras((HEAD + "    0         8         4         1         4        32   RUNNING      OK\n").splitlines())
    assert (status.missing, status.processes, status.behind) == ((), (), ())


def test_broken_json_names_nobody() -> None:
    assert read_ras(JSON[:-30].splitlines()).missing == ()
