// Draws the picture of a run that the server has laid out: a row for each rank, alike ones folded; time runs to the right.
import { escaped } from "./html";
import type { Names } from "./places";
import type { Mark, MarkKind, Picture, PictureRow } from "./report";
import { capital, plural, shortened } from "./words";

const LEFT = 150;
const TOP = 26;
const ROW = 32;
const BOTTOM = 24;
const MOST_ROWS = 40;
/** Pixels that the words below a column need, and widths of the picture at which they are laid out. */
const TICK = 50;
const NARROW = 290;
const WIDE = 640;

const HATCH =
  '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>';

const LEGEND: [MarkKind, string][] = [
  ["first", "first fault"],
  ["cause", "another fault"],
  ["effect", "collateral"],
  ["wrapper", "launcher"],
  ["exit", "exit"],
  ["last-progress", "last ordinary line"],
];

/** All marks in the order of the rows; buttons carry their number. */
export function marksOf(picture: Picture): Mark[] {
  return picture.rows.flatMap((row) => row.marks);
}

/** The picture, its legend, and the same events as a list. */
export function timeline(picture: Picture, names: Names): string {
  const rows = picture.rows.slice(0, MOST_ROWS);
  const more = picture.rows.length - rows.length;
  const rest = more > 0 ? `<p class="legend">and ${plural(more, "more row")}, in the list below</p>` : "";
  return `<section class="picture" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
${drawing(picture, rows, names)}${rest}
${legend(picture)}
<p class="legend">${escaped(picture.axis)}</p>
${list(picture, names)}</section>`;
}

function drawing(picture: Picture, rows: readonly PictureRow[], names: Names): string {
  const height = TOP + ROW * rows.length + BOTTOM;
  const middle = (row: number) => TOP + ROW * row + ROW / 2;
  // The Tab key comes to the first fault; from there the arrow keys move.
  const entry = Math.max(
    marksOf(picture).findIndex((mark) => mark.kind === "first"),
    0,
  );
  let number = 0;
  const marks = rows.flatMap((row, index) => row.marks.map((mark) => drawn(mark, row, middle(index), number++, entry, names)));
  // What matters most is drawn last, on top of what stands in the same place.
  const ordered = [...marks.filter(({ own }) => !own), ...marks.filter(({ own }) => own)];
  const labels = rows.map((row, index) => label(row, middle(index)));
  const spans = rows.flatMap((row, index) => row.spans.map((span) => line(span.works ? "life" : "wait", span, middle(index))));
  return `<div class="timeline" role="group" aria-label="Timeline: a row for each rank, what came first to the left; arrow keys move, Enter opens the line">
<svg class="labels" width="${LEFT}" height="${height}">${labels.join("")}</svg>
<svg class="plot" height="${height}">${HATCH}${doubt(picture, height)}${columns(picture, height)}${spans.join("")}${ordered.map(({ html }) => html).join("")}</svg></div>`;
}

function percent(place: number): string {
  return `${(place * 100).toFixed(2)}%`;
}

function label(row: PictureRow, y: number): string {
  const x = LEFT - 22;
  const name = `<text class="lane" x="${x}" y="${row.host ? y - 1 : y + 4}" text-anchor="end">${escaped(shortened(capital(row.label), 20))}</text>`;
  const host = `<text class="host" x="${x}" y="${y + 12}" text-anchor="end">${escaped(shortened(row.host, 22))}</text>`;
  return row.host ? name + host : name;
}

function line(kind: string, { start, end }: { start: number; end: number }, y: number): string {
  return `<line class="${kind}" x1="${percent(start)}" y1="${y}" x2="${percent(end)}" y2="${y}"/>`;
}

/** Where the clocks cannot tell the order. */
function doubt(picture: Picture, height: number): string {
  if (!picture.doubt) {
    return "";
  }
  const [start, end] = picture.doubt;
  return `<rect class="doubt" x="${percent(start)}" y="${TOP}" width="${percent(Math.max(end - start, 0.01))}" height="${height - TOP - BOTTOM}"><title>${escaped(picture.axis)}</title></rect>`;
}

/** Columns with their times; of those that stand close, in a narrow panel only the last keeps its words. */
function columns({ ticks }: Picture, height: number): string {
  const out: string[] = [];
  const last: Record<number, number> = { [NARROW]: Number.POSITIVE_INFINITY, [WIDE]: Number.POSITIVE_INFINITY };
  const fits = (place: number, width: number) => {
    const free = ((last[width] ?? 0) - place) * width >= TICK;
    if (free) {
      last[width] = place;
    }
    return free;
  };
  for (const { at, words, first } of [...ticks].reverse()) {
    const x = percent(at);
    if (first) {
      out.push(`<line class="zero" x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height - BOTTOM}"/>`);
      out.push(`<text class="tick zero" x="${x}" y="${TOP - 10}" text-anchor="middle">${escaped(words)}</text>`);
      continue;
    }
    const [narrow, wide] = [fits(at, NARROW), fits(at, WIDE)];
    if (narrow || wide) {
      const roomy = narrow ? "" : " roomy";
      out.push(`<line class="column${roomy}" x1="${x}" y1="${TOP}" x2="${x}" y2="${height - BOTTOM}"/>`);
      out.push(`<text class="tick${roomy}" x="${x}" y="${height - 7}" text-anchor="middle">${escaped(words)}</text>`);
    }
  }
  return out.join("");
}

function drawn(
  mark: Mark,
  row: PictureRow,
  y: number,
  number: number,
  entry: number,
  names: Names,
): { html: string; own: boolean } {
  const said = escaped(`${capital(row.label)}: ${mark.words}, ${where(mark, names)}`);
  const spread = mark.end > mark.start ? line("spread", mark, y) : "";
  const hatch = mark.uncertain ? '<rect class="doubt" x="-11" y="-11" width="22" height="22"/>' : "";
  const own = mark.kind === "first" || mark.kind === "cause";
  const button = `<g class="mark" role="button" tabindex="${number === entry ? 0 : -1}" aria-label="${said}" data-act="mark" data-index="${number}"><title>${said}\n${escaped(mark.text)}</title><rect class="hit" x="-12" y="-12" width="24" height="24"/>${hatch}${shape(mark.kind)}</g>`;
  return { html: `${spread}<svg x="${percent(mark.start)}" y="${y}" overflow="visible">${button}</svg>`, own };
}

function shape(kind: MarkKind): string {
  switch (kind) {
    case "first":
      return '<circle class="first" r="8"/>';
    case "cause":
    case "effect":
      return `<circle class="${kind}" r="6"/>`;
    case "wrapper":
      return '<rect class="wrapper" x="-5" y="-5" width="10" height="10"/>';
    case "exit":
      return '<path class="exit" d="M-4 -4L4 4M-4 4L4 -4"/>';
    default:
      return '<line class="last" x1="0" y1="-6" x2="0" y2="6"/>';
  }
}

function legend(picture: Picture): string {
  const marks = marksOf(picture);
  const used = new Set<MarkKind>(marks.map((mark) => (mark.kind === "silent" ? "last-progress" : mark.kind)));
  const items = LEGEND.filter(([kind]) => used.has(kind)).map(([kind, words]) => key(shape(kind), words));
  if (picture.rows.some((row) => row.spans.some((span) => !span.works))) {
    items.push(key('<line class="wait" x1="-10" y1="0" x2="10" y2="0"/>', "waiting or silent"));
  }
  if (picture.doubt || marks.some((mark) => mark.uncertain)) {
    items.push(key('<rect class="doubt" x="-9" y="-7" width="18" height="14"/>', "time not certain"));
  }
  return `<ul class="keys" aria-hidden="true">${items.join("")}</ul>`;
}

function key(sample: string, words: string): string {
  return `<li><svg width="22" height="16" viewBox="-11 -8 22 16">${sample}</svg>${words}</li>`;
}

/** The same for those who do not see the picture, or would rather read. */
function list(picture: Picture, names: Names): string {
  const numbered = picture.rows.flatMap((row) => row.marks.map((mark) => ({ row, mark })));
  const items = numbered
    .map(({ row, mark }, number) => ({ row, mark, number }))
    .sort((a, b) => a.mark.start - b.mark.start)
    .map(({ row, mark, number }) => {
      const host = row.host ? ` on ${escaped(row.host)}` : "";
      const place = `<button class="link" data-act="mark" data-index="${number}">${escaped(where(mark, names))}</button>`;
      return `<li class="${mark.kind}"><strong>${escaped(capital(row.label))}</strong>${host}: ${escaped(mark.words)} · ${place}</li>`;
    });
  return `<details class="events"><summary>The same as a list: ${plural(items.length, "event")} in order</summary><ol>${items.join("")}</ol></details>`;
}

function where(mark: Mark, names: Names): string {
  return [mark.clock, names.at(mark.source, mark.line)].filter(Boolean).join(", ");
}
