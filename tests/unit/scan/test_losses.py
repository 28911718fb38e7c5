"""A loss that ends as NaN or runs away is the only trace of some failures; an ordinary loss is never one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from firstfault.model import NOBODY, Line
from firstfault.scan.losses import judge_losses


def lines(*texts: str, rank: int | None = None) -> list[Line]:
    who = NOBODY._replace(rank=rank)
    return [Line(number=n, text=text, origin=who) for n, text in enumerate(texts, 1)]


def series(form: str, values: Sequence[object]) -> list[Line]:
    return lines(*(form.format(n=n, value=value) for n, value in enumerate(values)))


FORMS = [
    "step {n} loss {value}",
    "step {n}: loss={value}",
    "{{'loss': {value}, 'grad_norm': 1.0, 'epoch': {n}}}",
    "iteration {n}/ 500 | lm loss: {value} | grad norm: 1.0",
    "Epoch {n}: train_loss={value}",
    "Train Loss: {value} at {n}",
    "training/loss {value} step {n}",
    '{{"step": {n}, "loss": "{value}"}}',
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("last", ["nan", "NaN", "inf", "-inf"])
def test_a_loss_that_is_no_number_to_the_end_is_found_where_it_began(form: str, last: str) -> None:
    found = judge_losses(series(form, [2.5, 2.4, 2.3, 2.2, last, last, last]), "x.log")
    assert found is not None
    assert (found.signature, found.line, found.lasting) == ("numerics/loss-nan", 5, True)


@pytest.mark.parametrize("form", FORMS)
def test_a_loss_grown_a_thousandfold_is_found_at_its_first_rise(form: str) -> None:
    found = judge_losses(series(form, [2.5, 9.0, 80.0, 700.0, 9e3, 1.2e5]), "x.log")
    assert found is not None
    assert (found.signature, found.line) == ("numerics/loss-diverges", 2)


@pytest.mark.parametrize(
    "values",
    [
        [2.5, 2.4, 2.3, 2.2],
        [2.5, "nan", 2.4, 2.3, 2.2],
        [2.5, 2.4, 2.3, 2.2, "nan"],
        [2.5, 900.0, 4000.0, 3.0, 2.4],
        [1e-6, 2e-6, 1e-6, 3e-6],
        [0, 0, 0, 0],
        [0.01, 0.02, 0.05, 0.1],
        [2.5],
        [],
    ],
    ids=["falling", "one bad step", "bad only in the last step", "spike", "tiny", "zero", "rising a little", "single", "none"],
)
def test_an_ordinary_loss_is_no_finding(values: list[object]) -> None:
    assert judge_losses(series("step {n} loss {value}", values), "x.log") is None


@pytest.mark.parametrize("text", ["packet loss 100%", "loss function: cross entropy", "gloss 5", "lossless nan", "val_loss_weight"])
def test_other_losses_are_not_meant(text: str) -> None:
    assert judge_losses(lines(*[text] * 6), "x.log") is None


def test_each_process_is_judged_by_its_own_series() -> None:
    healthy = lines(*[f"step {n} loss 2.{9 - n}" for n in range(6)], rank=0)
    ill = lines("step 0 loss 2.5", "step 1 loss 2.4", "step 2 loss 2.2", *["step 3 loss nan"] * 3, rank=3)
    found = judge_losses([line for pair in zip(healthy, ill, strict=True) for line in pair], "x.log")
    assert found is not None
    assert found.origin.rank == 3
