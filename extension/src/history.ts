// The diagnoses of this workspace. They stay in the editor's own storage on this machine, and can be cleared.
import { type Log, said } from "./log";
import type { Diagnosis, Kind } from "./report";
import { historySize } from "./settings";
import * as vscode from "./vscodeapi";
import { brief, capital, plural, verdict } from "./words";

const KEY = "firstfault.history";
const ICONS: Record<Kind, string> = {
  selection: "selection",
  document: "file",
  terminal: "terminal",
  folder: "folder",
  clipboard: "clippy",
  notebook: "notebook",
};

/** What is kept of a diagnosis in the index; the report stands in a file of its own. */
export interface Remembered {
  id: string;
  time: number;
  kind: Kind;
  title: string;
  verdict: string;
  /** The same for a narrow list. */
  brief?: string;
  failed: boolean;
  signatures: string[];
}

export class History implements vscode.TreeDataProvider<Remembered> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** Reports of a window without a folder, which has no storage. */
  private readonly held = new Map<string, Diagnosis>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly state: vscode.Memento,
    private readonly storage: vscode.Uri | undefined,
    private readonly log: Log,
  ) {
    this.tell();
  }

  get all(): readonly Remembered[] {
    return this.state.get<Remembered[]>(KEY, []);
  }

  /** Signatures that were found in this workspace. */
  get seen(): ReadonlySet<string> {
    return new Set(this.all.flatMap((one) => one.signatures));
  }

  async add(diagnosis: Diagnosis): Promise<void> {
    const size = historySize();
    if (size === 0) {
      return;
    }
    const one: Remembered = {
      id: diagnosis.id,
      time: diagnosis.time,
      kind: diagnosis.kind,
      title: diagnosis.title,
      verdict: verdict(diagnosis.report),
      ...(diagnosis.report.incidents[0] ? { brief: capital(brief(diagnosis.report.incidents[0])) } : {}),
      failed: diagnosis.report.verdict !== "no-failure",
      signatures: diagnosis.report.incidents.map((incident) => incident.signature),
    };
    // The same answer for the same thing is one entry: somebody ran it again.
    const again = this.all.filter((old) => old.kind === one.kind && old.title === one.title && old.verdict === one.verdict);
    const all = [one, ...this.all.filter((old) => !again.includes(old))];
    try {
      await this.write(diagnosis);
      await this.state.update(KEY, all.slice(0, size));
      await Promise.all([...again, ...all.slice(size)].map((old) => this.erase(old.id)));
    } catch (error) {
      // A full disk must not keep the answer from the user.
      this.log.warn(`a diagnosis is not remembered: ${said(error)}`);
    }
    this.tell();
  }

  async open(id: string): Promise<Diagnosis | undefined> {
    const held = this.held.get(id);
    if (held || !this.storage) {
      return held;
    }
    try {
      const data = await vscode.workspace.fs.readFile(this.file(id));
      return JSON.parse(new TextDecoder().decode(data)) as Diagnosis;
    } catch (error) {
      this.log.warn(`a remembered diagnosis cannot be read: ${said(error)}`);
      return undefined;
    }
  }

  async remove(id: string): Promise<void> {
    await this.state.update(
      KEY,
      this.all.filter((one) => one.id !== id),
    );
    await this.erase(id);
    this.tell();
  }

  async clear(): Promise<void> {
    const all = this.all;
    await this.state.update(KEY, undefined);
    await Promise.all(all.map((one) => this.erase(one.id)));
    this.tell();
  }

  private async write(diagnosis: Diagnosis): Promise<void> {
    if (!this.storage) {
      this.held.set(diagnosis.id, diagnosis);
      return;
    }
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(this.storage, "history"));
    await vscode.workspace.fs.writeFile(this.file(diagnosis.id), new TextEncoder().encode(JSON.stringify(diagnosis)));
  }

  private async erase(id: string): Promise<void> {
    this.held.delete(id);
    if (this.storage) {
      try {
        await vscode.workspace.fs.delete(this.file(id));
      } catch (error) {
        this.log.debug(`${id}: ${said(error)}`);
      }
    }
  }

  private file(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.storage as vscode.Uri, "history", `${id}.json`);
  }

  private tell(): void {
    void vscode.commands.executeCommand("setContext", "firstfault.hasHistory", this.all.length > 0);
    this.changed.fire(undefined);
  }

  getChildren(element?: Remembered): Remembered[] {
    return element ? [] : [...this.all];
  }

  getTreeItem(one: Remembered): vscode.TreeItem {
    const item = new vscode.TreeItem(one.brief ?? one.verdict);
    item.id = one.id;
    item.description = `${one.title} · ${ago(Date.now() - one.time)}`;
    item.tooltip = `${one.verdict}\n${one.title}\n${new Date(one.time).toLocaleString()}`;
    item.iconPath = new vscode.ThemeIcon(one.failed ? ICONS[one.kind] : "pass");
    item.contextValue = "diagnosis";
    item.command = { title: "Open diagnosis", command: "firstfault.history.open", arguments: [one] };
    return item;
  }
}

/** `5 minutes ago` */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) {
    return "now";
  }
  if (minutes < 60) {
    return `${plural(minutes, "minute")} ago`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${plural(hours, "hour")} ago` : `${plural(Math.floor(hours / 24), "day")} ago`;
}
