// Pages of the encyclopedia as read-only Markdown documents, shown in the editor's own preview.
import type { CommandLine } from "./cli";
import * as vscode from "./vscodeapi";
import { capital } from "./words";

const SCHEME = "firstfault-page";

export interface Row {
  code: string;
  name: string | null;
  meaning: string;
  kind: string | null;
  severity: string | null;
  action: string | null;
  applies_to: string | null;
  source: string | null;
}

const TITLES: Record<string, string> = {
  xid: "Xid codes",
  "xid-nvlink5": "Xid codes of NVLink 5",
  sxid: "SXid codes of NVSwitch",
  "cuda-errors": "CUDA errors",
  "nccl-results": "NCCL results",
  "nvml-results": "NVML results",
  "exit-codes": "Exit codes",
  "slurm-states": "Slurm states",
  "kubernetes-reasons": "Kubernetes reasons",
  "env-variables": "Environment variables",
};

export function tableTitle(name: string): string {
  return TITLES[name] ?? capital(name.replaceAll("-", " "));
}

/** A table of codes as Markdown, all rows side by side. */
export function tablePage(name: string, rows: readonly Row[]): string {
  const columns: [string, (row: Row) => string][] = [
    ["Code", (row) => `**${cell(row.code)}**`],
    ["Severity", (row) => cell(row.severity)],
    ["Meaning", (row) => cell(row.meaning)],
    ["Can be first", (row) => (row.kind === "cause" ? "yes" : row.kind === null ? "" : "no")],
    ["Do", (row) => cell(row.action)],
    ["Applies to", (row) => cell(row.applies_to)],
    ["Name", (row) => breakable(row.name)],
  ];
  const used = columns.filter(([, of]) => rows.some(of));
  const sources = [...new Set(rows.map((row) => row.source).filter(Boolean))];
  return [
    `# ${tableTitle(name)}`,
    "",
    `${rows.length} rows. Find in the preview with Ctrl+F.`,
    "",
    `| ${used.map(([title]) => title).join(" | ")} |`,
    `|${used.map(() => " --- ").join("|")}|`,
    ...rows.map((row) => `| ${used.map(([, of]) => of(row)).join(" | ")} |`),
    "",
    ...sources.map((source) => `Source: ${source}`),
    "",
  ].join("\n");
}

/** A long name may be broken after its parts, or it would squeeze the columns of prose. */
function breakable(name: string | null): string {
  return cell(name).replaceAll("_", "_<wbr>");
}

function cell(text: string | null): string {
  return (text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replace(/\s*\n\s*/g, " ");
}

export class Pages implements vscode.TextDocumentContentProvider {
  private readonly kept = new Map<string, Promise<string>>();

  constructor(private readonly cli: CommandLine) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const known = this.kept.get(uri.path);
    if (known) {
      return known;
    }
    const [, kind, ...rest] = uri.path.replace(/\.md$/, "").split("/");
    const what = rest.join("/");
    const made = kind === "table" ? this.table(what) : this.cli.run("explain", "--format", "markdown", "--", ...what.split(" "));
    this.kept.set(uri.path, made);
    made.catch(() => this.kept.delete(uri.path));
    return made;
  }

  private async table(name: string): Promise<string> {
    return tablePage(name, await this.cli.json<Row[]>("list", "--table", name));
  }

  /** The page of an entry, a code, or a few words. */
  async explain(what: string): Promise<void> {
    // A slash would make folders of the address where it is not that of an id.
    const path = /^[a-z]+\/[a-z0-9-]+$/.test(what) ? what : what.replaceAll("/", " ");
    await this.open(`/explain/${path}.md`);
  }

  async openTable(name: string): Promise<void> {
    await this.open(`/table/${name}.md`);
  }

  private async open(path: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    // Made before it is shown, so that a reason why there is none can be told in a sentence.
    await this.provideTextDocumentContent(uri);
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }
}
