// The settings that the extension itself reads; the server asks for its own.
import * as vscode from "./vscodeapi";

export const SECTION = "firstfault";

export interface TerminalSettings {
  capture: boolean;
  notifications: "failures" | "never";
  ignoredCommands: string[];
  maximumMegabytes: number;
}

export function terminalSettings(): TerminalSettings {
  const given = vscode.workspace.getConfiguration(`${SECTION}.terminal`);
  return {
    capture: given.get("capture", true),
    notifications: given.get("notifications", "failures"),
    ignoredCommands: texts(given.get("ignoredCommands")),
    maximumMegabytes: Number(given.get("maximumMegabytes", 8)) || 8,
  };
}

/** A list of texts, whatever stands in the settings file. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function interpreterSetting(): string {
  const value: unknown = vscode.workspace.getConfiguration(SECTION).get("interpreter", "");
  return typeof value === "string" ? expanded(value.trim()) : "";
}

export function historySize(): number {
  return vscode.workspace.getConfiguration(`${SECTION}.history`).get("size", 50);
}

export function documentMegabytes(resource: vscode.Uri): number {
  return vscode.workspace.getConfiguration(`${SECTION}.limits`, resource).get("documentMegabytes", 50);
}

/** `${workspaceFolder}` and `~` as the user means them. */
function expanded(value: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const home = process.env.HOME ?? process.env.USERPROFILE;
  const whole = folder === undefined ? value : value.replaceAll(`\${${"workspaceFolder"}}`, folder);
  return home !== undefined && /^~[/\\]/.test(whole) ? home + whole.slice(1) : whole;
}

/** The settings that the server is given, with variables replaced. */
export function forServer(value: unknown): unknown {
  if (typeof value === "string") {
    return expanded(value);
  }
  if (Array.isArray(value)) {
    return value.map(forServer);
  }
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, forServer(part)]));
  }
  return value;
}

/** A command is no more notified of, in any workspace. */
export async function ignoreCommand(command: string): Promise<void> {
  const given = vscode.workspace.getConfiguration(`${SECTION}.terminal`);
  const known = texts(given.get("ignoredCommands"));
  if (!known.includes(command)) {
    await given.update("ignoredCommands", [...known, command], vscode.ConfigurationTarget.Global);
  }
}

/** A signature is no more reported in this workspace. */
export async function silenceSignature(signature: string): Promise<void> {
  const given = vscode.workspace.getConfiguration(SECTION);
  const known = texts(given.get("disabledSignatures"));
  const inFolder = vscode.workspace.workspaceFolders !== undefined;
  const target = inFolder ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  if (!known.includes(signature)) {
    await given.update("disabledSignatures", [...known, signature], target);
  }
}
