"""Findings in bounded memory: alike ones are counted, and the end of a very long log is kept as well as its beginning."""

from __future__ import annotations

from firstfault.model import NOBODY, Finding
from firstfault.scan.folded import KEPT_ALIKE, MOST_FINDINGS, Folded


def finding(line: int, signature: str = "python/value-error") -> Finding:
    return Finding(signature, "cause", "class", "error", "run.log", line, line, "ValueError", NOBODY)


def test_alike_findings_are_counted() -> None:
    folded = Folded()
    for line in range(1, 101):
        folded.add(finding(line))
    assert len(folded.findings) == KEPT_ALIKE
    assert sum(f.count for f in folded.findings) == 100


def test_the_last_of_very_many_findings_is_there() -> None:
    folded = Folded()
    for line in range(1, 5 * MOST_FINDINGS):
        folded.add(finding(line, f"site/number-{line}"))
    lines = [f.line for f in folded.findings]
    assert lines[0] == 1
    assert lines[-1] == 5 * MOST_FINDINGS - 1
    assert len(lines) == MOST_FINDINGS


def test_parts_fold_into_what_the_whole_folds_into() -> None:
    whole, first, second, joined = Folded(), Folded(), Folded(), Folded()
    for line in range(1, 21):
        whole.add(finding(line))
        (first if line < 9 else second).add(finding(line))
    for part in (first, second):
        joined.extend(part.groups())
    assert joined.findings == whole.findings
