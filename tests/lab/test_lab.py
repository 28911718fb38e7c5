"""Real runs with a known fault: the diagnosis names the rank that got it and what it was, with the launchers installed here."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run as firstfault
from tests.lab.laboratory import Laboratory
from tests.lab.masking import message_lines
from tests.lab.runs import ABORT_AT_EXIT, ABORTED, RARE, RUNS, Rare, Run
from tests.lab.seen import Archive

FAILING = [run for run in RUNS if run.says]
HEALTHY = [run for run in RUNS if not run.says]
KEPT = Path(__file__).parent / "rare"


class LogChanged(UserWarning):
    """A launcher or library writes other lines than when the run was last accepted."""


def _parameter(item: Run | Rare) -> Any:
    known = pytest.mark.xfail(strict=True, reason=item.wrong_today) if item.wrong_today else ()
    return pytest.param(item, id=item.log if isinstance(item, Rare) else item.name, marks=known)


@pytest.mark.parametrize("run", [_parameter(run) for run in FAILING])
def test_the_faulty_rank_and_its_fault_are_named(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    assert recorded.exit_code != 0, f"the fault did not end the run\n{recorded.text}"
    report = diagnosis(recorded.log, exit_code=1)
    assert is_right(report, run.rank, run.right_answer(recorded.text)), f"{answer(report)}\n\n{recorded.text}"


@pytest.mark.parametrize("run", [_parameter(run) for run in HEALTHY])
def test_a_run_that_reached_its_end_has_no_failure(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    if ABORT_AT_EXIT in recorded.text:  # a failure after all, by PyTorch's own doing, and the launcher says whose
        report = diagnosis(recorded.log, exit_code=1)
        assert is_right(report, rank_that_aborted(recorded.text), ABORTED), f"{answer(report)}\n\n{recorded.text}"
        return
    assert recorded.exit_code == 0, recorded.text
    report = diagnosis(recorded.log, exit_code=0)
    assert (report["verdict"], report["incidents"]) == ("no-failure", [])


@pytest.mark.parametrize("rare", [_parameter(rare) for rare in RARE])
def test_logs_that_few_runs_come_out_like(rare: Rare) -> None:
    report = diagnosis(KEPT / rare.log, exit_code=1)
    assert is_right(report, rare.rank, rare.says), answer(report)


@pytest.mark.filterwarnings("always::tests.lab.test_lab.LogChanged")
@pytest.mark.parametrize("run", [pytest.param(run, id=run.name) for run in RUNS])
def test_other_lines_than_before_are_shown(run: Run, laboratory: Laboratory, version: str) -> None:
    """Never a failure: the answer may well still be right; `make lab-accept` stores the new lines."""
    difference = Archive().compare(version, run.name, message_lines(laboratory.recorded(run).text))
    if difference:
        warnings.warn(LogChanged(f"{run.name} writes other lines; accept them with `make lab-accept`\n{difference}"), stacklevel=1)


def diagnosis(log: Path, exit_code: int) -> dict[str, Any]:
    """What the real command says."""
    done = firstfault("diagnose", "--format", "json", str(log))
    assert done.returncode == exit_code, f"{done.stderr}{done.stdout}"
    return json.loads(done.stdout)


def is_right(report: dict[str, Any], rank: int | None, says: str) -> bool:
    """Whether the first incident is this rank's and of this kind; whether it abstains, where there is nothing to say."""
    if not says:
        return report["verdict"] == "undetermined"
    first = report["incidents"][0]
    said = f"{first['signature']} {first['title']} {first['cause']}"
    return first["initiator"]["rank"] == rank and re.search(says, said, re.IGNORECASE) is not None


def rank_that_aborted(text: str) -> int:
    """By the word of torchrun, or of mp.spawn."""
    told = re.search(r"exitcode: -6\) local_rank: (\d+)|process (\d+) terminated with signal SIGABRT", text)
    assert told, text
    return int(told[1] or told[2])


def answer(report: dict[str, Any]) -> str:
    """What to read when the answer is wrong."""
    first = report["incidents"][0]
    return "\n".join((report["verdict"], report["summary"], str(first["signature"]), first["title"], first["cause"], first["why_first"]))
