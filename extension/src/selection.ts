// "Diagnose selection": a traceback in any document; offered in the lightbulb where the selection looks like one.
import type { Diagnoses } from "./diagnose";
import * as vscode from "./vscodeapi";

/** Words that a selection holds when it is worth offering a diagnosis. The server decides; this only keeps the lightbulb quiet. */
const TELLING =
  /Traceback|(?:Error|Exception|Warning)\b|\b(?:error|failed|failure|fatal|killed|abort(?:ed)?|panic|timed? ?out|segmentation fault|core dumped|signal \d+|exit ?code|exited with|xid|nccl|cuda|oom|out of memory|unreachable|refused)\b/i;
const MOST_LOOKED_AT = 20_000;

/** Diagnose what is selected in the active editor, or the whole document where nothing is. */
export async function diagnoseSelection(diagnoses: Diagnoses, given?: { uri: vscode.Uri; range: vscode.Range }): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = given ? await vscode.workspace.openTextDocument(given.uri) : editor?.document;
  if (!document) {
    void vscode.window.showInformationMessage("Select a traceback or a part of a log in an editor first.");
    return;
  }
  const range = given?.range ?? whole(editor?.selections ?? []);
  if (!document.getText(range?.isEmpty ? undefined : range).trim()) {
    void vscode.window.showInformationMessage("There is no text to diagnose.");
    return;
  }
  await diagnoses.document(document, range);
}

/** One range over all selections. */
function whole(selections: readonly vscode.Range[]): vscode.Range | undefined {
  return selections.reduce<vscode.Range | undefined>((all, one) => (all ? all.union(one) : one), undefined);
}

/** The lightbulb on a selection. */
export class SelectionActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    if (range.isEmpty || !TELLING.test(document.getText(range).slice(0, MOST_LOOKED_AT))) {
      return [];
    }
    const action = new vscode.CodeAction("Diagnose selection with Firstfault", vscode.CodeActionKind.QuickFix);
    const given = { uri: document.uri, range };
    action.command = { title: action.title, command: "firstfault.diagnoseSelection", arguments: [given] };
    return [action];
  }
}

/** The text on the clipboard, as pasted from a chat or an issue. */
export async function diagnoseClipboard(diagnoses: Diagnoses): Promise<void> {
  const text = await vscode.env.clipboard.readText();
  if (!text.trim()) {
    void vscode.window.showInformationMessage("The clipboard holds no text.");
    return;
  }
  await diagnoses.text(text, "clipboard", "clipboard");
}
