// "Show environment": what somebody needs to know who is asked why it does not work. No names of the user's are in it.
import type { Client } from "./client";
import { said } from "./log";
import type { Python } from "./python";
import * as vscode from "./vscodeapi";

export async function environmentPage(context: vscode.ExtensionContext, client: Client, python: Python): Promise<string> {
  let interpreter: string;
  try {
    const found = await client.found();
    interpreter = `${found.implementation} ${found.version.join(".")}, ${found.executable}, named by ${found.origin}`;
  } catch (error) {
    interpreter = said(error);
  }
  const manifest = context.extension.packageJSON as { version: string };
  const lines: [string, string][] = [
    ["Firstfault", manifest.version],
    ["Editor", `${vscode.env.appName} ${vscode.version}, ${vscode.env.appHost}, remote: ${vscode.env.remoteName ?? "no"}`],
    ["System", `${process.platform} ${process.arch}, Node ${process.version}`],
    ["Interpreter", interpreter],
    ["Also tried", python.tried.join("; ") || "none"],
    ["Libraries bundled for", python.bundled().join(", ") || "none (a checkout)"],
    ["Server", client.state],
    ["Workspace trusted", vscode.workspace.isTrusted ? "yes" : "no"],
    ["Shell integration", vscode.window.terminals.map((t) => (t.shellIntegration ? "on" : "off")).join(", ") || "no terminal"],
  ];
  return `${lines.map(([name, value]) => `${name}: ${value}`).join("\n")}\n`;
}
