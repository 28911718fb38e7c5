// What a command line is, as far as it decides whether somebody wants to be told of its failure.

const WRAPPERS = new Set(["sudo", "time", "nohup", "env", "command", "exec", "stdbuf", "nice", "ionice", "setsid"]);
const PYTHON = /^(python|pypy)[\d.]*(\.exe)?$/;
const VIEWERS = new Set(
  "cat less more most tail head bat batcat grep rg ag zcat zless zgrep sed awk jq vim nvim vi nano view journalctl dmesg git diff man".split(
    " ",
  ),
);
const RUNNERS = new Set("pytest py.test tox nox jest vitest mocha ctest unittest nosetests".split(" "));
const SUBCOMMAND_RUNNERS = [
  /^(npm|yarn|pnpm|go|cargo|bazel|dotnet|mvn|gradle|make)$/,
  /^(run|exec)$/,
  /^(test|tests|check|t)([:-].*)?$/,
] as const;

/** The words of a command line; quotes hold words together. Only the first simple command counts. */
export function words(commandLine: string): string[] {
  const out: string[] = [];
  for (const match of commandLine.matchAll(/\s*((?:[^\s"'|;&]|"[^"]*"|'[^']*')+)|\s*([|;&]+)/g)) {
    if (match[2]) {
      // `cd run && torchrun …` is about torchrun.
      if (match[2] === "&&" && /^(cd|source|\.|export|set|module|conda|ulimit)$/.test(out[0] ?? "")) {
        out.length = 0;
        continue;
      }
      break;
    }
    out.push((match[1] ?? "").replace(/["']/g, ""));
  }
  return out;
}

/** The command without variables that are set for it, and without wrappers. */
function simple(commandLine: string): string[] {
  const given = words(commandLine);
  let start = 0;
  while (start < given.length) {
    const word = given[start] ?? "";
    const wrapper = WRAPPERS.has(base(word));
    if (!/^\w+=/.test(word) && !wrapper) {
      break;
    }
    start += 1;
    while (wrapper && (given[start] ?? "").startsWith("-")) {
      start += 1;
    }
  }
  return given.slice(start);
}

function base(path: string): string {
  return path.split(/[/\\]/).pop() ?? path;
}

/** What the user calls it: `torchrun`, `train.py`, `vllm`. */
export function program(commandLine: string): string {
  const [first = "", ...rest] = simple(commandLine);
  const name = base(first);
  if (!PYTHON.test(name)) {
    return name || "The command";
  }
  for (const [index, word] of rest.entries()) {
    if (word === "-m") {
      return rest[index + 1] ?? name;
    }
    if (word === "-c") {
      return name;
    }
    if (!word.startsWith("-")) {
      return base(word);
    }
  }
  return name;
}

/** A command that only shows a text; a failure in it is that of something else. */
export function isViewer(commandLine: string): boolean {
  const [first = ""] = simple(commandLine);
  return VIEWERS.has(base(first)) || base(first) === "firstfault";
}

/** A test runner: failing tests are its business. */
export function isTestRunner(commandLine: string): boolean {
  const given = simple(commandLine);
  const name = base(given[0] ?? "");
  if (RUNNERS.has(name) || RUNNERS.has(program(commandLine))) {
    return true;
  }
  const [tools, between, tests] = SUBCOMMAND_RUNNERS;
  const second = between.test(given[1] ?? "") && given[2] ? given[2] : given[1];
  return tools.test(name) && tests.test(second ?? "");
}

/** The beginning of a command line that names what it does: `make test`, `python train.py`, without its arguments. */
export function key(commandLine: string): string {
  const out: string[] = [];
  for (const word of simple(commandLine)) {
    if (out.length && (word.startsWith("-") ? !/^-[mc]$/.test(word) : out.length > 1 && out.at(-1) !== "-m")) {
      break;
    }
    out.push(word);
  }
  return out.join(" ");
}

/** Whether the user said that a command is not to be notified of. */
export function isIgnored(commandLine: string, ignored: readonly string[]): boolean {
  const given = simple(commandLine).join(" ");
  return ignored.some((begin) => begin !== "" && (given === begin || given.startsWith(`${begin} `)));
}
