"""Gathers the findings of one place into one fault, and decides which of them names it best."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from firstfault.blocks.frames import is_library
from firstfault.catalog.compiled import Catalog
from firstfault.lazy import Lazy
from firstfault.model import Block, Finding, Raised, Role, SourceScan, Stamp

_SCOPES = {"specific": 0, "table": 1, "class": 2, "structure": 3}
_CONTROL_FLOW = {"Empty", "Full", "StopIteration", "BlockingIOError", "CancelledError", "InterruptedError"}
"""Exceptions that libraries use to steer; never what went wrong."""


_REMOTE = Lazy(r"\bray::\S+ \(pid=(?P<pid>\d{1,9}), ip=(?P<host>[\w.:-]+)")
"""Ray prints the error of a task in the process that asked for its result, and says where it was raised."""


_XID_PROCESS = Lazy(r"NVRM: Xid \([^)]*\): \d+, pid='?(?P<pid>\d{1,9})\b")
"""The driver names the process whose channel failed, whichever the Xid is."""


class Fault(NamedTuple):
    """Something that went wrong at one place, with everything recognised there."""

    best: Finding
    others: tuple[Finding, ...]
    role: Role
    source_index: int
    order: int
    """Position among all faults of the run, in reading order."""
    rank: int | None
    local_rank: int | None
    host: str | None
    pid: int | None
    attempt: int | None
    stamp: Stamp | None
    uncaught: bool
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]  # nobody counts values in a fault

    @property
    def signature(self) -> str:
        """Id of what names the fault."""
        return self.best.signature

    @property
    def process(self) -> tuple[object, ...]:
        """What tells the process apart from others in the run."""
        if self.rank is not None:
            return ("rank", self.rank, self.attempt)
        who = self.best.origin
        if who.label or self.pid:
            return ("pid", self.host, self.pid, who.label)
        return ("source", self.source_index, self.host)

    @property
    def start_line(self) -> int:
        """First line of the block, or that of the finding."""
        return self.best.block.start_line if self.best.block else self.best.line

    @property
    def end_line(self) -> int:
        """Last line of the block, or of the finding."""
        return self.best.block.end_line if self.best.block else self.best.end_line


def gather(scans: Sequence[SourceScan], catalog: Catalog) -> list[Fault]:
    """All faults of a run in reading order."""
    faults: list[Fault] = []
    for index, scan in enumerate(scans):
        places: dict[tuple[object, ...], list[Finding]] = {}
        for finding in scan.findings:
            key = ("block", id(finding.block)) if finding.block else ("line", finding.line, finding.origin.rank)
            places.setdefault(key, []).append(finding)
        for group in places.values():
            best = choose(group, catalog)
            if best is not None:
                faults.append(_fault(best, group, index, len(faults)))
    return faults


def _fault(best: Finding, group: Sequence[Finding], index: int, order: int) -> Fault:
    who = best.origin
    block = best.block
    captured = dict(best.captures)
    pid = who.pid
    named = captured.get("pid") or captured.get("victim", "")
    if named.isdigit() and (pid is None or "victim" in captured):
        pid = int(named)
    host = captured.get("node") or who.host or captured.get("host")
    remote = _remote(block)
    if remote is not None:
        pid, host = int(remote["pid"]), remote["host"]
    if pid is None and (channel := _XID_PROCESS.search(best.text)) is not None:
        pid = int(channel["pid"])
    rank = who.rank
    if rank is None and captured.get("rank", "").isdigit():
        rank = int(captured["rank"])
    return Fault(
        best=best,
        others=tuple(f for f in group if f is not best),
        role=best.role,
        source_index=index,
        order=order,
        rank=rank,
        local_rank=who.local_rank,
        host=host,
        pid=pid,
        attempt=who.attempt,
        stamp=who.stamp,
        uncaught=block is not None and not block.logged,
        count=sum(f.count for f in group if f.signature == best.signature),
    )


def _remote(block: Block | None) -> re.Match[str] | None:
    """The process farthest down in which an error of Ray was raised."""
    found = [match for raised in block.raised for match in _REMOTE.finditer(raised.message)] if block is not None else []
    return found[-1] if found else None


def choose(group: Sequence[Finding], catalog: Catalog) -> Finding | None:
    """The finding that names a place best: specific before general, what others yield to, the root of a chain."""
    block = group[0].block
    if block is None or not block.raised:
        return _best_of(group, catalog)
    per_exception: list[Finding | None] = []
    for raised in block.raised:
        per_exception.append(_best_of([f for f in group if f.raised == raised], catalog))
    return _root(group, per_exception)


def _root(group: Sequence[Finding], per_exception: Sequence[Finding | None]) -> Finding | None:
    block = group[0].block
    structure = next((f for f in group if f.scope == "structure"), None)
    if block is None:
        return structure
    specific = [f for f in per_exception if f and f.scope == "specific"]
    causes = [f for f in specific if f.role == "cause"]
    if causes:
        return causes[0]
    if specific:
        own = _local_fault_before(block.raised, per_exception)
        if own is None:
            return min(specific, key=lambda f: f.role == "wrapper")
        position = own
    else:
        position = root_position(block.raised)
    named = per_exception[position]
    if named is not None:
        return named
    raised = block.raised[position]
    return structure._replace(raised=raised, line=raised.line, end_line=raised.end_line, text=raised.message) if structure else None


def _local_fault_before(raised: Sequence[Raised], per_exception: Sequence[Finding | None]) -> int | None:
    """Position of an exception of the user's own code that an effect or wrapper in the same chain hides."""
    for position, item in enumerate(raised):
        finding = per_exception[position]
        if finding is not None and finding.role != "cause":
            continue
        inner = item.link == "inner"
        hides = position + 1 < len(raised) and raised[position + 1].link in ("context", "cause")
        if inner or (hides and _in_own_code(item)):
            return position
    return None


def root_position(raised: Sequence[Raised]) -> int:
    """Index of the exception that started a chain: back over `from`, over errors of the user's own code that were being
    handled, and into the tracebacks that workers sent along."""
    position = len(raised) - 1
    while position > 0:
        link = raised[position].link
        earlier = raised[position - 1]
        if link == "cause" or (link == "context" and _in_own_code(earlier)):
            position -= 1
        else:
            break
    return position


def _in_own_code(raised: Raised) -> bool:
    if not raised.frames or raised.type.rsplit(".", 1)[-1] in _CONTROL_FLOW:
        return False
    return not is_library(raised.frames[-1].file)


def _best_of(group: Iterable[Finding], catalog: Catalog) -> Finding | None:
    findings = [f for f in group if f.role != "notice"]
    ids = {f.signature for f in findings}
    kept: list[Finding] = []
    for finding in findings:
        signature = catalog.by_id.get(finding.signature)
        if signature is None or not signature.yields_to & (ids - {finding.signature}):
            kept.append(finding)
    kept = kept or findings
    return min(kept, key=_preference, default=None)


def _preference(finding: Finding) -> tuple[int, int, int, int]:
    roles = {"cause": 0, "effect": 1, "wrapper": 2, "notice": 3}
    longest = max((len(v) for _, v in finding.captures), default=0)
    return (0 if finding.lasting else 1, _SCOPES[finding.scope], roles[finding.role], -longest)
