"""Tells failures that ended something from errors that a program caught, retried or only mentioned."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstfault.correlate.deaths import Death
from firstfault.correlate.faults import Fault
from firstfault.model import SourceScan, process_of

_SHRUGGED = re.compile(
    r"(?i)\b(?:retry(?:ing)?|will retry|re-?trying|ignor(?:ed|ing)|skipp?(?:ed|ing)|falling back|fall(?:s|ing)? ?back|caught|recover(?:ed|ing)|suppressed|expected|continu(?:e|ing)|non-?fatal|optional)\b"
)
_GOOD_END = re.compile(
    r"(?i)\b(?:exit(?:ed)?(?: with)?(?: status| code)?[ :=]*0\b|success(?:ful(?:ly)?)?|completed?|finished|done|all (?:checks|tests) passed|\d+ passed|saved|bye)\b"
)
_LONG_AFTER = 12
"""Ordinary lines after a caught error that show that the program went on."""


class FatalityJudge:
    """Knows how the run ended, and judges single faults by it."""

    def __init__(self, scans: Sequence[SourceScan], deaths: Sequence[Death], faults: Sequence[Fault]) -> None:
        self._scans = scans
        self.died = any(d.failed for d in deaths)
        self.wrapped = any(f.role == "wrapper" and f.best.severity != "warning" for f in faults)
        self.good_end = [_ends_well(s) for s in scans]

    @property
    def run_failed(self) -> bool:
        """Somebody says that a process of the run failed."""
        return self.died or self.wrapped

    def is_fatal(self, fault: Fault) -> bool:
        """Whether the fault can have ended its process."""
        finding = fault.best
        level = finding.origin.level
        if finding.severity == "warning":
            return False
        if finding.severity == "critical" and finding.block is None:
            return level not in ("debug", "info")
        if finding.block is not None:
            return self._block_is_fatal(fault)
        if level in ("debug", "info", "warning"):
            return self.run_failed and not _SHRUGGED.search(finding.text) and level == "warning"
        if _SHRUGGED.search(finding.text):
            return False
        return self.run_failed or not self._went_on(fault)

    def _block_is_fatal(self, fault: Fault) -> bool:
        block = fault.best.block
        assert block is not None
        if block.logged and block.origin.level in ("debug", "info"):
            return False
        if block.kind == "exception" and _SHRUGGED.search(block.text.split("\n", 1)[0]):
            return False
        if block.logged and block.origin.level == "warning":
            return self.run_failed and not self._went_on(fault)
        if self.run_failed:
            return True
        return not self._went_on(fault)

    def _went_on(self, fault: Fault) -> bool:
        """The same process said ordinary things long after the fault, or the source ends well."""
        scan = self._scans[fault.source_index]
        end = fault.end_line
        if scan.info.lines - end <= 2:
            return False
        later = [p for p in scan.progress if p.line > end and p.process == process_of(fault.best.origin)]
        if not later:
            return self.good_end[fault.source_index] and scan.info.lines - end > _LONG_AFTER
        last = max(later, key=lambda p: p.line)
        return last.line - end > _LONG_AFTER or last.finished or self.good_end[fault.source_index]


def _ends_well(scan: SourceScan) -> bool:
    return any(_GOOD_END.search(text) for text in scan.ending[-4:])
