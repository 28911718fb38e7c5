"""`firstfault explain` and `firstfault list`: what people read, what scripts read, and the exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firstfault.cli.main import main

HEADINGS = ["What it is", "Cause", "Mechanism", "Symptoms", "Affects", "Confirm", "Fix", "Verify", "Prevent", "References", "Notes"]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def _output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def _document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(_output(capsys, *arguments, "--format", "json"))


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("firstfault: ")
    assert err.count("\n") == 1
    return err


def test_a_code_shows_its_row_above_the_page_that_explains_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = _output(capsys, "explain", "xid", "79")
    assert text.startswith("xid 79: ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS (critical)\n")
    assert text.index("no longer answers on PCIe") < text.index("gpu/xid-79-fallen-off-bus")


def test_a_page_has_its_headings_in_the_fixed_order(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _output(capsys, "explain", "gpu/xid-79-fallen-off-bus").splitlines()
    assert [line for line in lines if line in HEADINGS] == HEADINGS


def test_text_is_wrapped_at_the_width_of_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = _output(capsys, "explain", "xid", "13")
    prose = [line for line in text.splitlines() if not line.startswith("      ") and "http" not in line]
    assert max(map(len, prose)) <= 60


def test_ascii_output_has_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert _output(capsys, "explain", "xid", "79", "--ascii").isascii()


def test_colour_is_shown_only_where_it_is_wanted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _output(capsys, "explain", "xid", "79")
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in _output(capsys, "explain", "xid", "79")


def test_a_value_that_only_a_log_gives_is_a_placeholder(capsys: pytest.CaptureFixture[str]) -> None:
    assert "{gpu}" not in _output(capsys, "explain", "gpu/ecc-uncorrectable")


@pytest.mark.parametrize("query", [["-9"], ["exit", "-9"], ["exitcode:", "-9"], ["--", "-9"]])
def test_a_negative_exit_code_is_not_taken_for_an_option(capsys: pytest.CaptureFixture[str], query: list[str]) -> None:
    assert _output(capsys, "explain", *query).startswith("exit -9: SIGKILL")


def test_other_hits_are_listed_below_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    text = _output(capsys, "explain", "row", "remap")
    below = text[text.index("\nSee also\n") :]
    assert "firstfault explain gpu/" in below


def test_a_row_without_a_page_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    text = _output(capsys, "explain", "sxid", "23001")
    assert text.startswith("sxid 23001: NXBAR_TILE_INGRESS_BUFFER_OVERFLOW (critical)\n")
    assert "Mechanism" not in text


def test_markdown_has_a_heading_for_the_row_and_for_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    text = _output(capsys, "explain", "xid", "79", "--format", "markdown")
    assert text.startswith("## xid 79: ROBUST\\_CHANNEL\\_GPU\\_HAS\\_FALLEN\\_OFF\\_THE\\_BUS (critical)\n")
    assert [line[4:] for line in text.splitlines() if line.startswith("### ") and line[4:] in HEADINGS][-len(HEADINGS) :] == HEADINGS
    assert text.count("```") % 2 == 0


def test_json_holds_the_row_and_the_page_with_the_names_of_a_catalogue_file(capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, "explain", "xid", "79")
    assert document["rows"][0]["code"] == "79"
    assert document["entry"]["id"] == "gpu/xid-79-fallen-off-bus"
    assert "from" in document["entry"]["examples"]["match"][0]


def test_nothing_found_is_exit_code_2_with_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert "near it: cudaErrorIllegalAddress" in _refused(capsys, "explain", "cudaErrorIlegalAddress")
    assert "near it: xid 79" in _refused(capsys, "explain", "79")


def test_list_shows_one_category(capsys: pytest.CaptureFixture[str]) -> None:
    text = _output(capsys, "list", "--category", "gpu", "--severity", "critical")
    assert "gpu/xid-79-fallen-off-bus" in text
    assert all(line.startswith(("gpu/", " ")) for line in text.splitlines())


def test_list_filters_by_kind_and_severity(capsys: pytest.CaptureFixture[str]) -> None:
    entries = _document(capsys, "list", "--kind", "effect", "--severity", "error")
    assert entries
    assert {(e["kind"], e["severity"]) for e in entries} == {("effect", "error")}


def test_list_searches_entries(capsys: pytest.CaptureFixture[str]) -> None:
    found = [entry["id"] for entry in _document(capsys, "list", "--search", "row remap")]
    assert "gpu/row-remap-event" in found
    assert len(found) < 20


def test_list_shows_the_rows_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(_document(capsys, "list", "--table", "xid")) == 185
    codes = {row["code"] for row in _document(capsys, "list", "--table", "xid", "--search", "remap", "--kind", "notice")}
    assert codes == {"63", "177"}


def test_list_names_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert "sxid" in _output(capsys, "list", "--table", "?")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--table", "xids"], "there are cuda-errors"),
        (["--category", "gpus"], "checkpoint"),
        (["--category", "gpu", "--table", "xid"], "name one of them"),
        (["--severity", "info"], "add --table"),
    ],
)
def test_list_refuses_what_it_does_not_know_and_says_what_there_is(
    capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str
) -> None:
    assert hint in _refused(capsys, "list", *arguments)
