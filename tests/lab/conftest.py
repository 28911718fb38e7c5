"""The lab needs PyTorch, a large download: its runs are left out where nobody asked for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from tests.lab.laboratory import Laboratory
from tests.lab.launchers import LAUNCHERS, OWN_ENVIRONMENT, has_torch, torch_version
from tests.lab.runs import Run

ASKED = os.environ.get("FIRSTFAULT_LAB") or ("1" if OWN_ENVIRONMENT.is_dir() else "0")
"""`1` for all runs, `ci` for the dozen of continuous integration, `0` for none; all where the lab has an environment of its own."""
_LEFT_OUT = pytest.StashKey[dict[str, list[str]]]()


def why_not() -> str | None:
    """Why no run is made, or None where they are."""
    if sys.platform != "linux":
        return "the faults of the lab are those of Linux"
    if ASKED == "ci" and not has_torch():
        return "PyTorch could not be installed here"
    return None if ASKED in ("1", "ci") else "needs PyTorch; `make lab` installs it into tests/lab/.venv"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = why_not()
    left_out = config.stash.setdefault(_LEFT_OUT, {})
    others: list[pytest.Item] = []
    for item in items:
        run = _run_of(item)
        if run is None:
            continue
        if ASKED == "ci" and not run.in_ci:
            others.append(item)
        elif missing := reason or LAUNCHERS[run.launcher].missing():
            item.add_marker(pytest.mark.skip(reason=missing))
            left_out.setdefault(missing, []).append(run.name)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Who asked for runs is told which ones were not made."""
    for reason, names in config.stash.get(_LEFT_OUT, {}).items() if ASKED != "0" else ():
        terminalreporter.write_line(f"left out of the lab: {', '.join(dict.fromkeys(names))} ({reason})", yellow=True)


@pytest.fixture(scope="session")
def laboratory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """All selected runs, started two at a time while the first results are judged."""
    wanted = {run.name: run for item in request.session.items if not item.get_closest_marker("skip") and (run := _run_of(item))}
    lab = Laboratory(tmp_path_factory.mktemp("lab"), wanted.values())
    yield lab
    lab.close()


@pytest.fixture(scope="session")
def version() -> str:
    """The PyTorch that runs."""
    return torch_version()


def _run_of(item: pytest.Item) -> Run | None:
    values = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return next((value for value in values if isinstance(value, Run)), None)
