// After a command has ended: the word about it, and "Diagnose failed terminal" at any time.
import type { Actions } from "./actions";
import { terminalText } from "./clipboard";
import { key } from "./commandline";
import type { Diagnoses } from "./diagnose";
import { type Log, said } from "./log";
import { notice, sentence, statusText } from "./notice";
import type { Panel } from "./panel";
import type { Answer, Diagnosis } from "./report";
import { ignoreCommand, terminalSettings } from "./settings";
import type { Status } from "./status";
import type { TerminalRun, Terminals } from "./terminal";
import type { OwnCommands } from "./verify";
import * as vscode from "./vscodeapi";

export class Watch {
  private marked: TerminalRun | undefined;

  constructor(
    private readonly terminals: Terminals,
    private readonly diagnoses: Diagnoses,
    private readonly panel: Panel,
    private readonly status: Status,
    private readonly own: OwnCommands,
    private readonly actions: Actions,
    private readonly log: Log,
  ) {}

  start(): vscode.Disposable[] {
    return [
      this.terminals.onDidFinish((run) => {
        this.ended(run).catch((error: unknown) => this.log.error(`a command that ended was not reported: ${said(error)}`));
      }),
      // The editor closes documents that nobody shows; whoever opens a file finds the marks of the last run in it again.
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (this.marked && editor?.document.uri.scheme === "file") {
          void this.mark(this.marked);
        }
      }),
    ];
  }

  private async ended(run: TerminalRun): Promise<void> {
    const { answer } = run;
    if (!answer || this.own.has(run.execution)) {
      return;
    }
    const open = this.panel.visible;
    const same = open?.kind === "terminal" && open.title === run.commandLine;
    const how = notice(run, answer.report, terminalSettings(), same);
    if (how === "none") {
      return;
    }
    const diagnosis = await this.diagnoses.command(run, answer);
    this.status.show(diagnosis, statusText(run, answer.report));
    this.terminals.retireOthers(run);
    await this.mark(run);
    if (same) {
      this.panel.show(diagnosis);
    } else if (how === "notification") {
      await this.notify(run, diagnosis);
    }
  }

  /** Have the output diagnosed as a document too, so that the failing frames are marked in the user's files. */
  private async mark(run: TerminalRun): Promise<void> {
    this.marked = run;
    try {
      await vscode.workspace.openTextDocument(run.uri);
    } catch (error) {
      this.log.debug(`${run.uri}: ${said(error)}`);
    }
  }

  private async notify(run: TerminalRun, diagnosis: Diagnosis): Promise<void> {
    const [show, fix, quiet] = ["Show", "Fix…", "Don't show for this command"] as const;
    const chosen = await vscode.window.showWarningMessage(sentence(run, diagnosis.report), show, fix, quiet);
    if (chosen === show) {
      this.diagnoses.show(diagnosis);
    } else if (chosen === fix) {
      await this.actions.chooseFix(diagnosis);
    } else if (chosen === quiet) {
      await ignoreCommand(key(run.commandLine));
    }
  }

  /** Diagnose the active terminal, or the one that a menu names, whatever is known of it. */
  async diagnoseTerminal(given?: vscode.Terminal): Promise<void> {
    const terminal = given ?? vscode.window.activeTerminal;
    if (!terminal) {
      void vscode.window.showInformationMessage("There is no terminal.");
      return;
    }
    const run = this.terminals.latest(terminal);
    if (run && !run.capture.empty && !this.own.has(run.execution)) {
      await this.showRun(run);
      return;
    }
    const text = await terminalText(terminal);
    if (!text.trim()) {
      void vscode.window.showInformationMessage("The terminal holds no text that can be read.");
      return;
    }
    const kept = this.terminals.keep(`${text}\n`, run?.commandLine ?? terminal.name, terminal);
    kept.exitCode = run?.exitCode;
    kept.ended = Date.now();
    await this.showRun(kept);
    vscode.window.setStatusBarMessage("Firstfault read the terminal through the clipboard and put your clipboard back.", 6000);
  }

  private async showRun(run: TerminalRun): Promise<void> {
    const { client } = this.diagnoses;
    const asked = { text: run.capture.text(), name: "terminal" };
    // A command that still runs has no answer of its own yet.
    const answer = run.answer ?? (await client.request<Answer>("firstfault/diagnose", asked));
    const diagnosis = await this.diagnoses.command(run, answer);
    const named = diagnosis.report.incidents.length > 0 && run.exitCode !== undefined;
    this.status.show(diagnosis, named ? statusText(run, answer.report) : undefined);
    await this.terminals.wake(run.uri);
    await vscode.window.showTextDocument(run.uri, { viewColumn: vscode.ViewColumn.One, preview: true, preserveFocus: true });
    this.diagnoses.show(diagnosis);
  }
}
