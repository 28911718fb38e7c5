// Which Python runs the server: the setting, what a Python extension has chosen, or what is on the PATH.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Log, said } from "./log";
import { interpreterSetting } from "./settings";
import * as vscode from "./vscodeapi";

const OLDEST = [3, 10] as const;
const PROBE = "import sys; print(sys.implementation.name, *sys.version_info[:3], sys.executable, sep='\\n')";
const PROBE_TIME = 15_000;

/** An interpreter that was asked what it is. */
export interface Interpreter {
  /** The command, with arguments that stand before all others. */
  command: string[];
  implementation: string;
  version: [number, number, number];
  executable: string;
  /** Who named it: `setting`, `Python Environments`, `PATH`. */
  origin: string;
}

/** How Firstfault is started by an interpreter. */
export function invocation(root: string, { command: [command = "python3", ...before] }: Interpreter, ...given: string[]) {
  // -I keeps the workspace off sys.path; the working folder is ours for the same reason.
  const args = [...before, "-I", "-X", "utf8", join(root, "extension", "boot.py"), ...given];
  return { command, args, options: { cwd: root } };
}

/** Something that knows which interpreter the user works with. */
export interface InterpreterProvider {
  readonly name: string;
  current(resource: vscode.Uri | undefined): Promise<string | undefined>;
  onDidChange(listener: () => void): vscode.Disposable | undefined;
}

interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

/** The extension `ms-python.vscode-python-envs`. */
export class PythonEnvironments implements InterpreterProvider {
  readonly name = "Python Environments extension";

  async current(resource: vscode.Uri | undefined): Promise<string | undefined> {
    const api = await exportsOf<EnvironmentsApi>("ms-python.vscode-python-envs");
    return (await api?.getEnvironment?.(resource))?.execInfo?.run?.executable;
  }

  onDidChange(listener: () => void): vscode.Disposable | undefined {
    return activeExports<EnvironmentsApi>("ms-python.vscode-python-envs")?.onDidChangeEnvironment?.(listener);
  }
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: unknown): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/** The extension `ms-python.python`. */
export class PythonExtension implements InterpreterProvider {
  readonly name = "Python extension";

  async current(resource: vscode.Uri | undefined): Promise<string | undefined> {
    const environments = (await exportsOf<PythonApi>("ms-python.python"))?.environments;
    const path = environments?.getActiveEnvironmentPath(resource);
    return path && (await environments?.resolveEnvironment(path))?.executable?.uri?.fsPath;
  }

  onDidChange(listener: () => void): vscode.Disposable | undefined {
    return activeExports<PythonApi>("ms-python.python")?.environments?.onDidChangeActiveEnvironmentPath?.(listener);
  }
}

async function exportsOf<T>(id: string): Promise<T | undefined> {
  const extension = vscode.extensions.getExtension<T>(id);
  return extension && (extension.isActive ? extension.exports : await extension.activate());
}

function activeExports<T>(id: string): T | undefined {
  const extension = vscode.extensions.getExtension<T>(id);
  return extension?.isActive ? extension.exports : undefined;
}

/** What is asked of an interpreter; tests answer for it. */
export type Probe = (command: string[]) => Promise<string>;

const probeProcess: Probe = ([file, ...args]) =>
  new Promise((resolve, reject) => {
    execFile(file ?? "", [...args, "-I", "-c", PROBE], { timeout: PROBE_TIME, windowsHide: true }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });

/** Why there is no interpreter; the text is for the user. */
export class NoInterpreter extends Error {}

export interface PythonPlaces {
  /** The extension's own folder. */
  root: string;
  providers?: InterpreterProvider[];
  probe?: Probe;
}

/** Finds the interpreter, and remembers what it tried. */
export class Python {
  private readonly providers: InterpreterProvider[];
  private readonly probe: Probe;
  /** A line for each candidate of the last search. */
  tried: string[] = [];

  constructor(
    private readonly places: PythonPlaces,
    private readonly log: Log,
  ) {
    this.providers = places.providers ?? [new PythonEnvironments(), new PythonExtension()];
    this.probe = places.probe ?? probeProcess;
  }

  /** The versions that libraries are bundled for, as `3.10`; none in a checkout, where any will do that has them installed. */
  bundled(): string[] {
    const folder = join(this.places.root, "bundled", "libs");
    if (!existsSync(folder)) {
      return [];
    }
    const names = readdirSync(folder).filter((name) => /^cp3\d+$/.test(name));
    return names.map((name) => `3.${name.slice(3)}`).sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)));
  }

  /** The first candidate that fits; throws `NoInterpreter` with the reason. */
  async find(): Promise<Interpreter> {
    this.tried = [];
    const set = interpreterSetting();
    if (set) {
      const found = await this.ask([set], "the setting firstfault.interpreter");
      if (found) {
        return found;
      }
      throw new NoInterpreter(`The setting firstfault.interpreter names a Python that does not fit: ${this.tried[0]}.`);
    }
    for await (const [command, origin] of this.candidates()) {
      const found = await this.ask(command, origin);
      if (found) {
        return found;
      }
    }
    const wanted = this.bundled();
    const span = wanted.length ? `${wanted[0]} to ${wanted.at(-1)}` : "3.10 or newer";
    const what = this.tried.length ? ` Found: ${this.tried.join("; ")}.` : "";
    throw new NoInterpreter(`Firstfault needs CPython ${span} and found none that fits.${what}`);
  }

  private async *candidates(): AsyncGenerator<[string[], string]> {
    // An environment inside the workspace is code of the workspace; it is run only when that is trusted.
    if (vscode.workspace.isTrusted) {
      const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
      for (const provider of this.providers) {
        try {
          const path = await provider.current(resource);
          if (path) {
            yield [[path], provider.name];
          }
        } catch (error) {
          this.log.warn(`${provider.name}: ${said(error)}`);
        }
      }
    }
    yield [["python3"], "PATH"];
    yield [["python"], "PATH"];
    if (process.platform === "win32") {
      yield [["py", "-3"], "PATH"];
    }
    const named = this.bundled().toReversed();
    for (const version of named.length ? named : ["3.14", "3.13", "3.12", "3.11", "3.10"]) {
      yield [[`python${version}`], "PATH"];
    }
  }

  private async ask(command: string[], origin: string): Promise<Interpreter | undefined> {
    const name = command.join(" ");
    let answer: string[];
    try {
      answer = (await this.probe(command)).trim().split(/\r?\n/);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!missing || origin !== "PATH") {
        this.tried.push(`${name} (${missing ? "not there" : "does not start"})`);
      }
      this.log.debug(`${name}: ${said(error)}`);
      return undefined;
    }
    const [implementation = "", major, minor, micro, executable = name] = answer;
    const version: [number, number, number] = [Number(major), Number(minor), Number(micro)];
    const unfit = this.unfit(implementation, version);
    if (unfit) {
      this.tried.push(`${name} (${unfit})`);
      return undefined;
    }
    return { command, implementation, version, executable, origin };
  }

  private unfit(implementation: string, [major, minor]: [number, number, number]): string | undefined {
    const number = `${major}.${minor}`;
    if (!(major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]))) {
      return Number.isNaN(major) ? "says nothing sensible" : `is ${number}`;
    }
    if (implementation !== "cpython") {
      return `is ${implementation} ${number}`;
    }
    const bundled = this.bundled();
    return bundled.length && !bundled.includes(number) ? `is ${number}` : undefined;
  }

  /** Told when a Python extension has another interpreter. */
  watch(listener: () => void): vscode.Disposable {
    const watching = this.providers.map((provider) => provider.onDidChange(listener));
    return { dispose: () => watching.forEach((watched) => void watched?.dispose()) };
  }
}

/** Let the user name an interpreter. */
export async function selectInterpreter(): Promise<void> {
  const picked = await vscode.window.showOpenDialog({
    title: "Python interpreter that runs Firstfault (CPython 3.10 or newer)",
    openLabel: "Use this Python",
    canSelectMany: false,
  });
  const path = picked?.[0]?.fsPath;
  if (path) {
    await vscode.workspace.getConfiguration("firstfault").update("interpreter", path, vscode.ConfigurationTarget.Global);
  }
}

/** One message that says what is missing, with buttons. */
export async function tellNoInterpreter(log: Log, error: NoInterpreter): Promise<void> {
  log.error(error.message);
  const [select, settings, show] = ["Select interpreter", "Open setting", "Show logs"] as const;
  const chosen = await vscode.window.showErrorMessage(error.message, select, settings, show);
  if (chosen === select) {
    await selectInterpreter();
  } else if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "firstfault.interpreter");
  } else if (chosen === show) {
    log.show();
  }
}
