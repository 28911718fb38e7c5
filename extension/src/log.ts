// The one output channel. It follows the level that the user chose; texts of logs are never written above `debug`.
import * as vscode from "./vscodeapi";

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel("Firstfault", { log: true });
}

/** What an error says, without its stack. */
export function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error of ours is one sentence, with a way to the log. */
export async function tellError(log: Log, sentence: string, error: unknown): Promise<void> {
  log.error(`${sentence} ${said(error)}`);
  const show = "Show logs";
  if ((await vscode.window.showErrorMessage(`${sentence} ${said(error)}`, show)) === show) {
    log.show();
  }
}
