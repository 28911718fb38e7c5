"""The output of one known command tells more than its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstfault.engine import Engine

from ..blocks.test_ras import BEHIND, MISSING
from ..blocks.test_scheduler import EVENTS, JOB, NODE, POD, SACCT_PIPES, SACCT_WIDE
from ..blocks.test_stack_dump import DUMP
from ..read.test_json_lines import TRACEBACK


@pytest.mark.parametrize(
    ("text", "layout", "signature", "line", "host"),
    [
        (SACCT_WIDE, "sacct", "scheduler/slurm-oom", 3, None),
        (JOB, "scontrol-job", "scheduler/slurm-node-fail", 3, "node07"),
        (NODE, "scontrol-node", "scheduler/slurm-node-fail", 3, "node07"),
        (POD, "kubectl-describe", "scheduler/k8s-oomkilled", 10, "node07"),
        (EVENTS, "kubectl-events", "scheduler/k8s-evicted", 3, "node05"),
        (MISSING, "nccl-ras", "collective/rank-stalled", 24, "172.16.64.213"),
    ],
)
def test_what_a_command_shows_is_found_with_its_host(
    engine: Engine, text: str, layout: str, signature: str, line: int, host: str | None
) -> None:
    scan = engine.scan_text(text)
    assert scan.info.layout == layout
    found = next(f for f in scan.findings if f.signature == signature)
    assert (found.line, found.origin.host) == (line, host)


@pytest.mark.parametrize("state", ["TIMEOUT", "PREEMPTED", "CANCELLED by 1000"])
def test_states_that_no_pattern_of_the_catalogue_sees_are_found_too(engine: Engine, state: str) -> None:
    scan = engine.scan_text(f"JobID|JobName|State|ExitCode\n1234|train|{state}|0:0\n")
    assert len(scan.findings) == 1
    assert scan.findings[0].line == 2


@pytest.mark.parametrize("text", [SACCT_WIDE, POD, SACCT_PIPES])
def test_words_of_a_table_are_no_good_end_of_a_run(engine: Engine, text: str) -> None:
    assert engine.report([engine.scan_text(text)]).verdict != "no-failure"


def test_the_rank_that_gave_no_data_is_the_silent_one(engine: Engine) -> None:
    report = engine.report([engine.scan_text(MISSING)])
    first = report.incidents[0].initiator
    assert (first.rank, first.host, first.pid) == (21, "172.16.64.213", 3487984)


def test_counts_that_differ_leave_the_catalogue_its_say(engine: Engine) -> None:
    assert engine.scan_text(BEHIND).info.layout == "nccl-ras"


def test_a_stack_says_where_its_process_stood(engine: Engine) -> None:
    scan = engine.scan_text(DUMP, "py-spy.txt")
    (last,) = scan.progress
    assert (scan.info.layout, last.origin.pid, last.line) == ("py-spy", 4242, 10)
    assert last.text == "MainThread is in all_reduce (torch/distributed/distributed_c10d.py:2806), called from train_step at train.py:200"


def test_a_table_beside_the_logs_does_not_hide_what_they_say(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "sacct.txt").write_text(SACCT_PIPES)
    (tmp_path / "rank2.err").write_text("step 1\n" + TRACEBACK)
    report = engine.diagnose([str(tmp_path)]).report
    assert (report.incidents[0].signature, report.incidents[0].initiator.rank) == ("python/key-error", 2)


@pytest.mark.parametrize("text", ["step 1\nNamespace: ml\nstep 2\n", "config:\n  JobID: 3\n", "Job summary was written\nstep 2\n"])
def test_a_word_of_such_a_command_in_a_log_changes_nothing(engine: Engine, text: str) -> None:
    assert engine.scan_text(text).info.layout is None
