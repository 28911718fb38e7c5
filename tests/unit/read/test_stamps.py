"""Times as logs write them: comparable where they can be compared, and shown as precisely as they were given."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from firstfault.moments import in_zone_of
from firstfault.read.stamps import parse

from .prefixes import parse as parse_line

BASE = datetime(2026, 12, 1, 2, 24, 58, tzinfo=timezone.utc).timestamp()

WALL = [
    ("iso", "2026-12-01 02:24:58", BASE, "2026-12-01T02:24:58"),
    ("iso", "2026-12-01T02:24:58.123456", BASE + 0.123456, "2026-12-01T02:24:58.123456"),
    ("iso", "2026-12-01 02:24:58,123", BASE + 0.123, "2026-12-01T02:24:58.123"),
    ("iso", "2026/12/01 02:24:58", BASE, "2026-12-01T02:24:58"),
    ("iso", "2026-12-01_02:24:58", BASE, "2026-12-01T02:24:58"),
    ("iso", "2026-12-01T02:24:58.123456789Z", BASE + 0.123456789, "2026-12-01T02:24:58.123456Z"),
    ("iso", "2026-12-01T02:24:58+0000", BASE, "2026-12-01T02:24:58+0000"),
    ("iso", "2026-12-01T03:24:58+01:00", BASE, "2026-12-01T03:24:58+01:00"),
    ("iso", "2026-11-30T21:54:58-04:30", BASE, "2026-11-30T21:54:58-04:30"),
    ("us", "12/01/2026 02:24:58", BASE, "2026-12-01T02:24:58"),
    ("us", "12/01/26 02:24:58", BASE, "2026-12-01T02:24:58"),
    ("us", "12/01/2026-02:24:58", BASE, "2026-12-01T02:24:58"),
    ("words", "Tue Dec  1 02:24:58 2026", BASE, "2026-12-01T02:24:58"),
    ("words", "Tue Dec  1 02:24:58 UTC 2026", BASE, "2026-12-01T02:24:58Z"),
    ("words", "Tue Dec  1 03:24:58 AM CET 2026", BASE, "2026-12-01T03:24:58+01:00"),
    ("iso", "2026-11-30 06:24:58 PM PST", BASE, "2026-11-30T18:24:58-08:00"),
    ("iso", "2026-12-01 12:24:58 AM", BASE - 7200, "2026-12-01T00:24:58"),
    ("us", "12/1/2026, 2:24:58 PM", BASE + 12 * 3600, "2026-12-01T14:24:58"),
    ("epoch", "1796091898.5", 1796091898.5, "2026-12-01T02:24:58Z"),
    ("epoch", "1796091898500", 1796091898.5, "2026-12-01T02:24:58Z"),
    ("epoch", "1796091898500000", 1796091898.5, "2026-12-01T02:24:58Z"),
    ("epoch", "1796091898500000000", 1796091898.5, "2026-12-01T02:24:58Z"),
]


@pytest.mark.parametrize(("form", "text", "seconds", "shown"), WALL)
def test_a_time_with_its_year(form: str, text: str, seconds: float, shown: str) -> None:
    stamp = parse({form: text})
    assert stamp is not None
    assert stamp.seconds == pytest.approx(seconds, abs=1e-5)
    assert (stamp.text, stamp.clock, stamp.has_date, stamp.has_year) == (shown, "wall", True, True)


@pytest.mark.parametrize(
    ("form", "text", "shown"),
    [
        ("glog", "1201 02:24:58.123456", "12-01T02:24:58.123456"),
        ("glog", "703 15:37:17.178057290", "07-03T15:37:17.178057"),
        ("glog", "12-01 02:24:58", "12-01T02:24:58"),
        ("words", "Dec  1 02:24:58", "12-01T02:24:58"),
        ("words", "Dec 01 02:24:58.123", "12-01T02:24:58.123"),
    ],
)
def test_a_time_without_a_year_says_so(form: str, text: str, shown: str) -> None:
    stamp = parse({form: text})
    assert stamp is not None
    assert (stamp.text, stamp.has_date, stamp.has_year) == (shown, True, False)


def test_times_without_a_year_still_compare_with_each_other() -> None:
    earlier, later = parse({"glog": "703 15:37:17.10"}), parse({"words": "Jul  3 15:37:18"})
    assert earlier is not None
    assert later is not None
    assert later.seconds - earlier.seconds == pytest.approx(0.9)


def test_a_leap_day_without_a_year_is_a_day() -> None:
    assert parse({"glog": "0229 00:00:01"}) is not None


def test_seconds_since_boot_are_another_clock() -> None:
    stamp = parse({"uptime": "12345.678901"})
    assert stamp is not None
    assert (stamp.seconds, stamp.clock, stamp.text) == (12345.678901, "boot", "12345.678901 s after boot")


def test_a_bare_clock_has_no_date() -> None:
    stamp = parse({"clock": "02:24:58,5"})
    assert stamp is not None
    assert (stamp.seconds, stamp.has_date) == (2 * 3600 + 24 * 60 + 58.5, False)


@pytest.mark.parametrize(("text", "hour"), [("12:00:01 AM", 0), ("2:00:01 AM", 2), ("12:00:01 PM", 12), ("2:00:01PM", 14)])
def test_a_clock_of_twelve_hours_begins_at_twelve(text: str, hour: int) -> None:
    stamp = parse({"clock": text})
    assert stamp is not None
    assert stamp.seconds == hour * 3600 + 1


def test_the_name_of_a_zone_that_several_share_tells_nothing() -> None:
    shared, none = parse({"iso": "2026-12-01 02:24:58 CST"}), parse({"iso": "2026-12-01 02:24:58"})
    assert shared == none


def test_a_leap_second_is_not_an_error() -> None:
    assert parse({"iso": "2016-12-31T23:59:60Z"}) is not None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"iso": None},
        {"iso": "2026-13-01 02:24:58"},
        {"iso": "2026-02-30 02:24:58"},
        {"iso": "2026-12-01 25:24:58"},
        {"glog": "1340 02:24:58"},
        {"words": "Foo  1 02:24:58"},
        {"epoch": "99999999999999999999"},
        {"iso": "0001-01-01 00:00:00"},
        {"iso": "9999-12-31 23:59:59"},
    ],
)
def test_what_is_no_time_gives_none(fields: dict[str, str | None]) -> None:
    assert parse(fields) is None


# --- two stamps on one line -------------------------------------------------------------------------------------------

COLLECTED = "2026-12-01T02:24:58.400Z"


@pytest.mark.parametrize(
    ("form", "text", "shown"),
    [
        ("iso", "2026-12-01 02:24:58,100", "2026-12-01T02:24:58.100"),
        ("iso", "2026-12-01 03:24:58,100", "2026-12-01T03:24:58.100"),
        ("iso", "2026-11-30 18:24:57,100", "2026-11-30T18:24:57.100"),
        ("iso", "2026-12-01 07:54:28", "2026-12-01T07:54:28"),
        ("glog", "1130 21:24:58.100", "11-30T21:24:58.100"),
        ("clock", "11:24:58", "11:24:58"),
    ],
)
def test_the_stamp_of_a_collector_tells_the_zone_of_the_programs_own(form: str, text: str, shown: str) -> None:
    outer, inner = parse({"iso": COLLECTED}), parse({form: text})
    assert outer is not None
    assert inner is not None
    known = in_zone_of(inner, outer)
    assert known.text == shown
    assert (known.has_date, known.has_year, known.has_zone) == (True, True, True)
    assert -60 < known.seconds - outer.seconds <= 0


@pytest.mark.parametrize(
    "text",
    ["2026-12-01 02:04:58", "2026-12-01 02:09:58", "2026-12-01 03:20:58", "2026-12-02 23:24:58", "2026-12-01T03:24:58+01:00"],
    ids=["from a buffer", "a quarter", "no whole quarter", "too far", "its own zone"],
)
def test_a_stamp_that_may_be_late_for_another_reason_stays(text: str) -> None:
    outer, inner = parse({"iso": COLLECTED}), parse({"iso": text})
    assert outer is not None
    assert inner is not None
    assert in_zone_of(inner, outer) == inner


def test_a_line_of_a_container_has_the_programs_time_in_its_zone() -> None:
    line = parse_line("2026-12-01T02:24:58.400000000Z 2026-12-01 03:24:58,100 INFO train: step 3 loss 2.2")
    assert line.origin.stamp is not None
    assert line.origin.stamp.text == "2026-12-01T03:24:58.100"
    assert line.origin.stamp.seconds == pytest.approx(BASE + 0.1)
