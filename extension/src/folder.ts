// "Diagnose run folder": the server reads files from its disk, with progress, until it is cancelled.
import type { Diagnoses } from "./diagnose";
import type { Answer } from "./report";
import * as vscode from "./vscodeapi";

let number = 0;

/** Diagnose files and folders as one run. */
export async function diagnosePaths(diagnoses: Diagnoses, uris: readonly vscode.Uri[]): Promise<void> {
  const paths = uris.filter((uri) => uri.scheme === "file").map((uri) => uri.fsPath);
  if (paths.length === 0) {
    void vscode.window.showInformationMessage("Only files on the disk of the machine that runs the extension can be read.");
    return;
  }
  const title = uris.map((uri) => vscode.workspace.asRelativePath(uri, false)).join(", ");
  const { client } = diagnoses;
  number += 1;
  const token = `firstfault-folder-${number}`;
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Reading logs", cancellable: true },
    async (progress, cancellation) => {
      let percentage = 0;
      const listening = await client.progress(token, (value) => {
        const increment = Math.max((value.percentage ?? percentage) - percentage, 0);
        percentage += increment;
        progress.report({ increment, ...(value.message === undefined ? {} : { message: value.message }) });
      });
      try {
        return await client.request<Answer>("firstfault/diagnosePaths", { paths, workDoneToken: token }, cancellation);
      } catch (error) {
        if (cancellation.isCancellationRequested) {
          return undefined;
        }
        throw error;
      } finally {
        listening.dispose();
      }
    },
  );
  if (answer) {
    await diagnoses.takeAndShow(answer, { kind: "folder", title });
  }
}

/** What an Explorer menu names, what the user picks, or the folder that is open. */
export async function chosenPaths(
  uri: vscode.Uri | undefined,
  all: readonly vscode.Uri[] | undefined,
): Promise<readonly vscode.Uri[]> {
  if (all?.length) {
    return all;
  }
  if (uri) {
    return [uri];
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const picked = await vscode.window.showOpenDialog({
    title: "Folder with the logs of one run",
    openLabel: "Diagnose",
    canSelectFolders: true,
    canSelectFiles: true,
    canSelectMany: true,
    ...(folder ? { defaultUri: folder } : {}),
  });
  return picked ?? [];
}
