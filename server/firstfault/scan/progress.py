"""The last ordinary thing that each process said: what finds the culprit that says nothing of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from firstfault.lazy import Lazy
from firstfault.model import Line, Progress, Stamp

_STEP = Lazy(r"(?i)\b(?:global[_ ]step|step|iter(?:ation)?|it|batch|update)s?[ =:#/]{0,3}(\d{1,9})\b")
_FINISHED = Lazy(
    r"(?i)\b(?:training|train|epoch|rank|run|loop|worker|job|all (?:steps|epochs|batches))\b.{0,40}\b(?:finished|completed?|done|ended|exhausted)\b"
    r"|\b(?:finished|completed|done with) (?:training|epoch|all|at step|my)\b|\bexiting(?! due)\b|\bran out of (?:data|batches|samples)|\breached max|\bclean exit\b"
)


IGNORED = "Exception ignored in"
"""What `sys.unraisablehook` prints before the traceback of an exception that it cannot raise: the program goes on."""
_STACK = Lazy(r"^(?:Call Trace:|</?(?:TASK|IRQ|NMI)>|\s*(?:\[<[0-9a-f]+>\] )?(?:\? )?[\w.]+\+0x[0-9a-f]+/0x[0-9a-f]+)")
"""Lines of a stack that the kernel prints with a report: no sign that anything went on."""
MOST_STEPS = 8
"""Steps of one process whose times are kept."""

_Steps = tuple[tuple[int, Stamp], ...]


def step_of(line: Line) -> int | None:
    """The step that a line names."""
    step = _STEP.search(line.text)
    return int(step[1]) if step else None


def observe(lines: Iterable[Line], source: str, ignored: Iterable[tuple[int, int, tuple[object, ...]]]) -> list[Progress]:
    """Last ordinary line of each process among the lines; lines inside blocks and errors do not count."""
    spans = list(ignored)
    last: dict[tuple[object, ...], Progress] = {}
    steps: dict[tuple[object, ...], int] = {}
    times: dict[tuple[object, ...], dict[int, Stamp]] = {}
    for line in lines:
        if not line.text.strip() or line.origin.level in ("error", "fatal") or line.text.startswith(IGNORED):
            continue
        if _STACK.match(line.text):
            continue
        if any(start <= line.number <= end and who == line.process for start, end, who in spans):
            continue
        step = step_of(line)
        if step is not None:
            steps[line.process] = step
            if line.origin.stamp is not None:
                times.setdefault(line.process, {}).setdefault(step, line.origin.stamp)
        last[line.process] = Progress(
            process=line.process,
            origin=line.origin,
            source=source,
            line=line.number,
            text=line.text[:300],
            step=steps.get(line.process),
            finished=bool(_FINISHED.search(line.text)),
        )
    return [p._replace(steps=_last(times[process])) if process in times else p for process, p in last.items()]


def followed(earlier: Progress | None, later: Progress) -> Progress:
    """What a process said last, with what it had said before: a line without a step comes after the last step."""
    if earlier is None:
        return later
    times = {**dict(later.steps), **dict(earlier.steps)}
    order = dict.fromkeys((*dict(earlier.steps), *dict(later.steps)))
    later = later._replace(steps=_last({step: times[step] for step in order}))
    return later if later.step is not None else later._replace(step=earlier.step, finished=later.finished or earlier.finished)


def _last(times: Mapping[int, Stamp]) -> _Steps:
    return tuple(times.items())[-MOST_STEPS:]
