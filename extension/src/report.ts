// The report as the server writes it, `firstfault.report/1`; only what is shown here.

export interface Initiator {
  rank: number | null;
  local_rank: number | null;
  host: string | null;
  pid: number | null;
  time: string | null;
  source: string | null;
  line: number | null;
  text: string | null;
}

export interface Evidence {
  source: string;
  line: number;
  end_line: number;
  text: string;
  role: string;
}

export interface Collateral {
  signature: string;
  title: string;
  ranks: number[];
  source: string;
  line: number;
  count: number;
  role: string;
  explained_by: string;
}

export interface FixStep {
  text: string;
  command: string | null;
  caution: string | null;
  kind: string;
  risk: string;
}

export interface VerifyStep {
  text: string;
  command: string | null;
  expect: string | null;
}

export interface Missing {
  fact: string;
  command: string | null;
  would_show: string;
}

export interface Incident {
  signature: string;
  title: string;
  category: string;
  severity: string;
  confidence: number;
  status: "established" | "likely" | "undetermined";
  named_by: string;
  owner: string | null;
  cause: string;
  initiator: Initiator;
  why_first: string;
  evidence: Evidence[];
  collateral: Collateral[];
  fix: FixStep[];
  verify: VerifyStep[];
  missing: Missing[];
  next_action: string;
  references: { title: string; url: string }[];
}

export interface Source {
  name: string;
  bytes: number;
  lines: number;
}

export interface Report {
  schema: string;
  tool: { name: string; version: string; catalog: string; entries: number };
  verdict: "failure" | "no-failure" | "undetermined";
  summary: string;
  sources: Source[];
  run: { launcher: string | null; world_size: number | null; attempts: number; hosts: string[]; ranks_seen: number[] };
  incidents: Incident[];
  notes: string[];
}

export type MarkKind = "first" | "cause" | "effect" | "wrapper" | "exit" | "last-progress" | "silent";

/** An event of the timeline, or the same event of all ranks of a row; places are from 0 (left) to 1. */
export interface Mark {
  start: number;
  end: number;
  kind: MarkKind;
  words: string;
  clock: string | null;
  uncertain: boolean;
  source: string;
  line: number;
  text: string;
}

export interface PictureRow {
  label: string;
  host: string;
  marks: Mark[];
  spans: { start: number; end: number; works: boolean }[];
}

/** The timeline of the report as the server laid it out. */
export interface Picture {
  rows: PictureRow[];
  ticks: { at: number; words: string; first: boolean }[];
  /** The places tell times; else only the order. */
  timed: boolean;
  /** Around the first fault: where the clocks do not tell the order. */
  doubt: [number, number] | null;
  axis: string;
}

/** What `firstfault/diagnose` and its kin answer. */
export interface Answer {
  report: Report;
  reportUri: string;
  unreadable: string[];
  /** Null for a run of one process, and when nothing failed. */
  picture: Picture | null;
}

export type Kind = "selection" | "document" | "terminal" | "folder" | "clipboard" | "notebook";

/** A report, and where it came from. */
export interface Diagnosis {
  id: string;
  /** Milliseconds since 1970. */
  time: number;
  kind: Kind;
  /** What was diagnosed, in a few words: a file name, a command line. */
  title: string;
  report: Report;
  reportUri: string;
  /** Addresses of the sources that are no files of their own name. */
  sources: Record<string, string>;
  unreadable: string[];
  picture: Picture | null;
  exitCode?: number;
}
