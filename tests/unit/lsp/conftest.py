"""Documents diagnosed in memory with the compiled catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("lsprotocol", reason="needs pygls")

from firstfault.catalog.compiled import load
from firstfault.engine import Engine
from firstfault.lsp.analysis import analyse
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.lines import Encoding, Lines
from firstfault.lsp.workspace_files import WorkspaceFiles
from tests.unit.lsp.logs import PROGRAM

Diagnose = Callable[..., Diagnosed]


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine(load())


@pytest.fixture(scope="session")
def diagnose(engine: Engine) -> Diagnose:
    def run(text: str, *, uri: str = "file:///logs/run.log", encoding: Encoding = "utf-16") -> Diagnosed:
        analysis = analyse(engine, (uri, 1, "run.log", Lines.of(text), encoding), frozenset(), None, lambda: False)
        assert analysis.diagnosed is not None
        return analysis.diagnosed

    return run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    job = tmp_path / "job"
    job.mkdir()
    (job / "train.py").write_text(PROGRAM, "utf-8")
    return tmp_path


@pytest.fixture
def files(workspace: Path) -> WorkspaceFiles:
    return WorkspaceFiles([str(workspace)])
