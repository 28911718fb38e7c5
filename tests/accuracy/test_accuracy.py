"""The promise of the product: on real logs with known answers, these shares of the answers are right."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from tests.accuracy.scoring import Outcome, cases, judge

PROMISED = {
    "cases": {"top1": 0.97, "line": 0.96, "rank": 0.94, "host": 0.88, "fix": 0.95, "healthy": 1.0, "abstain": 1.0, "missing": 1.0},
    "runs": {"top1": 0.95, "line": 0.97, "rank": 0.93, "host": 0.90, "fix": 0.95, "healthy": 1.0, "abstain": 1.0},
}
NAMED_BY_ENTRY = 0.95


@pytest.fixture(scope="module", params=sorted(PROMISED))
def suite(request: pytest.FixtureRequest) -> tuple[str, list[Outcome]]:
    engine = Engine()
    return request.param, [judge(case, engine) for case in cases(request.param)]


def test_shares_of_right_answers_stay_above_what_is_promised(suite: tuple[str, list[Outcome]]) -> None:
    name, outcomes = suite
    short: list[str] = []
    for measure, least in PROMISED[name].items():
        values = [o.passed[measure] for o in outcomes if measure in o.passed]
        if sum(values) < least * len(values):
            misses = [o.case.name for o in outcomes if o.passed.get(measure) is False]
            short.append(f"{measure}: {sum(values)} of {len(values)}, promised {least:.0%}; missed: {', '.join(misses)}")
    assert not short, "\n".join(short)


def test_most_failures_are_named_by_an_entry_and_not_only_by_their_structure(suite: tuple[str, list[Outcome]]) -> None:
    _, outcomes = suite
    failing = [o for o in outcomes if not o.case.healthy]
    assert sum(o.named_by == "entry" for o in failing) >= NAMED_BY_ENTRY * len(failing)


def test_every_undetermined_answer_names_the_fact_that_would_settle_it(suite: tuple[str, list[Outcome]]) -> None:
    _, outcomes = suite
    silent = [o.case.name for o in outcomes if o.report.verdict == "undetermined" and not o.report.incidents[0].missing]
    assert not silent
