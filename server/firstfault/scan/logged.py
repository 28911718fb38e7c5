"""What stands before a traceback that a logger wrote: the record that it belongs to, and the step that its process had reached."""

from __future__ import annotations

from typing import NamedTuple

from firstfault.model import Line, Provenance
from firstfault.scan.progress import IGNORED, step_of
from firstfault.scan.window import Window

_LEVELS = frozenset({"warning", "error", "fatal"})
_FARTHEST = 64
"""Lines in front of a record among which the last step of its process is looked for."""


class Speaker(NamedTuple):
    """Who wrote a block, and the step that this process had logged last."""

    origin: Provenance
    step: int | None = None
    ignored: bool = False
    """The interpreter printed it of an exception that it then ignored."""


def speaker_of(window: Window, start: int, head: Line) -> Speaker:
    """Who wrote the traceback that begins at `start`."""
    above = next((line for _, line in window.before(start, 1)), head)
    if above.text.startswith(IGNORED) and above.process == head.process:
        return Speaker(head.origin, ignored=True)
    record = _record_of(head, above)
    if record.origin.level not in _LEVELS:
        return Speaker(record.origin)
    steps = (step_of(line) for _, line in window.before(start, _FARTHEST) if line.process == record.process)
    return Speaker(record.origin, next((step for step in steps if step is not None), None))


def _record_of(head: Line, above: Line) -> Line:
    """The head itself, or the record before it where that alone names a rank: a logger puts its prefix before the message, and not
    before the traceback below it."""
    if head.prefix or head.origin.rank is not None:
        return head
    return above if above.origin.rank is not None and above.origin.level in _LEVELS else head
