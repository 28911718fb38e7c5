// The last way to a terminal's text: the editor copies it, and the user's clipboard is put back.
import * as vscode from "./vscodeapi";

async function copied(commands: readonly string[]): Promise<string> {
  // A mark tells a copy of nothing from a copy of what was there before.
  const mark = `firstfault-${Date.now()}`;
  const before = await vscode.env.clipboard.readText();
  try {
    await vscode.env.clipboard.writeText(mark);
    for (const command of commands) {
      await vscode.commands.executeCommand(command);
    }
    const text = await vscode.env.clipboard.readText();
    return text === mark ? "" : text;
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

/** The text of a terminal: its selection, the output of its last command, or all that it still holds. */
export async function terminalText(terminal: vscode.Terminal): Promise<string> {
  terminal.show(true);
  if (terminal.shellIntegration) {
    const last = await copied(["workbench.action.terminal.copyLastCommandOutput"]);
    if (last.trim()) {
      return last;
    }
  }
  return copied([
    "workbench.action.terminal.selectAll",
    "workbench.action.terminal.copySelection",
    "workbench.action.terminal.clearSelection",
  ]);
}
