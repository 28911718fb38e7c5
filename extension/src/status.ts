// What stands in the status bar: the last answer, and in the language status how the server is.
import type { Client, ServerState } from "./client";
import { LOGS } from "./documents";
import type { Diagnosis } from "./report";
import * as vscode from "./vscodeapi";
import { shortened, verdict } from "./words";

const TEXTS: Record<ServerState, string> = {
  starting: "Firstfault: starting",
  ready: "Firstfault",
  stopped: "Firstfault: not running",
  failed: "Firstfault: not running",
};

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly language: vscode.LanguageStatusItem;
  private readonly listening: vscode.Disposable;

  constructor(client: Client) {
    this.item = vscode.window.createStatusBarItem("firstfault.last", vscode.StatusBarAlignment.Left, 10);
    this.item.name = "Firstfault: last diagnosis";
    this.item.command = "firstfault.showLast";
    this.language = vscode.languages.createLanguageStatusItem("firstfault.server", LOGS);
    this.language.name = "Firstfault";
    this.server(client.state);
    this.listening = client.onDidChangeState((state) => this.server(state));
  }

  private server(state: ServerState): void {
    this.language.text = TEXTS[state];
    this.language.busy = state === "starting";
    const broken = state === "failed";
    this.language.severity = broken ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    this.language.command = broken
      ? { title: "Restart server", command: "firstfault.restartServer" }
      : { title: "Show logs", command: "firstfault.showLogs" };
  }

  /** The last answer; it stays until the next one. */
  show(diagnosis: Diagnosis, text?: string): void {
    const healthy = diagnosis.report.verdict === "no-failure";
    const said = verdict(diagnosis.report);
    this.item.text = `$(${healthy ? "pass" : "error"}) ${text ?? shortened(said, 60)}`;
    this.item.tooltip = `${said}\n${diagnosis.title}\nClick to show the diagnosis.`;
    this.item.accessibilityInformation = { label: `Firstfault: ${said}`, role: "button" };
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
    this.language.dispose();
    this.listening.dispose();
  }
}
