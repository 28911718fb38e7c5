"""Compares the first incident of a report with the right answer that stands beside a log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from firstfault.engine import Engine
from firstfault.report import Incident, Report

TESTS = Path(__file__).resolve().parent.parent
MEASURES = ("top1", "line", "rank", "host", "fix", "healthy", "abstain", "missing")


@dataclass(frozen=True, slots=True)
class Case:
    """A log, or a folder of logs, with its right answer."""

    suite: str
    family: str
    name: str
    folder: Path
    answer: dict[str, Any]

    @property
    def log(self) -> Path:
        """What a person would give to the tool."""
        single = self.folder / "log.txt"
        return single if single.exists() else self.folder / "logs"

    @property
    def healthy(self) -> bool:
        """Nothing failed here."""
        return self.answer.get("family") == "healthy" or not (self.answer.get("accept") or self.answer.get("undetermined"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case came out: the measures that apply to it, and what named its first incident."""

    case: Case
    passed: dict[str, bool]
    named_by: str | None
    report: Report


def cases(suite: str) -> Iterator[Case]:
    """The cases of `tests/cases` or `tests/runs`."""
    for path in sorted((TESTS / suite).rglob("case.yaml")):
        answer = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        family = path.parent.parent.name if suite == "cases" else answer["lab_launcher"]
        yield Case(suite, family, path.parent.name, path.parent, answer)


def judge(case: Case, engine: Engine) -> Outcome:
    """Diagnose a case and compare."""
    report = engine.diagnose([str(case.log)]).report
    top = report.incidents[0] if report.incidents else None
    return Outcome(case, compare(case, report, top), top.named_by if top else None, report)


def compare(case: Case, report: Report, top: Incident | None) -> dict[str, bool]:
    """Which measures the answer meets."""
    answer = case.answer
    if case.healthy:
        return {"healthy": report.verdict == "no-failure"}
    said = "" if top is None else f"{top.signature} {top.title} {top.cause}"
    if answer.get("undetermined"):
        asked = "" if top is None else " ".join(f"{m.fact} {m.command} {m.would_show}" for m in top.missing) + top.next_action + _fixes(top)
        abstained = report.verdict == "undetermined"
        wanted = answer.get("missing_any")
        return {"abstain": abstained, **({"missing": abstained and _any(wanted, asked)} if wanted else {})}
    name = "" if top is None else f"{top.signature} {top.title}"
    passed = {"top1": _any(answer["accept"], said) and not _any(answer.get("reject"), name)}
    if answer.get("primary_lines"):
        passed["line"] = top is not None and _same_place(answer["primary_lines"], top)
    if answer.get("initiating_rank") is not None:
        passed["rank"] = top is not None and top.initiator.rank == answer["initiating_rank"]
    if answer.get("initiating_host"):
        passed["host"] = top is not None and top.initiator.host == answer["initiating_host"]
    if answer.get("fix_any"):
        missing = "" if top is None else " ".join(f"{m.fact} {m.command} {m.would_show}" for m in top.missing) + top.next_action
        passed["fix"] = top is not None and _any(answer["fix_any"], _fixes(top) + missing)
    return passed


def _fixes(top: Incident) -> str:
    return " ".join(f"{f.text} {f.command} {f.edit} {f.caution}" for f in top.fix)


def _any(patterns: Sequence[str] | None, text: str) -> bool:
    return any(re.search(p, text, re.IGNORECASE) for p in patterns or ())


def _same_place(wanted: Sequence[object], top: Incident) -> bool:
    places = {(top.initiator.source or "", top.initiator.line or 0)}
    for evidence in top.evidence:
        if evidence.role == "initiating":
            places.update((evidence.source, n) for n in range(evidence.line, evidence.end_line + 1))
    for place in wanted:
        if isinstance(place, int):
            if any(line == place for _, line in places):
                return True
        else:
            file, _, number = str(place).rpartition(":")
            if any(line == int(number) and _tail(file, source) for source, line in places):
                return True
    return False


def _tail(one: str, other: str) -> bool:
    first, second = PurePosixPath(one).parts, PurePosixPath(other).parts
    size = min(len(first), len(second))
    return size > 0 and first[-size:] == second[-size:]
