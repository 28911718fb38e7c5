"""The lab needs PyTorch, a large download: its runs are left out where nobody asked for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.laboratory import Laboratory
from tests.lab.launchers import LAUNCHERS, torch_version
from tests.lab.runs import Run

OWN_ENVIRONMENT = Path(__file__).parent / ".venv"


def why_not() -> str | None:
    """Why the runs are left out, or None where they are made; FIRSTFAULT_LAB=1 or =0 decides over the lab's environment."""
    if sys.platform != "linux":
        return "the faults of the lab are those of Linux"
    asked = os.environ.get("FIRSTFAULT_LAB") or ("1" if OWN_ENVIRONMENT.is_dir() else "0")
    return None if asked == "1" else "needs PyTorch; `make lab` installs it into tests/lab/.venv"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not()
    for item in items:
        run = _run_of(item)
        if run is not None and (missing := reason or LAUNCHERS[run.launcher].missing()):
            item.add_marker(pytest.mark.skip(reason=missing))


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
