"""Sees a training loss that ends as NaN, infinite, or grown beyond all measure, in runs that print no error at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from firstfault.lazy import Lazy
from firstfault.model import Finding, Line

_LOSS = Lazy(
    r"(?i)(?<![\w.])(?:train(?:ing)?[_/ ]?)?(?:mean[_ ])?(?:lm[_ ])?loss[\"']?\s*[:=|]?\s*[\"']?(?P<value>[-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|nan|inf(?:inity)?))\b(?!\s*%)"
)
_FEWEST = 4
_GROWN = 1e3
_LEAST_RISES = 0.7


@dataclass(frozen=True, slots=True)
class _Value:
    line: Line
    value: float

    @property
    def finite(self) -> bool:
        return self.value == self.value and abs(self.value) != float("inf")


def tells_loss(line: Line) -> bool:
    """Whether a line gives a value of the training loss."""
    return _LOSS.search(line.text) is not None


def judge_losses(lines: Iterable[Line], source: str) -> Finding | None:
    """A finding when the last losses of a log are not finite, or have grown a thousandfold without falling back."""
    series: dict[tuple[object, ...], list[_Value]] = {}
    for line in lines:
        match = _LOSS.search(line.text)
        if match:
            series.setdefault(line.process, []).append(_Value(line, float(match["value"].replace("_", ""))))
    for values in series.values():
        finding = _judge(values, source)
        if finding is not None:
            return finding
    return None


def _judge(values: list[_Value], source: str) -> Finding | None:
    if not values[-1].finite and (len(values) == 1 or not values[-2].finite or len(values) <= _FEWEST):
        first = next(v for v in values if not v.finite)
        return _finding("numerics/loss-nan", first.line, source, len(values))
    finite = [v for v in values if v.finite]
    if len(finite) < _FEWEST or len(finite) < len(values):
        return None
    first, last = abs(finite[0].value), abs(finite[-1].value)
    rises = sum(1 for a, b in zip(finite, finite[1:], strict=False) if b.value > a.value)
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
