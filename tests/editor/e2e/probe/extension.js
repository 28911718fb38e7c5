// Runs inside the editor beside the extension that is tested. It talks over a Unix socket, one JSON object a line: requests
// {id, name, args} are answered {id, result | error}; events {event, at, ...} come unasked.
const net = require("node:net");
const vscode = require("vscode");

const clients = new Set();
const history = [];

function tell(event, fields) {
  const line = `${JSON.stringify({ event, at: Date.now(), ...fields })}\n`;
  history.push(line);
  for (const client of clients) {
    client.write(line);
  }
}

const range = (r) => [r.start.line, r.start.character, r.end.line, r.end.character];
const plainDiagnostic = (d) => ({
  message: d.message,
  severity: vscode.DiagnosticSeverity[d.severity],
  source: d.source,
  code: typeof d.code === "object" ? d.code.value : d.code,
  range: range(d.range),
  related: (d.relatedInformation ?? []).map((r) => ({
    uri: r.location.uri.toString(),
    range: range(r.location.range),
    message: r.message,
  })),
});
const uriOf = (text) => (/^[a-z][\w-]+:/i.test(text) ? vscode.Uri.parse(text) : vscode.Uri.file(text));

const methods = {
  async command(id, ...args) {
    const result = await vscode.commands.executeCommand(id, ...args);
    return JSON.stringify(result) === undefined ? null : result;
  },
  extension: (id) => {
    const found = vscode.extensions.getExtension(id);
    return found ? { active: found.isActive, version: found.packageJSON.version, kind: found.extensionKind } : null;
  },
  host: () => ({
    remoteName: vscode.env.remoteName ?? null,
    ui: vscode.UIKind[vscode.env.uiKind],
    trusted: vscode.workspace.isTrusted,
    node: process.versions.node,
    pid: process.pid,
  }),
  async openNotebook(path) {
    await vscode.commands.executeCommand("vscode.openWith", uriOf(path), "jupyter-notebook");
    return true;
  },
  async open(path, selection) {
    const editor = await vscode.window.showTextDocument(uriOf(path), { preview: false });
    if (selection) {
      const [a, b, c, d] = selection;
      editor.selection = new vscode.Selection(a, b, c, d);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
    return { uri: editor.document.uri.toString(), language: editor.document.languageId, lines: editor.document.lineCount };
  },
  active() {
    const editor = vscode.window.activeTextEditor;
    return editor
      ? {
          uri: editor.document.uri.toString(),
          selection: range(editor.selection),
          text: editor.document.getText().slice(0, 100_000),
        }
      : null;
  },
  text: async (path) => (await vscode.workspace.openTextDocument(uriOf(path))).getText(),
  diagnostics: (path) => vscode.languages.getDiagnostics(uriOf(path)).map(plainDiagnostic),
  allDiagnostics: () =>
    vscode.languages.getDiagnostics().map(([uri, all]) => ({ uri: uri.toString(), all: all.map(plainDiagnostic) })),
  async folds(path) {
    const found = await vscode.commands.executeCommand("vscode.executeFoldingRangeProvider", uriOf(path));
    return found.map((fold) => [fold.start, fold.end]);
  },
  async links(path) {
    const found = await vscode.commands.executeCommand("vscode.executeLinkProvider", uriOf(path));
    return found.flatMap((link) =>
      link.target?.scheme === "file" ? [{ line: link.range.start.line, to: link.target.toString() }] : [],
    );
  },
  async tool(name, input) {
    const answer = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return answer.content.map((part) => part.value ?? "").join("\n");
  },
  clipboard: () => vscode.env.clipboard.readText(),
  setClipboard: async (text) => {
    await vscode.env.clipboard.writeText(text);
    return true;
  },
  configure: async (key, value) => {
    // Absent, so: the default again. JSON makes null of it on the way here.
    await vscode.workspace.getConfiguration().update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
    return true;
  },
  terminals: () => vscode.window.terminals.map((t) => ({ name: t.name, integrated: t.shellIntegration !== undefined })),
  killTerminals: () => {
    for (const terminal of vscode.window.terminals) {
      terminal.dispose();
    }
    return true;
  },
  task: async (name, command) => {
    const task = new vscode.Task({ type: "shell" }, vscode.TaskScope.Workspace, name, "test", new vscode.ShellExecution(command));
    await vscode.tasks.executeTask(task);
    return true;
  },
};

function serve(socket) {
  clients.add(socket);
  for (const line of history) {
    socket.write(line);
  }
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", async (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id, name, args } = JSON.parse(line);
      try {
        socket.write(`${JSON.stringify({ id, result: (await methods[name](...args)) ?? null })}\n`);
      } catch (error) {
        socket.write(`${JSON.stringify({ id, error: String(error?.stack ?? error) })}\n`);
      }
    }
  });
  socket.on("close", () => clients.delete(socket));
  socket.on("error", () => clients.delete(socket));
}

exports.activate = (context) => {
  const { subscriptions } = context;
  subscriptions.push(
    vscode.window.onDidChangeTerminalShellIntegration((e) => tell("integration", { terminal: e.terminal.name })),
    vscode.window.onDidStartTerminalShellExecution((e) => tell("started", { line: e.execution.commandLine.value })),
    vscode.window.onDidEndTerminalShellExecution((e) =>
      tell("ended", { line: e.execution.commandLine.value, exitCode: e.exitCode === undefined ? null : e.exitCode }),
    ),
    vscode.languages.onDidChangeDiagnostics((e) => {
      for (const uri of e.uris) {
        tell("diagnostics", { uri: uri.toString(), all: vscode.languages.getDiagnostics(uri).map(plainDiagnostic) });
      }
    }),
    vscode.window.onDidChangeActiveTextEditor((e) => tell("editor", { uri: e?.document.uri.toString() ?? null })),
    vscode.window.tabGroups.onDidChangeTabs((e) =>
      tell("tabs", { opened: e.opened.map((t) => t.label), closed: e.closed.map((t) => t.label) }),
    ),
  );
  const server = net.createServer(serve).listen(process.env.FIRSTFAULT_E2E_SOCKET);
  subscriptions.push({ dispose: () => server.close() });
};
