"""Tells failures that ended something from errors that a program caught, retried or only mentioned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firstfault.correlate.deaths import Death
from firstfault.correlate.endings import End
from firstfault.correlate.faults import Fault
from firstfault.correlate.order import apart
from firstfault.lazy import Lazy
from firstfault.model import Block, Provenance, SourceScan, process_of

_SHRUGGED = Lazy(
    r"(?i)(?<!no-)\b(?:(?:will )?re-?try(?:ing)?(?! (?:count |limit )?exceeded)|ignor(?:ed|ing)|skipp?(?:ed|ing)|fall(?:ing|s)? ?back|fallback|"
    r"(?<!watchdog )caught|recover(?:ed|ing)|suppressed|expected to fail|"
    r"continu(?:e|ing)|non-?fatal|optional|unable to initialize backend)\b"
)
_QUOTED = Lazy(r"\(choose from [^)]*\)|\{[\w.,-]+\}|(?P<quote>['\"`])[\w./-]+(?P=quote)")
"""Names that a message lists or cites: the choices of an option, a key, a file. They say nothing of what became of the error."""
_GRAVE = Lazy(
    r"(?i)(?<!non-)(?<!non )(?<!not )\b(?:\w*critical\w*|fatal|unhealthy)\b|\b(?:will|going to) be (?:terminated|interrupted|reclaimed|preempted)\b|"
    r"\bblocked (?:in I/O wait )?for more than \d+ seconds"
    r"|\b(?:termination is unexpected|(?:died|exited|terminated) unexpectedly)\b"
)
"""The line says itself how grave it is, whatever level its logger gave it: daemons tell of lost devices and machines at level info."""
_OF_PEERS = ("collective/", "nccl/")
_LONG_AFTER = 12
_SHORT_AFTER = 2
"""Ordinary lines after a caught error that show that the program went on; a logger's word needs fewer than a bare traceback."""
_AT_THE_END = 3
_SHRUGGED_OFF = "its own words say that the program went on"
_ENDS_WELL = "the log ends well"
_KEPT = 300
"""Characters of an ordinary line that are kept."""


class Spared(NamedTuple):
    """A fault that ended nothing, and how one knows."""

    fault: Fault
    because: str


class FatalityJudge:
    """Knows how the run ended, and judges single faults by it."""

    def __init__(self, scans: Sequence[SourceScan], deaths: Sequence[Death], faults: Sequence[Fault]) -> None:
        self._sources = [_Source(s) for s in scans]
        self.died = any(d.failed for d in deaths)
        self._failed = {d.rank for d in deaths if d.failed}
        self.run_failed = self.died or any(
            f.role == "wrapper"
            and f.best.severity != "warning"
            and not self._sources[f.source_index].end.well()
            and f.best.origin.level not in ("debug", "info")
            for f in faults
        )
        """Somebody says that a process of the run failed."""

    def spared(self, fault: Fault) -> str | None:
        """Why the fault ended nothing, as a clause; None where it can have ended its process, or still stood when the log ended."""
        finding = fault.best
        if finding.lasting:
            return None
        if finding.severity == "warning":
            return "the catalogue knows it as a warning"
        if finding.block is not None:
            return self._spared_block(fault, finding.block)
        level = _level(finding.origin, finding.text)
        by_level = f"the program logged it as {level}" if level in ("debug", "info", "warning") else None
        if finding.severity == "critical":
            return by_level if level != "warning" else None
        if level in ("debug", "info"):
            return None if fault.role == "effect" and self._ends_with(fault) else by_level
        if _shrugged(finding.text) and not self._ends_with(fault):
            return _SHRUGGED_OFF
        if level == "warning":
            return self._went_on(fault) if self.run_failed or fault.role == "effect" else by_level
        if fault.signature.startswith(_OF_PEERS) and fault.role == "effect":
            # What the other ranks print below it is no sign of life: they wait too.
            return _ENDS_WELL if self._sources[fault.source_index].end.well(after=fault.end_line) else None
        return None if self.run_failed else self._went_on(fault)

    def _spared_block(self, fault: Fault, block: Block) -> str | None:
        if block.ignored:
            return "the interpreter says that it ignored the exception"
        told = block.text.split("\n", 1)[0]
        level = _level(block.origin, told if block.kind == "exception" else "")
        if block.logged and level in ("debug", "info"):
            return f"the program logged it as {level}"
        if block.kind == "exception" and _shrugged(told) and block.logged:
            return _SHRUGGED_OFF
        if block.logged and block.origin.level == "warning":
            return self._went_on(fault) if self.run_failed else "the program logged it as a warning"
        return self._survived(fault) or (None if self.run_failed else self._went_on(fault))

    def _survived(self, fault: Fault) -> str | None:
        """A logger wrote it, and its process then finished, or trained on without failing by itself later."""
        block = fault.best.block
        if block is None or block.origin.level not in ("error", "warning") or fault.rank is None:
            return None
        last = self._sources[fault.source_index].last_of.get(process_of(fault.best.origin))
        if last is None or last.line <= fault.end_line:
            return None
        on = last.finished or (fault.rank not in self._failed and _trained_on(block.step, last.step))
        return f"a logger wrote it, and rank {fault.rank} went on (line {last.line})" if on else None

    def _ends_with(self, fault: Fault) -> bool:
        """The log ends with the fault, again and again: nothing else came after it."""
        source = self._sources[fault.source_index]
        last = source.last_line_but(fault.best.text.strip()[:_KEPT])
        return fault.best.line > last or (fault.count >= 3 and source.lines - fault.best.line <= _AT_THE_END + fault.count)

    def _went_on(self, fault: Fault) -> str | None:
        """The same process said ordinary things long after the fault, or the source ends well."""
        source = self._sources[fault.source_index]
        end = fault.end_line
        if source.end.well(after=end):
            return _ENDS_WELL
        last = source.last_of.get(process_of(fault.best.origin))
        if last is None or last.line <= end or (apart(fault.stamp, last.origin.stamp) or 0.0) < 0:
            return None  # what was printed earlier and only written later, from a buffer, is no sign of life
        block = fault.best.block
        enough = _SHORT_AFTER if fault.best.origin.level == "error" and (block is None or block.logged) else _LONG_AFTER
        return f"its process went on (line {last.line})" if last.line - end > enough or last.finished else None


class _Source:
    """What the ordinary lines of a source say of its end, looked through once for all of its faults."""

    def __init__(self, scan: SourceScan) -> None:
        self.lines = scan.info.lines
        self.end = End(scan)
        ordered = sorted(scan.progress, key=lambda p: p.line)
        self.last_of = {p.process: p for p in ordered}
        self._last_with = sorted({p.text.strip(): p.line for p in ordered}.items(), key=lambda item: -item[1])

    def last_line_but(self, text: str) -> int:
        """The last ordinary line that says something else."""
        return next((line for said, line in self._last_with if said != text), 0)


def _shrugged(text: str) -> bool:
    """Whether an error is told with words that say that the program went on."""
    return _SHRUGGED.search(_QUOTED.sub("", text)) is not None


def _level(who: Provenance, text: str) -> str | None:
    """The level of the logger, but for a low one to which the line itself gives the lie."""
    return None if who.level in ("debug", "info", "warning") and _GRAVE.search(text) else who.level


def _trained_on(before: int | None, last: int | None) -> bool:
    """Two steps further than before: one more may be that of the error itself, as in the name of an emergency checkpoint."""
    return before is not None and last is not None and last >= before + 2
