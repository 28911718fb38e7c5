// The language client: starts the server, starts it again when asked to, and carries our own requests.
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  ProgressType,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { SELECTOR } from "./documents";
import { type Log, said } from "./log";
import { type Interpreter, invocation, NoInterpreter, type Python, tellNoInterpreter } from "./python";
import { Queued } from "./queue";
import { forServer, SECTION } from "./settings";
import * as vscode from "./vscodeapi";

/** Commands that the server may offer; they are run here. */
const COMMANDS = ["explain", "copy", "runInTerminal", "goTo", "copyReport", "silence", "fix"].map((name) => `${SECTION}.${name}`);

const MOST_CRASHES = 4;
const CRASH_WINDOW = 3 * 60_000;

export type ServerState = "starting" | "ready" | "stopped" | "failed";

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private interpreter: Interpreter | undefined;
  private readonly restarts = new Queued(() => this.startOnce());
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private crashes: number[] = [];
  private told = "";
  readonly onDidChangeState = this.changed.event;
  state: ServerState = "stopped";

  constructor(
    private readonly root: string,
    private readonly python: Python,
    private readonly log: Log,
  ) {}

  /** Start, or start again. */
  restart(): Promise<void> {
    return this.restarts.run();
  }

  /** Start again if another interpreter was chosen meanwhile. */
  async restartIfChanged(): Promise<void> {
    const before = this.interpreter?.executable;
    try {
      if ((await this.python.find()).executable === before && this.state === "ready") {
        return;
      }
    } catch {
      // The restart says what is wrong.
    }
    await this.restart();
  }

  /** The interpreter in use, for those who run the command line. */
  async found(): Promise<Interpreter> {
    this.interpreter ??= await this.python.find();
    return this.interpreter;
  }

  private set(state: ServerState): void {
    this.state = state;
    this.changed.fire(state);
  }

  private async startOnce(): Promise<void> {
    this.set("starting");
    await this.stop();
    try {
      this.interpreter = await this.python.find();
      this.told = "";
    } catch (error) {
      this.set("failed");
      if (error instanceof NoInterpreter) {
        // Said once; a restart for another reason does not repeat it.
        if (this.told !== error.message) {
          this.told = error.message;
          void tellNoInterpreter(this.log, error);
        }
        return;
      }
      throw error;
    }
    const began = Date.now();
    const { executable, version, origin } = this.interpreter;
    this.log.info(`starting the server with ${executable} (${version.join(".")}, named by ${origin})`);
    const client = this.create(this.interpreter);
    this.client = client;
    try {
      await client.start();
      this.log.info(`the server is ready after ${Date.now() - began} ms`);
      this.set("ready");
    } catch (error) {
      this.client = undefined;
      this.set("failed");
      this.log.error(`the server did not start: ${said(error)}`);
      const show = "Show logs";
      if ((await vscode.window.showErrorMessage("The Firstfault server did not start.", show)) === show) {
        this.log.show();
      }
    }
  }

  private create(interpreter: Interpreter): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { commands: COMMANDS, commandLinks: true, showsDiagnosticsInHovers: true },
      markdown: { isTrusted: { enabledCommands: COMMANDS }, supportHtml: false },
      errorHandler: this.errorHandler(),
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const answer = await next(params, token);
            return Array.isArray(answer) ? answer.map(forServer) : answer;
          },
        },
      },
    };
    const client = new LanguageClient(SECTION, "Firstfault", invocation(this.root, interpreter, "serve"), options);
    client.onDidChangeState(({ newState }) => {
      if (this.client === client && newState === State.Running && this.state !== "starting") {
        this.set("ready");
      }
    });
    return client;
  }

  private errorHandler(): ErrorHandler {
    return {
      error: (error) => {
        this.log.warn(`connection: ${said(error)}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        const now = Date.now();
        this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW), now];
        if (this.crashes.length < MOST_CRASHES) {
          this.log.warn("the server ended and is started again");
          return { action: CloseAction.Restart, handled: true };
        }
        this.set("failed");
        void this.tellCrashed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private async tellCrashed(): Promise<void> {
    const [restart, show] = ["Restart server", "Show logs"] as const;
    const sentence = `The Firstfault server ended ${MOST_CRASHES} times and is not started again.`;
    const chosen = await vscode.window.showErrorMessage(sentence, restart, show);
    if (chosen === restart) {
      this.crashes = [];
      await this.restart();
    } else if (chosen === show) {
      this.log.show();
    }
  }

  /** Wait until the server answers; throws when it cannot be started. */
  async ready(): Promise<LanguageClient> {
    if (this.state === "stopped" || this.state === "failed") {
      await this.restart();
    } else if (this.state === "starting") {
      await new Promise<void>((resolve) => {
        const listening = this.onDidChangeState((state) => {
          if (state !== "starting") {
            listening.dispose();
            resolve();
          }
        });
      });
    }
    if (!this.client || this.state !== "ready") {
      throw new Error("the server is not running");
    }
    return this.client;
  }

  async request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R> {
    const client = await this.ready();
    // An absent token must not be passed on: it would be taken for a second parameter, and both be sent as a list.
    return token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params);
  }

  /** A report as Markdown, without secrets, names and addresses. */
  async redacted(uri: string, token?: vscode.CancellationToken): Promise<string> {
    return (await this.request<{ markdown: string }>("firstfault/report", { uri, redact: true }, token)).markdown;
  }

  /** Told of the progress of one request, under its token. */
  async progress(
    token: string,
    listener: (value: { message?: string; percentage?: number }) => void,
  ): Promise<vscode.Disposable> {
    const client = await this.ready();
    return client.onProgress(new ProgressType<{ message?: string; percentage?: number }>(), token, listener);
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      try {
        await client.dispose(3000);
      } catch (error) {
        this.log.debug(`the server was stopped: ${said(error)}`);
      }
    }
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.changed.dispose();
  }
}
