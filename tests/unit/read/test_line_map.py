"""Lines of a rewritten text lead back to the lines that they were made from."""

from __future__ import annotations

from firstfault.read.line_map import LineMap


def test_without_a_difference_the_numbers_are_the_same() -> None:
    lines = LineMap()
    assert [lines.of(n) for n in (1, 2, 1000)] == [1, 2, 1000]


def test_lines_that_are_held_come_from_one() -> None:
    lines = LineMap()
    lines.hold(3, 3)
    lines.go_on(6, 4)
    assert [lines.of(n) for n in range(1, 9)] == [1, 2, 3, 3, 3, 4, 5, 6]


def test_lines_that_were_joined_are_skipped() -> None:
    lines = LineMap()
    lines.go_on(3, 7)
    assert [lines.of(n) for n in range(1, 6)] == [1, 2, 7, 8, 9]


def test_saying_what_is_known_already_changes_nothing() -> None:
    lines = LineMap()
    for n in range(1, 50):
        lines.go_on(n, n)
    assert lines.of(1_000_000) == 1_000_000
