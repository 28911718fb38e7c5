"""An engine that knows the line formats and not one failure."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from firstfault.catalog.compiled import build, unpack
from firstfault.engine import Engine

SIGNATURES = Path(__file__).parents[3] / "signatures"


@pytest.fixture(scope="session")
def ignorant(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("catalogue")
    shutil.copytree(SIGNATURES / "tables", folder / "tables")
    (folder / "cascades.yaml").write_text("edges: []\n")
    return Engine(unpack(build(folder)))
