"""Settings take effect without a restart; a broken signature file costs that file alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.conftest import Start
from tests.lsp.editor import OOM, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
LOG = "untitled:run.log"
OWN = Path(__file__).parents[1] / "unit"


def change(editor: Editor, settings: object) -> None:
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings={"firstfault": settings}))


async def levels(editor: Editor) -> set[types.DiagnosticSeverity | None]:
    return {d.severity for d in editor.published[LOG].diagnostics}


async def test_a_severity(start: Start) -> None:
    editor = await start()
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    change(editor, {"severities": {"initiating": "warning"}})
    await editor.until(lambda: editor.published[LOG].diagnostics[0].severity == types.DiagnosticSeverity.Warning)


async def test_a_signature_is_silenced_and_heard_again(start: Start) -> None:
    editor = await start()
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    change(editor, {"disabledSignatures": ["memory/cuda-out-of-memory"]})
    await editor.until(lambda: all(d.code != "memory/cuda-out-of-memory" for d in editor.published[LOG].diagnostics))
    change(editor, {})
    await editor.until(lambda: any(d.code == "memory/cuda-out-of-memory" for d in editor.published[LOG].diagnostics))


async def test_what_makes_no_sense_is_named_and_the_rest_is_used(start: Start) -> None:
    editor = await start()
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    change(
        editor, {"severities": {"initiating": "loud", "undetermined": 3}, "limits": [], "disabledSignatures": ["memory/cuda-out-of-memory"]}
    )
    await editor.until(lambda: all(d.code != "memory/cuda-out-of-memory" for d in editor.published[LOG].diagnostics))
    assert any("firstfault.severities.initiating" in m.message for m in editor.client.log_messages)


@pytest.fixture
def signatures(tmp_path: Path) -> Path:
    """A folder of the user's own, with one good file and one that is none."""
    folder = tmp_path / "signatures" / "site"
    folder.mkdir(parents=True)
    text = next((Path(__file__).parents[2] / "signatures" / "memory").glob("cuda-out-of-memory.yaml")).read_text("utf-8")
    own = text.replace("memory/cuda-out-of-memory", "site/frobnication").replace("title:", "title: Frobnicator is full #", 1)
    start, end = own.index("recognise:"), own.index("requires:") if "requires:" in own else own.index("cause:")
    recognise = "recognise:\n  any:\n    - {near: frobnicator is full, line: 'frobnicator is full'}\nrequires: [match]\n"
    rest = own[end:].split("\n", 1)[1] if own[end:].startswith("requires:") else own[end:]
    (folder / "frobnication.yaml").write_text(own[:start] + recognise + rest, "utf-8")
    (folder / "broken.yaml").write_text("id: site/broken\ntitle: [\n", "utf-8")
    return folder.parent


async def test_own_signatures_are_used_at_once(start: Start, signatures: Path) -> None:
    editor = await start()
    editor.open(LOG, "step 1\nerror: the frobnicator is full\n")
    assert all(d.code != "site/frobnication" for d in await editor.diagnostics(LOG))
    change(editor, {"signatureFolders": ["signatures"]})
    await editor.until(lambda: any(d.code == "site/frobnication" for d in editor.published[LOG].diagnostics))


async def test_a_broken_signature_file_is_marked_where_it_is_broken(start: Start, signatures: Path) -> None:
    editor = await start(settings={"signatureFolders": [str(signatures)]})
    (mistake,) = await editor.told((signatures / "site" / "broken.yaml").as_uri())
    assert mistake.severity == types.DiagnosticSeverity.Error
    assert mistake.range.start.line > 0
    editor.open(LOG, OOM)
    assert (await editor.diagnostics(LOG))[0].code == "memory/cuda-out-of-memory"


async def test_settings_are_asked_for_where_the_client_answers(start: Start) -> None:
    asks = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(configuration=True))
    editor = await start(asks, settings=None)
    editor.client.set_configuration({"firstfault": {"disabledSignatures": ["memory/cuda-out-of-memory"]}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    editor.open(LOG, OOM)
    await editor.until(
        lambda: LOG in editor.published and all(d.code != "memory/cuda-out-of-memory" for d in editor.published[LOG].diagnostics)
    )
