"""Compares Firstfault with other ways to find out what failed, on the same logs: `python -m tests.accuracy.compare [FILE]`."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path, PurePosixPath

from firstfault import __version__
from firstfault.engine import Engine
from tests.accuracy import contestants
from tests.accuracy.contestants import Answer, Contestant
from tests.accuracy.scoring import Case, cases, judge

MEASURES = ("top1", "line", "rank", "healthy")
SUITES = {
    "runs": "real training runs with one injected fault each, several processes",
    "cases": "logs of real failures and of healthy runs, mostly one process",
}
Scores = dict[str, list[bool]]

HEAD = """\
# How often the answer is right

Firstfault beside other ways to find out what failed, on the same logs and by the same rules. Logs and right answers stand in `tests/runs`
and `tests/cases`. Do not edit this page; `make accuracy` writes it.

Made on {date} with {versions}.

- **top1**: the first answer names the right cause, by the words that the right answer asks for, and not a tempting wrong one.
- **line**: it points at a line that shows the first fault. For denpex every log line that it quotes counts.
- **rank**: it names the process that failed first, where the log can tell.
- **healthy**: a run that did not fail is said to be well; warnings do not count against it.

Each cell: right answers of those that ask for this measure. A dash: this way gives no such answer.
"""
FOOT = """\
## How to run

```
make accuracy
```

denpex and runmedic are compared where they are installed, each in a folder of its own that no commit holds:

```
python3 -m venv benchmarks/data/denpex && benchmarks/data/denpex/bin/pip install denpex
python3 -m venv benchmarks/data/runmedic && benchmarks/data/runmedic/bin/pip install runmedic
```

`python -m tests.accuracy --misses` lists every log that Firstfault gets wrong. The logs were there while its rules were written, so these
figures say what is known to work, and are no promise for logs of another kind.

How the others are read: torchrun's line names no cause, and is compared on logs of torchrun alone. The last line of the first traceback
counts as the cause that it names. A cause that denpex gives below its own confidence counts like any other; where it asks for more
evidence, as it does on most healthy runs, that is no false alarm, but no all-clear either, and counts as not right. It takes no folders,
and gets the files of a run one after the other. runmedic looks at metrics first, and names no rank.
"""


def main() -> int:
    """Print the page, or write it to the file that is named."""
    page = made(SUITES)
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)
    return 0


def made(suites: Mapping[str, str]) -> str:
    """The whole page."""
    others = entrants()
    engine = Engine()
    parts = [HEAD.format(date=date.today().isoformat(), versions=_versions(engine))]
    for suite, what in suites.items():
        chosen = list(cases(suite))
        rows = {"Firstfault": own_scores(chosen, engine), **{name: scores(chosen, entrant) for name, entrant in others.items()}}
        parts.append("\n".join([f"## tests/{suite}: {len(chosen)} logs", "", f"{what[0].upper()}{what[1:]}.", "", *table(rows)]) + "\n")
    absent = [name for name in ("denpex", "runmedic") if contestants.program(name) is None]
    parts += [f"Not installed here, so not compared: {', '.join(absent)}.\n"] if absent else []
    return "\n".join([*parts, FOOT])


def entrants() -> dict[str, Contestant]:
    """Everything that can be compared here."""
    found: dict[str, Contestant] = {
        "torchrun's own “Root Cause”": contestants.torchrun_line,
        "the first traceback": contestants.first_traceback,
    }
    for name in ("denpex", "runmedic"):
        if contestants.program(name) is not None:
            found[name] = getattr(contestants, name)
    return found


def own_scores(chosen: Iterable[Case], engine: Engine) -> Scores:
    """What Firstfault gets right."""
    return _gathered(judge(case, engine).passed for case in chosen)


def scores(chosen: Sequence[Case], entrant: Contestant) -> Scores:
    """What another way gets right."""
    with ThreadPoolExecutor(2) as pool:
        return _gathered(pool.map(lambda case: compared(case, entrant(case)), chosen))


def compared(case: Case, answer: Answer) -> dict[str, bool]:
    """Which measures an answer meets; those of which it does not speak are left out."""
    wanted = case.answer
    if answer.verdict is None:
        return {}
    if case.healthy:
        return {"healthy": answer.verdict == "no-failure"}
    if wanted.get("undetermined"):
        return {}
    passed: dict[str, bool] = {}
    if answer.said is not None:
        passed["top1"] = _any(wanted["accept"], answer.said) and not _any(wanted.get("reject") or (), answer.name or "")
    if answer.places is not None and wanted.get("primary_lines"):
        passed["line"] = any(_same(str(place), found) for place in wanted["primary_lines"] for found in answer.places)
    if answer.gives_ranks and wanted.get("initiating_rank") is not None:
        passed["rank"] = answer.rank == wanted["initiating_rank"]
    return passed


def table(rows: Mapping[str, Scores]) -> list[str]:
    """Markdown, a row for each way."""
    lines = [f"| | {' | '.join(MEASURES)} |", "|---" + "|---:" * len(MEASURES) + "|"]
    for name, by_measure in rows.items():
        lines.append(f"| {name} | {' | '.join(_share(by_measure.get(m, [])) for m in MEASURES)} |")
    return lines


def _gathered(outcomes: Iterable[Mapping[str, bool]]) -> Scores:
    by_measure: Scores = {}
    for outcome in outcomes:
        for measure, right in outcome.items():
            by_measure.setdefault(measure, []).append(right)
    return by_measure


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values)}/{len(values)} ({100 * sum(values) // len(values)} %)" if values else "–"


def _any(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(p, text, re.IGNORECASE) for p in patterns)


def _same(wanted: str, found: tuple[str, int]) -> bool:
    name, _, number = wanted.rpartition(":")
    one, other = PurePosixPath(name or found[0]).parts, PurePosixPath(found[0]).parts
    size = min(len(one), len(other))
    return int(number) == found[1] and one[-size:] == other[-size:]


def _versions(engine: Engine) -> str:
    parts = [f"Firstfault {__version__} (catalogue {engine.catalog.version}, {len(engine.catalog.signatures)} entries)"]
    parts += [f"{name} {contestants.version_of(name)}" for name in ("denpex", "runmedic") if contestants.program(name) is not None]
    return ", ".join([*parts, f"Python {platform.python_version()}"])


if __name__ == "__main__":
    sys.exit(main())
