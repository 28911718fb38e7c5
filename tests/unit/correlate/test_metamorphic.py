"""Who failed first does not depend on the numbers of ranks, the order of files, the clocks, or what a launcher puts before lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from firstfault.engine import Engine
from firstfault.report import Report

from .metamorphic import CHANGES, Changed, LabRun, Logs, Place, runs, without_rank

Change = Callable[[LabRun], Changed | None]


class Answer(NamedTuple):
    """What must stay the same."""

    verdict: str
    signature: str | None
    rank: int | None
    place: Place | None


def report_of(engine: Engine, logs: Logs) -> Report:
    return engine.report([engine.scan_blocks(iter([text.encode("utf-8")]), name) for name, text in logs.items()])


def answer_of(report: Report) -> Answer:
    if not report.incidents:
        return Answer(report.verdict, None, None, None)
    top = report.incidents[0]
    first = top.initiator
    place = (first.source, first.line) if first.source and first.line else None
    return Answer(report.verdict, top.signature, first.rank, place)


@pytest.fixture(scope="module")
def untouched(engine: Engine) -> Callable[[LabRun], Answer]:
    """The answer on the run as it is, worked out once."""
    known: dict[str, Answer] = {}

    def answer(run: LabRun) -> Answer:
        if run.name not in known:
            known[run.name] = answer_of(report_of(engine, run.logs))
        return known[run.name]

    return answer


def pairs() -> Iterator[Any]:
    for run in runs():
        for change in CHANGES:
            changed = change(run)
            if changed is None:
                continue
            yield pytest.param(run, changed, id=f"{change.__name__}-{run.name}")


@pytest.mark.parametrize(("run", "changed"), list(pairs()))
def test_the_answer_stays(engine: Engine, untouched: Callable[[LabRun], Answer], run: LabRun, changed: Changed) -> None:
    report = report_of(engine, changed.logs)
    before, after = untouched(run), answer_of(report)
    rank = None if before.rank is None else changed.rank(before.rank)
    assert after[:3] == (before.verdict, before.signature, rank)
    places = {changed.place(place) for place in run.right_places} if before.place in run.right_places else set[Place]()
    assert after.place in places | {before.place and changed.place(before.place)}
    for host, ahead in changed.ahead.items():
        assert report.timeline is not None
        found = {clock.host: clock.seconds for clock in report.timeline.clocks}
        assert found.pop(host, 0.0) - sum(found.values()) == pytest.approx(ahead, abs=2)  # of two hosts either may be called the odd one
        assert any(note.startswith("The clock of ") for note in report.notes)


# --- a rank whose file is missing -------------------------------------------------------------------------------------


def removals() -> Iterator[Any]:
    for run in runs():
        for rank in range(run.world):
            logs = without_rank(run, rank)
            if logs is not None:
                yield pytest.param(run, rank, logs, id=f"{run.name}-without-{rank}")


@pytest.mark.parametrize(("run", "rank", "logs"), list(removals()))
def test_a_missing_file_of_a_rank_is_said_and_nobody_else_is_blamed(
    engine: Engine, untouched: Callable[[LabRun], Answer], run: LabRun, rank: int, logs: Logs
) -> None:
    report, before = report_of(engine, logs), untouched(run)
    after = answer_of(report)
    assert any("no log among" in note and str(rank) in note for note in report.notes)
    abstains = after.verdict == "undetermined" and after.rank in (None, before.rank)
    concluded_from_silence = str(before.signature).startswith("collective/rank-")
    if rank == before.rank and concluded_from_silence:
        assert abstains
    else:  # the other files, a launcher's summary among them, may still show the fault itself
        assert abstains or after[:3] == before[:3]
