"""What an editor shows around a log: lenses, outline, folds, links, hints, and marks on the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from firstfault.catalog.compiled import load
from firstfault.lsp.client import ALL, EXPLAIN, FIX, GO_TO, Client
from firstfault.lsp.definition import definition
from firstfault.lsp.folding import folding
from firstfault.lsp.frame_diagnostics import frame_diagnostics
from firstfault.lsp.inlay import inlay
from firstfault.lsp.lenses import lenses
from firstfault.lsp.links import links
from firstfault.lsp.settings import Settings
from firstfault.lsp.symbols import entry_document, entry_uri, symbols, workspace_symbols
from firstfault.lsp.workspace_files import WorkspaceFiles, path_of, uri_of
from tests.unit.lsp.conftest import Diagnose
from tests.unit.lsp.logs import HEALTHY, PROGRAM, RANKS

WHOLE = types.Range(types.Position(0, 0), types.Position(999, 0))
TIMEOUT = """\
[rank{rank}]: [E1201 03:44:{second}.000000 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught \
collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) \
ran for 600009 milliseconds before timing out.
"""
WAITERS = (
    "[rank2]: Traceback (most recent call last):\n"
    '[rank2]:   File "/workspace/job/train.py", line 7, in <module>\n'
    "[rank2]:     loss = net(x).pow(2).mean()\n"
    "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    "GPU 2 has a total capacity of 79.10 GiB of which 1.10 GiB is free.\n"
    + "".join(TIMEOUT.format(rank=rank, second=10 + rank) for rank in (0, 1, 3))
)


def test_the_initiating_line_has_lenses(diagnose: Diagnose) -> None:
    titles = [lens.command.title for lens in lenses(diagnose(WAITERS), Settings(), client=Client(commands=ALL)) if lens.command]
    assert titles[0] == "rank 2 · cause of 3 other failures"
    assert titles[1:] == ["explain", "fix", "verify"]


def test_the_verdict_stands_at_the_top_where_the_first_fault_is_out_of_sight(diagnose: Diagnose) -> None:
    able = Client(commands=frozenset((GO_TO,)))
    far = "loading shard\n" * 40 + WAITERS
    top = lenses(diagnose(far), Settings(), client=able)[0]
    assert top.range.start.line == 0
    assert top.command is not None
    assert top.command.title.startswith("✖ Rank ")
    assert top.command.title.endswith("line 44")
    assert top.command.arguments == ["file:///logs/run.log", {"line": 43, "character": 0}]
    assert {lens.range.start.line for lens in lenses(diagnose(WAITERS), Settings(), client=able)} == {3}


def test_a_lens_stands_on_the_line_of_the_exception(diagnose: Diagnose) -> None:
    assert {lens.range.start.line for lens in lenses(diagnose(WAITERS), Settings())} == {3}


def test_a_client_without_commands_gets_the_summary_alone(diagnose: Diagnose) -> None:
    (lens,) = lenses(diagnose(WAITERS), Settings())
    assert lens.command is not None
    assert lens.command.command == ""
    some = lenses(diagnose(WAITERS), Settings(), client=Client(commands=frozenset((EXPLAIN, FIX))))
    assert [lens.command.command for lens in some if lens.command] == ["", EXPLAIN, FIX]


def test_a_healthy_log_shows_nothing(diagnose: Diagnose, files: WorkspaceFiles) -> None:
    diagnosed = diagnose("step 1 loss 2.3\nstep 2 loss 2.2\n")
    settings = Settings(inlay_hints=True)
    assert (lenses(diagnosed, settings), symbols(diagnosed, settings), folding(diagnosed, settings)) == ([], [], [])
    assert (links(diagnosed, settings, files=files), inlay(diagnosed, WHOLE, settings)) == ([], [])
    assert frame_diagnostics(diagnosed, settings, files=files) == {}


def test_the_outline_is_a_tree_of_incident_rank_and_block(diagnose: Diagnose) -> None:
    (incident,) = symbols(diagnose(WAITERS), Settings())
    assert incident.name.startswith("Rank 2 failed first")
    ranks = incident.children or []
    assert [(r.name, r.detail) for r in ranks] == [
        ("rank 2", "first fault"),
        ("rank 0", "collateral"),
        ("rank 1", "collateral"),
        ("rank 3", "collateral"),
    ]
    assert all(r.children for r in ranks)


def test_every_symbol_lies_within_its_parent(diagnose: Diagnose) -> None:
    def check(symbol: types.DocumentSymbol) -> None:
        outer = (symbol.range.start.line, symbol.range.end.line)
        for inner in (symbol.selection_range, *(c.range for c in symbol.children or ())):
            assert outer[0] <= inner.start.line <= inner.end.line <= outer[1]
        for child in symbol.children or ():
            check(child)

    for log in (WAITERS, RANKS, HEALTHY):
        for symbol in symbols(diagnose(log), Settings()):
            check(symbol)


def test_tracebacks_and_collateral_fold(diagnose: Diagnose) -> None:
    folds = [(f.start_line, f.end_line, f.collapsed_text) for f in folding(diagnose(WAITERS), Settings())]
    assert folds == [(0, 3, "OutOfMemoryError: 4 lines"), (4, 6, "3 failures that the first fault explains")]


def test_frames_of_the_workspace_are_links(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    (link,) = links(diagnose(RANKS), Settings(), files=files)
    assert link.target == uri_of(str(workspace / "job" / "train.py")) + "#L7"
    row = RANKS.split("\n")[3]
    assert row[link.range.start.character : link.range.end.character].startswith("/workspace/job/train.py")


def test_a_file_that_is_only_called_alike_is_not_linked(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    """`main()` stands in every program; line 346 does not."""
    (workspace / "job" / "train.py").write_text("import torch\n\n\ndef main():\n    torch.ones(1)\n\n\nmain()\n", "utf-8")
    far = RANKS.replace("line 7, in <module>\n[rank1]:     loss = net(x).pow(2).mean()", "line 346, in <module>\n[rank1]:     main()")
    other = RANKS.replace("loss = net(x).pow(2).mean()", "loss = criterion(net(x), y)")
    for log in (far, other):
        diagnosed = diagnose(log)
        assert links(diagnosed, Settings(), files=files) == []
        assert definition(diagnosed, types.Position(3, 25), Settings(), files=files) is None
        assert frame_diagnostics(diagnosed, Settings(), files=files) == {}


def test_a_statement_that_has_moved_a_little_is_linked_where_it_is_now(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "job" / "train.py").write_text("# a line\n# and another\n" + PROGRAM, "utf-8")
    (link,) = links(diagnose(RANKS), Settings(), files=files)
    assert link.target == uri_of(str(workspace / "job" / "train.py")) + "#L9"


def test_a_definition_leads_from_a_frame_to_its_line(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    found = definition(diagnose(RANKS), types.Position(3, 25), Settings(), files=files)
    assert found is not None
    assert found.uri == uri_of(str(workspace / "job" / "train.py"))
    assert found.range.start.line == 6
    assert definition(diagnose(RANKS), types.Position(5, 25), Settings(), files=files) is None
    assert definition(diagnose(RANKS), types.Position(0, 0), Settings(), files=files) is None


def test_hints_are_off_until_they_are_asked_for(diagnose: Diagnose) -> None:
    assert inlay(diagnose(WAITERS), WHOLE, Settings()) == []
    hints = inlay(diagnose(WAITERS), WHOLE, Settings(inlay_hints=True))
    assert [h.label for h in hints][:2] == ["rank 2", "rank 0"]
    some = inlay(diagnose(WAITERS), types.Range(types.Position(4, 0), types.Position(4, 9)), Settings(inlay_hints=True))
    assert [h.position.line for h in some] == [4]


def test_the_program_is_marked_where_the_run_failed(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    ((uri, (mark,)),) = frame_diagnostics(diagnose(RANKS), Settings(), files=files).items()
    assert uri == uri_of(str(workspace / "job" / "train.py"))
    assert mark.range.start.line == 6
    assert mark.message.startswith("Last run failed here: DDP: unused parameters")
    assert "rank 1" in mark.message
    assert mark.related_information is not None
    assert mark.related_information[0].location.uri == "file:///logs/run.log"


def test_the_mark_moves_with_its_line(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "job" / "train.py").write_text("# added\n" + PROGRAM, "utf-8")
    ((_, (mark,)),) = frame_diagnostics(diagnose(RANKS), Settings(), files=files).items()
    assert mark.range.start.line == 7


@pytest.mark.parametrize("program", [PROGRAM.replace("pow(2)", "pow(3)"), "\n" + PROGRAM + PROGRAM, ""])
def test_a_program_that_has_changed_there_is_not_marked(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path, program: str) -> None:
    (workspace / "job" / "train.py").write_text(program, "utf-8")
    assert frame_diagnostics(diagnose(RANKS), Settings(), files=files) == {}


def test_entries_are_found_as_symbols_of_the_workspace() -> None:
    catalog = load()
    found = workspace_symbols(catalog, "unused parameters")
    assert found[0].container_name == "parallel/ddp-unused-parameters"
    assert isinstance(found[0].location, types.LocationUriOnly)
    page = entry_document(catalog, found[0].location.uri)
    assert page is not None
    assert page.startswith("# DDP: unused parameters")
    assert workspace_symbols(catalog, "")
    assert workspace_symbols(catalog, "qqqqzzzz") == []


@pytest.mark.parametrize("uri", ["firstfault:/entry/no/such.md", "firstfault:/entry/../../etc/passwd.md", "file:///a.md", entry_uri("")])
def test_a_document_of_no_entry_is_none(uri: str) -> None:
    assert entry_document(load(), uri) is None


class TestWorkspaceFiles:
    def test_the_longest_common_ending_wins(self, tmp_path: Path) -> None:
        for name in ("a/train.py", "b/job/train.py"):
            (tmp_path / name).parent.mkdir(parents=True)
            (tmp_path / name).touch()
        files = WorkspaceFiles([str(tmp_path)])
        assert files.find("/workspace/job/train.py") == str(tmp_path / "b/job/train.py")
        assert files.find("/workspace/a/train.py") == str(tmp_path / "a/train.py")

    def test_of_two_that_fit_alike_none_is_taken(self, tmp_path: Path) -> None:
        for name in ("a/train.py", "b/train.py"):
            (tmp_path / name).parent.mkdir(parents=True)
            (tmp_path / name).touch()
        assert WorkspaceFiles([str(tmp_path)]).find("/workspace/train.py") is None

    def test_a_file_of_a_library_is_not_one_that_is_called_alike(self, tmp_path: Path) -> None:
        (tmp_path / "modules").mkdir()
        (tmp_path / "modules" / "linear.py").touch()
        found = WorkspaceFiles([str(tmp_path)]).find("/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py")
        assert found is None

    def test_a_relative_path_stays_below_the_root(self, tmp_path: Path) -> None:
        (tmp_path / "w").mkdir()
        (tmp_path / "secret.py").touch()
        assert WorkspaceFiles([str(tmp_path / "w")]).find("../secret.py") is None

    def test_a_windows_path_is_mapped_by_its_ending(self, workspace: Path, files: WorkspaceFiles) -> None:
        assert files.find("C:\\work\\job\\train.py") == str(workspace / "job" / "train.py")

    def test_the_list_is_made_again_after_a_while(self, tmp_path: Path) -> None:
        now = 0.0
        files = WorkspaceFiles([str(tmp_path)], clock=lambda: now)
        assert files.find("/x/late.py") is None
        (tmp_path / "late.py").touch()
        assert files.find("/x/late.py") is None
        now = 60.0
        assert files.find("/x/late.py") == str(tmp_path / "late.py")

    def test_a_file_that_is_no_text_is_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_bytes(b"\xff\xfe\x00")
        (tmp_path / "b.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
        files = WorkspaceFiles([str(tmp_path)])
        assert files.read(str(tmp_path / "a.py")) is None
        assert files.read(str(tmp_path / "none.py")) is None
        found = files.read(str(tmp_path / "b.py"))
        assert found is not None
        assert "é" in found.text

    def test_uris_and_paths_are_each_other(self, tmp_path: Path) -> None:
        path = str(tmp_path / "a b#é%.py")
        assert path_of(uri_of(path)) == path
        assert path_of("untitled:Untitled-1") is None
