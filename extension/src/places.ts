// Where the lines of a report are: from the names of sources to documents, from lines of a source to lines of an editor.
import { isAbsolute } from "node:path";
import type { Diagnosis, Report } from "./report";
import type { Terminals } from "./terminal";
import * as vscode from "./vscodeapi";

/** Short names for the sources of a report, `line 35` where there is but one, and for files of the workspace. */
export class Names {
  private readonly short = new Map<string, string>();
  private readonly pattern: RegExp | undefined;
  private readonly only: string | undefined;

  /** @param folders of the workspace, as paths */
  constructor(
    report: Report,
    private readonly folders: readonly string[] = [],
  ) {
    const names = report.sources.map((source) => source.name);
    this.only = names.length === 1 ? names[0] : undefined;
    const parts = names.map((name) => name.split(/(?<=[/\\])/));
    let shared = 0;
    while (parts.length && parts.every((p) => shared < p.length - 1 && p[shared] === parts[0]?.[shared])) {
      shared += 1;
    }
    names.forEach((name, index) => {
      this.short.set(name, (parts[index] ?? []).slice(shared).join(""));
    });
    if (names.length) {
      const longest = [...names].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      this.pattern = new RegExp(`(?<![\\w/\\\\.-])(${longest.join("|")})(?::(\\d+))?(?![\\w/\\\\])`, "g");
    }
  }

  name(source: string): string {
    return this.short.get(source) ?? source;
  }

  /** A place: `line 35` where one source was read, else `node-a.log:35`. */
  at(source: string, line: number | null): string {
    if (line === null) {
      return this.name(source);
    }
    return source === this.only ? `line ${line}` : `${this.name(source)}:${line}`;
  }

  /** A sentence of the report with short names. */
  compact(sentence: string): string {
    const text = this.folders.reduce(
      (given, folder) => given.replaceAll(`${folder}${folder.includes("\\") ? "\\" : "/"}`, ""),
      sentence,
    );
    return this.pattern
      ? text.replace(this.pattern, (_, source: string, line?: string) =>
          line ? this.at(source, Number(line)) : this.name(source),
        )
      : text;
  }
}

/** The document of a source; undefined where there is none that can be opened. */
export function uriOf(diagnosis: Diagnosis, source: string): vscode.Uri | undefined {
  const known = diagnosis.sources[source];
  if (known !== undefined) {
    return vscode.Uri.parse(known);
  }
  return isAbsolute(source) ? vscode.Uri.file(source) : undefined;
}

/** The line of an editor, from 0, that holds a line of a source. The editor also breaks lines at lone carriage returns, which
 * logs with progress bars are full of, so that its lines come later; the text tells which one it is. */
export function editorLine(lines: readonly string[], line: number, text: string | null): number {
  const expected = Math.min(Math.max(line - 1, 0), Math.max(lines.length - 1, 0));
  // The text of a report may be cut.
  const wanted = text?.replace(/…$/, "").trim().slice(0, 200) ?? "";
  if (!wanted || lines[expected]?.includes(wanted)) {
    return expected;
  }
  for (let index = expected + 1; index < lines.length; index += 1) {
    if (lines[index]?.includes(wanted)) {
      return index;
    }
  }
  for (let index = expected - 1; index >= 0; index -= 1) {
    if (lines[index]?.includes(wanted)) {
      return index;
    }
  }
  return expected;
}

/** Where a line of a source is in its document. */
export function rangeOf(document: vscode.TextDocument, terminals: Terminals, line: number, text: string | null): vscode.Range {
  const lines = document.getText().split(/\r\n|\n|\r/);
  return document.lineAt(editorLine(lines, terminals.lineOf(document.uri, line), text)).range;
}

/** Where a document is shown: where it is already, else beside the panel, never on top of it. */
export function besides(uri: vscode.Uri, panelColumn: vscode.ViewColumn | undefined): vscode.ViewColumn {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  return shown?.viewColumn ?? (panelColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Two : vscode.ViewColumn.One);
}

/** Show a position of a document. */
export async function show(
  document: vscode.TextDocument,
  at: vscode.Position,
  panelColumn: vscode.ViewColumn | undefined,
): Promise<void> {
  const range = new vscode.Range(at, at);
  const place = { viewColumn: besides(document.uri, panelColumn), preview: true };
  const editor = await vscode.window.showTextDocument(document, { ...place, selection: range });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Open the place of a line of a report. */
export async function reveal(
  diagnosis: Diagnosis,
  terminals: Terminals,
  source: string,
  line: number,
  text: string | null,
  panelColumn?: vscode.ViewColumn,
): Promise<void> {
  const uri = uriOf(diagnosis, source);
  if (!uri) {
    void vscode.window.showInformationMessage(`${source} is no document that can be opened.`);
    return;
  }
  await terminals.wake(uri);
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(uri);
  } catch {
    // Too large to be given to extensions: the editor itself may still show it.
    const at = new vscode.Position(Math.max(terminals.lineOf(uri, line) - 1, 0), 0);
    const place = { viewColumn: besides(uri, panelColumn), preview: true };
    await vscode.commands.executeCommand("vscode.open", uri, { ...place, selection: new vscode.Range(at, at) });
    return;
  }
  await show(document, rangeOf(document, terminals, line, text).start, panelColumn);
}
