"""Sees a training loss that ends as NaN, infinite, or grown beyond all measure, in runs that print no error at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from firstfault.lazy import Lazy
from firstfault.model import Finding, Line

_LOSS = Lazy(
    r"(?i)(?<![\w.])(?:train(?:ing)?[_/ ]?)?(?:mean[_ ])?(?:lm[_ ])?loss[\"']?\s*[:=|]?\s*[\"']?(?P<value>[-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|nan|inf(?:inity)?))\b(?!\s*%)"
)
_FEWEST = 4
_GROWN = 1e3
_LEAST_RISES = 0.7


@dataclass(frozen=True, slots=True)
class LossValue:
    """A training loss as a line gives it."""

    line: Line
    value: float

    @property
    def finite(self) -> bool:
        """Neither NaN nor infinite."""
        return self.value == self.value and abs(self.value) != float("inf")


def loss_of(line: Line) -> LossValue | None:
    """The loss that a line gives, or None."""
    match = _LOSS.search(line.text)
    return LossValue(line, float(match["value"].replace("_", ""))) if match else None


def judge_losses(lines: Iterable[Line], source: str) -> Finding | None:
    """A finding when the last losses of a log are not finite, or have grown a thousandfold without falling back."""
    return judge_values((value for value in map(loss_of, lines) if value is not None), source)


def judge_values(given: Iterable[LossValue], source: str) -> Finding | None:
    """The same for losses that were read already."""
    series: dict[tuple[object, ...], list[LossValue]] = {}
    for value in given:
        series.setdefault(value.line.process, []).append(value)
    for values in series.values():
        finding = _judge(values, source)
        if finding is not None:
            return finding
    return None


def _judge(values: list[LossValue], source: str) -> Finding | None:
    if not values[-1].finite and (len(values) == 1 or not values[-2].finite or len(values) <= _FEWEST):
        first = next(v for v in values if not v.finite)
        return _finding("numerics/loss-nan", first.line, source, len(values))
    finite = [v for v in values if v.finite]
    if len(finite) < _FEWEST or len(finite) < len(values):
        return None
    first, last = abs(finite[0].value), abs(finite[-1].value)
    rises = sum(1 for a, b in pairwise(finite) if b.value > a.value)
    if first > 0 and last > _GROWN * first and rises >= _LEAST_RISES * (len(finite) - 1):
        return _finding("numerics/loss-diverges", finite[1].line, source, len(values))
    return None


def _finding(signature: str, line: Line, source: str, count: int) -> Finding:
    return Finding(
        signature=signature,
        role="cause",
        scope="specific",
        severity="error",
        source=source,
        line=line.number,
        end_line=line.number,
        text=line.text,
        origin=line.origin,
        count=count,
        lasting=True,
    )
