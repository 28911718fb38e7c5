// Which documents the server follows.

/** Scheme of the captured outputs of commands. */
export const TERMINAL_SCHEME = "firstfault-terminal";

type Filter = { scheme: string; language?: string };

/** Logs, and the files in which the server marks a line or offers an edit. */
export const SELECTOR: Filter[] = [
  { scheme: TERMINAL_SCHEME },
  ...["log", "plaintext"].flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language }))),
  ...["python", "shellscript", "yaml", "dockerfile", "dockercompose", "toml", "json", "jsonc"].map((language) => ({
    scheme: "file",
    language,
  })),
];
