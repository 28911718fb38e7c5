// Wires the parts together; nothing else happens here.
import { Actions } from "./actions";
import { CommandLine } from "./cli";
import { Client } from "./client";
import { registerCommands } from "./commands";
import { Diagnoses } from "./diagnose";
import { History } from "./history";
import { registerTool } from "./lm";
import { createLog } from "./log";
import { Pages } from "./pages";
import { Panel } from "./panel";
import { Previews } from "./preview";
import { Python } from "./python";
import { SelectionActions } from "./selection";
import { Status } from "./status";
import { Terminals } from "./terminal";
import { Encyclopedia } from "./tree";
import { OwnCommands, Runner } from "./verify";
import * as vscode from "./vscodeapi";
import { Watch } from "./watch";

export function activate(context: vscode.ExtensionContext): void {
  const root = context.extensionPath;
  const log = createLog();
  const python = new Python({ root }, log);
  const client = new Client(root, python, log);
  const panel = new Panel(context.extensionUri);
  const history = new History(context.workspaceState, context.storageUri, log);
  const status = new Status(client);
  const terminals = new Terminals(client, log);
  const diagnoses = new Diagnoses(client, panel, history, status, terminals);
  const own = new OwnCommands();
  const runner = new Runner(terminals, own);
  const previews = new Previews();
  const actions = new Actions(diagnoses, terminals, runner, panel, previews, log);
  const watch = new Watch(terminals, diagnoses, panel, status, own, actions, log);
  const cli = new CommandLine(client, root);
  const pages = new Pages(cli);
  const encyclopedia = new Encyclopedia(cli, pages, history, log);
  panel.acting = (diagnosis, clicked, post) => actions.act(diagnosis, clicked, post);

  const parts = { context, client, python, diagnoses, panel, history, watch, runner, encyclopedia, pages, log };
  const tool = registerTool(client, diagnoses);
  context.subscriptions.push(
    log,
    client,
    panel,
    status,
    terminals,
    ...watch.start(),
    pages.register(),
    previews.register(),
    ...registerCommands(parts),
    ...(tool ? [tool] : []),
    vscode.languages.registerCodeActionsProvider({ scheme: "*" }, new SelectionActions(), {
      providedCodeActionKinds: SelectionActions.kinds,
    }),
    vscode.window.registerTreeDataProvider("firstfault.history", history),
    vscode.window.createTreeView("firstfault.catalog", { treeDataProvider: encyclopedia, showCollapseAll: true }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("firstfault.interpreter")) {
        void client.restartIfChanged();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void client.restartIfChanged()),
  );
  void client.restart().then(() => context.subscriptions.push(python.watch(() => void client.restartIfChanged())));
}
