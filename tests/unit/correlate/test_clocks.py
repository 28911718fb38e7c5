"""The clocks of a run put on one another: seconds since boot, and hosts that disagree."""

from __future__ import annotations

import pytest

from firstfault.correlate.clocks import on_wall_clock, skew, wall
from firstfault.engine import Engine
from firstfault.model import NOBODY, Finding, Progress, SourceInfo, SourceScan, Stamp
from firstfault.read.flight_recorder import parse

from ..read.flight import dump, entry, pickled

TIMEOUT = "collective/watchdog-timeout"
NOON = 1796126400.0


def source(name: str, host: str | None, **parts: object) -> SourceScan:
    info = SourceInfo(name=name, kind="file", bytes=1, lines=100, encoding="utf-8", layout=None)
    return SourceScan(info=info, identity=NOBODY._replace(host=host))._replace(**parts)  # pyright: ignore[reportArgumentType]


def timeout(host: str | None, seconds: float, seq: int = 42) -> Finding:
    stamp = Stamp(seconds, str(seconds))
    return Finding(
        signature=TIMEOUT, role="effect", scope="specific", severity="error", source="x", line=1, end_line=1, text="timeout",
        origin=NOBODY._replace(host=host, stamp=stamp), captures=(("seq", str(seq)), ("op", "ALLREDUCE")),
    )  # fmt: skip


def step(host: str, number: int, seconds: float) -> Progress:
    origin = NOBODY._replace(host=host, stamp=Stamp(seconds, str(seconds)))
    return Progress(process=("host", host), origin=origin, source="x", line=1, text=f"step {number}", step=number)


# --- several hosts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [-40.0, 7.5, 3600.0])
def test_the_same_collective_that_timed_out_on_several_hosts_shows_whose_clock_differs(ahead: float) -> None:
    scans = [source(h, h, findings=(timeout(None, NOON + (ahead if h == "node2" else 0.1)),)) for h in ("node1", "node2", "node3")]
    (host,) = skew(scans)
    assert host == "node2"
    assert skew(scans)[host].offset == pytest.approx(ahead, abs=0.2)


def test_hosts_whose_watchdogs_woke_within_a_second_agree() -> None:
    assert skew([source(h, h, findings=(timeout(None, NOON + i * 0.4),)) for i, h in enumerate(("node1", "node2", "node3"))]) == {}


def test_time_outs_of_different_collectives_are_no_measure() -> None:
    assert skew([source(h, h, findings=(timeout(None, NOON + i * 60, seq=i),)) for i, h in enumerate(("node1", "node2"))]) == {}


def test_the_earliest_of_the_ranks_of_a_host_counts() -> None:
    late = (timeout("node1", NOON), timeout("node1", NOON + 30), timeout("node2", NOON + 5), timeout("node2", NOON + 0.2))
    assert skew([source("merged", None, findings=late)]) == {}


def test_steps_that_were_logged_everywhere_are_a_rougher_measure() -> None:
    scans = [source(h, h, progress=(step(h, 7, NOON + gap),)) for h, gap in (("node1", 0.0), ("node2", 12.0), ("node3", 1.0))]
    assert set(skew(scans)) == {"node2"}
    assert skew(scans)["node2"].uncertainty >= 2


def test_collectives_in_flight_recorders_are_a_fine_one() -> None:
    def record(ahead: float) -> object:
        entries = [entry(n, time_created_ns=int((NOON + n + ahead) * 1e9)) for n in range(1, 9)]
        return parse(pickled(dump(entries)))

    found = skew([source(h, h, flight=record(gap)) for h, gap in (("node1", 0.0), ("node2", 0.3), ("node3", 0.0))])
    assert set(found) == {"node2"}
    assert found["node2"].offset == pytest.approx(0.3, abs=0.01)


def test_a_host_is_the_same_with_its_domain() -> None:
    same = (timeout("node1", NOON), timeout("node1.example", NOON + 9))
    assert skew([source("merged", None, findings=same)]) == {}


@pytest.mark.parametrize("scans", [[], [source("a", "node1", findings=(timeout(None, NOON),))], [source("a", None)]])
def test_one_clock_alone_has_no_skew(scans: list[SourceScan]) -> None:
    assert skew(scans) == {}


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
