"""The answer, as the JSON of a report carries it: plain, immutable data."""

from dataclasses import dataclass, field
from typing import Literal

from firstfault.model import LineNumber, Rank, SourceInfo
from firstfault.timeline import Timeline, described


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiator:
    """The process that failed first, and the line that shows it."""

    rank: Rank | None
    local_rank: int | None
    host: str | None
    pid: int | None
    time: str | None
    source: str | None
    line: LineNumber | None
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Lines that a reader can check."""

    source: str
    line: LineNumber
    end_line: LineNumber
    text: str
    role: Literal["initiating", "supporting", "context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collateral:
    """Failures that the first one accounts for, folded by kind."""

    signature: str
    title: str
    ranks: list[Rank]
    source: str
    line: LineNumber
    count: int
    role: Literal["effect", "wrapper", "cause"]
    explained_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FixStep:
    """One way out, filled with this log's values."""

    text: str
    command: str | None
    edit: dict[str, str] | None
    caution: str | None
    kind: str
    risk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyStep:
    """How one knows that it is mended."""

    text: str
    command: str | None
    expect: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A fact that would settle what is only likely."""

    fact: str
    command: str | None
    would_show: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A source to read on."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Findings that one fault explains."""

    signature: str
    title: str
    category: str
    severity: Literal["critical", "error", "warning"]
    confidence: float
    status: Literal["established", "likely", "undetermined"]
    named_by: Literal["entry", "table", "structure"]
    owner: str | None
    cause: str
    initiator: Initiator
    why_first: str
    evidence: list[Evidence]
    collateral: list[Collateral]
    fix: list[FixStep]
    verify: list[VerifyStep]
    missing: list[Missing]
    next_action: str
    references: list[Link]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Who made the report."""

    name: str
    version: str
    catalog: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is known of the run as a whole."""

    launcher: str | None
    world_size: int | None
    attempts: int
    hosts: list[str]
    ranks_seen: list[Rank]


Taken = Literal["first", "same", "cause", "effect", "wrapper", "passing", "detail", "exit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One finding, or one end of a process, and what it was taken for."""

    source: str
    line: LineNumber
    text: str
    rank: Rank | None
    host: str | None
    signature: str
    title: str
    role: Literal["cause", "effect", "wrapper", "notice", "exit"] = field(metadata=described("what the catalogue says such a line can be"))
    taken_as: Taken = field(
        metadata=described(
            "what it is in this run; `same`: the first fault once more, `detail`: another name for a line or block that is listed"
        )
    )
    incident: int | None = field(metadata=described("position in `incidents` of the one that it belongs to"))
    because: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The answer; its JSON is version 1 of `firstfault.report`."""

    schema: Literal["firstfault.report/1"]
    tool: Tool
    verdict: Literal["failure", "no-failure", "undetermined"]
    summary: str
    sources: list[SourceInfo]
    run: Run
    incidents: list[Incident]
    notes: list[str]
    timeline: Timeline | None = field(default=None, metadata=described("null for a run of one process, and when nothing failed"))
    trace: list[TraceStep] | None = field(default=None, metadata=described("every finding with its role; only when asked for"))
