"""`firstfault diagnose`: what goes in, what comes out, and the exit code that scripts act on."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .command import command, environment, run
from .logs import FAILED, HEALTHY, TIMED_OUT

ESCAPE = "\x1b["


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("failed.log", FAILED), ("healthy.log", HEALTHY), ("timed-out.log", TIMED_OUT)):
        (tmp_path / name).write_text(text)
    return tmp_path


def report(*arguments: str, **how: Any) -> dict[str, Any]:
    done = run("diagnose", *arguments, "--format", "json", **how)
    assert done.stderr == ""
    return json.loads(done.stdout)


# --- exit codes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "code", "verdict"),
    [("healthy.log", 0, "no-failure"), ("failed.log", 1, "failure"), ("timed-out.log", 1, "undetermined"), ("gone.log", 2, None)],
)
def test_the_exit_code_tells_the_verdict(place: Path, log: str, code: int, verdict: str | None) -> None:
    done = run("diagnose", log, "--format", "json")
    assert done.returncode == code
    assert (json.loads(done.stdout)["verdict"] if done.stdout else None) == verdict


# --- inputs -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ranks(place: Path) -> Path:
    """The logs of one run, one for each rank; rank 2 failed, the others waited for it."""
    folder = place / "logs"
    folder.mkdir()
    for rank in range(4):
        text = f"2026-12-01 10:00:00,{rank}00 INFO step 1 loss 2.1 world_size=4\n"
        if rank == 2:
            text += re.sub(r"^\[rank\d\]: ", "", FAILED, flags=re.MULTILINE)
        else:
            text += TIMED_OUT.replace("Rank 0", f"Rank {rank}").replace("rank0", f"rank{rank}")
        (folder / f"rank{rank}.log").write_text(text)
    return folder


def test_a_folder_of_per_rank_logs_is_one_run(ranks: Path) -> None:
    answer = report("logs")
    (incident,) = answer["incidents"]
    assert [s["name"] for s in answer["sources"]] == [f"logs/rank{r}.log" for r in range(4)]
    assert (incident["initiator"]["rank"], incident["initiator"]["source"]) == (2, "logs/rank2.log")
    assert {rank for c in incident["collateral"] for rank in c["ranks"]} >= {0, 1, 3}


@pytest.mark.parametrize("arguments", [["logs/"], ["logs/*.log"], [f"logs/rank{r}.log" for r in range(4)], ["logs", "logs/rank2.log"]])
def test_a_run_may_be_named_in_several_ways(ranks: Path, arguments: list[str]) -> None:
    answer, wanted = report(*arguments), report("logs")
    assert [s["name"] for s in answer["sources"]] == [s["name"] for s in wanted["sources"]]
    assert answer["incidents"] == wanted["incidents"]


def test_reading_in_parallel_changes_nothing(ranks: Path) -> None:
    assert report("logs", "--jobs", "2") == report("logs", "--jobs", "1")


@pytest.mark.parametrize("arguments", [["-"], []], ids=["named", "by default"])
def test_standard_input_is_read(place: Path, arguments: list[str]) -> None:
    answer = report(*arguments, input=FAILED)
    assert (answer["sources"][0]["name"], answer["sources"][0]["kind"]) == ("<stdin>", "stdin")
    assert answer["incidents"][0]["initiator"]["source"] == "<stdin>"
    assert answer["incidents"][0]["initiator"]["line"] == 8


def test_compressed_standard_input_is_read(place: Path) -> None:
    done = subprocess.run(
        command("diagnose", "-"), input=gzip.compress(FAILED.encode()), env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"KeyError" in done.stdout


def test_the_same_log_gives_the_same_answer_however_it_comes(place: Path) -> None:
    (place / "failed.log.gz").write_bytes(gzip.compress(FAILED.encode()))

    def told(answer: dict[str, Any]) -> list[Any]:
        incident = answer["incidents"][0]
        return [incident["signature"], incident["initiator"]["rank"], incident["initiator"]["line"], incident["initiator"]["text"]]

    assert told(report("failed.log")) == told(report("failed.log.gz")) == told(report("-", input=FAILED))


def test_one_rank_can_be_looked_at_alone(ranks: Path) -> None:
    (incident,) = report("logs", "--rank", "2")["incidents"]
    assert incident["initiator"]["rank"] == 2
    assert {rank for c in incident["collateral"] for rank in c["ranks"]} <= {2}
    (incident,) = report("logs", "--rank", "0")["incidents"]
    assert incident["initiator"]["rank"] != 2


# --- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "begin"),
    [
        ("text", "✖ "),
        ("json", '{\n  "schema": "firstfault.report/1"'),
        ("sarif", "{"),
        ("markdown", "### ✖ "),
        ("github", "::error file=failed.log,line=8"),
    ],
)
def test_each_format_says_the_same_in_its_own_way(place: Path, form: str, begin: str) -> None:
    done = run("diagnose", "failed.log", "--format", form)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(begin)
    assert "KeyError" in done.stdout
    assert done.stdout.endswith("\n")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "markdown", "github"])
def test_the_report_can_go_to_a_file(place: Path, form: str) -> None:
    printed = run("diagnose", "failed.log", "--format", form)
    done = run("diagnose", "failed.log", "--format", form, "--output", "report.out")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert (place / "report.out").read_text("utf-8") == printed.stdout


def test_a_report_holds_no_secrets_when_it_is_redacted(place: Path) -> None:
    secret = "hf_" + "aBcD1234" * 4 + "aB"
    (place / "run.log").write_text(FAILED.replace("KeyError: 'input_ids'", f"KeyError: '{secret} of /home/alice/x at 203.0.113.7'"))
    open_text = run("diagnose", "run.log", "--format", "json").stdout
    assert secret in open_text
    masked = run("diagnose", "run.log", "--format", "json", "--redact").stdout
    for word in (secret, "alice", "203.0.113.7"):
        assert word not in masked
    assert json.loads(masked)["incidents"][0]["initiator"]["rank"] == 1


# --- what the terminal can show ---------------------------------------------------------------------------------------


def test_a_pipe_gets_no_colour(place: Path) -> None:
    assert ESCAPE not in run("diagnose", "failed.log").stdout


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colour_follows_the_environment(place: Path, env: dict[str, str], coloured: bool) -> None:
    assert (ESCAPE in run("diagnose", "failed.log", env=env).stdout) is coloured


def test_colour_changes_no_word(place: Path) -> None:
    coloured = run("diagnose", "failed.log", env={"FORCE_COLOR": "1"}).stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == run("diagnose", "failed.log").stdout


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_the_verdict_is_as_wide_as_the_terminal(place: Path, columns: int) -> None:
    verdict = run("diagnose", "timed-out.log", env={"COLUMNS": str(columns)}).stdout.split("\n\n")[0]
    assert max(len(line) for line in verdict.splitlines()) <= columns
    assert " ".join(verdict.split()) == " ".join(run("diagnose", "timed-out.log", env={"COLUMNS": "120"}).stdout.split("\n\n")[0].split())


@pytest.mark.parametrize("columns", ["0", "1", "-5", "wide", ""])
def test_a_nonsensical_width_is_survived(place: Path, columns: str) -> None:
    done = run("diagnose", "failed.log", env={"COLUMNS": columns})
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    "how",
    [{"arguments": ["--ascii"]}, {"env": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}}],
    ids=["asked for", "all that the locale has"],
)
def test_ascii_says_the_same_without_a_special_character(place: Path, how: dict[str, Any]) -> None:
    done = run("diagnose", "failed.log", *how.get("arguments", []), env=how.get("env"))
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert "KeyError" in done.stdout


def test_help_teaches_by_example() -> None:
    done = run("diagnose", "--help")
    assert done.returncode == 0
    assert "firstfault diagnose run.log" in done.stdout
    assert "kubectl logs train-0 | firstfault diagnose -" in done.stdout


# --- the trace and the page -------------------------------------------------------------------------------------------


def test_the_trace_comes_after_the_answer_and_only_when_asked_for(ranks: Path) -> None:
    plain, traced = run("diagnose", "logs").stdout, run("diagnose", "logs", "--trace").stdout
    assert traced.startswith(plain)
    assert "Trace:" not in plain
    assert "Trace:" in traced
    assert "python/key-error" in traced.split("Trace:")[1]


def test_the_trace_stands_in_the_json(ranks: Path) -> None:
    assert report("logs")["trace"] is None
    steps = report("logs", "--trace")["trace"]
    assert [step["rank"] for step in steps if step["taken_as"] == "first"] == [2]


def test_the_page_is_written_as_a_file(ranks: Path) -> None:
    done = run("diagnose", "logs", "--format", "html", "--output", "report.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert Path("report.html").read_text("utf-8").startswith("<!doctype html>")


def test_hosts_in_the_timeline_are_masked_too(place: Path) -> None:
    for node, rank in (("gpu-node-a", 0), ("gpu-node-b", 1)):
        text = "" if rank else f"2026-12-01T10:00:05.400000Z {node} train[40]: [rank0]: KeyError: 'x'\n"
        text += f"2026-12-01T10:00:09.900000Z {node} train[4{rank}]: [rank{rank}]: torch.OutOfMemoryError: CUDA out of memory\n"
        (place / f"{node}.log").write_text(text)
    assert "gpu-node" in json.dumps(report("gpu-node-a.log", "gpu-node-b.log")["timeline"])
    assert "gpu-node" not in json.dumps(report("gpu-node-a.log", "gpu-node-b.log", "--redact")["timeline"]["lanes"][0]["host"])
