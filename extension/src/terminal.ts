// The output of terminal commands, from the first byte: kept to be shown, and streamed to the server while it comes.
import { Capture } from "./capture";
import type { Client } from "./client";
import { program } from "./commandline";
import { TERMINAL_SCHEME } from "./documents";
import { type Log, said } from "./log";
import type { Answer } from "./report";
import { terminalSettings } from "./settings";
import * as vscode from "./vscodeapi";

const MOST_RUNS = 30;
const READING_ENDS_WITHIN = 2000;
const WAKES_WITHIN = 1000;
const PIECE = 256 * 1024;
/** Characters that wait for a server that is not ready yet; more of them would only fill the memory. */
const MOST_WAITING = 64 * 1024 * 1024;
const ETX = "\x03";

/** One command in a terminal. */
export interface TerminalRun {
  id: string;
  uri: vscode.Uri;
  execution: vscode.TerminalShellExecution | undefined;
  commandLine: string;
  ended?: number;
  exitCode?: number | undefined;
  interrupted: boolean;
  capture: Capture;
  answer?: Answer;
}

/** Feeds one output to the server: what is to be sent stands in one queue, so that nothing overtakes anything else. While the server
 * is slow the terminal waits for it, not our memory. */
class Stream {
  private queue: Promise<unknown> = Promise.resolve();
  private queued = 0;
  private waiting = "";
  private failed: unknown;
  private lost = false;

  constructor(
    private readonly client: Client,
    private readonly id: string,
    name: string,
  ) {
    this.send(() => this.client.request("firstfault/stream/open", { id, name })).catch(() => undefined);
  }

  /** Nothing waits to be sent or answered. */
  get idle(): boolean {
    return this.queued === 0;
  }

  append(text: string): void {
    if (this.failed !== undefined) {
      return;
    }
    if (this.waiting.length + text.length > MOST_WAITING) {
      this.lost = true;
      return;
    }
    if (this.waiting === "") {
      this.send(() => this.sendWaiting()).catch(() => undefined);
    }
    this.waiting += text;
  }

  /** Resolves when little enough waits that more can be read. */
  async calm(): Promise<void> {
    if (this.waiting.length > 4 * PIECE && this.client.state === "ready") {
      await this.queue;
    }
  }

  /** The answer to all that was given before. */
  async close(exitCode: number | undefined): Promise<Answer> {
    const params = { id: this.id, exitCode: exitCode ?? null };
    const answer = await this.send(() => this.client.request<Answer>("firstfault/stream/close", params));
    if (this.lost) {
      answer.report.notes.push("A part of the output came faster than it could be read and is missing.");
    }
    return answer;
  }

  private async sendWaiting(): Promise<void> {
    while (this.waiting) {
      const text = this.waiting.slice(0, PIECE);
      this.waiting = this.waiting.slice(text.length);
      await this.client.request("firstfault/stream/append", { id: this.id, text });
    }
  }

  /** Put a task at the end of the queue. After one has failed the others fail for the same reason. */
  private send<T>(task: () => Promise<T>): Promise<T> {
    this.queued += 1;
    const result = this.queue.then(() => {
      if (this.failed !== undefined) {
        throw this.failed;
      }
      return task();
    });
    this.queue = result
      .catch((error: unknown) => {
        this.failed ??= error;
      })
      .finally(() => {
        this.queued -= 1;
      });
    return result;
  }
}

interface Active {
  run: TerminalRun;
  stream: Stream;
  reading: Promise<void>;
  /** Pieces that have come. */
  pieces: number;
}

export class Terminals implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly runs = new Map<string, TerminalRun>();
  private readonly active = new Map<vscode.TerminalShellExecution, Active>();
  private readonly last = new WeakMap<vscode.Terminal, TerminalRun>();
  private readonly finished = new vscode.EventEmitter<TerminalRun>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];
  /** Outputs whose documents are kept empty, so that only the latest run marks the user's files. */
  private readonly retired = new Set<string>();
  private number = 0;
  /** A command has ended; its answer is there, if the server gave one. */
  readonly onDidFinish = this.finished.event;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly client: Client,
    private readonly log: Log,
  ) {
    this.subscriptions = [
      vscode.window.onDidStartTerminalShellExecution((event) => this.begin(event)),
      vscode.window.onDidEndTerminalShellExecution((event) => void this.end(event)),
      vscode.workspace.registerTextDocumentContentProvider(TERMINAL_SCHEME, this),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const run = this.runs.get(uri.toString());
    if (this.retired.has(uri.toString())) {
      return "";
    }
    return run ? run.capture.text() : "The output of this command is no longer kept.\n";
  }

  /** The latest command of a terminal, running or ended. */
  latest(terminal: vscode.Terminal): TerminalRun | undefined {
    return this.last.get(terminal);
  }

  /** The command whose output a document shows. */
  of(uri: string): TerminalRun | undefined {
    return this.runs.get(uri);
  }

  /** The line of a document, from 1, that holds a line of its source: of an output not all lines are kept. */
  lineOf(uri: vscode.Uri, line: number): number {
    return this.of(uri.toString())?.capture.lineOf(line) ?? line;
  }

  /** Let the marks in the user's files be those of one run: documents of older ones that nobody looks at are emptied. */
  retireOthers(run: TerminalRun): void {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.input));
    const shown = new Set(tabs.map((input) => (input instanceof vscode.TabInputText ? input.uri.toString() : "")));
    for (const [uri, other] of this.runs) {
      if (other !== run && other.ended !== undefined && !shown.has(uri) && !this.retired.has(uri)) {
        this.retired.add(uri);
        this.changed.fire(other.uri);
      }
    }
  }

  /** Give an emptied document its text again before it is shown. */
  async wake(uri: vscode.Uri): Promise<void> {
    if (!this.retired.delete(uri.toString())) {
      return;
    }
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (!document || document.getText()) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, WAKES_WITHIN);
      const listening = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) {
          done();
        }
      });
      function done(): void {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      }
      this.changed.fire(uri);
    });
  }

  /** Keep an output that came another way. */
  keep(text: string, commandLine: string, terminal: vscode.Terminal | undefined): TerminalRun {
    const run = this.create(commandLine, terminal, undefined);
    run.capture.append(text);
    return run;
  }

  private create(
    commandLine: string,
    terminal: vscode.Terminal | undefined,
    execution: vscode.TerminalShellExecution | undefined,
  ) {
    this.number += 1;
    const name = program(commandLine).replace(/[^\w.-]+/g, "-") || "terminal";
    const run: TerminalRun = {
      id: `terminal-${this.number}`,
      // The ending `.log` makes the editor take it for a log.
      uri: vscode.Uri.from({ scheme: TERMINAL_SCHEME, path: `/${this.number}/${name.replace(/\.log$/, "")}.log` }),
      execution,
      commandLine,
      interrupted: false,
      capture: new Capture(terminalSettings().maximumMegabytes * 1024 * 1024),
    };
    this.runs.set(run.uri.toString(), run);
    if (terminal) {
      this.last.set(terminal, run);
    }
    for (const [uri, old] of this.runs) {
      if (this.runs.size <= MOST_RUNS) {
        break;
      }
      const shown = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri);
      if (old.ended !== undefined && !shown) {
        this.runs.delete(uri);
        this.retired.delete(uri);
      }
    }
    return run;
  }

  private begin({ terminal, execution }: vscode.TerminalShellExecutionStartEvent): void {
    if (!terminalSettings().capture) {
      return;
    }
    // What is not asked for at once is not given: the stream begins with this call.
    const output = execution.read();
    const run = this.create(execution.commandLine.value, terminal, execution);
    const one: Active = { run, stream: new Stream(this.client, run.id, "terminal"), reading: Promise.resolve(), pieces: 0 };
    one.reading = this.read(output, one);
    this.active.set(execution, one);
  }

  private async read(output: AsyncIterable<string>, one: Active): Promise<void> {
    const { run, stream } = one;
    try {
      for await (const piece of output) {
        one.pieces += 1;
        run.capture.append(piece);
        run.interrupted ||= piece.includes(ETX) || /\^C\s*$/.test(piece.slice(-40));
        stream.append(piece);
        await stream.calm();
      }
    } catch (error) {
      this.log.warn(`the output of a terminal could not be read: ${said(error)}`);
    }
  }

  private async end({ execution, exitCode }: vscode.TerminalShellExecutionEndEvent): Promise<void> {
    const known = this.active.get(execution);
    if (!known) {
      return;
    }
    this.active.delete(execution);
    const { run, stream } = known;
    await readToTheEnd(known);
    // The shell may tell the command line better at its end.
    run.commandLine = execution.commandLine.value || run.commandLine;
    run.exitCode = exitCode;
    run.ended = Date.now();
    this.changed.fire(run.uri);
    try {
      run.answer = await stream.close(exitCode);
      this.log.debug(`a command ended with ${exitCode}; read in ${Date.now() - run.ended} ms`);
    } catch (error) {
      this.log.warn(`the output of a command was not diagnosed: ${said(error)}`);
    }
    this.finished.fire(run);
  }

  dispose(): void {
    for (const one of [...this.subscriptions, this.finished, this.changed]) {
      one.dispose();
    }
  }
}

/** Until the output has ended. Some shells never end it; what is silent for a while, and not held up by the server, has ended, too. */
async function readToTheEnd(one: Active): Promise<void> {
  let ended = false;
  const reading = one.reading.then(() => {
    ended = true;
  });
  for (let before = -1; !ended && (before !== one.pieces || !one.stream.idle); ) {
    before = one.pieces;
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, READING_ENDS_WITHIN);
    });
    await Promise.race([reading, pause]);
    clearTimeout(timer);
  }
}
