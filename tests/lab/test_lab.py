"""Real runs with a known fault: the diagnosis names the rank that got it and what it was, with the launchers installed here."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import pytest

from tests.cli.command import run as firstfault
from tests.lab.laboratory import Laboratory, Recorded
from tests.lab.masking import message_lines
from tests.lab.runs import RUNS, Run
from tests.lab.seen import Archive

FAILING = [run for run in RUNS if run.says]
HEALTHY = [run for run in RUNS if not run.says]


class LogChanged(UserWarning):
    """A launcher or library writes other lines than when the run was last accepted."""


def _parameters(runs: list[Run]) -> list[Any]:
    return [
        pytest.param(run, id=run.name, marks=pytest.mark.xfail(strict=True, reason=run.wrong_today) if run.wrong_today else ())
        for run in runs
    ]


@pytest.mark.parametrize("run", _parameters(FAILING))
def test_the_faulty_rank_and_its_fault_are_named(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    assert recorded.exit_code != 0, f"the fault did not end the run\n{recorded.text}"
    report = diagnosis(recorded, exit_code=1)
    first = report["incidents"][0]
    said = f"{first['signature']} {first['title']} {first['cause']}"
    found = (first["initiator"]["rank"], bool(re.search(run.says, said, re.IGNORECASE)))
    assert found == (run.rank, True), f"{report['summary']}\n{said}\n{first['why_first']}\n\n{recorded.text}"


@pytest.mark.parametrize("run", _parameters(HEALTHY))
def test_a_run_that_reached_its_end_has_no_failure(run: Run, laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(run)
    assert recorded.exit_code == 0, recorded.text
    report = diagnosis(recorded, exit_code=0)
    assert (report["verdict"], report["incidents"]) == ("no-failure", [])


@pytest.mark.filterwarnings("always::tests.lab.test_lab.LogChanged")
@pytest.mark.parametrize("run", [pytest.param(run, id=run.name) for run in RUNS])
def test_other_lines_than_before_are_shown(run: Run, laboratory: Laboratory, version: str) -> None:
    """Never a failure: the answer may well still be right; `make lab-accept` stores the new lines."""
    difference = Archive().compare(version, run.name, message_lines(laboratory.recorded(run).text))
    if difference:
        warnings.warn(LogChanged(f"{run.name} writes other lines; accept them with `make lab-accept`\n{difference}"), stacklevel=1)


def diagnosis(recorded: Recorded, exit_code: int) -> dict[str, Any]:
    """What the real command says."""
    done = firstfault("diagnose", "--format", "json", str(recorded.log))
    assert done.returncode == exit_code, f"{done.stderr}{done.stdout}\n\n{recorded.text}"
    return json.loads(done.stdout)
