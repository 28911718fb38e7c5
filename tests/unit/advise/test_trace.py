"""The trace: every finding once, with what it was taken for and why."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.model import SourceScan
from firstfault.report import TraceStep

from . import logs


def traced(engine: Engine, log: str) -> tuple[SourceScan, list[TraceStep]]:
    scan = engine.scan_text(log, "run.log")
    steps = engine.report([scan], trace=True).trace
    assert steps is not None
    return scan, steps


@pytest.mark.parametrize("log", [logs.LOCAL_ERROR, logs.SILENT, logs.ALONE, logs.CAUGHT, logs.HEALTHY])
def test_every_finding_is_listed_with_a_reason(engine: Engine, log: str) -> None:
    scan, steps = traced(engine, log)
    listed = {(step.line, step.signature) for step in steps}
    assert {(finding.line, finding.signature) for finding in scan.findings} <= listed
    assert all(step.because for step in steps)
    assert [step.line for step in steps] == sorted(step.line for step in steps)


def test_a_report_has_none_unless_it_is_asked_for(engine: Engine) -> None:
    assert engine.report([engine.scan_text(logs.LOCAL_ERROR)]).trace is None


def test_the_first_fault_has_the_reason_of_the_report(engine: Engine) -> None:
    report = engine.report([engine.scan_text(logs.LOCAL_ERROR)], trace=True)
    (step,) = [step for step in report.trace or () if step.taken_as == "first"]
    top = report.incidents[0]
    assert (step.signature, step.rank, step.line, step.because) == (top.signature, 2, top.initiator.line, top.why_first)


def test_effects_carry_the_edge_that_explains_them(engine: Engine) -> None:
    report = engine.report([engine.scan_text(logs.LOCAL_ERROR)], trace=True)
    effects = [step for step in report.trace or () if step.taken_as == "effect"]
    assert [step.rank for step in effects] == [0, 1, 3]
    assert {step.because for step in effects} == {row.explained_by for row in report.incidents[0].collateral if row.role == "effect"}


def test_a_caught_error_is_passing_in_no_incident(engine: Engine) -> None:
    _, steps = traced(engine, logs.CAUGHT)
    assert {(step.taken_as, step.incident) for step in steps} <= {("passing", None), ("detail", None)}
    assert any(step.taken_as == "passing" and "ended nothing" in step.because for step in steps)


def test_a_silent_culprit_is_a_step_of_its_own(engine: Engine) -> None:
    _, steps = traced(engine, logs.SILENT)
    (step,) = [step for step in steps if step.taken_as == "first"]
    assert (step.rank, step.signature) == (2, "collective/rank-stalled")
    assert "step 3" in step.text
