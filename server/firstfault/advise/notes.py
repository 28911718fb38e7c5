"""What a reader should know of the logs themselves: which were not there."""

from __future__ import annotations

from firstfault.correlate.decision import Decision
from firstfault.correlate.unlogged import hosts_without_log
from firstfault.wording import plural, ranges

_LARGEST = 4096
"""Ranks up to which those that say nothing are listed."""


def absent_logs(decision: Decision) -> list[str]:
    """Ranks and hosts without a log of their own where others have one, and ranks that no line speaks of."""
    if not decision.incidents:
        return []
    notes: list[str] = []
    without = set(decision.unlogged)
    if without:
        notes.append(f"{plural(len(without), 'rank has', 'ranks have')} no log among the given files: {ranges(sorted(without))}")
    hosts = hosts_without_log(decision.scans, decision.hosts)
    if hosts:
        notes.append(f"{plural(len(hosts), 'host has', 'hosts have')} no log among the given files: {', '.join(hosts)}")
    known = set(range(decision.world_size)) if decision.world_size and decision.world_size <= _LARGEST else set[int]()
    silent = sorted(known - set(decision.ranks) - without)
    if silent and len(silent) < len(known):
        notes.append(f"{plural(len(silent), 'rank')} of {decision.world_size} say nothing in these logs: {ranges(silent)}")
    return notes
