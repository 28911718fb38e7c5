// "No log to hand? Try one": the logs that come with the extension.
import type { Diagnoses } from "./diagnose";
import * as vscode from "./vscodeapi";

const KNOWN: Record<string, string> = { "eight-ranks": "Eight ranks of one training run; one of them failed first" };

/** Open a sample log and diagnose it. */
export async function openSample(diagnoses: Diagnoses, root: vscode.Uri): Promise<void> {
  const folder = vscode.Uri.joinPath(root, "docs", "demo");
  const found = (await vscode.workspace.fs.readDirectory(folder)).filter(
    ([name, type]) => type === vscode.FileType.File && name.endsWith(".log"),
  );
  const samples = found.map(([name]) => {
    const plain = name.replace(/\.log$/, "");
    return { label: plain.replaceAll("-", " "), detail: KNOWN[plain] ?? "", name };
  });
  const chosen = samples.length > 1 ? await vscode.window.showQuickPick(samples, { placeHolder: "Sample log" }) : samples[0];
  if (!chosen) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, chosen.name));
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, preview: true });
  await diagnoses.document(document);
}
