// The output of one command as it is kept to be shown: cleaned, bounded, its beginning and its end.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the control sequences of a terminal
const SEQUENCES = /\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, cut off at its end
const OPEN_SEQUENCE = /\x1b(?:\][^\x07]*|[PX^_][^\x1b]*|\[[0-?]*[ -/]*|[ -/]*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the control characters of a terminal
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const LONGEST_SEQUENCE = 4096;

/** Cleans output that comes in pieces; each line feed stays one line, so that line numbers are those of the raw output. */
export class Cleaner {
  private half = "";

  /** Whole lines of what has come by now, each without its end. */
  lines(piece: string): string[] {
    const parts = (this.half + piece).split("\n");
    this.half = parts.pop() ?? "";
    if (this.half.length > 1_000_000) {
      // A progress bar that only returns: what was overwritten is of no use.
      this.half = this.half.slice(this.half.lastIndexOf("\r", this.half.length - LONGEST_SEQUENCE) + 1).slice(-1_000_000);
    }
    return parts.map(clean);
  }

  /** The line that has not ended yet. */
  rest(): string {
    return clean(this.half.replace(OPEN_SEQUENCE, ""));
  }
}

/** One line without control sequences, as it stood on the screen in the end. */
export function clean(line: string): string {
  const plain = line.includes("\x1b") ? line.replace(SEQUENCES, "") : line;
  const ended = plain.replace(/\r+$/, "");
  const shown = ended.includes("\r") ? overwritten(ended.split("\r")) : ended;
  return shown.includes("\b") ? backspaced(shown).replace(CONTROLS, "") : shown.replace(CONTROLS, "");
}

/** A carriage return goes to the start of the line; what follows is written over what was there. */
function overwritten(parts: string[]): string {
  return parts.reduce((shown, part) => (part.length >= shown.length ? part : part + shown.slice(part.length)));
}

function backspaced(text: string): string {
  const out: string[] = [];
  for (const character of text) {
    if (character === "\b") {
      out.pop();
    } else {
      out.push(character);
    }
  }
  return out.join("");
}

/** What is kept of an output. */
export class Capture {
  private readonly cleaner = new Cleaner();
  private readonly head: string[] = [];
  private headSize = 0;
  private tail: string[] = [];
  private tailStart = 0;
  private tailSize = 0;
  private dropped = 0;

  constructor(private readonly most: number) {}

  append(piece: string): void {
    for (const line of this.cleaner.lines(piece)) {
      this.keep(line);
    }
  }

  private keep(line: string): void {
    if (this.tail.length === 0 && this.headSize + line.length < this.most / 2) {
      this.head.push(line);
      this.headSize += line.length + 1;
      return;
    }
    this.tail.push(line);
    this.tailSize += line.length + 1;
    while (this.tailSize > this.most / 2 && this.tailStart < this.tail.length - 1) {
      this.tailSize -= (this.tail[this.tailStart] ?? "").length + 1;
      this.tail[this.tailStart] = "";
      this.tailStart += 1;
      this.dropped += 1;
    }
    if (this.tailStart > 10_000) {
      this.tail = this.tail.slice(this.tailStart);
      this.tailStart = 0;
    }
  }

  /** Whether nothing visible came. */
  get empty(): boolean {
    return this.text().trim() === "";
  }

  text(): string {
    const end = [...this.tail.slice(this.tailStart), this.cleaner.rest()];
    const gap = this.dropped ? [`[… ${this.dropped} lines are not kept; the diagnosis has read them …]`] : [];
    return [...this.head, ...gap, ...end].join("\n");
  }

  /** The line of the kept text, from 1, that holds a line of the output; the line of the gap where it is not kept. */
  lineOf(line: number): number {
    const before = this.head.length;
    if (!this.dropped || line <= before) {
      return line;
    }
    return line <= before + this.dropped ? before + 1 : line - this.dropped + 1;
  }
}
