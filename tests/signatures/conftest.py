from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from signature_bench import SIGNATURES, LibraryMaker, whole_library

from firstfault.catalog.examples import ExampleKind, example_name
from firstfault.catalog.library import Library, Page, catalog_of, read_library
from firstfault.engine import Engine


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each example of each entry, called `storage/shm-exhausted#2`."""
    if "example" not in metafunc.fixturenames:
        return
    examples: list[tuple[Page, ExampleKind, int]] = []
    for page in whole_library().pages:
        examples.extend((page, "match", n) for n in range(1, len(page.entry.examples.match) + 1))
        examples.extend((page, "near_miss", n) for n in range(1, len(page.entry.examples.near_miss) + 1))
    metafunc.parametrize("example", examples, ids=[example_name(page.entry.id, kind, n) for page, kind, n in examples])


@pytest.fixture(scope="session")
def library() -> Library:
    return whole_library()


@pytest.fixture(scope="session")
def engine(library: Library) -> Engine:
    return Engine(catalog_of(SIGNATURES, library.entries))


@pytest.fixture
def make_library(tmp_path: Path) -> LibraryMaker:
    """Writes entries, given as texts by id, into a signature folder with the real line formats."""

    def make(pages: Mapping[str, str]) -> Library:
        folder = tmp_path / "signatures"
        shutil.copytree(SIGNATURES / "tables", folder / "tables", dirs_exist_ok=True)
        for signature, text in pages.items():
            path = folder / f"{signature}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("good/valid", signature), "utf-8")
        return read_library(folder)

    return make
