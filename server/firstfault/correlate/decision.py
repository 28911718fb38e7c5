"""The outcome of correlation, as plain data."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from firstfault.correlate.clocks import Skew
from firstfault.correlate.deaths import Death
from firstfault.correlate.faults import Fault
from firstfault.correlate.suspects import Suspect
from firstfault.model import SourceScan

if TYPE_CHECKING:
    from firstfault.correlate.flight_recorder import Lagging

Status = Literal["established", "likely", "undetermined"]


class Explained(NamedTuple):
    """A failure that another one accounts for."""

    fault: Fault
    because: str


class Decided(NamedTuple):
    """One incident: the suspect taken as first, what it explains, and the steps that led there."""

    suspect: Suspect
    status: Status
    confidence: float
    why: tuple[str, ...]
    explained: tuple[Explained, ...] = ()
    also: tuple[Fault, ...] = ()
    """Faults of the same kind in other processes, at the same time."""
    anybody: bool = False
    """The logs show what went wrong and not in which process; nobody is to be named."""


class Decision(NamedTuple):
    """The outcome of correlation."""

    verdict: Literal["failure", "no-failure", "undetermined"]
    incidents: tuple[Decided, ...]
    passing: tuple[Explained, ...]
    """Errors that ended nothing, and how one knows."""
    deaths: tuple[Death, ...]
    world_size: int | None
    ranks: tuple[int, ...]
    hosts: tuple[str, ...]
    unlogged: tuple[int, ...]
    """Ranks of which no log of their own was given, though others have one."""
    attempts: int
    scans: tuple[SourceScan, ...]
    """What the sources say, with the ranks and times that were found out by comparing them."""
    clocks: tuple[Skew, ...] = ()
    """Hosts whose clocks differ from the others by a known time; it is taken off their stamps in `scans`."""
    recorded: "Lagging | None" = None
    """What the flight-recorder dumps of the ranks show when they are compared."""
