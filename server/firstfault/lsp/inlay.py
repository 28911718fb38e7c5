"""Inlay hints, off by default: whose line it is, and how long before or after the first fault it was written."""

from __future__ import annotations

from lsprotocol import types

from firstfault.correlate.order import apart
from firstfault.lsp.convert import line_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.settings import Settings
from firstfault.model import Finding, Stamp

MOST_HINTS = 500


def inlay(diagnosed: Diagnosed, area: types.Range, settings: Settings) -> list[types.InlayHint]:
    """Hints for the recognised lines of a range."""
    if not settings.inlay_hints:
        return []
    first = next((d.suspect.stamp for _, d in diagnosed.incidents if d.suspect.stamp), None)
    hints: dict[int, types.InlayHint] = {}
    for finding in diagnosed.findings:
        number = diagnosed.lines.place_of(finding.line, finding.text)
        if number in hints or not area.start.line <= number <= area.end.line:
            continue
        label = _label(finding, first)
        if label:
            end = line_range(diagnosed.lines, number, diagnosed.encoding).end
            hints[number] = types.InlayHint(end, label, padding_left=True, tooltip="Process, and time from the first fault")
        if len(hints) == MOST_HINTS:
            break
    return [hints[number] for number in sorted(hints)]


def _label(finding: Finding, first: Stamp | None) -> str:
    who = finding.origin
    parts = [f"rank {who.rank}" if who.rank is not None else f"pid {who.pid}" if who.pid is not None else "", who.host or ""]
    seconds = apart(first, who.stamp)
    if seconds is not None:
        parts.append("first fault" if seconds == 0 else f"{seconds:+.3f} s".replace(".000 s", " s"))
    return " · ".join(p for p in parts if p)
