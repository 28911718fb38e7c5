// Stands in for the editor in unit tests: just enough of it, with what a test sets or reads out.

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static file = (path: string) => new Uri("file", path);
  static parse = (text: string) =>
    new Uri(text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1).replace(/^\/\/(?=\/)/, ""));
  static from = ({ scheme, path }: { scheme: string; path: string }) => new Uri(scheme, path);
  static joinPath = (uri: Uri, ...parts: string[]) => new Uri(uri.scheme, [uri.path, ...parts].join("/"));
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Position | number, b: Position | number, c?: number, d?: number) {
    this.start = typeof a === "number" ? new Position(a, b as number) : a;
    this.end = typeof a === "number" ? new Position(c ?? 0, d ?? 0) : (b as Position);
  }
  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}

export class CodeAction {
  command: unknown;
  constructor(
    readonly title: string,
    readonly kind: unknown,
  ) {}
}
export const CodeActionKind = { QuickFix: { value: "quickfix" } };
export class ThemeIcon {
  constructor(readonly id: string) {}
}
export class TreeItem {
  constructor(
    readonly label: string,
    readonly collapsibleState = 0,
  ) {}
}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
export const ViewColumn = { One: 1, Two: 2, Beside: -2 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const LanguageStatusSeverity = { Information: 0, Warning: 1, Error: 2 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };

/** What a test sets, and what happened. */
export const editor = {
  settings: {} as Record<string, unknown>,
  clipboard: "",
  copies: {} as Record<string, string>,
  executed: [] as unknown[][],
  messages: [] as string[],
  answer: undefined as string | undefined,
  input: undefined as string | undefined,
  extensions: {} as Record<string, unknown>,
  documents: {} as Record<string, string>,
  terminals: [] as StubTerminal[],
  started: new EventEmitter<unknown>(),
  ended: new EventEmitter<unknown>(),
  integrationChanged: new EventEmitter<unknown>(),
  trusted: true,
};

export function reset(): void {
  Object.assign(editor, {
    settings: {},
    clipboard: "",
    copies: {},
    executed: [],
    messages: [],
    answer: undefined,
    input: undefined,
    extensions: {},
    documents: {},
    terminals: [],
    trusted: true,
  });
}

export class StubTerminal {
  exitStatus: undefined;
  shellIntegration: { executeCommand(command: string): unknown } | undefined;
  sent: [string, boolean][] = [];
  constructor(readonly name: string) {}
  show(): void {}
  sendText(text: string, run: boolean): void {
    this.sent.push([text, run]);
  }
}

const said = async (text: string) => {
  editor.messages.push(text);
  return editor.answer;
};

export const window = {
  onDidStartTerminalShellExecution: editor.started.event,
  onDidEndTerminalShellExecution: editor.ended.event,
  onDidChangeTerminalShellIntegration: editor.integrationChanged.event,
  showErrorMessage: said,
  showWarningMessage: said,
  showInformationMessage: said,
  setStatusBarMessage: said,
  showInputBox: async () => editor.input,
  createTerminal: ({ name }: { name: string }) => {
    const terminal = new StubTerminal(name);
    editor.terminals.push(terminal);
    return terminal;
  },
  showTextDocument: async () => ({ revealRange: () => undefined }),
  visibleTextEditors: [],
  tabGroups: { all: [] },
  onDidChangeActiveTextEditor: () => ({ dispose: () => undefined }),
};

export const workspace = {
  get isTrusted() {
    return editor.trusted;
  },
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  textDocuments: [] as unknown[],
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise: unknown) => editor.settings[`${section}.${name}`] ?? otherwise,
    update: async (name: string, value: unknown) => {
      editor.settings[`${section}.${name}`] = value;
    },
  }),
  registerTextDocumentContentProvider: () => ({ dispose: () => undefined }),
  onDidChangeTextDocument: () => ({ dispose: () => undefined }),
  openTextDocument: async (uri: Uri) => {
    const text = editor.documents[uri.toString()] ?? "";
    const lines = text.split(/\r\n|\n|\r/);
    const lineAt = (line: number) => ({ range: new Range(line, 0, line, lines[line]?.length) });
    return { uri, getText: () => text, lineCount: lines.length, lineAt };
  },
  asRelativePath: (uri: Uri) => uri.path,
  fs: {
    createDirectory: async () => undefined,
    writeFile: async (uri: Uri, data: Uint8Array) => {
      editor.documents[uri.toString()] = new TextDecoder().decode(data);
    },
    readFile: async (uri: Uri) => new TextEncoder().encode(editor.documents[uri.toString()]),
    delete: async (uri: Uri) => {
      delete editor.documents[uri.toString()];
    },
  },
};

export const commands = {
  executeCommand: async (...given: unknown[]) => {
    editor.executed.push(given);
    const text = editor.copies[String(given[0])];
    if (text !== undefined) {
      editor.clipboard = text;
    }
  },
};

export const env = {
  clipboard: {
    readText: async () => editor.clipboard,
    writeText: async (text: string) => {
      editor.clipboard = text;
    },
  },
};

export const extensions = { getExtension: (id: string) => editor.extensions[id] };
export class TabInputText {}
export const languages = { match: () => 0 };
