"""Other ways to find out what failed: the launcher's own line, the first traceback, and other programs, where they are installed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.accuracy.scoring import Case

DATA = Path(__file__).parents[2] / "benchmarks" / "data"
LONGEST = 120
"""Seconds after which a program is given up."""
_SHORTEST_QUOTE = 24


class Answer(NamedTuple):
    """What a contestant says of one log; None where it does not speak of such a thing at all."""

    verdict: str | None
    name: str | None = None
    said: str | None = None
    """Name and cause, in which the right answer is looked for."""
    rank: int | None = None
    gives_ranks: bool = False
    places: frozenset[tuple[str, int]] | None = None


Contestant = Callable[[Case], Answer]


def text_of(case: Case) -> dict[str, str]:
    """The logs of a case by name."""
    files = [case.log] if case.log.is_file() else sorted(p for p in case.log.rglob("*") if p.is_file())
    return {str(f.relative_to(case.folder)): f.read_bytes().decode("utf-8", "replace") for f in files}


# --- what the log itself says -----------------------------------------------------------------------------------------

_ROOT = re.compile(r"Root Cause \(first observed failure\):.{0,400}?\brank +: +(\d+)", re.DOTALL)
_TRACEBACK = "Traceback (most recent call last):"
_RANK = re.compile(r"\[(?:rank|default)? ?(?P<rank>\d+)\]")
_FRAME = re.compile(r"^(?:\s|$|[|+])")


def torchrun_line(case: Case) -> Answer:
    """The rank of torchrun's "Root Cause"; a log of torchrun without one counts as no failure, and other launchers do not count."""
    launcher = str(case.answer.get("lab_launcher") or case.answer.get("launcher"))
    if not launcher.startswith("torchrun"):
        return Answer(None)
    stored = case.answer.get("torchrun_root_cause_ranks")
    ranks = [int(r) for r in stored] if stored is not None else [int(m[1]) for text in text_of(case).values() for m in _ROOT.finditer(text)]
    return Answer("failure" if ranks else "no-failure", rank=ranks[0] if ranks else None, gives_ranks=True)


def first_traceback(case: Case) -> Answer:
    """The first traceback of the log, with the rank before it and its lines; a log without one counts as no failure."""
    for name, text in text_of(case).items():
        lines = text.split("\n")
        start = next((n for n, line in enumerate(lines) if _TRACEBACK in line), None)
        if start is None:
            continue
        before, _, _ = lines[start].partition(_TRACEBACK)
        end = start + 1
        while end < len(lines) - 1 and _FRAME.match(lines[end].removeprefix(before)):
            end += 1
        found = _RANK.search(before)
        rank = case.answer.get("first_traceback_rank", int(found["rank"]) if found else None)
        places = frozenset((name, number + 1) for number in range(start, end + 1))
        return Answer("failure", lines[end], lines[end].removeprefix(before), rank=rank, gives_ranks=True, places=places)
    return Answer("no-failure", "", "", gives_ranks=True, places=frozenset())


# --- other programs ---------------------------------------------------------------------------------------------------


def program(name: str) -> Path | None:
    """The command of a program that stands in a folder of its own below benchmarks/data."""
    path = DATA / name / "bin" / name
    return path if path.exists() else None


def version_of(name: str) -> str:
    """The installed version of such a program."""
    code = f"from importlib.metadata import version; print(version({name!r}))"
    python = DATA / name / "bin" / "python"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def denpex(case: Case) -> Answer:
    """`denpex diagnose-local`; a folder is given as one stream, as it takes no folders."""
    logs = text_of(case)
    out = _run("denpex", ["diagnose-local", "-"], "".join(logs.values())).stdout
    return read_denpex(out, logs)


def read_denpex(out: str, logs: Mapping[str, str]) -> Answer:
    """What the output of denpex says; a log line counts as named when the output quotes it."""
    failure = re.search(r"FAILURE: (\S+)", out)
    root = re.search(r"ROOT CAUSE: (.*)", out)
    name, cause = failure[1] if failure else "", root[1] if root else ""
    verdict = "undetermined" if "NEEDS_MORE_SIGNAL" in name or "withheld" in out else "failure"
    if re.search(r"NO_FAILURE|NO_FAULT|HEALTHY", name):
        verdict = "no-failure"
    words = name.replace("_", " ")
    rank = re.search(r"(?i)\brank[ =:#]*(\d+)", cause)
    quoted = frozenset(
        (file, number)
        for file, text in logs.items()
        for number, line in enumerate(text.split("\n"), start=1)
        if len(line.strip()) >= _SHORTEST_QUOTE and line.strip() in out
    )
    return Answer(verdict, words, f"{words} {name} {cause}", int(rank[1]) if rank else None, True, quoted)


def runmedic(case: Case) -> Answer:
    """`runmedic diagnose --json`."""
    return read_runmedic(_run("runmedic", ["diagnose", str(case.log), "--json"]).stdout, next(iter(text_of(case)), ""))


def read_runmedic(out: str, file: str) -> Answer:
    """What the output of runmedic says; nothing, or nothing critical, counts as no failure. It names no ranks."""
    try:
        loaded: Any = json.loads(out)
    except ValueError:
        loaded = []
    listed = loaded.get("runs", []) if isinstance(loaded, dict) else loaded
    findings = [f for run in listed for f in run.get("findings", [])]
    if not findings:
        return Answer("no-failure", "", "", places=frozenset())
    first = findings[0]
    named = f"{first.get('check', '')} {first.get('title', '')}"
    lines = re.findall(r"at line (\d+)", json.dumps(first))
    verdict = "failure" if any(f.get("severity") == "critical" for f in findings) else "no-failure"
    return Answer(verdict, named, named, places=frozenset((file, int(n)) for n in lines))


def _run(name: str, arguments: list[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(program(name)), *arguments]
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "")
