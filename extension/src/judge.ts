// Whether the output of a verification says what was expected. What cannot be told is left to the reader.

export type Judgement = { state: "yes" | "no" | "unclear"; text: string };

const VALUE = /^\s*([^:=]{2,60}?)\s*[:=]\s*(\S.*?)\s*$/;
const ABSENT = /^(?:there (?:is|are) )?no(?:thing| longer)?\s+(?:more )?(.{2,80})$/i;
const NOTHING = /^(?:no output|nothing|empty|prints nothing|no lines?)$/i;
const EXIT = /^exit(?:s with)?(?: code| status)? (?:with )?0$/i;

/** Judge an output against `expect`, whose parts stand apart by two spaces or a semicolon. */
export function judge(expect: string | null, output: string, exitCode: number | undefined): Judgement {
  const lines = output.split("\n").map((line) => line.trimEnd());
  const failed = exitCode !== undefined && exitCode !== 0;
  if (failed && exitCode === 127) {
    return { state: "unclear", text: "The command is not installed here." };
  }
  if (!expect) {
    return { state: "unclear", text: `It ended with exit code ${exitCode ?? "unknown"}.` };
  }
  const parts = expect.split(/\s{2,}|;\s*/).filter((part) => part.trim());
  const judged = parts.map((part) => one(part.trim().replace(/[.,]$/, ""), lines, exitCode));
  const texts = judged.map((judgement) => judgement.text).join("\n");
  if (judged.some((judgement) => judgement.state === "no")) {
    return { state: "no", text: texts };
  }
  if (judged.every((judgement) => judgement.state === "yes")) {
    return { state: "yes", text: texts };
  }
  return { state: "unclear", text: texts };
}

function one(part: string, lines: readonly string[], exitCode: number | undefined): Judgement {
  if (EXIT.test(part)) {
    const good = exitCode === 0;
    return {
      state: exitCode === undefined ? "unclear" : good ? "yes" : "no",
      text: `Exit code ${exitCode ?? "unknown"} — ${good ? "fixed" : "not fixed, expected 0"}`,
    };
  }
  const visible = lines.filter((line) => line.trim());
  if (NOTHING.test(part)) {
    const good = visible.length === 0;
    return {
      state: good ? "yes" : "no",
      text: good ? "No output — fixed" : `Expected no output; it printed: ${visible[0]?.trim()}`,
    };
  }
  const value = VALUE.exec(part);
  if (value) {
    const found = values(lines, value[1] ?? "");
    if (found.length) {
      const wanted = normal(value[2] ?? "");
      const other = found.find((text) => normal(text) !== wanted);
      return other === undefined
        ? { state: "yes", text: `${value[1]}: ${value[2]} — fixed` }
        : { state: "no", text: `${value[1]}: ${other} — not fixed, expected ${value[2]}` };
    }
  }
  const text = normal(lines.join("\n"));
  const absent = ABSENT.exec(part);
  // Only what looks like a name can be searched for; a phrase in plain words is for the reader.
  if (absent?.[1] && isName(absent[1])) {
    const hit = visible.find((line) => normal(line).includes(normal(absent[1] ?? "")));
    return hit ? { state: "no", text: `Still there: ${hit.trim()}` } : { state: "yes", text: `No ${absent[1]} — fixed` };
  }
  if (text.includes(normal(part))) {
    return { state: "yes", text: `${part} — fixed` };
  }
  return { state: "unclear", text: `Compare with what is expected: ${part}` };
}

function values(lines: readonly string[], name: string): string[] {
  const wanted = normal(name);
  return lines.flatMap((line) => {
    const match = VALUE.exec(line);
    return match && normal(match[1] ?? "").endsWith(wanted) ? [match[2] ?? ""] : [];
  });
}

function isName(text: string): boolean {
  return /^[\w.:-]+$/.test(text) && (/[A-Z_\d:.]/.test(text) || text.length > 4);
}

function normal(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
