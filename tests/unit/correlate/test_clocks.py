"""The clocks of a run put on one another: seconds since boot, and hosts that disagree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firstfault.correlate.clocks import on_wall_clock, skew, wall
from firstfault.correlate.hosts import short_host
from firstfault.engine import Engine
from firstfault.model import NOBODY, Finding, Progress, SourceInfo, SourceScan, Stamp, WorldClaim
from firstfault.read.flight_recorder import parse
from firstfault.read.stamps import parse as parse_stamp

from ..read.flight import dump, entry, pickled

NOON = 1796126400.0
HOSTS = ("node1", "node2", "node3")


def source(name: str, host: str | None, **parts: Any) -> SourceScan:
    info = SourceInfo(name=name, kind="file", bytes=1, lines=100, encoding="utf-8", layout=None)
    return SourceScan(info=info, identity=NOBODY._replace(host=host))._replace(**parts)


def said(host: str | None, seconds: float, text: str, signature: str = "collective/watchdog-timeout", **captures: str) -> Finding:
    return Finding(
        signature=signature, role="effect", scope="specific", severity="error", source="x", line=1, end_line=1, text=text,
        origin=NOBODY._replace(host=host, stamp=Stamp(seconds, str(seconds))), captures=tuple(captures.items()),
    )  # fmt: skip


def timeout(host: str | None, seconds: float, seq: int = 42) -> Finding:
    return said(host, seconds, "Watchdog caught collective operation timeout", seq=str(seq), op="ALLREDUCE")


def steps(host: str, *seconds: float, first: int = 7) -> Progress:
    logged = tuple((first + n, Stamp(at, str(at))) for n, at in enumerate(seconds))
    origin = NOBODY._replace(host=host, stamp=logged[-1][1])
    return Progress(process=("host", host), origin=origin, source="x", line=1, text="step", step=logged[-1][0], steps=logged)


def coupled(*scans: SourceScan) -> list[SourceScan]:
    """Sources of a run whose processes wait for each other."""
    return [*scans, source("launcher", None, worlds=(WorldClaim(len(scans), times=1, of_job=True),))]


# --- several hosts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [-40.0, 7.5, 3600.0])
def test_steps_that_were_logged_everywhere_show_whose_clock_differs(ahead: float) -> None:
    gaps = {"node1": 0.0, "node2": ahead, "node3": 0.4}
    (found,) = skew(coupled(*(source(h, h, progress=(steps(h, NOON + gap, NOON + 10 + gap),)) for h, gap in gaps.items())))
    assert (found.host, found.events, found.uncertainty) == ("node2", 2, 2.0)
    assert found.offset == pytest.approx(ahead, abs=0.5)


@pytest.mark.parametrize(
    "scans",
    [
        pytest.param([], id="nothing"),
        pytest.param([source("a", "node1", findings=(timeout(None, NOON),))], id="one host"),
        pytest.param([source("a", None)], id="no host"),
        pytest.param(coupled(*(source(h, h, progress=(steps(h, NOON + n, NOON + n + 9),)) for n, h in enumerate(HOSTS))), id="a second"),
        pytest.param(coupled(*(source(h, h, progress=(steps(h, NOON + 90 * n),)) for n, h in enumerate(HOSTS))), id="one step alone"),
        pytest.param(
            coupled(*(source(h, h, progress=(steps(h, NOON, NOON + 100 * n, NOON + 250 * n),)) for n, h in enumerate(HOSTS))),
            id="hosts that drift apart",
        ),
        pytest.param(
            [source(h, h, progress=(steps(h, NOON + 300 * n, NOON + 300 * n + 9),)) for n, h in enumerate(HOSTS)],
            id="programs that do not wait for each other",
        ),
        pytest.param([source(h, h, findings=(timeout(None, NOON + 40 * n),)) for n, h in enumerate(HOSTS[:2])], id="a host that came late"),
        pytest.param([source(h, h, findings=(timeout(None, NOON + n * 600, seq=n),)) for n, h in enumerate(HOSTS)], id="other collectives"),
    ],
)
def test_what_is_too_weak_to_tell_is_no_measure(scans: list[SourceScan]) -> None:
    assert skew(scans) == []


def test_a_collective_cannot_time_out_an_hour_later_on_another_host() -> None:
    (found,) = skew([source(h, h, findings=(timeout(None, NOON + gap),)) for h, gap in (("node1", 0.0), ("node2", 3600.0))])
    assert (found.host, found.offset, found.uncertainty) == ("node2", 3600.0, 60.0)


SIGNALS = [
    "[PG ID 0 PG GUID 0 Rank 1] Observed flight recorder dump signal from another rank via TCPStore.",
    "Received Signals.SIGTERM death signal, shutting down workers",
    "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=9, "
    "OpType=ALLREDUCE), but Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=9, OpType=BROADCAST).",
]


@pytest.mark.parametrize("text", SIGNALS)
def test_what_reaches_all_processes_at_once_needs_to_be_said_once(text: str) -> None:
    (found,) = skew([source(h, h, findings=(said(None, NOON + gap, text),)) for h, gap in (("node1", 0.0), ("node2", 33.0))])
    assert (found.host, found.offset, found.events) == ("node2", 33.0, 1)


def test_events_that_contradict_each_other_tell_nothing() -> None:
    at = {"node1": (NOON, NOON), "node2": (NOON + 90, NOON + 600)}
    scans = [
        source(h, h, progress=(steps(h, a, a + 10),), findings=(said(None, b, SIGNALS[0]),), worlds=(WorldClaim(2, 1, of_job=True),))
        for h, (a, b) in at.items()
    ]
    assert skew(scans) == []


def test_the_earliest_of_the_ranks_of_a_host_counts() -> None:
    late = (timeout("node1", NOON), timeout("node1", NOON + 300), timeout("node2", NOON + 250), timeout("node2", NOON + 0.2))
    assert skew([source("merged", None, findings=late)]) == []


@pytest.mark.parametrize(("field", "ahead", "uncertainty"), [("time_discovered_completed_ns", 3.1, 1.0), ("time_created_ns", 31.0, 5.0)])
def test_collectives_in_flight_recorders_are_a_measure(field: str, ahead: float, uncertainty: float) -> None:
    def record(gap: float) -> object:
        entries = [entry(n, time_created_ns=None) | {field: int((NOON + n + gap) * 1e9)} for n in range(1, 9)]
        return parse(pickled(dump(entries)))

    (found,) = skew([source(h, h, flight=record(gap)) for h, gap in (("node1", 0.0), ("node2", ahead), ("node3", 0.0))])
    assert (found.host, found.events, found.uncertainty) == ("node2", 8, uncertainty)
    assert found.offset == pytest.approx(ahead, abs=0.01)


def test_a_collective_that_did_not_end_may_have_been_entered_late() -> None:
    def record(gap: float) -> object:
        return parse(pickled(dump([entry(n, state="started", time_created_ns=int((NOON + n + gap) * 1e9)) for n in range(1, 9)])))

    assert skew([source(h, h, flight=record(gap)) for h, gap in (("node1", 0.0), ("node2", 500.0))]) == []


def test_a_host_is_the_same_with_its_domain() -> None:
    same = (timeout("node1", NOON), timeout("node1.example", NOON + 900))
    assert skew([source("merged", None, findings=same)]) == []


def test_addresses_are_not_one_host_because_they_begin_alike() -> None:
    (found,) = skew([source("merged", None, findings=(timeout("10.0.0.1", NOON), timeout("10.0.0.2", NOON + 900)))])
    assert found.host == "10.0.0.2"
    assert (short_host("10.0.0.1"), short_host("fe80::1"), short_host("node1.example"), short_host("node1")) == (
        "10.0.0.1",
        "fe80::1",
        "node1",
        "node1",
    )


# --- what a skew means for the answer ---------------------------------------------------------------------------------


def test_a_known_skew_is_taken_off_and_said(engine: Engine) -> None:
    """By its own clock node1 failed an hour after node0, by the steps that both logged it failed a minute before."""
    early, late = "ValueError: batch has 3 items, wanted 4", "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard_7.bin'"
    logs = {
        "node0.log": "".join(f"2026-12-01 10:00:{n:02d},000 INFO [rank 0] step {n} world_size=2\n" for n in range(5))
        + f"2026-12-01 10:03:00,000 ERROR [rank 0] failed: {late}\n",
        "node1.log": "".join(f"2026-12-01 11:00:{n:02d},000 INFO [rank 1] step {n} world_size=2\n" for n in range(5))
        + f"2026-12-01 11:02:00,000 ERROR [rank 1] failed: {early}\n",
    }
    decision = engine.decide([engine.scan_text(text, name) for name, text in logs.items()])
    report = engine.advise(decision)
    assert [(s.host, s.offset) for s in decision.clocks] == [("node1", 3600.0)]
    assert report.incidents[0].initiator.host == "node1"
    assert report.incidents[0].initiator.time == "2026-12-01T11:02:00.000"
    (note,) = [n for n in report.notes if "clock" in n]
    assert note.startswith(
        "The clock of node1 is 3600.0 s (±2.0 s) ahead of the others (as in another time zone), told by 5 steps that both logged;"
    )
    assert report.timeline is not None
    assert [(c.host, c.seconds, c.uncertainty) for c in report.timeline.clocks] == [("node1", 3600.0, 2.0)]
    assert report.timeline.uncertainty == 2.0
    seconds = {e.time: e.seconds for lane in report.timeline.lanes for e in lane.events}
    assert seconds["2026-12-01T11:02:00.000"] == pytest.approx((seconds["2026-12-01T10:03:00.000"] or 0.0) - 60)


def test_times_without_a_zone_beside_times_with_one_are_said_to_be_taken_as_utc(engine: Engine) -> None:
    kernel = "2026-12-01T01:58:33+00:00 node1 kernel: [ 3610.000000] NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus.\n"
    worker = "2026-12-01 01:58:35,000 ERROR [rank 0] RuntimeError: CUDA error: unspecified launch failure\n"
    logs = {"node1.kern.log": kernel, "node1.log": worker}
    report = engine.report([engine.scan_text(text, name) for name, text in logs.items()])
    assert report.incidents[0].collateral
    assert any("name no zone; they are compared as if they were in UTC" in note for note in report.notes)


# --- seconds since boot -----------------------------------------------------------------------------------------------

XID = "NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
DMESG = f"[   10.000000] audit: type=2000 audit(1796086713.000:1): state=initialized audit_enabled=0 res=1\n[ 3610.000000] {XID}\n"


def test_a_stamp_since_boot_becomes_a_time_of_day() -> None:
    stamp = wall(Stamp(12.5, "12.5 s after boot", "boot", False, False), NOON)
    assert (stamp.seconds, stamp.text, stamp.clock, stamp.has_date, stamp.has_year) == (
        NOON + 12.5,
        "2026-12-01T12:00:12.500000Z",
        "wall",
        True,
        True,
    )


def test_a_kernel_log_that_tells_when_it_booted_is_put_on_the_wall_clock(engine: Engine) -> None:
    (scan,) = on_wall_clock([engine.scan_text(DMESG, "node1.dmesg")])
    stamps = {f.origin.stamp.text for f in scan.findings if f.origin.stamp}
    assert stamps == {"2026-12-01T01:58:33.000000Z"}


def test_another_log_of_the_host_may_tell_it(engine: Engine) -> None:
    kernel = engine.scan_text(DMESG.split("\n", 1)[1], "logs/node1.dmesg")._replace(identity=NOBODY._replace(host="node1"))
    other = source("logs/node1.log", "node1", boot=1796086703.0)
    strange = source("logs/node2.log", "node2", boot=1000.0)
    aligned, _, _ = on_wall_clock([kernel, other, strange])
    assert {f.origin.stamp.text for f in aligned.findings if f.origin.stamp} == {"2026-12-01T01:58:33.000000Z"}


def test_without_such_a_line_the_seconds_stay_what_they_are(engine: Engine) -> None:
    kernel = engine.scan_text(DMESG.split("\n", 1)[1], "node1.dmesg")
    assert on_wall_clock([kernel]) == [kernel]


def test_the_report_gives_the_time_of_day_of_a_kernel_line(engine: Engine) -> None:
    report = engine.report([engine.scan_text(DMESG, "node1.dmesg")])
    assert report.incidents[0].initiator.time == "2026-12-01T01:58:33.000000Z"


def test_a_time_of_day_leaves_out_kernel_lines_too(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "node1.dmesg").write_text(DMESG)
    late = parse_stamp({"iso": "2026-12-01T03:00:00Z"})
    assert engine.diagnose([str(tmp_path)]).report.verdict == "failure"
    assert engine.diagnose([str(tmp_path)], since=late).report.verdict == "no-failure"


def test_the_machines_of_a_merged_kernel_log_booted_at_different_times(engine: Engine) -> None:
    lines = [f"[ {100 + n}.000000] audit: type=1400 audit({1796086000 + 100000 * (n % 2)}.000:{n}): x" for n in range(20)]
    assert engine.scan_text("\n".join(lines) + "\n", "merged.log").boot is None
