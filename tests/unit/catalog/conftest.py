"""A small catalogue: five entries over the real tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from firstfault.catalog.compiled import Catalog, build, unpack

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture(scope="session")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("catalogue")
    shutil.copytree(HERE / "signatures", folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "signatures" / "tables", folder / "tables")
    shutil.copy(ROOT / "signatures" / "cascades.yaml", folder)
    return unpack(build(folder))
