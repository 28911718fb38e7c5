"""The trace in a terminal: what every finding was taken for, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from firstfault.report import Taken, TraceStep
from firstfault.views.page import Page, Span, Style
from firstfault.views.places import Places
from firstfault.wording import plural

_INDENT = 2 + max(len(word) for word in get_args(Taken)) + 2
_STYLES: dict[Taken, Style] = {"first": "fail", "passing": "dim", "detail": "dim"}


def trace_lines(steps: Sequence[TraceStep], page: Page, places: Places) -> list[str]:
    """One paragraph for each step, in reading order."""
    title = f"Trace: {plural(len(steps), 'step')} in reading order, each with what it was taken for and why"
    lines = ["", *page.paragraph([(title, "label")], indent=2)]
    for step in steps:
        style = _STYLES.get(step.taken_as, "plain")
        lead: list[Span] = [("  ", "plain"), (step.taken_as, style)]
        who = f"rank {step.rank}" if step.rank is not None else step.host
        parts = [
            places.at(step.source, step.line),
            who,
            f"{step.title} ({step.signature})",
            f"{step.count} times" if step.count > 1 else None,
        ]
        lines += page.paragraph([(" · ".join(p for p in parts if p), style)], indent=_INDENT, lead=lead)
        lines += page.paragraph([(_can_be(step) + places.compact(step.because), "dim")], indent=_INDENT + 2)
    return lines


def _can_be(step: TraceStep) -> str:
    """The kind in the catalogue, where the decision took the line for something else."""
    same = step.role in (step.taken_as, "exit") or (step.role, step.taken_as) in {("cause", "first"), ("cause", "same")}
    return "" if same else f"by the catalogue {'an' if step.role == 'effect' else 'a'} {step.role}; "
