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
from tests.lab.runs import MISSES, RUNS, Miss, Run
from tests.lab.seen import Archive

FAILING = [run for run in RUNS if run.says]
HEALTHY = [run for run in RUNS if not run.says]
KEPT = Path(__file__).parent / "misses"


class LogChanged(UserWarning):
    """A launcher or library writes other lines than when the run was last accepted."""


def _parameter(run: Run) -> Any:
    return pytest.param(run, id=run.name, marks=pytest.mark.xfail(strict=True, reason=run.wrong_today) if run.wrong_today else ())


@pytest.mark.parametrize("run", [_parameter(run) for run in FAILING])
def test_the_faulty_rank_and_its_fault_are_named(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    assert recorded.exit_code != 0, f"the fault did not end the run\n{recorded.text}"
    report = diagnosis(recorded.log, exit_code=1)
    right = names(report, run.rank, run.says) if run.only_with in recorded.text else report["verdict"] == "undetermined"
    assert right, f"{answer(report)}\n\n{recorded.text}"


@pytest.mark.parametrize("run", [_parameter(run) for run in HEALTHY])
def test_a_run_that_reached_its_end_has_no_failure(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    assert recorded.exit_code == 0, recorded.text
    report = diagnosis(recorded.log, exit_code=0)
    assert (report["verdict"], report["incidents"]) == ("no-failure", [])


@pytest.mark.parametrize("miss", [pytest.param(m, id=m.log, marks=pytest.mark.xfail(strict=True, reason=m.reason)) for m in MISSES])
def test_logs_that_few_runs_come_out_like(miss: Miss) -> None:
    """Once an answer is right, this fails: then its entry in `MISSES` is a case like others."""
    report = diagnosis(KEPT / miss.log, exit_code=1)
    assert names(report, miss.rank, miss.says) if miss.says else report["verdict"] == "undetermined", answer(report)


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


def names(report: dict[str, Any], rank: int | None, says: str) -> bool:
    """Whether the first incident is this rank's and of this kind."""
    first = report["incidents"][0]
    said = f"{first['signature']} {first['title']} {first['cause']}"
    return first["initiator"]["rank"] == rank and re.search(says, said, re.IGNORECASE) is not None


def answer(report: dict[str, Any]) -> str:
    """What to read when the answer is wrong."""
    first = report["incidents"][0]
    return "\n".join((report["verdict"], report["summary"], str(first["signature"]), first["title"], first["cause"], first["why_first"]))
