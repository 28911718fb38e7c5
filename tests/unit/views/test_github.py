"""The GitHub Actions view: one workflow command a line, escaped as the runner unescapes it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from firstfault.views.github import render

from . import logs
from .conftest import Diagnose

COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<properties>(?:[a-z]+=[^,:]*,?)+)::(?P<message>.+)")


def commands(text: str) -> list[re.Match[str]]:
    matches = [COMMAND.fullmatch(line) for line in text.splitlines()]
    assert all(matches), text
    return [m for m in matches if m]


def test_the_first_fault_is_an_error_at_its_line_and_collateral_warns(diagnose: Diagnose) -> None:
    error, warning = commands(render(diagnose(logs.ECC)))
    assert (error["kind"], warning["kind"]) == ("error", "warning")
    assert error["properties"].startswith("file=run.log,line=2,title=Rank 2 failed first%3A Uncorrectable ECC error")
    assert "%0AWhy first: " in error["message"]
    assert warning["properties"] == "file=run.log,line=3,title=Collateral"
    assert warning["message"].startswith("3 × A collective timed out waiting for a peer, ranks 0, 1, 3")


def test_an_open_question_is_an_error_that_says_what_to_fetch(diagnose: Diagnose) -> None:
    error = commands(render(diagnose(logs.TIMEOUTS_ONLY)))[0]
    assert error["kind"] == "error"
    assert "%0AFetch first: The log of the rank that did not join" in error["message"]


def test_a_healthy_run_is_a_notice(diagnose: Diagnose) -> None:
    (notice,) = commands(render(diagnose(logs.HEALTHY)))
    assert (notice["kind"], notice["message"]) == ("notice", "No failure found in 1 log (101 bytes).")


def test_notes_are_warnings_without_a_place(diagnose: Diagnose) -> None:
    _, note = commands(render(diagnose(logs.CAUGHT)))
    assert (note["kind"], note["properties"]) == ("warning", "title=firstfault")


@pytest.mark.parametrize(
    ("text", "written"),
    [("100% of 3,5: x", "100%25 of 3,5: x"), ("a\nb\r\nc", "a%0Ab%0D%0Ac"), ("::error::x", "::error::x")],
)
def test_messages_escape_percent_and_line_ends_only(diagnose: Diagnose, text: str, written: str) -> None:
    report = diagnose(logs.UNKNOWN)
    first = replace(report.incidents[0].initiator, text=text)
    (error,) = commands(render(replace(report, incidents=[replace(report.incidents[0], initiator=first)])))
    assert error["message"].startswith(written + "%0A")


def test_properties_escape_colon_and_comma_too(diagnose: Diagnose) -> None:
    report = diagnose({"C:\\runs\\a,b.log": logs.UNKNOWN})
    (error,) = commands(render(report))
    assert error["properties"].startswith("file=C%3A\\runs\\a%2Cb.log,line=7,")


def test_standard_input_is_no_file(diagnose: Diagnose) -> None:
    (error,) = commands(render(diagnose({"<stdin>": logs.UNKNOWN})))
    assert "file=" not in error["properties"]


def test_there_are_at_most_ten_and_errors_come_first(diagnose: Diagnose) -> None:
    report = diagnose(logs.ECC)
    incident = replace(report.incidents[0], collateral=report.incidents[0].collateral * 8)
    kinds = [c["kind"] for c in commands(render(replace(report, incidents=[incident, incident], notes=["note"] * 5)))]
    assert kinds == ["error"] * 2 + ["warning"] * 8
