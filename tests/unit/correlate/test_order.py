"""Stamps compare as far as both tell; what one leaves out is taken so that it comes nearest to the other."""

from __future__ import annotations

import pytest

from firstfault.correlate.order import Axis, apart, later
from firstfault.model import Stamp
from firstfault.read.stamps import parse


def stamp(text: str) -> Stamp:
    form, _, value = text.partition(" ")
    found = parse({form: value})
    assert found is not None
    return found


APART = [
    ("iso 2026-12-01 02:24:58", "iso 2026-12-01 02:25:00", 2.0),
    ("iso 2026-12-01 02:24:58", "iso 2026-12-01T03:25:00+01:00", 2.0),
    # one of them without its year
    ("iso 2026-12-01 02:24:58", "glog 1201 02:25:00", 2.0),
    ("glog 1201 02:24:58", "iso 2026-12-01 02:25:00", 2.0),
    ("iso 2027-03-05 10:00:00", "glog 305 10:00:01", 1.0),
    ("iso 2028-03-05 10:00:00", "words Mar  5 10:00:01", 1.0),
    ("iso 2026-12-31 23:59:59", "glog 101 00:00:01", 2.0),
    ("glog 101 00:00:01", "iso 2026-12-31 23:59:59", -2.0),
    ("iso 2027-01-01 00:00:01", "glog 1231 23:59:59", -2.0),
    ("iso 2026-02-28 23:59:59", "glog 301 00:00:01", 2.0),
    ("iso 2028-02-28 23:59:59", "glog 229 00:00:01", 2.0),
    # both of them
    ("glog 1231 23:59:59", "words Jan  1 00:00:01", 2.0),
    ("words Jan  1 00:00:01", "glog 1231 23:59:59", -2.0),
    ("glog 228 23:59:59", "glog 301 00:00:01", 2.0),
    ("glog 229 23:59:59", "glog 301 00:00:01", 2.0),
    ("glog 101 00:00:00", "glog 401 00:00:00", 90 * 86400.0),
    # one of them, or both, without the day
    ("iso 2026-12-01 23:59:59", "clock 00:00:01", 2.0),
    ("clock 00:00:01", "iso 2026-12-01 23:59:59", -2.0),
    ("glog 1201 02:24:58", "clock 02:25:00", 2.0),
    ("clock 02:24:58", "clock 02:25:00", 2.0),
    ("clock 23:59:59", "clock 00:00:01", 2.0),
    # since boot
    ("uptime 1.5", "uptime 200000.5", 199999.0),
    ("uptime 1.5", "clock 00:00:02", None),
]


@pytest.mark.parametrize(("first", "second", "seconds"), APART)
def test_seconds_between_two_stamps(first: str, second: str, seconds: float | None) -> None:
    assert apart(stamp(first), stamp(second)) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize("year", range(2024, 2033))
@pytest.mark.parametrize("day", ["0105", "0228", "0301", "0615", "1105", "1231"])
def test_a_stamp_without_a_year_is_never_hours_off(year: int, day: str) -> None:
    whole = stamp(f"iso {year}-{day[:2]}-{day[2:]} 12:00:00")
    assert apart(whole, stamp(f"glog {day} 12:00:03")) == pytest.approx(3.0)
    assert apart(stamp(f"glog {day} 11:59:57"), whole) == pytest.approx(3.0)


def test_a_missing_stamp_compares_with_nothing() -> None:
    assert apart(None, stamp("clock 00:00:02")) is None
    assert apart(stamp("clock 00:00:02"), None) is None


def test_a_leap_day_in_a_year_that_has_none_is_the_day_before_march() -> None:
    assert apart(stamp("iso 2026-02-28 12:00:00"), stamp("glog 229 12:00:00")) == 0.0


def test_an_axis_has_its_zero_at_the_stamp_that_tells_most() -> None:
    mixed = [stamp("clock 10:00:00"), stamp("glog 1201 10:00:05"), stamp("iso 2026-12-01 10:00:10"), stamp("uptime 5.0")]
    assert [Axis(mixed).at(s) for s in mixed] == [pytest.approx(-10), pytest.approx(-5), 0.0, None]


def test_later_counts_those_that_came_clearly_before() -> None:
    stamps = [stamp("clock 10:00:00"), None, stamp("iso 2026-12-01 10:00:00"), stamp("iso 2026-12-01 10:00:01"), stamp("clock 10:00:05")]
    assert later(stamps, 1.5) == [0, 0, 0, 0, 3]
    assert later(stamps, 0.0) == [0, 0, 0, 2, 3]
    assert later([None, stamp("uptime 3.0"), stamp("uptime 9.0")]) == [0, 0, 1]
    assert later([]) == []
