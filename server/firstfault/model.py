"""The nouns that every stage speaks in: plain, immutable data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from firstfault.flight import FlightRecord

Rank = int
"""Global rank of a process in its job, from 0."""

LineNumber = int
"""1-based number of a line in its source as given, counted by line feeds."""

Level = Literal["debug", "info", "warning", "error", "fatal"]
Role = Literal["cause", "effect", "wrapper", "notice"]
BlockKind = Literal["traceback", "exception", "native"]


class Stamp(NamedTuple):
    """A time as a log gives it; `seconds` compares stamps of one clock, `text` is what a report shows."""

    seconds: float
    text: str
    clock: Literal["wall", "boot"] = "wall"
    has_date: bool = True
    has_year: bool = True
    has_zone: bool = False
    """It tells its distance from Greenwich; a stamp that does not is taken as if it were there."""


class Provenance(NamedTuple):
    """Who said a line. What the log does not tell is None."""

    rank: Rank | None = None
    local_rank: int | None = None
    host: str | None = None
    pid: int | None = None
    stamp: Stamp | None = None
    attempt: int | None = None
    level: Level | None = None
    logger: str | None = None
    label: str | None = None
    """What a multiplexer put before the line (pod, actor, service)."""
    task: int | None = None
    """Number that the launcher of a job step put before the line (`srun --label`) or into the name of the file: the rank, where
    each task is one process."""


NOBODY = Provenance()
CUT_OFF = "structure/traceback-cut-off"  # a traceback of which the log does not hold the end, and so not the exception


def process_of(who: Provenance) -> tuple[object, ...]:
    """What tells the lines of one process from those of others in an interleaved stream."""
    return (who.label, who.task, who.rank, who.local_rank, who.host, who.pid if who.label is None else None)


class Line(NamedTuple):
    """One line without its decoration: escape codes, progress bars and prefixes are gone."""

    number: LineNumber
    text: str
    origin: Provenance
    prefix: str = ""
    """Names of the line formats that were taken off, outermost first, joined by spaces."""

    @property
    def process(self) -> tuple[object, ...]:
        """What tells this line's process from others: equal for lines of one interleaved stream."""
        return process_of(self.origin)


class Frame(NamedTuple):
    """One frame of a traceback."""

    file: str
    line: int | None
    function: str
    source: str = ""


class Raised(NamedTuple):
    """One exception of a traceback, with the frames that led to it."""

    type: str
    message: str
    """Type and message as printed, with all continuation lines."""
    line: LineNumber
    end_line: LineNumber
    start_line: LineNumber
    frames: tuple[Frame, ...] = ()
    link: Literal["none", "cause", "context", "inner"] = "none"
    """How this exception came from the one before it in the block."""


class Block(NamedTuple):
    """Lines that belong together: a traceback, a native crash, a kernel report, a launcher's summary."""

    kind: BlockKind
    source: str
    start_line: LineNumber
    end_line: LineNumber
    origin: Provenance
    text: str
    raised: tuple[Raised, ...] = ()
    logged: bool = False
    """Printed through a logger, so that the program may have caught it."""
    step: int | None = None
    """The step that its process had logged last before it; only looked for where a logger wrote the block."""
    ignored: bool = False
    """The interpreter says that it ignored the exception, as of finalizers."""


class Finding(NamedTuple):
    """One recognised thing at one place."""

    signature: str
    role: Role
    scope: Literal["specific", "table", "class", "structure"]
    severity: Literal["critical", "error", "warning"]
    source: str
    line: LineNumber
    end_line: LineNumber
    text: str
    origin: Provenance
    captures: tuple[tuple[str, str], ...] = ()
    block: Block | None = None
    raised: Raised | None = None
    patterns: tuple[int, ...] = ()
    nearby: bool = False
    count: int = 1  # pyright: ignore[reportIncompatibleMethodOverride]  # nobody counts values in a finding
    lasting: bool = False
    """Still so when the log ended."""


class ProcessExit(NamedTuple):
    """Somebody (launcher, shell, scheduler) says how a process ended."""

    code: int | None
    """Exit code; a signal is its negative number. None when only the end is told."""
    reporter: str
    source: str
    line: LineNumber
    text: str
    rank: Rank | None = None
    local_rank: int | None = None
    host: str | None = None
    pid: int | None = None
    stamp: Stamp | None = None
    attempt: int | None = None
    first: bool = False
    """The reporter calls it the first failure."""
    told: bool = False
    """The launcher ended this process itself."""
    label: str | None = None
    task: int | None = None
    """Where the reporter itself spoke, when a multiplexer says so; as of Provenance."""


class Progress(NamedTuple):
    """The last ordinary thing that a process said before a failure."""

    process: tuple[object, ...]
    origin: Provenance
    source: str
    line: LineNumber
    text: str
    step: int | None = None
    finished: bool = False
    """The line says that the process came to its proper end."""
    steps: tuple[tuple[int, Stamp], ...] = ()
    """The last steps that the process logged, each with the time of its first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo:
    """What was read, for the report."""

    name: str
    kind: Literal["file", "stdin", "text"]
    bytes: int
    lines: int
    encoding: str
    layout: str | None
    truncated: bool = False


class WorldClaim(NamedTuple):
    """A number of processes, and how often it was stated."""

    size: int
    times: int
    of_job: bool
    """Of the whole job by its wording, rather than of some communicator."""


class Introduction(NamedTuple):
    """Somebody says which rank a process is."""

    rank: Rank
    host: str | None = None
    pid: int | None = None
    label: str | None = None
    task: int | None = None
    local_rank: int | None = None
    members: int | None = None
    """Of how many, where the line says so: of the job, or of some communicator."""
    bus: int | None = None
    """PCI address of its GPU as one number, as NCCL prints it."""
    itself: bool = True


class SourceScan(NamedTuple):
    """All that one source has to say; a few kilobytes, whatever the size of the source."""

    info: SourceInfo
    findings: tuple[Finding, ...] = ()
    exits: tuple[ProcessExit, ...] = ()
    progress: tuple[Progress, ...] = ()
    worlds: tuple[WorldClaim, ...] = ()
    """Numbers of processes that lines state; they may speak of other runs and of smaller groups, too."""
    introductions: tuple[Introduction, ...] = ()
    identity: Provenance = NOBODY
    """What the name of the file says about its writer."""
    hosts: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    """Hosts whose logs stand in this source below headings, one behind the other."""
    attempts: int = 1
    ending: tuple[tuple[LineNumber, str], ...] = ()
    """The last few lines, with their numbers."""
    flight: "FlightRecord | None" = None
    boot: float | None = None
    """Seconds since 1970 at which the machine booted, where a line tells its time by both clocks."""
