// Commands of a diagnosis in a terminal: after a click, with the caution first; the output of a check is read back and judged.
import { terminalText } from "./clipboard";
import { type Judgement, judge } from "./judge";
import type { TerminalRun, Terminals } from "./terminal";
import * as vscode from "./vscodeapi";

const NAME = "Firstfault";
const SHELL_READY_WITHIN = 6000;
const PLACEHOLDER = /<[A-Za-z][\w .-]*>/;

/** Commands that are about to run; their failure is not reported as that of the user's own. */
export class OwnCommands {
  private readonly executions = new WeakSet<vscode.TerminalShellExecution>();

  add(execution: vscode.TerminalShellExecution): void {
    this.executions.add(execution);
  }

  has(execution: vscode.TerminalShellExecution | undefined): boolean {
    return execution !== undefined && this.executions.has(execution);
  }
}

/** `<PID>` and the like: the log did not give the value. */
export function placeholder(command: string): string | undefined {
  return PLACEHOLDER.exec(command)?.[0];
}

/** The command with the values that the user gives; undefined when one is not given. */
async function completed(command: string): Promise<string | undefined> {
  let whole = command;
  for (let open = placeholder(whole); open !== undefined; open = placeholder(whole)) {
    const name = open;
    const value = await vscode.window.showInputBox({
      title: command,
      prompt: `Value for ${name}; the log does not give it`,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" || /[<>]/.test(text) ? `A value for ${name}` : undefined),
    });
    if (value === undefined) {
      return undefined;
    }
    whole = whole.replaceAll(name, value.trim());
  }
  return whole;
}

export class Runner {
  private terminal: vscode.Terminal | undefined;

  constructor(
    private readonly terminals: Terminals,
    private readonly own: OwnCommands,
  ) {}

  /** Run a command in a terminal. */
  async run(given: string, caution: string | null = null): Promise<void> {
    const command = await this.ready(given, caution);
    if (command === undefined) {
      return;
    }
    const terminal = this.shown();
    // What is typed before the shell has its prompt stands there twice, or is lost.
    const shell = await integrated(terminal);
    const several = command.includes("\n");
    if (shell && !several) {
      this.own.add(shell.executeCommand(command));
    } else {
      // Several lines are only put there: each would run as soon as it came.
      terminal.sendText(command, !several);
    }
  }

  /** Run a check and judge its output. */
  async verify(given: string, expect: string | null, tell: (judgement: Judgement) => void): Promise<void> {
    const command = await this.ready(given, null);
    if (command === undefined) {
      return;
    }
    const terminal = this.shown();
    const shell = await integrated(terminal);
    if (!shell) {
      terminal.sendText(command, true);
      tell({ state: "unclear", text: "Shell integration is off, so the output is not read here. Compare it in the terminal." });
      return;
    }
    tell({ state: "unclear", text: "Running…" });
    const execution = shell.executeCommand(command);
    this.own.add(execution);
    const listening = this.terminals.onDidFinish((run) => {
      if (run.execution === execution) {
        listening.dispose();
        void output(run, terminal).then((text) => tell(judge(expect, text, run.exitCode)));
      }
    });
  }

  /** The command as it is run, once it may be. */
  private async ready(given: string, caution: string | null): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage("Commands are not run in a restricted workspace. Copy the command instead.");
      return undefined;
    }
    const command = await completed(given);
    if (command === undefined || caution === null) {
      return command;
    }
    const run = "Run";
    const options = { modal: true, detail: `Caution: ${caution}\n\n${command}` };
    return (await vscode.window.showWarningMessage("Run this command?", options, run)) === run ? command : undefined;
  }

  private shown(): vscode.Terminal {
    if (!this.terminal || this.terminal.exitStatus !== undefined) {
      this.terminal = vscode.window.createTerminal({ name: NAME });
    }
    this.terminal.show(true);
    return this.terminal;
  }
}

/** What a command printed. Of one that lives a few milliseconds the editor may deliver nothing; the terminal still shows it. */
async function output(run: TerminalRun, terminal: vscode.Terminal): Promise<string> {
  return run.capture.empty ? terminalText(terminal) : run.capture.text();
}

/** The shell integration of a terminal; a new one takes a moment to have it. */
async function integrated(terminal: vscode.Terminal): Promise<vscode.TerminalShellIntegration | undefined> {
  if (terminal.shellIntegration) {
    return terminal.shellIntegration;
  }
  return new Promise((resolve) => {
    const listening = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal === terminal) {
        done(event.shellIntegration);
      }
    });
    const timer = setTimeout(() => done(terminal.shellIntegration), SHELL_READY_WITHIN);
    function done(shell: vscode.TerminalShellIntegration | undefined): void {
      clearTimeout(timer);
      listening.dispose();
      resolve(shell);
    }
  });
}
