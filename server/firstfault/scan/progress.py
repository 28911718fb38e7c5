"""The last ordinary thing that each process said: what finds the culprit that says nothing of its own."""

from __future__ import annotations

from collections.abc import Iterable

from firstfault.lazy import Lazy
from firstfault.model import Line, Progress

_STEP = Lazy(r"(?i)\b(?:global[_ ]step|step|iter(?:ation)?|it|batch|update)s?[ =:#/]{0,3}(\d{1,9})\b")
_FINISHED = Lazy(
    r"(?i)\b(?:training|train|epoch|rank|run|loop|worker|job|all (?:steps|epochs|batches))\b.{0,40}\b(?:finished|completed?|done|ended|exhausted)\b"
    r"|\b(?:finished|completed|done with) (?:training|epoch|all|at step|my)\b|\bexiting(?! due)\b|\bran out of (?:data|batches|samples)|\breached max|\bclean exit\b"
)


def observe(lines: Iterable[Line], source: str, ignored: Iterable[tuple[int, int, tuple[object, ...]]]) -> list[Progress]:
    """Last ordinary line of each process among the lines; lines inside blocks and errors do not count."""
    spans = list(ignored)
    last: dict[tuple[object, ...], Progress] = {}
    steps: dict[tuple[object, ...], int] = {}
    for line in lines:
        if not line.text.strip() or line.origin.level in ("error", "fatal"):
            continue
        if any(start <= line.number <= end and who == line.process for start, end, who in spans):
            continue
        step = _STEP.search(line.text)
        if step:
            steps[line.process] = int(step[1])
        last[line.process] = Progress(
            process=line.process,
            origin=line.origin,
            source=source,
            line=line.number,
            text=line.text[:300],
            step=steps.get(line.process),
            finished=bool(_FINISHED.search(line.text)),
        )
    return list(last.values())
