"""What the flight recorder of a process kept of its collectives."""

from typing import NamedTuple

from firstfault.model import Frame, Rank


class Collective(NamedTuple):
    """One collective of a process group, as the flight recorder of a process kept it."""

    seq: int
    op: str
    """Without the backend's name: all_reduce, broadcast."""
    done: bool
    """The process itself saw its end, or had stopped waiting for it."""
    state: str
    """scheduled, started or completed."""
    sizes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    frame: Frame | None = None
    """Where in the user's own code it was called."""
    created: float | None = None
    """When the process called it, in seconds since 1970."""
    ended: float | None = None
    """When the process noticed that it had ended."""


class GroupFlight(NamedTuple):
    """What a process had done in one process group."""

    name: str
    description: str
    members: tuple[Rank, ...]
    """Global ranks of the group; empty when the dump does not tell."""
    enqueued: int | None
    collectives: tuple[Collective, ...] = ()
    """The last ones, oldest first; none that are point to point."""


class FlightRecord(NamedTuple):
    """The flight-recorder dump of one process."""

    version: str
    groups: tuple[GroupFlight, ...]
    rank: Rank | None = None
    source: str = ""
