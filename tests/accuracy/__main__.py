"""Prints how often the answer is right, by family: `python -m tests.accuracy [--misses]`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from firstfault.engine import Engine
from tests.accuracy.scoring import MEASURES, Outcome, cases, judge


def table(outcomes: Iterable[Outcome]) -> list[str]:
    """One row a family, and their sum."""
    by_family: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_family[outcome.case.family].append(outcome)
        by_family["all"].append(outcome)
    rows = [f"{'family':<18}{'logs':>5}" + "".join(f"{m:>14}" for m in MEASURES)]
    for family in (*sorted(f for f in by_family if f != "all"), "all"):
        group = by_family[family]
        rows.append(f"{family:<18}{len(group):>5}" + "".join(f"{_share(group, m):>14}" for m in MEASURES))
    return rows


def _share(group: list[Outcome], measure: str) -> str:
    values = [o.passed[measure] for o in group if measure in o.passed]
    return f"{sum(values)}/{len(values)} {100 * sum(values) // len(values)}%" if values else "-"


def main() -> int:
    """Judge every case and print."""
    engine = Engine()
    for suite in ("cases", "runs"):
        outcomes = [judge(case, engine) for case in cases(suite)]
        print(f"tests/{suite}: {len(outcomes)} logs")
        print("\n".join(table(outcomes)))
        failing = [o for o in outcomes if not o.case.healthy]
        counts = {kind: sum(o.named_by == kind for o in failing) for kind in ("entry", "table", "structure", None)}
        print(
            f"first incident of the {len(failing)} failing logs named by: a catalogue entry {counts['entry']}, "
            f"a table row {counts['table']}, structure only {counts['structure']}, nothing {counts[None]}\n"
        )
        if "--misses" in sys.argv[1:]:
            for outcome in outcomes:
                missed = [m for m, ok in outcome.passed.items() if not ok]
                if missed:
                    print(f"  {outcome.case.family}/{outcome.case.name}: {', '.join(missed)}: {outcome.report.summary}")
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
