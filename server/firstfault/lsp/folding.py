"""Folding: each traceback is one fold, and each run of collateral another."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.settings import Settings
from firstfault.wording import plural

GAP = 5
"""Lines of other output that may stand between two failures of one fold."""
MOST_FOLDS = 2000


def folding(diagnosed: Diagnosed, settings: Settings) -> list[types.FoldingRange]:
    """Folds of a document, in order of lines."""
    lines = diagnosed.lines
    folds: dict[tuple[int, int], types.FoldingRange] = {}
    for block in diagnosed.blocks:
        start, end = lines.first_of(block.start_line), _last(diagnosed, block.end_line)
        if end > start:
            name = block.raised[-1].type.rsplit(".", 1)[-1] if block.raised else block.kind
            folds[start, end] = _fold(start, end, f"{name}: {plural(end - start + 1, 'line')}")
    for first, last, count in _collateral(diagnosed):
        start, end = lines.first_of(first), _last(diagnosed, last)
        if end > start and count > 1:
            folds[start, end] = _fold(start, end, f"{plural(count, 'failure')} that the first fault explains")
    return [folds[key] for key in sorted(folds, key=lambda k: (k[0], -k[1]))][:MOST_FOLDS]


def _fold(start: int, end: int, text: str) -> types.FoldingRange:
    return types.FoldingRange(start, end, kind=types.FoldingRangeKind.Region, collapsed_text=text)


def _last(diagnosed: Diagnosed, core_line: int) -> int:
    lines = diagnosed.lines
    return max(lines.first_of(core_line), lines.first_of(core_line + 1) - 1)


def _collateral(diagnosed: Diagnosed) -> list[tuple[int, int, int]]:
    """Stretches of explained failures with no first fault between them: first line, last line, number of failures."""
    spans: list[tuple[int, int]] = []
    firsts: list[int] = []
    for _, decided in diagnosed.incidents:
        if decided.suspect.source == diagnosed.source and decided.suspect.line:
            firsts.append(decided.suspect.line)
        for item in decided.explained:
            fault = item.fault
            if fault.best.source == diagnosed.source:
                spans.append((fault.start_line, fault.end_line))
    out: list[tuple[int, int, int]] = []
    for start, end in sorted(spans):
        if out and start - out[-1][1] <= GAP and not any(out[-1][0] <= f <= end for f in firsts):
            out[-1] = (out[-1][0], max(out[-1][1], end), out[-1][2] + 1)
        else:
            out.append((start, end, 1))
    return out
