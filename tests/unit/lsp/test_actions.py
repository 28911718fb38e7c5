"""Code actions: edits of the user's file that fit, and commands that the client has."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from firstfault.lsp.actions import actions, program_actions
from firstfault.lsp.client import ALL, COPY, EXPLAIN, GO_TO, RUN, SERVER_SILENCE, SILENCE, Client
from firstfault.lsp.frame_diagnostics import frame_diagnostics
from firstfault.lsp.settings import PathMapping, Settings
from firstfault.lsp.workspace_files import FileText, WorkspaceFiles, uri_of
from tests.unit.lsp.conftest import Diagnose
from tests.unit.lsp.logs import PROGRAM, RANKS

FIRST = types.Range(types.Position(7, 0), types.Position(7, 0))
LAUNCHER = types.Range(types.Position(10, 0), types.Position(10, 0))
TITLE = "Set find_unused_parameters=True in DistributedDataParallel(...) - train.py:4"


def quick_fixes(diagnose: Diagnose, files: WorkspaceFiles, client: Client | None = None) -> list[types.CodeAction]:
    return [a for a in actions(diagnose(RANKS), FIRST, Settings(), files=files, client=client or Client()) if a.edit]


def test_the_edit_of_the_entry_is_offered_for_the_file_of_the_traceback(diagnose: Diagnose, files: WorkspaceFiles, workspace: Path) -> None:
    (action,) = quick_fixes(diagnose, files)
    assert action.title == TITLE
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.is_preferred is True
    assert action.edit is not None
    assert action.edit.changes == {
        uri_of(str(workspace / "job" / "train.py")): [
            types.TextEdit(types.Range(types.Position(3, 17), types.Position(3, 17)), ", find_unused_parameters=True")
        ]
    }


def test_a_client_with_annotations_is_asked_to_confirm(diagnose: Diagnose, files: WorkspaceFiles) -> None:
    (action,) = quick_fixes(diagnose, files, Client(change_annotations=True))
    assert action.edit is not None
    assert action.edit.change_annotations is not None
    (note,) = action.edit.change_annotations.values()
    assert note.needs_confirmation is False, "this one costs time at most"
    assert note.label == TITLE


def test_the_open_document_counts_not_the_file(diagnose: Diagnose, workspace: Path) -> None:
    path = workspace / "job" / "train.py"
    text = "# added\n" + PROGRAM
    opened = FileText(uri_of(str(path)), str(path), text, 7)
    files = WorkspaceFiles([str(workspace)], opened=lambda uri: opened if uri == opened.uri else None)
    (action,) = quick_fixes(diagnose, files, Client(change_annotations=True))
    assert action.title.endswith("train.py:5")
    assert action.edit is not None
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 7


@pytest.mark.parametrize(
    "program",
    {
        "set already": PROGRAM.replace("DDP(build())", "DDP(build(), find_unused_parameters=True)"),
        "perhaps set": PROGRAM.replace("DDP(build())", "DDP(build(), **options)"),
        "no such call": PROGRAM.replace("net = DDP(build())", "net = build()"),
        "not valid": PROGRAM + "\n(",
    }.values(),
)
def test_a_program_that_does_not_fit_gets_no_edit(diagnose: Diagnose, workspace: Path, files: WorkspaceFiles, program: str) -> None:
    (workspace / "job" / "train.py").write_text(program, "utf-8")
    assert quick_fixes(diagnose, files) == []


def test_a_path_of_a_container_is_found_by_mapping(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "train.py").write_text(PROGRAM, "utf-8")
    files = WorkspaceFiles([], [PathMapping(remote="/workspace/job", local=str(tmp_path / "elsewhere"))])
    assert [a.title for a in quick_fixes(diagnose, files)] == [TITLE]


def test_a_file_elsewhere_on_the_machine_is_edited_only_while_it_is_the_program_that_ran(diagnose: Diagnose, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    log = RANKS.replace("/workspace/job/train.py", str(path))
    path.write_text(PROGRAM, "utf-8")

    def offered() -> list[str]:
        found = actions(diagnose(log), FIRST, Settings(), files=WorkspaceFiles([]))
        return [a.title for a in found if a.edit]

    assert offered() == [TITLE]
    path.write_text(PROGRAM.replace("net(x)", "other(x)"), "utf-8")
    assert offered() == []


def test_only_commands_of_the_client_are_offered(diagnose: Diagnose, files: WorkspaceFiles) -> None:
    diagnosed = diagnose(RANKS)

    def offered(client: Client, area: types.Range = FIRST) -> set[str]:
        return {a.command.command for a in actions(diagnosed, area, Settings(), files=files, client=client) if a.command}

    assert offered(Client()) == {SERVER_SILENCE}
    assert offered(Client(commands=frozenset((EXPLAIN,)))) == {EXPLAIN, SERVER_SILENCE}
    assert SERVER_SILENCE not in offered(Client(commands=ALL))
    assert {EXPLAIN, COPY, SILENCE} <= offered(Client(commands=ALL))
    assert GO_TO in offered(Client(commands=ALL), LAUNCHER)
    assert RUN not in offered(Client(commands=ALL), LAUNCHER)


def test_a_healthy_line_has_no_actions(diagnose: Diagnose, files: WorkspaceFiles) -> None:
    start = types.Range(types.Position(0, 0), types.Position(0, 5))
    assert actions(diagnose(RANKS), start, Settings(), files=files, client=Client(commands=ALL)) == []


def test_other_kinds_of_actions_are_none_of_ours(diagnose: Diagnose, files: WorkspaceFiles) -> None:
    asked = [types.CodeActionKind.SourceFixAll]
    assert actions(diagnose(RANKS), FIRST, Settings(), files=files, only=asked) == []


def test_the_program_itself_offers_the_edit_where_it_changes_and_where_it_failed(
    diagnose: Diagnose, files: WorkspaceFiles, workspace: Path
) -> None:
    log, uri = diagnose(RANKS), uri_of(str(workspace / "job" / "train.py"))

    def offered(line: int, marks: list[types.Diagnostic]) -> list[str]:
        area = types.Range(types.Position(line, 0), types.Position(line, 0))
        return [a.title for a in program_actions([log], uri, area, Settings(), files=files, diagnostics=marks)]

    ((_, marks),) = frame_diagnostics(log, Settings(), files=files).items()
    assert offered(3, []) == [TITLE]
    assert offered(6, marks) == [TITLE]
    assert offered(6, []) == []


VARIABLE = """\
node1:11:22 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<5> with status=12 opcode=0 len=0 vendor err 129
"""


def test_a_variable_is_set_in_a_launch_script_and_never_preferred(diagnose: Diagnose, workspace: Path, files: WorkspaceFiles) -> None:
    (workspace / "run.sh").write_text("torchrun job/train.py\n", "utf-8")
    found = [
        a for a in actions(diagnose(VARIABLE), types.Range(types.Position(0, 0), types.Position(0, 0)), Settings(), files=files) if a.edit
    ]
    titles = [a.title for a in found]
    assert "Add export NCCL_IB_GID_INDEX=3 - run.sh:1" in titles
    assert not any(a.is_preferred for a in found)


def test_what_may_cost_more_than_time_is_asked_about_first(diagnose: Diagnose, workspace: Path, files: WorkspaceFiles) -> None:
    (workspace / "run.sh").write_text("torchrun job/train.py\n", "utf-8")
    area = types.Range(types.Position(0, 0), types.Position(0, 0))
    client = Client(commands=ALL, change_annotations=True)
    found = [a for a in actions(diagnose(VARIABLE), area, Settings(), files=files, client=client) if a.edit]
    assert found
    for action in found:
        assert action.edit is not None
        assert all(note.needs_confirmation for note in (action.edit.change_annotations or {}).values())
        assert action.command is None


def test_a_change_that_is_made_at_once_is_shown(diagnose: Diagnose, workspace: Path, files: WorkspaceFiles) -> None:
    (action,) = quick_fixes(diagnose, files, Client(commands=frozenset((GO_TO,)), change_annotations=True))
    assert action.command is not None
    assert action.command.arguments == [uri_of(str(workspace / "job" / "train.py")), {"line": 3, "character": 0}]


def test_scripts_that_set_the_variable_come_first_and_hidden_folders_are_left_alone(diagnose: Diagnose, workspace: Path) -> None:
    (workspace / "a.sh").write_text("python3 tool.py\n", "utf-8")
    (workspace / "z.sh").write_text("export NCCL_IB_GID_INDEX=1\ntorchrun job/train.py\n", "utf-8")
    (workspace / ".github").mkdir()
    (workspace / ".github" / "ci.yaml").write_text("env:\n  A: 1\n", "utf-8")
    area = types.Range(types.Position(0, 0), types.Position(0, 0))
    found = actions(diagnose(VARIABLE), area, Settings(), files=WorkspaceFiles([str(workspace)]))
    titles = [a.title for a in found if a.edit and "GID_INDEX" in a.title]
    assert titles == ["Change NCCL_IB_GID_INDEX to 3 - z.sh:1", "Add export NCCL_IB_GID_INDEX=3 - a.sh:1"]
