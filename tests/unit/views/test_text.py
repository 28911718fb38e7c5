"""The terminal text: golden texts first, then the rules that hold for every report."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from unicodedata import category

import pytest

from firstfault.report import Report
from firstfault.views.page import Page, columns
from firstfault.views.text import render

from . import logs
from .conftest import Diagnose

GOLDEN = Path(__file__).parent / "golden"
ANSI = re.compile("\x1b\\[[0-9;]*m")


def shown(report: Report, *, width: int = 100, colour: bool = False, ascii_only: bool = False) -> str:
    return render(report, Page(width=width, colour=colour, ascii_only=ascii_only))


@pytest.mark.parametrize(
    ("name", "log", "width", "ascii_only"),
    [
        ("first-fault", logs.ECC, 100, False),
        ("first-fault-narrow", logs.ECC, 48, False),
        ("first-fault-ascii", logs.ECC, 80, True),
        ("undetermined", logs.TIMEOUTS_ONLY, 100, False),
        ("unknown-exception", logs.UNKNOWN, 100, False),
        ("healthy-with-note", logs.CAUGHT, 80, False),
        ("healthy", logs.HEALTHY, 80, False),
    ],
)
def test_the_text_is_the_golden_text(diagnose: Diagnose, name: str, log: str, width: int, ascii_only: bool) -> None:
    """After a wanted change: UPDATE_GOLDEN=1 pytest tests/unit/views/test_text.py, then read the diff."""
    text = shown(diagnose(log), width=width, ascii_only=ascii_only)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("log", [logs.ECC, logs.TIMEOUTS_ONLY, logs.UNKNOWN, logs.CAUGHT, logs.HEALTHY])
@pytest.mark.parametrize("width", [40, 59, 60, 80, 120])
def test_no_line_is_wider_than_the_window_except_commands_and_single_words(diagnose: Diagnose, log: str, width: int) -> None:
    report = diagnose(log)
    commands = {s.command for i in report.incidents for s in (*i.fix, *i.verify, *i.missing)}
    for line in shown(report, width=width).splitlines():
        bare = line.strip().removeprefix("Verify").strip().removeprefix("1").removeprefix("2").strip()
        assert columns(line) <= width or bare in commands or " " not in bare, line


@pytest.mark.parametrize("log", [logs.ECC, logs.TIMEOUTS_ONLY, logs.CAUGHT])
def test_colour_adds_codes_and_changes_no_word(diagnose: Diagnose, log: str) -> None:
    report = diagnose(log)
    coloured = shown(report, colour=True)
    assert ANSI.search(coloured)
    assert ANSI.sub("", coloured) == shown(report)


def test_ascii_holds_for_the_words_of_the_log_too(diagnose: Diagnose) -> None:
    text = shown(diagnose("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'größe – “x”'\n"), ascii_only=True)
    assert text.isascii()
    assert "gr\\xf6\\xdfe" in text
    assert text.startswith("x First fault")


def test_the_text_of_a_log_cannot_steer_the_terminal(diagnose: Diagnose) -> None:
    report = diagnose(logs.UNKNOWN)
    first = replace(report.incidents[0].initiator, text="\x1b[2J\x9b31m\u202eevil\r\n\x07bell")
    text = shown(replace(report, incidents=[replace(report.incidents[0], initiator=first)]))
    assert {c for c in text if category(c) in ("Cc", "Cf")} == {"\n"}
    assert "evil" in text


def test_wide_characters_take_two_columns(diagnose: Diagnose) -> None:
    report = diagnose(logs.UNKNOWN)
    first = replace(report.incidents[0].initiator, text="错误 " * 40)
    text = shown(replace(report, incidents=[replace(report.incidents[0], initiator=first)]), width=60)
    quoted = [line for line in text.splitlines() if "错误" in line]
    assert len(quoted) > 1
    assert max(map(columns, quoted)) <= 60


def test_two_independent_faults_are_two_blocks(diagnose: Diagnose) -> None:
    first, second = diagnose(logs.ECC), diagnose(logs.UNKNOWN)
    text = shown(replace(first, incidents=[*first.incidents, *second.incidents]))
    heads = [line for line in text.splitlines() if line.startswith("✖")]
    assert [h.split(":")[0] for h in heads] == ["✖ Rank 2 failed first", "✖ Independent fault"]


def test_long_lists_are_cut(diagnose: Diagnose) -> None:
    report = diagnose(logs.ECC)
    incident = report.incidents[0]
    row, fix, check = incident.collateral[0], incident.fix[1], incident.verify[0]
    many = replace(
        incident,
        collateral=[replace(row, title=f"effect {n}") for n in range(11)],
        fix=[replace(fix, text=f"way {n}") for n in range(6)],
        verify=[replace(check, text=f"look {n}") for n in range(6)],
    )
    text = shown(replace(report, incidents=[many], notes=[f"note {n}" for n in range(9)]))
    counts = {word: len(re.findall(rf"\b{word} \d", text)) for word in ("effect", "way", "look", "note")}
    assert counts == {"effect": 8, "way": 3, "look": 2, "note": 3}
    assert "and 3 more kinds" in text


def test_a_command_stays_on_one_line(diagnose: Diagnose) -> None:
    report = diagnose(logs.ECC)
    command = "sacct -j <JOBID> " + "--format=JobID,State,ExitCode " * 6 + "| sort"
    fix = replace(report.incidents[0].fix[0], command=command)
    text = shown(replace(report, incidents=[replace(report.incidents[0], fix=[fix])]), width=60)
    assert command in text


def test_the_quoted_line_is_not_repeated_in_the_cause(diagnose: Diagnose) -> None:
    report = diagnose(logs.ECC)
    assert "The log says:" in report.incidents[0].cause
    assert "The log says:" not in shown(report)


def test_several_logs_are_told_apart_by_short_names(diagnose: Diagnose) -> None:
    lines = logs.ECC.splitlines(keepends=True)
    named = {f"/data/runs/17/rank{n}.log": "".join(x for x in lines if f"rank{n}]" in x) or "start\n" for n in range(4)}
    named["/data/runs/17/rank2.log"] = "".join(lines[1:3])
    text = shown(diagnose(named))
    assert "  12-01 10:00:03  /data/runs/17/rank2.log:1\n" in text, "the place is whole, so that a terminal can open it"
    assert "· rank0.log:2" in text
    assert text.count("/data/runs/17") == 1
