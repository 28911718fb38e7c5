"""A log is compared with the one accepted for its release of PyTorch, and a difference waits to be accepted."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.lab.seen import Archive

RUN = "torchrun-exit"


def accept(folder: Path) -> None:
    """What `make lab-accept` does."""
    shutil.copytree(folder / "changed", folder / "seen", dirs_exist_ok=True)
    shutil.rmtree(folder / "changed")


def stored(folder: Path, version: str) -> list[str]:
    return (folder / "seen" / version / f"{RUN}.txt").read_text("utf-8").splitlines()


def test_the_same_lines_are_no_difference_once_accepted(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert "+one" in archive.compare("2.13.0", RUN, ["one", "two"])
    accept(tmp_path)
    assert archive.compare("2.13.0", RUN, ["one", "two"]) == ""
    assert not list(tmp_path.glob("changed/**/*.txt"))


def test_a_line_that_comes_only_sometimes_is_accepted_as_such(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.compare("2.13.0", RUN, ["one", "two"])
    accept(tmp_path)
    assert {"-two", "+three"} <= set(archive.compare("2.13.0", RUN, ["one", "three"]).splitlines())
    accept(tmp_path)
    assert stored(tmp_path, "2.13.0") == ["one", "? three", "? two"]
    assert archive.compare("2.13.0", RUN, ["one"]) == ""
    assert archive.compare("2.13.0", RUN, ["two"]) != ""


def test_a_new_release_is_compared_with_the_newest_one_seen(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for version, lines in (("2.9.1", ["old"]), ("2.13.0", ["one", "two"])):
        archive.compare(version, RUN, lines)
        accept(tmp_path)
    difference = archive.compare("2.14.0", RUN, ["one", "three"])
    assert difference.splitlines()[0] == "--- seen/2.13.0/torchrun-exit.txt"
    assert {"-two", "+three"} <= set(difference.splitlines())
    accept(tmp_path)
    assert stored(tmp_path, "2.14.0") == ["one", "three"]
