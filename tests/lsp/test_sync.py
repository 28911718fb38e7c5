"""Documents as they are typed: line ends, encodings, bursts, growing files."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.lsp.conftest import Start
from tests.lsp.editor import OOM, Editor

LOG = "untitled:run.log"
pytestmark = pytest.mark.asyncio(loop_scope="module")


def encodings(*names: str) -> types.ClientCapabilities:
    return types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=list(names)))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n", 6),
        ("a\r\nb\r\n", 7),
        ("10%\r20%\r30%\n", 8),
        ("form feed \f, next line \x85, separators \u2028 and \x1e\n", 6),
        ("", 5),
    ],
    ids=["line feeds", "carriage return and line feed", "carriage returns", "no line ends at all", "nothing"],
)
async def test_lines_are_counted_as_editors_count_them(editor: Editor, text: str, line: int) -> None:
    editor.open(LOG, text + OOM)
    assert (await editor.diagnostics(LOG))[0].range.start.line == line


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 8), ("utf-8", 13), ("utf-32", 7)])
async def test_columns_count_in_the_agreed_encoding(start: Start, encoding: str, column: int) -> None:
    editor = await start(encodings(encoding))
    editor.open(LOG, "损失 🔥 ok: x\n" + OOM)
    # In front of the x, behind a flame that is one, two or four units long.
    editor.type(LOG, 0, column + 1, "\n", end=(0, column + 2))
    assert (await editor.diagnostics(LOG))[0].range.start.line == 7


async def test_the_range_ends_at_the_end_of_a_line_with_wide_characters(editor: Editor) -> None:
    last = OOM.splitlines()[-1] + " 🔥🔥"
    editor.open(LOG, "\n".join([*OOM.splitlines()[:-1], last]))
    assert (await editor.diagnostics(LOG))[0].range.end.character == len(last) + 2


async def test_an_edit_makes_and_unmakes_a_fault(editor: Editor) -> None:
    editor.open(LOG, OOM)
    assert await editor.diagnostics(LOG)
    editor.type(LOG, 2, 0, "", end=(6, 0))
    assert await editor.diagnostics(LOG) == []
    editor.type(LOG, 2, 0, OOM)
    assert (await editor.diagnostics(LOG))[0].range.start.line == 7


async def test_a_burst_of_edits_is_diagnosed_once(editor: Editor) -> None:
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    before = editor.times[LOG]
    for number in range(50):
        editor.type(LOG, 0, number, "x")
    await editor.diagnostics(LOG)
    assert editor.times[LOG] - before < 5


async def test_a_file_that_grew_arrives_as_one_change(editor: Editor) -> None:
    healthy = "".join(f"step {n} loss=2.0\n" for n in range(20_000))
    editor.open(LOG, healthy)
    assert await editor.diagnostics(LOG) == []
    editor.replace(LOG, healthy + OOM)
    assert (await editor.diagnostics(LOG))[0].range.start.line == 20_005


async def test_a_request_does_not_wait_for_the_pause(start: Start) -> None:
    editor = await start(settings={"limits": {"debounceMilliseconds": 3_600_000}})
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    editor.type(LOG, 0, 0, "\n")
    found = await editor.client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(LOG), types.Position(6, 3)))
    assert found is not None


async def test_opening_again_starts_anew(editor: Editor) -> None:
    editor.open(LOG, OOM)
    await editor.diagnostics(LOG)
    editor.close(LOG)
    editor.open(LOG, "\n" + OOM)
    await editor.until(lambda: bool(editor.published[LOG].diagnostics) and editor.published[LOG].diagnostics[0].range.start.line == 6)
