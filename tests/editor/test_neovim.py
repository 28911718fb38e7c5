"""Neovim, headless: a log opens, is diagnosed and explained, and its quick fix mends the program."""

from __future__ import annotations

from pathlib import Path

from tests.editor.editors import FIXED, case, configuration, run

SCRIPT = """
local seen = {}
vim.cmd('edit run.log')
local buffer = vim.api.nvim_get_current_buf()
vim.wait(40000, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
seen.diagnostics = {}
for _, item in ipairs(vim.diagnostic.get(buffer)) do
  table.insert(seen.diagnostics, { line = item.lnum, severity = item.severity, message = item.message, source = item.source })
end
local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 7, character = 12 } }
local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 20000) or {}) do
    return answer.result
  end
end
seen.hover = ask('textDocument/hover', place).contents.value
local range = { start = place.position, ['end'] = place.position }
local actions = ask('textDocument/codeAction', { textDocument = place.textDocument, range = range, context = { diagnostics = {} } })
seen.titles = {}
for _, action in ipairs(actions) do
  table.insert(seen.titles, action.title)
  if action.edit then
    vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
  end
end
vim.cmd('wall')
local file = io.open('seen.json', 'w')
file:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
file:close()
vim.cmd('qall!')
"""


def test_neovim_diagnoses_explains_and_mends(tmp_path: Path) -> None:
    case(tmp_path)
    (tmp_path / "config.lua").write_text(configuration("neovim"), "utf-8")
    (tmp_path / "script.lua").write_text(SCRIPT, "utf-8")
    seen = run("nvim", ["--headless", "-u", "NONE", "-c", "luafile config.lua", "-c", "luafile script.lua", "-c", "qall!"], tmp_path)
    first = seen["diagnostics"][0]
    assert (first["line"], first["severity"], first["source"]) == (7, 1, "firstfault")
    assert first["message"].startswith("First fault: rank 1, DDP: unused parameters")
    assert "failed first: DDP" in seen["hover"]
    assert "Set find_unused_parameters=True in DistributedDataParallel(...) - train.py:4" in seen["titles"]
    assert (tmp_path / "job" / "train.py").read_text("utf-8") == FIXED
