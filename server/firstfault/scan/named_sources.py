"""Sources that are the output of one known command: what it tells beyond its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from firstfault.catalog.compiled import Catalog, Signature
from firstfault.model import NOBODY, Finding, LineNumber, Progress, Provenance, SourceScan

if TYPE_CHECKING:
    from firstfault.blocks.scheduler import SchedulerSays

_STALLED = "collective/rank-stalled"
_UNEVEN = "collective/mismatch"
_HINTS = (b"JobID", b"JobId=", b"NodeName=", b"Namespace:", b"Roles:", b"LAST SEEN", b"Communicators...", b"Job summary", b"RAS Monitor",
          b'"communicators_count"', b"\nPython v")  # fmt: skip


def enriched(scan: SourceScan, text: bytes, catalog: Catalog) -> SourceScan:
    """The scan of a source with what its command is known to tell; `text` is its beginning."""
    if not any(hint in text[:4096] for hint in _HINTS):
        return scan
    from firstfault.blocks.ras import is_ras
    from firstfault.blocks.scheduler import read_scheduler
    from firstfault.blocks.stack_dump import is_stack_dump

    lines = text.decode("utf-8", "replace").split("\n")
    says = read_scheduler(lines, scan.info.name)
    if says is not None:
        return _scheduled(scan, says, catalog)
    if is_ras(lines):
        return _ras(scan, lines, catalog)
    if is_stack_dump(lines):
        return _laid_out(scan, "py-spy")._replace(progress=tuple(_stacks(scan, lines)), ending=())
    return scan


def _laid_out(scan: SourceScan, layout: str) -> SourceScan:
    return scan._replace(info=replace(scan.info, layout=layout))


def _scheduled(scan: SourceScan, says: SchedulerSays, catalog: Catalog) -> SourceScan:
    """Lines of a table are neither progress nor an end: those go, and what the table says comes in."""
    findings = [f._replace(origin=_placed(f.origin, says.places.get(f.line, NOBODY))) for f in scan.findings]
    known = {(f.signature, f.line) for f in findings}
    for state in says.states:
        entry = catalog.by_id.get(state.signature)
        if entry is None or (state.signature, state.line) in known:
            continue
        place = says.places.get(state.line, NOBODY)
        findings.append(_finding(entry, scan, state.line, state.text, place)._replace(scope="table"))
    hosts = tuple(dict.fromkeys([*scan.hosts, *says.hosts]))
    found = tuple(sorted(findings, key=lambda f: f.line))
    return _laid_out(scan, says.layout)._replace(findings=found, exits=tuple(says.exits), progress=(), ending=(), hosts=hosts)


def _finding(entry: Signature, scan: SourceScan, line: LineNumber, text: str, origin: Provenance) -> Finding:
    return Finding(
        signature=entry.id,
        role=entry.role,  # pyright: ignore[reportArgumentType]
        scope="specific",
        severity=entry.severity,  # pyright: ignore[reportArgumentType]
        source=scan.info.name,
        line=line,
        end_line=line,
        text=text,
        origin=origin,
    )


def _placed(own: Provenance, place: Provenance) -> Provenance:
    return own._replace(host=own.host or place.host, label=own.label or place.label, stamp=own.stamp or place.stamp)


def _ras(scan: SourceScan, lines: Sequence[str], catalog: Catalog) -> SourceScan:
    """An answer of the RAS network: the ranks that gave no data stand for the whole of it."""
    from firstfault.blocks.ras import read_ras

    status = read_ras(lines)
    laid_out = _laid_out(scan, "nccl-ras")._replace(progress=(), ending=())
    entry = catalog.by_id.get(_STALLED)
    if not status.missing or entry is None:
        return laid_out
    silent = {(p.host, p.pid, p.gpu): p.dead for p in status.processes}
    host, pid, gpu = next(iter(silent)) if len(silent) == 1 else (None, None, None)
    where = f" (process {pid} on {host}, GPU {gpu})" if host is not None else ""
    findings = [f for f in scan.findings if f.signature not in (_STALLED, _UNEVEN)]
    for missing in status.missing:
        alone = len(missing.ranks) == 1
        who = NOBODY._replace(rank=missing.ranks[0], host=host, pid=pid) if alone else NOBODY
        captures = {"missing": ",".join(map(str, missing.ranks)), "communicator": missing.communicator}
        if gpu is not None:
            captures |= {"gpu": str(gpu), "dead": "yes" if any(silent.values()) else "no"}
        text = f"NCCL RAS: {missing.text}{where if alone else ''}"
        findings.append(_finding(entry, scan, missing.line, text, who)._replace(captures=tuple(captures.items())))
    return laid_out._replace(findings=tuple(findings))


def _stacks(scan: SourceScan, lines: Sequence[str]) -> Iterator[Progress]:
    """Where the main thread of each process stands."""
    from firstfault.blocks.stack_dump import read_stack_dump

    for process in read_stack_dump(lines):
        main = process.main
        if main is None or not main.frames:
            continue
        inner = main.frames[0]
        own = f", called from {main.own.function} at {main.own.file}:{main.own.line}" if main.own and main.own != inner else ""
        text = f"{main.name} is in {inner.function} ({inner.file}:{inner.line}){own}"
        origin = scan.identity._replace(pid=process.pid)
        yield Progress(process=("pid", process.pid), origin=origin, source=scan.info.name, line=main.line, text=text[:300])
