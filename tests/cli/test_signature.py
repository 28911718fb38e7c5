"""`firstfault signature`: from a line of a log to a tested entry."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from firstfault.catalog.compiled import unpack
from firstfault.cli.main import main

ROOT = Path(__file__).parents[2]
VALID = (ROOT / "tests" / "signatures" / "good" / "valid.yaml").read_text("utf-8")
LOG = """\
step 1 loss 0.5
[rank3]: RuntimeError: widget 0x7f3a10 lost cog 17 of 4.50 GiB in '/srv/widgets/run-7/store.bin' at 10.0.0.1:29500
done
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one valid entry and the real tables, as the current folder."""
    folder = tmp_path / "signatures"
    shutil.copytree(ROOT / "signatures" / "tables", folder / "tables")
    (folder / "good").mkdir()
    (folder / "good" / "valid.yaml").write_text(VALID, "utf-8")
    (folder / "cascades.yaml").write_text('edges:\n  - {from: ["good/*"], to: ["good/*"], because: "tests"}\n', "utf-8")
    (tmp_path / "run.log").write_text(LOG, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _new(signature: str = "storage/cog-lost", line: int = 2) -> int:
    return main(["signature", "new", signature, "--from", "run.log", "--line", str(line)])


def _filled(page: str) -> str:
    """What an author makes of a new file: the headings of a valid entry under the pattern of the new one."""
    recognise = page[page.index("recognise:") : page.index("cause:")]
    example = "    - " + json.dumps({"log": yaml.safe_load(page)["examples"]["match"][0]["log"], "from": "widget 3"})
    head, rest = VALID.split("recognise:\n", 1)
    body = rest[rest.index("requires:") :].replace("{left} ", "")
    body = body[: body.index("    - {log:")] + example + "\n" + example + "\n" + body[body.index("  near_miss:") :]
    return (
        head.replace("good/valid", "storage/cog-lost").replace("The widget", "A widget").replace('codes: ["widget 7"]\n', "")
        + recognise
        + body
    )


def test_new_writes_a_file_with_the_line_as_pattern_and_example(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _new() == 0
    page = yaml.safe_load((checkout / "signatures" / "storage" / "cog-lost.yaml").read_text("utf-8"))
    (pattern,) = page["recognise"]["any"]
    assert page["id"] == "storage/cog-lost"
    assert pattern["near"] == "runtimeerror: widget"
    assert pattern["line"] == (r"""RuntimeError: widget 0x[0-9a-fA-F]+ lost cog \d+ of [\d.]+ GiB in '[^\s'",:;)\]]+' at [\d.:]+""")
    assert page["examples"]["match"][0]["log"].startswith("RuntimeError: widget 0x7f3a10 lost cog 17")
    assert "firstfault signature test storage/cog-lost" in capsys.readouterr().out


def test_every_empty_heading_of_a_new_file_carries_a_hint(checkout: Path) -> None:
    _new()
    text = (checkout / "signatures" / "storage" / "cog-lost.yaml").read_text("utf-8")
    empty = [line for line in text.splitlines() if line.split("#")[0].strip().endswith(":") and line[0].isalpha()]
    without_hint = [line for line in empty if "#" not in line]
    assert without_hint == ["recognise:", "notes:", "examples:"]


def test_a_new_file_with_its_headings_filled_passes_test_and_lint(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _new()
    path = checkout / "signatures" / "storage" / "cog-lost.yaml"
    path.write_text(_filled(path.read_text("utf-8")), "utf-8")
    assert main(["signature", "test", "storage/cog-lost"]) == 0, capsys.readouterr().out
    assert main(["signature", "lint"]) == 0, capsys.readouterr().out


def test_an_unfinished_file_is_a_problem_that_names_the_empty_field(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _new()
    assert main(["signature", "test", "storage/cog-lost"]) == 1
    assert "cog-lost.yaml:3:7: title: expected text, found nothing" in capsys.readouterr().out


USAGE = {
    "an id that is none": (["new", "Cogs", "--from", "run.log", "--line", "2"], "'Cogs' is no id"),
    "a line beyond the end": (["new", "storage/cog", "--from", "run.log", "--line", "9"], "run.log has 3 lines; there is no line 9"),
    "a line of too few words": (["new", "storage/cog", "--from", "run.log", "--line", "3"], "no wording of 5 characters"),
    "a log that is not there": (["new", "storage/cog", "--from", "none.log", "--line", "1"], "none.log: no such file"),
    "an entry that is there": (["new", "good/valid", "--from", "run.log", "--line", "2"], "exists already"),
    "a test of nothing": (["test", "good/nothing"], "there is no entry 'good/nothing'"),
    "lint of nothing": (["lint", "nothing.yaml"], "nothing.yaml: no such file or folder"),
    "a folder that is none": (["lint", "--folder", "."], ". is no signatures folder"),
}


@pytest.mark.parametrize(("words", "message"), USAGE.values(), ids=USAGE.keys())
def test_bad_usage_is_one_line_and_exit_code_2(words: list[str], message: str, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signature", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


def test_outside_a_checkout_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["signature", "lint"]) == 2
    assert "name it with --folder" in capsys.readouterr().err


def test_test_shows_patterns_examples_and_time(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signature", "test", "good/valid"]) == 0
    shown = capsys.readouterr().out
    assert 'pattern 1  near "widget out of cogs"  example 1' in shown
    assert "ms on the worst line" in shown
    assert "ok    good/valid#near-miss-1" in shown
    assert shown.endswith("3 examples of 1 entry: all as it must be\n")


def test_test_names_foreign_matches(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = VALID.replace("good/valid", "good/other").replace("The widget", "A widget")
    (checkout / "signatures" / "good" / "other.yaml").write_text(other, "utf-8")
    assert main(["signature", "test", "good/valid"]) == 1
    assert "good/valid#1 is also recognised as good/other" in capsys.readouterr().out


def test_test_names_healthy_logs_that_an_entry_takes_for_failures(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    healthy = checkout / "tests" / "healthy"
    healthy.mkdir(parents=True)
    (healthy / "run.log").write_text("RuntimeError: widget out of cogs: 3 left\n", "utf-8")
    assert main(["signature", "test", "good/valid"]) == 1
    assert "a healthy run is diagnosed as good/valid" in capsys.readouterr().out


def test_lint_gives_place_and_message_and_exit_code_1(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = checkout / "signatures" / "good" / "valid.yaml"
    path.write_text(VALID.replace("larger store.", "larger store!"), "utf-8")
    assert main(["signature", "lint", str(path)]) == 1
    line = next(n for n, text in enumerate(VALID.split("\n"), 1) if "on_call" in text)
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        f"signatures/good/valid.yaml:{line}:12: notes.on_call has an exclamation mark; state it plainly",
        "1 file: 1 error, 0 warnings",
    ]


def test_build_writes_catalogue_and_schema(checkout: Path) -> None:
    assert main(["signature", "build", "--output", "catalog.jsonl"]) == 0
    catalog = unpack((checkout / "catalog.jsonl").read_bytes())
    assert [signature.id for signature in catalog.signatures] == ["good/valid"]
    schema = json.loads((checkout / "signatures" / "schema.json").read_text("utf-8"))
    assert "recognise" in schema["required"]


def test_build_of_a_broken_entry_shows_its_place(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "signatures" / "good" / "valid.yaml").write_text(VALID.replace("owner: environment", "owner: nobody"), "utf-8")
    assert main(["signature", "build", "--output", "catalog.jsonl"]) == 1
    assert "good/valid.yaml:7:8: owner: 'nobody' is not one of" in capsys.readouterr().out
    assert not (checkout / "catalog.jsonl").exists()
