"""The timeline: a lane for each process, the first fault once, and no time that contradicts the decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firstfault.engine import Engine
from firstfault.timeline import Lane, Timeline, TimelineEvent

from . import logs

RUNS = Path(__file__).parents[2] / "runs"

Draw = Callable[..., "Timeline | None"]


@pytest.fixture
def draw(engine: Engine) -> Draw:
    """`draw(log)` or `draw(**{name: log})`."""

    def run(log: str | None = None, **named: str) -> Timeline | None:
        texts = {"run.log": log} if log is not None else {f"{name}.log": text for name, text in named.items()}
        return engine.report([engine.scan_text(text, name) for name, text in texts.items()]).timeline

    return run


def drawn(timeline: Timeline | None) -> Timeline:
    assert timeline is not None
    return timeline


def lane(timeline: Timeline, rank: int) -> Lane:
    (found,) = [lane for lane in timeline.lanes if lane.rank == rank]
    return found


def kinds(lane: Lane) -> list[str]:
    return [event.kind for event in lane.events]


def first(timeline: Timeline) -> TimelineEvent:
    (event,) = [event for lane in timeline.lanes for event in lane.events if event.kind == "first"]
    return event


@pytest.mark.parametrize("log", [logs.ALONE, logs.HEALTHY, logs.CAUGHT], ids=["one process", "healthy", "caught error"])
def test_there_is_none_for_one_process_or_without_a_failure(draw: Draw, log: str) -> None:
    assert draw(log) is None


def test_each_rank_has_a_lane_with_what_it_did(draw: Draw) -> None:
    timeline = drawn(draw(logs.LOCAL_ERROR))
    assert [lane.label for lane in timeline.lanes] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert kinds(lane(timeline, 2)) == ["last-progress", "first"]
    assert [kinds(lane(timeline, rank)) for rank in (0, 1, 3)] == [["last-progress", "effect"]] * 3
    assert first(timeline).text == "KeyError: 'input_ids'"


def test_seconds_count_from_the_first_event_and_stamps_are_those_of_the_log(draw: Draw) -> None:
    timeline = drawn(draw(logs.LOCAL_ERROR))
    effect = lane(timeline, 0).events[-1]
    assert lane(timeline, 0).events[0].seconds == 0.0
    assert (effect.seconds, effect.time) == (602.0, "12-01T10:10:05.000000")
    assert (timeline.start, timeline.end) == ("2026-12-01T10:00:03.000", "12-01T10:10:05.300000")


def test_a_line_without_a_stamp_stands_between_its_neighbours_and_says_so(draw: Draw) -> None:
    timeline = drawn(draw(logs.LOCAL_ERROR))
    event = first(timeline)
    assert event.time is None
    assert event.uncertain
    assert event.seconds is not None
    assert 0 <= event.seconds <= 602


def test_a_silent_culprit_is_silent_from_its_last_line_on(draw: Draw) -> None:
    timeline = drawn(draw(logs.SILENT))
    assert set(kinds(lane(timeline, 2))) == {"silent", "first"}
    silent = next(event for event in lane(timeline, 2).events if event.kind == "silent")
    assert "step 3" in silent.text
    assert first(timeline).uncertain


def test_where_only_victims_speak_none_of_them_is_called_first(draw: Draw) -> None:
    timeline = drawn(draw("world_size=4\n" + "".join(logs.watchdog(rank) for rank in range(4))))
    assert {kind for lane in timeline.lanes for kind in kinds(lane)} == {"effect"}


def test_order_within_the_skew_of_two_hosts_is_uncertain(draw: Draw) -> None:
    def on(host: str, rank: int, second: str, text: str) -> str:
        return f"2026-12-01T10:00:{second}Z {host} train[4{rank}]: [rank{rank}]: {text}\n"

    near = {
        "node0": on("node0", 0, "05.400000", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."),
        "node1": on(
            "node1", 1, "05.900000", "RuntimeError: [../gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:28341"
        ),
    }
    timeline = drawn(draw(**near))
    assert timeline.uncertainty == 1.0
    assert [lane.host for lane in timeline.lanes] == ["node0", "node1"]
    assert lane(timeline, 1).events[-1].uncertain


def test_passing_faults_are_left_out(draw: Draw) -> None:
    shrugged = "[rank1]: 2026-12-01 10:00:01,000 WARNING download failed: ConnectionError: reset by peer, retrying in 5 s\n"
    assert draw(shrugged + logs.LOCAL_ERROR) is not None
    assert kinds(lane(drawn(draw(shrugged + logs.LOCAL_ERROR)), 1)) == ["last-progress", "effect"]


@pytest.mark.parametrize("name", sorted(p.parent.name for p in RUNS.glob("*/case.yaml")))
def test_on_real_runs_no_estimate_puts_an_effect_before_the_first_fault(engine: Engine, name: str) -> None:
    single = RUNS / name / "log.txt"
    report = engine.diagnose([str(single if single.exists() else RUNS / name / "logs")]).report
    if report.timeline is None:
        return
    named = [event for lane in report.timeline.lanes for event in lane.events if event.kind == "first"]
    assert len(named) == 1 or report.verdict == "undetermined"
    if not named:
        return
    origin = named[0]
    assert origin.signature == report.incidents[0].signature
    for event in (event for lane in report.timeline.lanes for event in lane.events if event.kind == "effect"):
        if event.seconds is not None and origin.seconds is not None:
            assert event.seconds >= origin.seconds - (0 if event.uncertain else report.timeline.uncertainty)
