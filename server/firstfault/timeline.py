"""The picture of a failed run that the report carries: a lane for each process, with what happened in it."""

from dataclasses import dataclass, field
from typing import Literal

EventKind = Literal["first", "cause", "effect", "wrapper", "exit", "last-progress", "silent"]


def described(text: str) -> dict[str, str]:
    """Metadata of a field, for the JSON Schema."""
    return {"doc": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One thing that happened in a lane."""

    time: str | None = field(metadata=described("the stamp as the log gives it; null when the line carries none"))
    seconds: float | None = field(metadata=described("seconds from the start of the timeline; null when nothing tells it"))
    source: str
    line: int
    text: str
    kind: EventKind = field(
        metadata=described("one event at most is `first`; `silent`: the process says nothing after this line, though the run goes on")
    )
    signature: str | None = field(metadata=described("catalogue id; null for ordinary lines"))
    title: str
    uncertain: bool = field(metadata=described("the time is estimated, or too close to the first fault to tell the order by the clock"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """What one rank, process, launcher or kernel did, in order."""

    rank: int | None
    label: str
    host: str | None
    events: list[TimelineEvent]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockOffset:
    """How far the clock of a host is ahead of the others."""

    host: str
    seconds: float
    uncertainty: float = field(metadata=described("seconds by which `seconds` may be wrong"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The end of a run of several processes, one lane for each."""

    lanes: list[Lane]
    start: str | None = field(metadata=described("the stamp at second 0; null when no line carries one"))
    end: str | None
    uncertainty: float = field(metadata=described("seconds below which the order of two events cannot be told by the clock"))
    clocks: list[ClockOffset] = field(metadata=described("offsets already taken off `seconds`; hosts that are not listed have none known"))
