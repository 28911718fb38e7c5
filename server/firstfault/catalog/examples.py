"""Runs the examples of entries through the real scanner; they are the tests of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from firstfault.catalog.entry import Entry
from firstfault.catalog.library import Page
from firstfault.catalog.reach import explain_hit, explain_miss
from firstfault.engine import Engine
from firstfault.model import Finding
from firstfault.wording import shortened

ExampleKind = Literal["match", "near_miss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleOutcome:
    """What became of one example; `complaint` is None when it did what it must."""

    signature: str
    kind: ExampleKind
    number: int
    """1-based position among the examples of its kind."""
    patterns: frozenset[int]
    complaint: str | None

    @property
    def name(self) -> str:
        """Name of the example: `storage/shm-exhausted#2`, `storage/shm-exhausted#near-miss-1`."""
        return example_name(self.signature, self.kind, self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMatch:
    """An example that another cause claims too, with neither entry saying which of them wins."""

    signature: str
    number: int
    foreign: str
    text: str

    def __str__(self) -> str:
        """The line that a command prints."""
        name = example_name(self.signature, "match", self.number)
        return f"{name} is also recognised as {self.foreign}, and neither entry names the other: {shortened(self.text, 80)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthyHit:
    """A log of a healthy run that is taken for a failed one."""

    log: str
    signature: str
    line: int | None
    text: str

    def __str__(self) -> str:
        """The line that a command prints."""
        return f"{self.log}:{self.line or 1}: a healthy run is diagnosed as {self.signature}: {shortened(self.text, 100)}"


def example_name(signature: str, kind: ExampleKind, number: int) -> str:
    """How an example is called in messages and test ids."""
    return f"{signature}#{number}" if kind == "match" else f"{signature}#near-miss-{number}"


def run_examples(engine: Engine, page: Page) -> list[ExampleOutcome]:
    """Run all examples of an entry of the engine's catalogue."""
    entry = page.entry
    outcomes = [_run_match(engine, page, number) for number in range(1, len(entry.examples.match) + 1)]
    outcomes.extend(_run_near_miss(engine, page, number) for number in range(1, len(entry.examples.near_miss) + 1))
    return outcomes


def run_example(engine: Engine, page: Page, kind: ExampleKind, number: int) -> ExampleOutcome:
    """Run one example, counted from 1."""
    return _run_match(engine, page, number) if kind == "match" else _run_near_miss(engine, page, number)


def _run_match(engine: Engine, page: Page, number: int) -> ExampleOutcome:
    example = page.entry.examples.match[number - 1]
    own = _own(engine, page.entry.id, example.log)
    complaint: str | None = None
    if not own:
        complaint = explain_miss(engine, page, example.log)
    elif example.captures:
        complaint = _wrong_captures(own, example.captures)
    return _outcome(page, "match", number, own, complaint)


def _run_near_miss(engine: Engine, page: Page, number: int) -> ExampleOutcome:
    log = page.entry.examples.near_miss[number - 1].log
    own = _own(engine, page.entry.id, log)
    return _outcome(page, "near_miss", number, own, explain_hit(page, own) if own else None)


def _outcome(page: Page, kind: ExampleKind, number: int, own: list[Finding], complaint: str | None) -> ExampleOutcome:
    patterns = frozenset(p for finding in own for p in finding.patterns)
    if complaint is not None:
        verb = "is not recognised as it must be" if kind == "match" else "is recognised, but must not be"
        complaint = f"{page.spot(('examples', kind, number - 1))}: {example_name(page.entry.id, kind, number)} {verb}\n{complaint}"
    return ExampleOutcome(signature=page.entry.id, kind=kind, number=number, patterns=patterns, complaint=complaint)


def _own(engine: Engine, signature: str, log: str) -> list[Finding]:
    return [finding for finding in engine.scan_text(log).findings if finding.signature == signature]


def _wrong_captures(own: list[Finding], wanted: dict[str, str]) -> str | None:
    lines: list[str] = []
    for finding in own:
        given = dict(finding.captures)
        if all(given.get(name) == value for name, value in wanted.items()):
            return None
        for name, value in wanted.items():
            if name not in given:
                lines.append(f"  capture {name} is missing; the example asks for {value!r}")
            elif given[name] != value:
                lines.append(f"  capture {name} is {given[name]!r}; the example asks for {value!r}")
    return "\n".join(lines)


def foreign_matches(engine: Engine, entries: Iterable[Entry]) -> list[ForeignMatch]:
    """Examples that are recognised as an undeclared specific cause too, over all signatures of the engine's catalogue."""
    known = {entry.id: entry for entry in entries}
    out: list[ForeignMatch] = []
    for entry in known.values():
        if entry.scope == "class":
            continue
        for number, example in enumerate(entry.examples.match, 1):
            for finding in _foreign(engine.scan_text(example.log).findings, entry.id):
                other = known.get(finding.signature)
                if other is not None and not _declared(entry, other):
                    out.append(ForeignMatch(signature=entry.id, number=number, foreign=other.id, text=finding.text))
    return out


def _foreign(findings: tuple[Finding, ...], own: str) -> Iterator[Finding]:
    mine = [finding for finding in findings if finding.signature == own]
    seen: set[str] = set()
    for finding in findings:
        if finding.signature == own or finding.signature in seen or finding.role != "cause" or finding.scope != "specific":
            continue
        if any(_same_place(finding, other) for other in mine):
            seen.add(finding.signature)
            yield finding


def _same_place(one: Finding, other: Finding) -> bool:
    if one.block is not None and one.block == other.block:
        return True
    return one.line <= other.end_line and other.line <= one.end_line and one.origin == other.origin


def _declared(one: Entry, other: Entry) -> bool:
    return any(b.id in (*a.related, *a.explains, *a.yields_to) for a, b in ((one, other), (other, one)))


def healthy_hits(engine: Engine, folder: Path) -> list[HealthyHit]:
    """Runs of a folder of healthy logs that are not diagnosed as `no-failure`; each file or folder in it is one run."""
    out: list[HealthyHit] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.suffix in (".yaml", ".md", ".tsv"):
            continue
        report = engine.diagnose([str(path)]).report
        if report.verdict != "no-failure":
            top = report.incidents[0] if report.incidents else None
            out.append(
                HealthyHit(
                    log=(top.initiator.source if top else None) or str(path),
                    signature=top.signature if top else report.verdict,
                    line=top.initiator.line if top else None,
                    text=(top.initiator.text if top else None) or report.summary,
                )
            )
    return out
