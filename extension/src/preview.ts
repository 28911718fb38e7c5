// An edit before it is made: each file as it is beside what it would be, until one says yes or no.
import * as vscode from "./vscodeapi";

const SCHEME = "firstfault-preview";
const APPLY = "Apply";

/** One replacement, by offsets into the text as it is. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** A text after replacements that do not overlap, in whatever order they come. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  const ordered = replacements.toSorted((one, other) => other.start - one.start || other.end - one.end);
  return ordered.reduce((made, { start, end, text: put }) => made.slice(0, start) + put + made.slice(end), text);
}

export class Previews implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private number = 0;
  private decide: (wanted: boolean) => void = () => {};

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.commands.registerCommand("firstfault.applyPreview", () => this.decide(true)),
      vscode.commands.registerCommand("firstfault.discardPreview", () => this.decide(false)),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Shows what an edit would change; whether the user wants it. */
  async agreed(title: string, edit: vscode.WorkspaceEdit, viewColumn: vscode.ViewColumn): Promise<boolean> {
    const pairs = await Promise.all(edit.entries().map(([uri, edits]) => this.pair(uri, edits)));
    const [only, ...more] = pairs;
    if (!only) {
      return false;
    }
    const names = pairs.map(([uri]) => vscode.workspace.asRelativePath(uri, false)).join(", ");
    if (more.length > 0) {
      await vscode.commands.executeCommand(
        "vscode.changes",
        title,
        pairs.map(([uri, made]) => [uri, uri, made]),
      );
    } else {
      await vscode.commands.executeCommand("vscode.diff", ...only, `${title} (preview)`, { viewColumn, preview: true });
    }
    const wanted = await this.answer(`Make this edit in ${names}? It is yours to save.`);
    await vscode.window.tabGroups.close(ownTabs());
    this.texts.clear();
    return wanted;
  }

  /** By the notification, which hides itself while one reads, by the buttons above the comparison, or by closing it. */
  private async answer(question: string): Promise<boolean> {
    this.decide(false);
    const answered = new Promise<boolean>((resolve) => {
      this.decide = resolve;
    });
    const { decide } = this;
    void vscode.window.showInformationMessage(question, APPLY, "Discard").then((choice) => {
      if (choice) {
        decide(choice === APPLY);
      }
    });
    const closing = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.some(isOwn)) {
        decide(false);
      }
    });
    const wanted = await answered;
    closing.dispose();
    return wanted;
  }

  private async pair(uri: vscode.Uri, edits: readonly vscode.TextEdit[]): Promise<[vscode.Uri, vscode.Uri]> {
    const document = await vscode.workspace.openTextDocument(uri);
    const replacements = edits.map(({ range, newText }) => ({
      start: document.offsetAt(range.start),
      end: document.offsetAt(range.end),
      text: newText,
    }));
    this.number += 1;
    const made = uri.with({ scheme: SCHEME, query: String(this.number) });
    this.texts.set(made.toString(), replaced(document.getText(), replacements));
    return [uri, made];
  }
}

function isOwn({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME;
}

function ownTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isOwn);
}
