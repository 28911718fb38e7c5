// Outputs of notebook cells: they are not part of the protocol, so they are read here and sent as text.
import type { Diagnoses } from "./diagnose";
import * as vscode from "./vscodeapi";

const STREAMS = ["application/vnd.code.notebook.stdout", "application/vnd.code.notebook.stderr"];
const ERROR = "application/vnd.code.notebook.error";

/** What a cell printed and raised, as a terminal would have shown it. */
function outputOf(cell: vscode.NotebookCell): string {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (const item of cell.outputs.flatMap((output) => output.items)) {
    const text = decoder.decode(item.data);
    if (STREAMS.includes(item.mime)) {
      parts.push(text);
    } else if (item.mime === ERROR) {
      parts.push(stackOf(text));
    }
  }
  return parts.join("\n");
}

function stackOf(json: string): string {
  try {
    const { name = "", message = "", stack } = JSON.parse(json) as { name?: string; message?: string; stack?: string };
    return stack || `${name}: ${message}`;
  } catch {
    return json;
  }
}

/** Whether a cell has failed; one that was stored says so by its output alone. */
function failed(cell: vscode.NotebookCell): boolean {
  const raised = cell.outputs.some((output) => output.items.some((item) => item.mime === ERROR));
  return raised || (cell.executionSummary?.success === false && outputOf(cell).trim() !== "");
}

/** Diagnose the output of the selected cell, or of the last one that failed. */
export async function diagnoseNotebook(diagnoses: Diagnoses): Promise<void> {
  const editor = vscode.window.activeNotebookEditor;
  const cells = editor?.notebook.getCells() ?? [];
  const selected = editor?.selections.flatMap((range) => editor.notebook.getCells(range)) ?? [];
  const cell = selected.find((one) => outputOf(one).trim()) ?? cells.findLast(failed);
  if (!cell) {
    void vscode.window.showInformationMessage("No cell of this notebook has an output that can be diagnosed.");
    return;
  }
  await diagnoses.text(outputOf(cell), `cell ${cell.index + 1}`, "notebook");
}
