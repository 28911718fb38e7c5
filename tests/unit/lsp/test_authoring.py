"""Signature files under work: mistakes at the right line, examples that are tried, completion from the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstfault.catalog.compiled import Catalog
from firstfault.engine import Engine
from firstfault.lsp.authoring import authoring_diagnostics, authoring_lenses, run_signature_test, signature_folder
from firstfault.lsp.authoring_completion import authoring_completion, place_at
from firstfault.lsp.settings import Settings

ENTRY = """\
id: storage/quota
title: The quota of the user is used up
status: stable
since: 0.1.0
severity: error
kind: cause
owner: storage
recognise:
  any:
    - near: "disk quota exceeded"
      line: 'Disk quota exceeded(?:: (?P<path>\\S+))?'
cause: The quota of the user on this file system is used up.
mechanism: The file system counts what each user has written and refuses more than the quota allows.
symptoms:
  - {see: "A write fails although the disk has room", because: "the quota counts, not the disk"}
affects: ["Shared file systems with quotas"]
confirm:
  - {run: "quota -s", read: "used equals the limit", cost: seconds}
fix:
  - {do: "Delete what is no longer needed", kind: environment, risk: data-loss}
verify:
  - {run: "quota -s", read: "used is below the limit", cost: seconds}
prevent: ["Watch the quota in the job's prologue"]
references:
  - {url: "https://man7.org/linux/man-pages/man3/errno.3.html", says: "EDQUOT", seen: 2026-12-01}
notes:
  on_call: "Free space in the user's folder; the node is fine."
  engineer: "Write checkpoints to a project folder, which has a quota of its own."
  manager: "A limit that was set on purpose; minutes to mend."
examples:
  match:
    - {log: "OSError: [Errno 122] Disk quota exceeded", from: "Linux"}
    - {log: "cp: Disk quota exceeded: /workspace/a", from: "coreutils"}
  near_miss:
    - {log: "disk quota: 80 percent used", why: "a warning, not a failure"}
"""


@pytest.fixture(scope="session")
def built_in(engine: Engine) -> Catalog:
    return engine.catalog


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "storage").mkdir()
    return tmp_path


def problems(text: str, folder: Path, built_in: Catalog) -> list[tuple[int, str]]:
    path = str(folder / "storage" / "quota.yaml")
    return [(d.range.start.line + 1, d.message) for d in authoring_diagnostics(text, path, folder, built_in, "utf-16")]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_an_entry_without_mistakes_has_no_diagnostics(folder: Path, built_in: Catalog) -> None:
    assert problems(ENTRY, folder, built_in) == []


MISTAKES = {
    "a value of a closed set": ("severity: error", "severity: awful", "severity: awful", "'awful' is not one of"),
    "an unknown field": ("since: 0.1.0", "sinse: 0.1.0", "sinse", "unknown field 'sinse'"),
    "a text for a list": ('affects: ["Shared file systems with quotas"]', "affects: all", "affects", "expected a list"),
    "an id of another file": ("id: storage/quota", "id: storage/other", "id:", "but the file says"),
    "a regex that does not compile": ("exceeded(?:", "exceeded(((?:", "line: '", "regex"),
    "broken YAML": ("owner: storage", "owner: [storage", "recognise:", "not valid YAML"),
    "an unknown entry": ("recognise:", "related: [storage/no-such-entry]\nrecognise:", "related:", "there is no such entry"),
    "an example that does not match": (
        "[Errno 122] Disk quota",
        "[Errno 122] Disk quote",
        "[Errno 122]",
        "is not recognised as it must be",
    ),
    "a near miss that matches": ("disk quota: 80", "Disk quota exceeded: 80", "exceeded: 80", "is recognised, but must not be"),
}


@pytest.mark.parametrize(("old", "new", "place", "message"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_is_shown_at_its_line(folder: Path, built_in: Catalog, old: str, new: str, place: str, message: str) -> None:
    text = ENTRY.replace(old, new, 1)
    assert text != ENTRY
    found = problems(text, folder, built_in)
    assert (line_of(text, place), True) in [(line, message in told) for line, told in found], found


def test_a_missing_field_is_named(folder: Path, built_in: Catalog) -> None:
    text = ENTRY.replace("owner: storage\n", "")
    assert problems(text, folder, built_in) == [(1, "the file: field 'owner' is missing")]


@pytest.mark.parametrize("text", ["", "[]", "a", "\x00", ": :", "id: 1\n\x07", "- a\n- b\n"])
def test_any_text_gets_diagnostics_and_none_ends_the_server(folder: Path, built_in: Catalog, text: str) -> None:
    assert problems(text, folder, built_in)
    assert authoring_lenses(text, str(folder / "storage" / "quota.yaml"))


def test_the_test_lens_runs_the_examples(folder: Path, built_in: Catalog) -> None:
    path = str(folder / "storage" / "quota.yaml")
    lines = [lens.range.start.line + 1 for lens in authoring_lenses(ENTRY, path)]
    assert lines == [1, line_of(ENTRY, "  match:"), line_of(ENTRY, "  near_miss:")]
    assert run_signature_test(ENTRY, path, folder, built_in) == "3 examples of storage/quota: all as they must be."
    broken = ENTRY.replace("Disk quota exceeded: /workspace", "Disk quote exceeded: /workspace")
    assert "storage/quota#2" in run_signature_test(broken, path, folder, built_in)


def test_signature_files_are_those_of_a_signature_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine" / "storage" / "quota.yaml"
    assert signature_folder(str(path), Settings()) is None
    assert signature_folder(str(path), Settings(signature_folders=(str(tmp_path / "mine"),))) == tmp_path / "mine"
    (tmp_path / "mine" / "tables").mkdir(parents=True)
    (tmp_path / "mine" / "tables" / "line-formats.yaml").touch()
    assert signature_folder(str(path), Settings()) == tmp_path / "mine"
    assert signature_folder(str(tmp_path / "mine" / "tables" / "line-formats.yaml"), Settings()) is None


def labels(text: str) -> list[str]:
    """What is offered at the | of a text."""
    before, after = text.split("|", 1)
    lines = (before + after).split("\n")
    line, column = before.count("\n"), len(before.rsplit("\n", 1)[-1])
    return [item.label for item in authoring_completion(lines, line, column, ["gpu/a", "gpu/b"])]


COMPLETED = {
    "a field at the top": ("id: a/b\n|", "title", "id"),
    "a field of a mapping": ("notes:\n  on_call: x\n  |", "engineer", "on_call"),
    "a field of a list item": ("fix:\n  - do: x\n    |", "risk", "do"),
    "the first field of a list item": ("fix:\n  - |", "do", "title"),
    "a field in braces": ('fix:\n  - {do: "a, b", |', "kind", "do"),
    "a field in nested braces": ("fix:\n  - {do: x, edit: {set_keyword: {|", "keyword", "do"),
    "a pattern": ("recognise:\n  any:\n    - near: x\n      |", "line", "near"),
    "a value": ("severity: |", "critical", "cause"),
    "a value in braces": ("fix:\n  - {do: x, kind: |", "hardware", "critical"),
    "an id in a list in brackets": ("related: [gpu/a, |", "gpu/b", "severity"),
    "an id in a list of lines": ("explains:\n  - |", "gpu/a", "severity"),
    "a requirement": ("requires: [|", "uncaught", "gpu/a"),
    "a cost": ("confirm:\n  - {run: x, cost: |", "drain", "safe"),
}


@pytest.mark.parametrize(("text", "there", "absent"), COMPLETED.values(), ids=list(COMPLETED))
def test_what_may_stand_there_is_offered(text: str, there: str, absent: str) -> None:
    offered = labels(text)
    assert there in offered
    assert absent not in offered


def test_mandatory_fields_come_first() -> None:
    items = authoring_completion([""], 0, 0, [])
    assert min(items, key=lambda i: i.sort_text or "").label == "id"
    assert all(item.documentation for item in items)


@pytest.mark.parametrize("text", ["|", "  |", "a: {b: [c, {d|", "]|", "}}|", "'|", "- - - |", "\t|", 'x: "{|'])
def test_any_place_is_answered(text: str) -> None:
    labels(text)
    before = text.replace("|", "")
    assert place_at([before], 5, 3) is not None
