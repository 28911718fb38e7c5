"""What the last lines of a piece of text say, should the run end soon after them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from firstfault.model import Line, LineNumber, Progress
from firstfault.scan.losses import LossValue, loss_of
from firstfault.scan.progress import observe

ENDING = 12
"""Lines of the end of a source that are kept."""
_LONGEST = 300


class PieceEnd(NamedTuple):
    """The ordinary lines of a piece, as far as they can matter."""

    progress: tuple[Progress, ...]
    last: tuple[tuple[LineNumber, str], ...]
    losses: tuple[LossValue, ...]


def piece_end(lines: list[Line], source: str, blocks: Iterable[tuple[LineNumber, LineNumber, tuple[object, ...]]]) -> PieceEnd:
    """Look at the lines of a piece; lines of blocks are no ordinary ones."""
    last = tuple((line.number, line.text[:_LONGEST]) for line in lines[-ENDING:])
    return PieceEnd(tuple(observe(lines, source, blocks)), last, tuple(value for value in map(loss_of, lines) if value is not None))


def moved_end(end: PieceEnd, by: int) -> PieceEnd:
    """The same some lines further down."""
    if not by:
        return end
    return PieceEnd(
        tuple(p._replace(line=p.line + by) for p in end.progress),
        tuple((number + by, text) for number, text in end.last),
        tuple(LossValue(v.line._replace(number=v.line.number + by), v.value) for v in end.losses),
    )
