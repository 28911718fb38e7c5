// From a text, a document, files or a command to a diagnosis that is shown and remembered.
import type { Client } from "./client";
import { isSynced } from "./documents";
import type { History } from "./history";
import type { Panel } from "./panel";
import type { Answer, Diagnosis, Kind } from "./report";
import type { Status } from "./status";
import type { TerminalRun, Terminals } from "./terminal";
import * as vscode from "./vscodeapi";

export interface Origin {
  kind: Kind;
  title: string;
  sources?: Record<string, string>;
  exitCode?: number | undefined;
}

/** Keeps the latest diagnosis and shows it. */
export class Diagnoses {
  private number = 0;
  last: Diagnosis | undefined;

  constructor(
    readonly client: Client,
    private readonly panel: Panel,
    private readonly history: History,
    private readonly status: Status,
    private readonly terminals: Terminals,
  ) {}

  /** Remember an answer. */
  async take(answer: Answer, origin: Origin): Promise<Diagnosis> {
    this.number += 1;
    const diagnosis: Diagnosis = {
      id: `${Date.now().toString(36)}-${this.number}`,
      time: Date.now(),
      kind: origin.kind,
      title: origin.title,
      report: answer.report,
      reportUri: answer.reportUri,
      sources: origin.sources ?? {},
      unreadable: answer.unreadable,
      picture: answer.picture,
      ...(origin.exitCode === undefined ? {} : { exitCode: origin.exitCode }),
    };
    this.last = diagnosis;
    await this.history.add(diagnosis);
    return diagnosis;
  }

  show(diagnosis: Diagnosis): void {
    this.last = diagnosis;
    this.panel.show(diagnosis);
  }

  async takeAndShow(answer: Answer, origin: Origin): Promise<Diagnosis> {
    const diagnosis = await this.take(answer, origin);
    this.status.show(diagnosis);
    this.show(diagnosis);
    return diagnosis;
  }

  /** A text that is no document. */
  async text(text: string, title: string, kind: Kind): Promise<Diagnosis> {
    const answer = await this.client.request<Answer>("firstfault/diagnose", { text, name: title });
    // Kept as a document, so that the lines of the answer can be opened.
    const kept = this.terminals.keep(text, title, undefined);
    kept.ended = Date.now();
    return this.takeAndShow(answer, { kind, title, sources: { [title]: kept.uri.toString() } });
  }

  /** An open document, or a part of it. */
  async document(document: vscode.TextDocument, range?: vscode.Range, synced = isSynced(document)): Promise<Diagnosis> {
    const name = vscode.workspace.asRelativePath(document.uri, false);
    const uri = document.uri.toString();
    const place = range && !range.isEmpty ? range : undefined;
    const title = place ? `${base(name)}, ${lines(place)}` : base(name);
    const origin: Origin = { kind: place ? "selection" : "document", title, sources: { [name]: uri } };
    if (synced) {
      const params = { uri, name, ...(place ? { range: place } : {}) };
      return this.takeAndShow(await this.client.request<Answer>("firstfault/diagnose", params), origin);
    }
    // Documents that the server does not follow are sent; empty lines before a part keep its line numbers.
    const before = place ? "\n".repeat(place.start.line) : "";
    const text = before + document.getText(place);
    return this.takeAndShow(await this.client.request<Answer>("firstfault/diagnose", { text, name }), origin);
  }

  /** A command that has ended. */
  async command(run: TerminalRun, answer: Answer): Promise<Diagnosis> {
    const sources = Object.fromEntries(answer.report.sources.map((source) => [source.name, run.uri.toString()]));
    return this.take(answer, { kind: "terminal", title: run.commandLine, sources, exitCode: run.exitCode });
  }
}

function base(name: string): string {
  return name.split("/").pop() ?? name;
}

function lines({ start, end }: vscode.Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return start.line + 1 === last ? `line ${last}` : `lines ${start.line + 1}–${last}`;
}
