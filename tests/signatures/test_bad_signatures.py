"""Every file under bad/ breaks one rule and says in its first line which message an author must get."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from signature_bench import HERE, SIGNATURES

from firstfault.catalog.examples import run_examples
from firstfault.catalog.library import catalog_of, read_library
from firstfault.catalog.lint import lint
from firstfault.engine import Engine

BAD = sorted((HERE / "bad").glob("*.yaml"))


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What lint and examples say of each bad file, by its name; one valid entry is there to be collided with."""
    folder = tmp_path_factory.mktemp("bad") / "signatures"
    for name, source in (("bad", HERE / "bad"), ("good", HERE / "good"), ("tables", SIGNATURES / "tables")):
        shutil.copytree(source, folder / name)
    (folder / "good" / "valid.yaml").rename(folder / "bad" / "a-valid-one.yaml")
    first = folder / "bad" / "a-valid-one.yaml"
    first.write_text(first.read_text("utf-8").replace("good/valid", "bad/a-valid-one"), "utf-8")
    library = read_library(folder)
    said: dict[str, list[str]] = {}
    for problem in lint(library):
        said.setdefault(Path(problem.path).name, []).append(problem.message)
    engine = Engine(catalog_of(folder, library.entries))
    for page in library.pages:
        if page.entry.id in engine.catalog.by_id:
            complaints = [outcome.complaint for outcome in run_examples(engine, page) if outcome.complaint]
            said.setdefault(page.path.name, []).extend(complaints)
    return said


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_file_gives_its_message_and_no_other(path: Path, messages: dict[str, list[str]]) -> None:
    wanted = path.read_text("utf-8").split("\n", 1)[0].removeprefix("# must say: ")
    said = messages.get(path.name, [])
    assert len(said) == 1, said
    assert wanted in said[0]


def test_the_valid_entry_beside_them_is_left_alone(messages: dict[str, list[str]]) -> None:
    assert messages["a-valid-one.yaml"] == []
