"""The flight-recorder dump of one process, as the scan of a source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from firstfault.errors import UnreadableInputError
from firstfault.flight import Collective, FlightRecord, GroupFlight
from firstfault.lazy import Lazy
from firstfault.model import Finding, Progress, Provenance, SourceInfo, SourceScan, Stamp, WorldClaim
from firstfault.moments import of_epoch
from firstfault.read.flight_recorder import LARGEST, is_dump, parse

__all__ = ["is_dump", "scan_dump"]

_RANK_AT_END = Lazy(r"(?:^|[^\d])(?P<rank>\d{1,7})(?:\.(?:json|pkl|pickle|bin|dump))*$")
_LAYOUT = "flight-recorder"
_WAITED = "collective/watchdog-timeout"


def scan_dump(blocks: Iterable[bytes], name: str, identity: Provenance) -> SourceScan:
    """The scan of a dump whose bytes are given; raises UnreadableInputError when it cannot be read."""
    pieces: list[bytes] = []
    size = 0
    for block in blocks:
        pieces.append(block)
        size += len(block)
        if size > LARGEST:
            raise UnreadableInputError(f"{name}: this flight-recorder dump is larger than {LARGEST // 1024 // 1024} MiB")
    data = b"".join(pieces)
    rank = identity.rank if identity.rank is not None else _rank_of(name)
    record = parse(data, name=name)._replace(rank=rank)
    who = identity._replace(rank=rank)
    info = SourceInfo(name=name, kind="file", bytes=size, lines=1, encoding=_encoding(data), layout=_LAYOUT)
    return SourceScan(
        info=info,
        findings=tuple(_findings(record, who, name)),
        progress=tuple(_progress(record, who, name)),
        worlds=_worlds(record),
        identity=who,
        flight=record,
    )


def _rank_of(name: str) -> int | None:
    """The recorder writes the rank at the end of the name of the file, and nowhere else."""
    match = _RANK_AT_END.search(re.split(r"[/\\]", name)[-1])
    return int(match["rank"]) if match else None


def _encoding(data: bytes) -> str:
    return "utf-8" if data.lstrip().startswith(b"{") else "pickle"


def _worlds(record: FlightRecord) -> tuple[WorldClaim, ...]:
    """The size of the group that all ranks are in."""
    sizes = [len(g.members) for g in record.groups if g.members and (g.description == "default_pg" or g.name in ("", "0"))]
    return (WorldClaim(max(sizes), times=1, of_job=True),) if sizes else ()


def _findings(record: FlightRecord, who: Provenance, name: str) -> Iterable[Finding]:
    """One finding for each group in which the process still waited for a collective."""
    for group in record.groups:
        waited = next((c for c in group.collectives if not c.done), None)
        if waited is None:
            continue
        yield Finding(
            signature=_WAITED,
            role="effect",
            scope="specific",
            severity="error",
            source=name,
            line=1,
            end_line=1,
            text=f"Flight recorder: {_described(group, waited)} had not ended when the dump was written",
            origin=who._replace(stamp=_stamp(waited)),
            captures=(("seq", str(waited.seq)), ("op", waited.op.upper()), ("pg", group.description or group.name)),
        )


def _progress(record: FlightRecord, who: Provenance, name: str) -> Iterable[Progress]:
    """The last collective that the process entered, in whatever group."""
    entered = [(c.created or 0.0, c.seq, g, c) for g in record.groups for c in g.collectives]
    if not entered:
        return
    _, _, group, last = max(entered, key=lambda e: e[:2])
    where = f", called by {last.frame.function} at {last.frame.file}:{last.frame.line}" if last.frame else ""
    origin = who._replace(stamp=_stamp(last))
    text = f"Flight recorder: last entered {_described(group, last)}{where}"
    yield Progress(process=("flight-recorder", who.rank, name), origin=origin, source=name, line=1, text=text[:300])


def _described(group: GroupFlight, collective: Collective) -> str:
    sizes = f" with sizes {[list(s) for s in collective.sizes]}" if collective.sizes else ""
    return f"{collective.op} SeqNum={collective.seq} of {group.description or 'group ' + group.name}{sizes}"


def _stamp(collective: Collective) -> Stamp | None:
    return None if collective.created is None else of_epoch(collective.created)
