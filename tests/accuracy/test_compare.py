"""The comparison reads what other programs print, and leaves out what they do not speak of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.accuracy import contestants
from tests.accuracy.compare import compared, scores, table
from tests.accuracy.contestants import Answer, first_traceback, read_denpex, read_runmedic, torchrun_line
from tests.accuracy.scoring import Case

LOG = """\
starting
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 61, in main
[rank1]: ValueError: bad batch
[rank2]: KeyError: 'input_ids'
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_10:10:09
  host      : node1
  rank      : 3 (local_rank: 3)
"""
RIGHT: dict[str, Any] = {
    "accept": ["bad batch|value.?error"],
    "reject": ["key.?error"],
    "primary_lines": [4],
    "initiating_rank": 1,
    "launcher": "torchrun",
}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    (tmp_path / "log.txt").write_text(LOG)
    return Case("cases", "training", "one", tmp_path, RIGHT)


def test_torchruns_line_gives_a_rank_and_nothing_else(case: Case) -> None:
    assert torchrun_line(case).rank == 3
    assert compared(case, torchrun_line(case)) == {"rank": False}


def test_torchruns_line_is_not_asked_of_other_launchers(case: Case) -> None:
    assert compared(case, torchrun_line(Case("cases", "training", "one", case.folder, {**RIGHT, "launcher": "srun"}))) == {}


def test_the_first_traceback_ends_with_its_message(case: Case) -> None:
    answer = first_traceback(case)
    assert (answer.rank, answer.said) == (1, "ValueError: bad batch")
    assert compared(case, answer) == {"top1": True, "line": True, "rank": True}


def test_denpex_is_read_from_its_words_and_quotes() -> None:
    out = "FAILURE: CUDA_OOM  (confidence withheld)\nROOT CAUSE: A CUDA allocation failed on rank 1.\n[rank1]: ValueError: bad batch"
    answer = read_denpex(out, {"log.txt": LOG})
    assert (answer.verdict, answer.name, answer.rank) == ("undetermined", "CUDA OOM", 1)
    assert answer.places == {("log.txt", 4)}


@pytest.mark.parametrize(
    ("severity", "verdict"), [("critical", "failure"), ("warning", "no-failure")], ids=["a critical finding", "only a warning"]
)
def test_runmedic_is_read_from_its_findings(severity: str, verdict: str) -> None:
    finding = {"check": "log:cuda_oom", "severity": severity, "title": "GPU ran out of memory", "evidence": ["first at line 9:"]}
    answer = read_runmedic(json.dumps([{"findings": [finding]}]), "log.txt")
    assert (answer.verdict, answer.places, answer.gives_ranks) == (verdict, {("log.txt", 9)}, False)


@pytest.mark.parametrize("out", ["", "no training metrics or logs found in x", "[]"])
def test_a_program_that_finds_nothing_says_that_all_is_well(out: str) -> None:
    assert read_runmedic(out, "log.txt").verdict == "no-failure"


def test_a_tempting_wrong_name_is_no_right_answer(case: Case) -> None:
    assert compared(case, Answer("failure", "KeyError", "KeyError after a ValueError")) == {"top1": False}


def test_the_table_shows_counts_and_dashes(case: Case) -> None:
    rows = table({"traceback": scores([case, case], first_traceback), "torchrun": scores([case], torchrun_line)})
    assert rows[2:] == ["| traceback | 2/2 (100 %) | 2/2 (100 %) | 2/2 (100 %) | – |", "| torchrun | – | – | 0/1 (0 %) | – |"]


def test_programs_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tests.accuracy.compare import entrants

    monkeypatch.setattr(contestants, "DATA", tmp_path)
    assert set(entrants()) == {"torchrun's own “Root Cause”", "the first traceback"}
