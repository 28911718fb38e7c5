// Edits of the user's own files that the server offers for a first fault.
import { rangeOf, uriOf } from "./places";
import type { Diagnosis, Incident } from "./report";
import type { Terminals } from "./terminal";
import * as vscode from "./vscodeapi";

export interface Offered {
  title: string;
  edit: vscode.WorkspaceEdit;
}

/** The edits that the server offers at the line of the first fault. */
export async function editsOf(diagnosis: Diagnosis, incident: Incident, terminals: Terminals): Promise<Offered[]> {
  const { source, line, text } = incident.initiator;
  const uri = source === null ? undefined : uriOf(diagnosis, source);
  if (!uri || line === null) {
    return [];
  }
  await terminals.wake(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    "vscode.executeCodeActionProvider",
    uri,
    rangeOf(document, terminals, line, text),
    vscode.CodeActionKind.QuickFix.value,
  );
  return (actions ?? []).flatMap((action) =>
    action.edit && action.edit.size > 0 ? [{ title: action.title, edit: action.edit }] : [],
  );
}
