"""Every feature on every stored log: an answer each, and one that holds together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from firstfault.lsp.actions import actions
from firstfault.lsp.client import ALL, Client
from firstfault.lsp.definition import definition
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.folding import folding
from firstfault.lsp.frame_diagnostics import frame_diagnostics
from firstfault.lsp.hover import hover
from firstfault.lsp.inlay import inlay
from firstfault.lsp.lenses import lenses
from firstfault.lsp.links import links
from firstfault.lsp.settings import Settings
from firstfault.lsp.symbols import symbols
from firstfault.lsp.workspace_files import WorkspaceFiles, path_of
from tests.unit.lsp.conftest import Diagnose

CASES = Path(__file__).parents[2] / "cases"
LARGEST = 1_000_000
SETTINGS = Settings(inlay_hints=True)
CLIENT = Client(commands=ALL, command_links=True, change_annotations=True)
FILES = WorkspaceFiles([])


def logs() -> Iterator[Path]:
    for path in sorted(CASES.rglob("*")):
        if path.is_file() and path.suffix not in (".yaml", ".md", ".gz", ".zst", ".xz") and path.stat().st_size <= LARGEST:
            yield path


@pytest.fixture(scope="module")
def documents(diagnose: Diagnose) -> dict[Path, Diagnosed]:
    return {path: diagnose(path.read_bytes().decode("utf-8", "replace")) for path in logs()}


def diagnosed_lines(document: Diagnosed) -> Iterator[int]:
    """Lines (0-based) that the report speaks of."""
    for _, decided in document.incidents:
        suspect = decided.suspect
        if suspect.line is not None:
            yield document.lines.place_of(suspect.line, suspect.text or "")
        for item in decided.explained:
            yield document.lines.place_of(item.fault.best.line, item.fault.best.text)


def test_every_diagnosed_line_has_a_hover(documents: dict[Path, Diagnosed]) -> None:
    silent = [
        (path, line)
        for path, document in documents.items()
        for line in diagnosed_lines(document)
        if hover(document, types.Position(line, 0), SETTINGS, client=CLIENT) is None
    ]
    assert silent == []


def test_the_features_of_a_document_always_answer(documents: dict[Path, Diagnosed]) -> None:
    for document in documents.values():
        whole = types.Range(types.Position(0, 0), types.Position(document.lines.count, 0))
        offered = actions(document, whole, SETTINGS, files=FILES, client=CLIENT)
        assert bool(offered) == bool(list(diagnosed_lines(document)))
        assert all(f.start_line < f.end_line for f in folding(document, SETTINGS))
        assert len(lenses(document, SETTINGS)) <= len(document.report.incidents)
        assert len({h.position.line for h in inlay(document, whole, SETTINGS)}) == len(inlay(document, whole, SETTINGS))
        assert all(Path(path_of((link.target or "").split("#")[0]) or "").is_file() for link in links(document, SETTINGS, files=FILES))
        assert frame_diagnostics(document, SETTINGS, files=FILES) == {}


def test_symbols_lie_within_each_other(documents: dict[Path, Diagnosed]) -> None:
    def check(symbol: types.DocumentSymbol, first: int, last: int) -> None:
        own = symbol.range
        assert first <= own.start.line <= symbol.selection_range.start.line <= symbol.selection_range.end.line <= own.end.line <= last
        for child in symbol.children or ():
            check(child, own.start.line, own.end.line)

    for document in documents.values():
        for symbol in symbols(document, SETTINGS):
            check(symbol, 0, document.lines.count)


def test_any_place_of_any_document_is_answered(documents: dict[Path, Diagnosed]) -> None:
    chance = random.Random(7)
    for document in documents.values():
        for _ in range(5):
            place = types.Position(chance.randrange(document.lines.count + 2), chance.randrange(300))
            hover(document, place, SETTINGS, client=CLIENT)
            definition(document, place, SETTINGS, files=FILES)
