// The commands by name. A failure of ours is one sentence with "Show logs".
import { copy, copyReport } from "./actions";
import type { Client } from "./client";
import type { Diagnoses } from "./diagnose";
import { isSynced } from "./documents";
import { environmentPage } from "./environment";
import { chosenPaths, diagnosePaths } from "./folder";
import type { History, Remembered } from "./history";
import { type Log, tellError } from "./log";
import { diagnoseNotebook } from "./notebook";
import type { Pages } from "./pages";
import type { Panel } from "./panel";
import { type Python, selectInterpreter } from "./python";
import type { Diagnosis } from "./report";
import { openSample } from "./sample";
import { diagnoseClipboard, diagnoseSelection } from "./selection";
import { documentMegabytes, silenceSignature } from "./settings";
import type { Encyclopedia } from "./tree";
import type { Runner } from "./verify";
import * as vscode from "./vscodeapi";
import type { Watch } from "./watch";

export interface Parts {
  context: vscode.ExtensionContext;
  client: Client;
  python: Python;
  diagnoses: Diagnoses;
  panel: Panel;
  history: History;
  watch: Watch;
  runner: Runner;
  encyclopedia: Encyclopedia;
  pages: Pages;
  log: Log;
}

type Handler = (...args: never[]) => unknown;

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const all: Record<string, Handler> = {
    ...diagnosing(parts),
    ...answers(parts),
    ...looking(parts),
    ...serving(parts),
    ...ofServer(parts),
  };
  return Object.entries(all).map(([name, handler]) =>
    vscode.commands.registerCommand(`firstfault.${name}`, async (...args: unknown[]) => {
      try {
        return await (handler as (...given: unknown[]) => unknown)(...args);
      } catch (error) {
        await tellError(parts.log, "Firstfault could not do that:", error);
        return undefined;
      }
    }),
  );
}

function diagnosing({ context, diagnoses, watch }: Parts): Record<string, Handler> {
  return {
    diagnoseSelection: (given?: { uri: vscode.Uri; range: vscode.Range }) =>
      diagnoseSelection(diagnoses, given?.range ? given : undefined),
    diagnoseTerminal: (terminal?: vscode.Terminal) => watch.diagnoseTerminal(isTerminal(terminal) ? terminal : undefined),
    diagnoseClipboard: () => diagnoseClipboard(diagnoses),
    diagnoseNotebook: () => diagnoseNotebook(diagnoses),
    diagnoseFolder: async (uri?: vscode.Uri, all?: vscode.Uri[]) => {
      const paths = await chosenPaths(uri, all);
      if (paths.length) {
        await diagnosePaths(diagnoses, paths);
      }
    },
    diagnoseDocument: (uri?: vscode.Uri, all?: vscode.Uri[]) => diagnoseDocument(diagnoses, uri, all),
    openSample: () => openSample(diagnoses, context.extensionUri),
  };
}

/** An open document as it stands in the editor; files that are not open, large or compressed are read by the server. */
async function diagnoseDocument(diagnoses: Diagnoses, uri?: vscode.Uri, all?: readonly vscode.Uri[]): Promise<void> {
  const target = uri ?? vscode.window.activeTextEditor?.document.uri ?? activeTab();
  if (!target) {
    void vscode.window.showInformationMessage("Open a log first.");
    return;
  }
  if (all && all.length > 1) {
    await diagnosePaths(diagnoses, all);
    return;
  }
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === target.toString());
  const synced = open && isSynced(open);
  if (open && (target.scheme !== "file" || synced)) {
    await diagnoses.document(open, undefined, synced);
  } else if (target.scheme === "file" && !(await isText(target))) {
    await diagnosePaths(diagnoses, [target]);
  } else {
    const document = await vscode.workspace.openTextDocument(target);
    await vscode.window.showTextDocument(document, { preview: true });
    await diagnoses.document(document, undefined, synced);
  }
}

/** Whether the editor will give the file to extensions. */
async function isText(uri: vscode.Uri): Promise<boolean> {
  const { size } = await vscode.workspace.fs.stat(uri);
  return size < Math.min(documentMegabytes(uri), 50) * 1024 * 1024 && !/\.(gz|xz|bz2|zst|zip|tar|tgz)$/i.test(uri.path);
}

/** Documents above the editor's limit have a tab but no text editor. */
function activeTab(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

function isTerminal(value: unknown): value is vscode.Terminal {
  return typeof value === "object" && value !== null && "sendText" in value;
}

function answers({ diagnoses, panel, history }: Parts): Record<string, Handler> {
  const remembered = async (): Promise<Diagnosis | undefined> => {
    const newest = history.all[0];
    return diagnoses.last ?? (newest && (await history.open(newest.id)));
  };
  const latest = async () => panel.current ?? (await remembered());
  return {
    showLast: async () => {
      const diagnosis = await remembered();
      if (diagnosis) {
        panel.show(diagnosis, true);
      } else {
        void vscode.window.showInformationMessage("There is no diagnosis in this workspace yet.");
      }
    },
    copyReport: async (uri?: string) =>
      typeof uri === "string" ? copyReport(diagnoses, undefined, uri) : copyReport(diagnoses, await latest()),
    openReport: async (given?: Diagnosis) => {
      const diagnosis = given?.reportUri ? given : await latest();
      if (diagnosis) {
        await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(diagnosis.reportUri));
      }
    },
    "history.open": async (one: Remembered) => {
      const diagnosis = await history.open(one.id);
      if (diagnosis) {
        panel.show(diagnosis);
      } else {
        void vscode.window.showInformationMessage("This diagnosis is no longer kept.");
      }
    },
    "history.remove": (one: Remembered) => history.remove(one.id),
    "history.clear": async () => {
      const clear = "Clear";
      const options = { modal: true, detail: "They are kept on this machine only." };
      if (
        (await vscode.window.showWarningMessage("Clear the history of diagnoses of this workspace?", options, clear)) === clear
      ) {
        await history.clear();
      }
    },
  };
}

function looking({ encyclopedia, pages }: Parts): Record<string, Handler> {
  return {
    explain: async (what?: unknown) => {
      const asked = typeof what === "string" ? what : await askWhat();
      if (asked?.trim()) {
        await pages.explain(asked.trim());
      }
    },
    "catalog.search": () => encyclopedia.search(),
    "catalog.compareXid": () => pages.openTable("xid"),
    "catalog.compareTable": (name?: unknown) => encyclopedia.openTable(typeof name === "string" ? name : undefined),
  };
}

function askWhat(): Thenable<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection).trim() ?? "";
  return vscode.window.showInputBox({
    title: "Explain a code or failure",
    prompt: "xid 79, ncclRemoteError, exit 137, gpu/ecc-uncorrectable, a line of a log, or a few words",
    value: selected.includes("\n") ? "" : selected.slice(0, 200),
  });
}

function serving({ context, client, python, log }: Parts): Record<string, Handler> {
  return {
    restartServer: () => client.restart(),
    showLogs: () => log.show(),
    selectInterpreter,
    showEnvironment: async () => {
      const page = await environmentPage(context, client, python);
      log.info(`environment\n${page}`);
      const copyIt = "Copy";
      if ((await vscode.window.showInformationMessage("Firstfault", { modal: true, detail: page }, copyIt)) === copyIt) {
        await copy(page);
      }
    },
    openWalkthrough: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`, false),
  };
}

/** Commands that the server puts into hovers, lenses and quick fixes. */
function ofServer({ runner }: Parts): Record<string, Handler> {
  return {
    copy: (text: unknown) => copy(String(text)),
    runInTerminal: (command: unknown) => runner.run(String(command)),
    silence: async (signature: unknown) => {
      const id = String(signature);
      await silenceSignature(id);
      void vscode.window.showInformationMessage(
        `${id} is no longer reported in this workspace; the setting firstfault.disabledSignatures says so.`,
      );
    },
    goTo: async (uri: unknown, position: { line: number; character: number }) => {
      const at = new vscode.Position(position.line, position.character);
      await vscode.window.showTextDocument(vscode.Uri.parse(String(uri)), { selection: new vscode.Range(at, at) });
    },
    fix: async (uri: unknown, position: { line: number; character: number }) => {
      const at = new vscode.Position(position.line, position.character);
      await vscode.window.showTextDocument(vscode.Uri.parse(String(uri)), { selection: new vscode.Range(at, at) });
      await vscode.commands.executeCommand("editor.action.quickFix");
    },
  };
}
