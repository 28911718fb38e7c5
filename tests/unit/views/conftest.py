"""Reports made by the real engine over a catalogue of two entries, so that the wording of the views is all that can change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from firstfault.catalog.compiled import build, unpack
from firstfault.engine import Engine
from firstfault.report import Report

HERE = Path(__file__).parent
SIGNATURES = HERE.parents[2] / "signatures"

Diagnose = Callable[..., Report]


@pytest.fixture(scope="session")
def diagnose(tmp_path_factory: pytest.TempPathFactory) -> Diagnose:
    """`diagnose(log)` or `diagnose({name: log})`: the report over these texts as one run."""
    folder = tmp_path_factory.mktemp("catalogue")
    shutil.copytree(HERE / "signatures", folder, dirs_exist_ok=True)
    shutil.copytree(SIGNATURES / "tables", folder / "tables")
    shutil.copy(SIGNATURES / "cascades.yaml", folder)
    engine = Engine(unpack(build(folder)))

    def run(logs: str | dict[str, str]) -> Report:
        named = {"run.log": logs} if isinstance(logs, str) else logs
        return engine.report([engine.scan_text(text, name) for name, text in named.items()])

    return run
