// The picture of a run: a lane for each rank, alike ones folded; what failed first, what followed, who only waited.
import { escaped } from "./html";
import type { Incident, Report } from "./report";
import { capital, ranksOf, shortened, who } from "./words";

export interface Mark {
  kind: "first" | "effect" | "wrapper";
  /** Column, from 0. */
  column: number;
  label: string;
  line: number | null;
  /** Index among the incident's collateral; -1 for the first fault. */
  index: number;
}

export interface Lane {
  label: string;
  marks: Mark[];
  /** The lane waits for the first fault: a dashed line up to its mark. */
  waits: boolean;
  first: boolean;
}

export interface Timeline {
  lanes: Lane[];
  columns: number;
  /** What is known of the clocks; the order of the columns is causal, not measured. */
  clocks: string | undefined;
}

const MOST_LANES = 24;
const LAUNCHER = -1;

/** The lanes of an incident; undefined where there is nothing to draw. */
export function timelineOf(report: Report, incident: Incident): Timeline | undefined {
  const { initiator } = incident;
  const ranks = new Set<number>(report.run.ranks_seen);
  for (let rank = 0; rank < Math.min(report.run.world_size ?? 0, 4096); rank += 1) {
    ranks.add(rank);
  }
  for (const one of incident.collateral) {
    for (const rank of one.ranks) {
      ranks.add(rank);
    }
  }
  if (initiator.rank !== null) {
    ranks.add(initiator.rank);
  }
  // One process, or nothing that followed: a picture would say no more than the verdict.
  if (ranks.size < 2 || incident.collateral.length === 0) {
    return undefined;
  }
  const settled = incident.status !== "undetermined";
  const first: Mark = {
    kind: "first",
    column: 0,
    label: `${settled ? "First fault" : "Best candidate"}: ${incident.title}`,
    line: initiator.line,
    index: -1,
  };
  const order = incident.collateral.map((one, index) => ({ one, index }));
  order.sort((a, b) => Number(a.one.role === "wrapper") - Number(b.one.role === "wrapper") || byPlace(a.one, b.one));
  const marks = new Map<number, Mark[]>();
  const put = (rank: number, mark: Mark) => marks.set(rank, [...(marks.get(rank) ?? []), mark]);
  order.forEach(({ one, index }, position) => {
    const mark: Mark = {
      kind: one.role === "wrapper" ? "wrapper" : "effect",
      column: position + 1,
      label: `${one.count > 1 ? `${one.count} × ` : ""}${one.title}`,
      line: one.line,
      index,
    };
    if (one.ranks.length === 0) {
      put(LAUNCHER, mark);
    }
    for (const rank of one.ranks) {
      put(rank, mark);
    }
  });
  return { lanes: lanes(ranks, incident, first, marks), columns: order.length + 1, clocks: clocksOf(report) };
}

function byPlace(a: { source: string; line: number }, b: { source: string; line: number }): number {
  return a.source === b.source ? a.line - b.line : 0;
}

function clocksOf(report: Report): string | undefined {
  return report.notes.find((note) => /\bclocks?\b/i.test(note));
}

function lanes(ranks: ReadonlySet<number>, incident: Incident, first: Mark, marks: ReadonlyMap<number, Mark[]>): Lane[] {
  const initiator = incident.initiator.rank;
  const alike = new Map<string, number[]>();
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    const key = rank === initiator ? "first" : (marks.get(rank) ?? []).map((mark) => mark.index).join(",");
    alike.set(key, [...(alike.get(key) ?? []), rank]);
  }
  const out: Lane[] = [];
  if (initiator === null) {
    out.push({ label: capital(who(incident.initiator)) || "Not known who", marks: [first], waits: false, first: true });
  }
  for (const group of alike.values()) {
    const rank = group[0] as number;
    const mine = marks.get(rank) ?? [];
    const isFirst = rank === initiator;
    out.push({
      label: capital(ranksOf(group)),
      marks: isFirst ? [first, ...mine] : mine,
      waits: !isFirst && mine.some((mark) => mark.kind === "effect"),
      first: isFirst,
    });
  }
  out.sort((a, b) => Number(b.first) - Number(a.first));
  const launcher = marks.get(LAUNCHER);
  if (launcher) {
    out.push({ label: "Launcher, others", marks: launcher, waits: false, first: false });
  }
  return out.slice(0, MOST_LANES);
}

const LABEL = 128;
/** The picture is to fit into half a window. */
const WIDTH = 330;
const ROW = 30;
const TOP = 12;

/** The lanes as SVG, each mark a button; colours come from the style sheet. */
export function svg(timeline: Timeline, incident: number): string {
  const step = Math.min(Math.max(Math.floor(WIDTH / timeline.columns), 34), 90);
  const width = LABEL + step * timeline.columns + 30;
  const height = TOP * 2 + ROW * timeline.lanes.length + 18;
  const x = (column: number) => LABEL + 24 + step * column;
  const out: string[] = [];
  out.push(
    `<svg class="timeline" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="Timeline: a lane for each rank, causes to the left">`,
  );
  if (timeline.clocks) {
    out.push(
      `<rect class="uncertain" x="${x(0) + 14}" y="${TOP}" width="${Math.max(step - 28, 6)}" height="${ROW * timeline.lanes.length}"><title>${escaped(timeline.clocks)}</title></rect>`,
    );
  }
  timeline.lanes.forEach((lane, row) => {
    const y = TOP + ROW * row + ROW / 2;
    const end = x(timeline.columns - 1) + 16;
    out.push(
      `<text class="lane${lane.first ? " lane-first" : ""}" x="${LABEL}" y="${y + 4}" text-anchor="end">${escaped(shortened(lane.label, 22))}</text>`,
    );
    const until = lane.marks.find((mark) => mark.kind === "effect");
    if (lane.first) {
      out.push(`<line class="axis" x1="${LABEL + 8}" y1="${y}" x2="${x(0)}" y2="${y}"/>`);
    } else if (lane.waits && until) {
      out.push(`<line class="axis" x1="${LABEL + 8}" y1="${y}" x2="${x(0)}" y2="${y}"/>`);
      out.push(
        `<line class="waits" x1="${x(0)}" y1="${y}" x2="${x(until.column)}" y2="${y}"><title>waits for, or talks to, the process that failed</title></line>`,
      );
    } else {
      out.push(
        `<line class="axis" x1="${LABEL + 8}" y1="${y}" x2="${lane.marks.length ? x(lane.marks[0]?.column ?? 0) : end}" y2="${y}"/>`,
      );
    }
    for (const mark of lane.marks) {
      out.push(drawn(mark, lane, x(mark.column), y, incident));
    }
  });
  const foot = TOP + ROW * timeline.lanes.length + 14;
  out.push(`<text class="foot" x="${LABEL + 8}" y="${foot}">order of cause and effect →</text></svg>`);
  return out.join("");
}

function drawn(mark: Mark, lane: Lane, x: number, y: number, incident: number): string {
  const label = escaped(`${lane.label}: ${mark.label}${mark.line === null ? "" : `, line ${mark.line}`}`);
  const shape =
    mark.kind === "first"
      ? `<circle cx="${x}" cy="${y}" r="8"/>`
      : mark.kind === "effect"
        ? `<circle cx="${x}" cy="${y}" r="6"/>`
        : `<rect x="${x - 5}" y="${y - 5}" width="10" height="10"/>`;
  const target = `data-act="${mark.index < 0 ? "first" : "collateral"}" data-incident="${incident}" data-index="${mark.index}"`;
  return `<g class="mark ${mark.kind}" role="button" tabindex="${mark.kind === "first" ? 0 : -1}" aria-label="${label}" ${target}><title>${label}</title><rect class="hit" x="${x - 13}" y="${y - 13}" width="26" height="26"/>${shape}</g>`;
}

/** The same for those who do not see the picture. */
export function list(timeline: Timeline): string {
  const items = timeline.lanes.map((lane) => {
    const marks = lane.marks.map((mark) => mark.label).join("; then ");
    return `<li>${escaped(lane.label)}: ${escaped(marks || "nothing of note")}</li>`;
  });
  return `<ol class="for-screen-readers">${items.join("")}</ol>`;
}
