"""Flight-recorder dumps beside logs, or alone: time-outs name no culprit, the dumps do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from firstfault.engine import Engine
from firstfault.report import Incident, Report

from ..advise import logs
from ..read.flight import dump, entry, pickled

WATCHDOGS = "".join(logs.watchdog(rank) for rank in range(4))
"""Every rank reports a time-out, the culprit too: it went on to a collective of its own."""


def done(last: int) -> list[dict[str, Any]]:
    return [entry(n) for n in range(1, last + 1)]


def waits(seq: int, op: str = "all_reduce", **changes: Any) -> list[dict[str, Any]]:
    return [*done(seq - 1), entry(seq, op, "started", **changes)]


BEHIND = {0: waits(7), 1: waits(7), 2: done(6), 3: waits(7)}
REASON = "Rank 2 last entered all_reduce 6 of default_pg and never came to all_reduce 7, in which ranks 0, 1, 3 wait."


@pytest.fixture
def diagnose(engine: Engine, tmp_path: Path) -> Any:
    """`diagnose(dumps, **{name: log})`: the report over a folder with these files."""

    def run(dumps: Mapping[int, list[dict[str, Any]]], *, form: str = "nccl_trace_rank_{}", **texts: str) -> Report:
        for rank, entries in dumps.items():
            known = dump(entries)
            path = tmp_path / form.format(rank)
            path.write_bytes(json.dumps(known).encode() if path.suffix == ".json" else pickled(known))
        for name, text in texts.items():
            (tmp_path / f"{name}.log").write_text(text)
        return engine.diagnose([str(tmp_path)]).report

    return run


def first(report: Report) -> Incident:
    assert report.incidents, report.summary
    return report.incidents[0]


@pytest.mark.parametrize("form", ["nccl_trace_rank_{}", "comm_lib_trace_rank_{}", "fr_trace_{}.json"])
def test_a_folder_of_dumps_alone_names_the_rank_that_did_not_come(diagnose: Any, form: str) -> None:
    report = diagnose(BEHIND, form=form)
    incident = first(report)
    assert (report.verdict, incident.status, incident.signature) == ("failure", "likely", "collective/rank-stalled")
    assert (incident.initiator.rank, Path(incident.initiator.source or "").name) == (2, form.format(2))
    assert incident.why_first.startswith(f"{REASON} It made that call in train_step at /workspace/train.py:200.")
    assert report.summary.endswith(REASON)
    assert incident.collateral[0].ranks == [0, 1, 3]
    assert incident.evidence[0].role == "initiating"
    assert "last entered all_reduce SeqNum=6" in incident.evidence[0].text


def test_time_outs_of_all_ranks_are_settled_by_the_dumps(diagnose: Any) -> None:
    alone = first(diagnose({}, train=WATCHDOGS))
    assert (alone.status, alone.initiator.rank) == ("undetermined", None)
    settled = first(diagnose(BEHIND, train="".join(logs.steps(r) for r in range(4)) + WATCHDOGS))
    assert (settled.status, settled.initiator.rank, settled.signature) == ("likely", 2, "collective/rank-stalled")
    assert "Its last line is" in settled.why_first
    assert "step 3" in settled.why_first


def test_a_rank_that_had_come_to_its_end_left_early(diagnose: Any) -> None:
    ended = "[rank2]: 2026-12-01 10:00:09,000 INFO training finished, exiting\n"
    assert first(diagnose(BEHIND, train=logs.SILENT + ended)).signature == "collective/rank-left-early"


def test_the_rank_that_called_something_else_is_first(diagnose: Any) -> None:
    incident = first(diagnose({0: waits(7), 1: waits(7, "broadcast"), 2: waits(7), 3: waits(7)}, train=WATCHDOGS))
    assert (incident.signature, incident.initiator.rank, incident.status) == ("collective/mismatch", 1, "established")
    assert "rank 1 called broadcast, while ranks 0, 2, 3 called all_reduce." in incident.why_first
    assert "Rank 1 called it in train_step at /workspace/train.py:200." in incident.why_first


def test_where_all_came_the_exchange_itself_failed_and_no_rank_is_blamed(diagnose: Any) -> None:
    report = diagnose({rank: waits(7) for rank in range(4)}, train=WATCHDOGS)
    incident = first(report)
    assert (report.verdict, incident.initiator.rank) == ("undetermined", None)
    assert "none left it: the exchange itself did not come to its end" in incident.why_first


def test_the_dump_that_is_missing_may_only_not_be_among_the_files(diagnose: Any) -> None:
    report = diagnose({0: waits(7), 1: waits(7), 3: waits(7)}, train=WATCHDOGS)
    incident = first(report)
    assert (report.verdict, incident.initiator.rank) == ("undetermined", 2)
    assert "Rank 2 of default_pg wrote no flight-recorder dump" in incident.why_first
    assert any("flight-recorder dumps of rank 2" in m.fact for m in incident.missing)


def test_a_local_error_stays_first_and_the_dumps_agree(diagnose: Any) -> None:
    incident = first(diagnose(BEHIND, train=logs.LOCAL_ERROR))
    assert (incident.initiator.rank, incident.initiator.text) == (2, "KeyError: 'input_ids'")
    assert incident.why_first.endswith(f"The flight recorders agree: {REASON}")
    assert any(Path(e.source).name == "nccl_trace_rank_2" for e in incident.evidence)


def test_dumps_that_blame_another_rank_are_noted_and_change_nothing(diagnose: Any) -> None:
    report = diagnose({0: done(6), 1: waits(7), 2: waits(7), 3: waits(7)}, train=logs.LOCAL_ERROR)
    assert first(report).initiator.rank == 2
    (note,) = [n for n in report.notes if "flight-recorder" in n]
    assert note.startswith("The flight-recorder dumps of 4 ranks show: Rank 0 last entered all_reduce 6")


def test_dumps_in_which_nobody_waits_are_no_failure(diagnose: Any) -> None:
    assert diagnose({rank: done(6) for rank in range(4)}).verdict == "no-failure"


# --- the dumps that are missing ----------------------------------------------------------------------------------------


def test_missing_dumps_are_asked_for_by_their_names(diagnose: Any) -> None:
    incident = first(diagnose({}, train=WATCHDOGS))
    facts = [m.fact for m in incident.missing]
    assert any("dumps of all ranks (/tmp/nccl_trace_rank_<RANK>" in fact for fact in facts)
    (switch,) = [m for m in incident.missing if "TORCH_NCCL_DUMP_ON_TIMEOUT" in m.fact]
    assert "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1" in (switch.command or "")
    assert "NCCL RAS" in switch.fact


def test_dumps_that_are_there_are_not_asked_for(diagnose: Any) -> None:
    for dumps in (BEHIND, {rank: waits(7) for rank in range(4)}):
        incident = first(diagnose(dumps, train=WATCHDOGS))
        assert not [m.fact for m in incident.missing if "flight" in m.fact]


def test_gloo_has_no_such_dumps_to_ask_for(diagnose: Any) -> None:
    text = "RuntimeError: [../gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 12000ms for recv operation to complete"
    report = diagnose({}, train="".join(f"[rank{r}]: {text}\n" for r in range(4)))
    assert not [m.fact for i in report.incidents for m in i.missing if "TORCH_NCCL_DUMP_ON_TIMEOUT" in m.fact]
