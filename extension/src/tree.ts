// The encyclopedia as a tree: a search box first, then categories with their entries; what was seen in this workspace is marked.
import type { CommandLine } from "./cli";
import type { History } from "./history";
import { type Log, said } from "./log";
import { type Pages, tableTitle } from "./pages";
import * as vscode from "./vscodeapi";
import { capital, plural } from "./words";

export interface Entry {
  id: string;
  title: string;
  kind: string;
  severity: string;
  owner: string | null;
}

export type Node =
  | { type: "search" }
  | { type: "tables" }
  | { type: "table"; name: string }
  | { type: "category"; name: string }
  | { type: "entry"; entry: Entry };

const ICONS: Record<string, string> = { cause: "flame", effect: "arrow-small-right", wrapper: "package", notice: "info" };
const NAMES: Record<string, string> = { cuda: "CUDA", gpu: "GPU", nccl: "NCCL", nvlink: "NVLink", pcie: "PCIe" };

export class Encyclopedia implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly cli: CommandLine,
    private readonly pages: Pages,
    private readonly history: History,
    private readonly log: Log,
  ) {
    history.onDidChange(() => this.changed.fire(undefined));
  }

  private all(): Promise<Entry[]> {
    return this.cli.json<Entry[]>("list");
  }

  async getChildren(node?: Node): Promise<Node[]> {
    try {
      return await this.childrenOf(node);
    } catch (error) {
      this.log.error(`the encyclopedia cannot be read: ${said(error)}`);
      return [];
    }
  }

  private async childrenOf(node: Node | undefined): Promise<Node[]> {
    if (!node) {
      const names = [...new Set((await this.all()).map((entry) => category(entry)))].sort();
      return [{ type: "search" }, ...names.map((name): Node => ({ type: "category", name })), { type: "tables" }];
    }
    if (node.type === "tables") {
      return (await this.tables()).map((name): Node => ({ type: "table", name }));
    }
    if (node.type !== "category") {
      return [];
    }
    const mine = (await this.all()).filter((entry) => category(entry) === node.name);
    const seen = this.history.seen;
    mine.sort((a, b) => Number(seen.has(b.id)) - Number(seen.has(a.id)) || a.title.localeCompare(b.title));
    return mine.map((entry): Node => ({ type: "entry", entry }));
  }

  tables(): Promise<string[]> {
    return this.cli.json<string[]>("list", "--table", "?");
  }

  async getTreeItem(node: Node): Promise<vscode.TreeItem> {
    switch (node.type) {
      case "search": {
        const item = new vscode.TreeItem("Search…");
        item.iconPath = new vscode.ThemeIcon("search");
        item.command = { title: "Search", command: "firstfault.catalog.search" };
        item.tooltip = "A title, a code such as “xid 79”, a line of a log, or a few words";
        return item;
      }
      case "tables": {
        const item = new vscode.TreeItem("Tables of codes", vscode.TreeItemCollapsibleState.Collapsed);
        item.iconPath = new vscode.ThemeIcon("table");
        return item;
      }
      case "table": {
        const item = new vscode.TreeItem(tableTitle(node.name));
        item.command = { title: "Open", command: "firstfault.catalog.compareTable", arguments: [node.name] };
        return item;
      }
      case "category":
        return this.categoryItem(node.name);
      case "entry":
        return this.entryItem(node.entry);
    }
  }

  private async categoryItem(name: string): Promise<vscode.TreeItem> {
    const mine = (await this.all()).filter((entry) => category(entry) === name);
    const seen = this.history.seen;
    const found = mine.filter((entry) => seen.has(entry.id)).length;
    const item = new vscode.TreeItem(NAMES[name] ?? capital(name), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `category:${name}`;
    item.description = found ? `${mine.length} · ${found} seen here` : String(mine.length);
    item.tooltip = `${plural(mine.length, "entry").replace("entrys", "entries")}`;
    return item;
  }

  private entryItem(entry: Entry): vscode.TreeItem {
    const item = new vscode.TreeItem(entry.title);
    item.id = entry.id;
    const seen = this.history.seen.has(entry.id);
    item.description = seen ? "seen in this workspace" : entry.kind === "cause" ? "" : entry.kind;
    item.tooltip = `${entry.title}\n${entry.id} · ${entry.severity} · ${entry.kind}`;
    item.iconPath = new vscode.ThemeIcon(seen ? "eye" : (ICONS[entry.kind] ?? "circle-outline"));
    item.command = { title: "Explain", command: "firstfault.explain", arguments: [entry.id] };
    return item;
  }

  /** The search box: titles and ids are filtered as one types; anything else is looked up as it stands. */
  async search(): Promise<void> {
    const picks = vscode.window.createQuickPick<vscode.QuickPickItem & { what: string }>();
    picks.placeholder = "A title, a code such as “xid 79”, a line of a log, or a few words";
    picks.matchOnDescription = true;
    picks.busy = true;
    picks.show();
    const entries = (await this.all()).map((entry) => ({ label: entry.title, description: entry.id, what: entry.id }));
    const offer = (value: string) => {
      const look = { label: `$(search) Look up “${value}”`, what: value, alwaysShow: true };
      picks.items = value.trim() ? [...entries, look] : entries;
    };
    offer(picks.value);
    picks.busy = false;
    picks.onDidChangeValue(offer);
    picks.onDidHide(() => picks.dispose());
    picks.onDidAccept(() => {
      const what = picks.selectedItems[0]?.what;
      picks.hide();
      if (what) {
        void vscode.commands.executeCommand("firstfault.explain", what);
      }
    });
  }

  /** All rows of a table side by side. */
  async openTable(name?: string): Promise<void> {
    const chosen =
      name ??
      (
        await vscode.window.showQuickPick(
          (await this.tables()).map((table) => ({ label: tableTitle(table), table })),
          { placeHolder: "Table of codes" },
        )
      )?.table;
    if (chosen) {
      await this.pages.openTable(chosen);
    }
  }
}

function category(entry: Entry): string {
  return entry.id.split("/", 1)[0] ?? "";
}
