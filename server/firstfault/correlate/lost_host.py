"""Finds the host that vanished: its log simply stops, while those of other hosts tell that they lost their peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from firstfault.correlate.faults import Fault
from firstfault.correlate.suspects import Suspect
from firstfault.model import Progress, SourceScan, Stamp


class _End(NamedTuple):
    """The last line of the log of a host: of a file of its own, or of a part of one below a heading."""

    host: str
    source: str
    line: int
    text: str
    stamp: Stamp | None


def by_lost_host(effects: Sequence[Fault], faults: Sequence[Fault], scans: Sequence[SourceScan]) -> Suspect | None:
    """The one host of several whose log has neither an error nor an exit; None where there is no such host."""
    ends = [end for scan in scans for end in _ends(scan)]
    hosts = {end.host for end in ends}
    speaking = {scans[f.source_index].identity.host or f.host for f in faults}
    speaking |= {scan.identity.host or report.host for scan in scans for report in scan.exits}
    silent = [end for end in ends if end.host not in speaking]
    if len(hosts) < 2 or len({end.host for end in silent}) != 1 or not effects:
        return None
    end, first = silent[-1], effects[0].best
    stamps = [e.stamp for e in silent if e.stamp is not None]
    others = ", ".join(sorted(hosts - {end.host}))
    return Suspect(
        signature="launch/node-lost",
        host=end.host,
        stamp=stamps[-1] if stamps else None,
        source=end.source,
        line=end.line,
        end_line=end.line,
        text=end.text,
        why=(
            f"The log of {end.host} stops at {end.source}:{end.line} without an error, an exit or a shutdown.",
            f"{others} then lost the connections to it (line {first.line} of {first.source} is the first such error).",
        ),
        context=tuple((f.best.source, f.best.line, f.best.text) for f in effects[:4]),
    )


def _ends(scan: SourceScan) -> Iterator[_End]:
    own = scan.identity.host
    if own is not None:
        if scan.ending:
            line, text = scan.ending[-1]
            yield _End(own, scan.info.name, line, text, _last_stamp(scan.progress))
        return
    for host in scan.sections if len(scan.sections) > 1 else ():
        said = [p for p in scan.progress if p.origin.host == host]
        if said:
            last = max(said, key=lambda p: p.line)
            yield _End(host, scan.info.name, last.line, last.text, _last_stamp(said))


def _last_stamp(progress: Sequence[Progress]) -> Stamp | None:
    stamped = [p for p in progress if p.origin.stamp is not None]
    return max(stamped, key=lambda p: p.line).origin.stamp if stamped else None
