// The editor as the other modules see it. Unit tests put a stub in the place of this module.
export * from "vscode";
