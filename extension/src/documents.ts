// Which documents the server follows.
import { documentMegabytes } from "./settings";
import * as vscode from "./vscodeapi";

/** Scheme of the captured outputs of commands. */
export const TERMINAL_SCHEME = "firstfault-terminal";

type Filter = { scheme: string; language?: string };

/** Documents that are logs. */
export const LOGS: Filter[] = [
  { scheme: TERMINAL_SCHEME },
  ...["log", "plaintext"].flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language }))),
];

/** Logs, and the files in which the server marks a line or offers an edit. */
export const SELECTOR: Filter[] = [
  ...LOGS,
  ...["python", "shellscript", "yaml", "dockerfile", "dockercompose", "toml", "json", "jsonc"].map((language) => ({
    scheme: "file",
    language,
  })),
];

/** Whether the server has the text of a log. */
export function isSynced(document: vscode.TextDocument): boolean {
  const most = documentMegabytes(document.uri) * 1024 * 1024;
  return vscode.languages.match(LOGS, document) > 0 && document.getText().length < most;
}
