// Sentences that are said in more than one place.
import type { Incident, Initiator, Report } from "./report";

/** Who failed: `rank 5 on node3`, `host node3`; empty where the log does not tell. */
export function who({ rank, host }: Initiator): string {
  if (rank !== null) {
    return host ? `rank ${rank} on ${host}` : `rank ${rank}`;
  }
  return host ? `host ${host}` : "";
}

const OWNERS: Record<string, string> = {
  code: "your code",
  data: "the data",
  configuration: "the configuration",
  environment: "the environment",
  hardware: "the hardware",
  network: "the network",
  storage: "the storage",
  scheduler: "the scheduler",
};

/** Whose turn it is. */
export function owner(name: string | null): string {
  return name === null ? "" : (OWNERS[name] ?? name);
}

/** The cause without the line of the log, where that is quoted already. */
export function cause(incident: Incident): string {
  return incident.initiator.text ? incident.cause.replace(/\s*The log says: “.*”\s*$/s, "") : incident.cause;
}

/** The verdict as one line that can be read aloud. */
export function verdict(report: Report): string {
  if (report.verdict === "no-failure") {
    const count = report.sources.length;
    return count > 1 ? `No failure found in ${count} logs` : "No failure found";
  }
  const first = report.incidents[0];
  if (!first) {
    return report.summary;
  }
  if (first.status === "undetermined") {
    return `The first fault is not settled. Best candidate: ${first.title}`;
  }
  const subject = who(first.initiator);
  return subject ? `${capital(subject)} failed first: ${first.title}` : `First fault: ${first.title}`;
}

/** `rank 5: CUDA out of memory`, for narrow places. */
export function brief(incident: Incident): string {
  const { rank } = incident.initiator;
  return rank === null ? incident.title : `rank ${rank}: ${incident.title}`;
}

/** `0–4, 6, 7` */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const out: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (end + 1 < sorted.length && sorted[end + 1] === (sorted[end] ?? 0) + 1) {
      end += 1;
    }
    if (end - i > 1) {
      out.push(`${sorted[i]}–${sorted[end]}`);
    } else {
      out.push(...sorted.slice(i, end + 1).map(String));
    }
    i = end + 1;
  }
  return out.join(", ");
}

/** `rank 5`, `ranks 0–3` */
export function ranksOf(numbers: readonly number[]): string {
  return numbers.length === 1 ? `rank ${numbers[0]}` : `ranks ${ranges(numbers)}`;
}

/** The time of day of a stamp, as it stands in the log: `02:51:37`. The kernel counts seconds since it booted. */
export function timeOfDay(stamp: string): string {
  const time = /\d\d:\d\d:\d\d/.exec(stamp);
  return time ? time[0] : /^\d+(\.\d+)?$/.test(stamp) ? `${stamp} s after boot` : stamp;
}

/** A text cut at a length, at a word where there is one. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const cut = text.slice(0, most - 1);
  const space = cut.lastIndexOf(" ");
  return `${space > most / 2 ? cut.slice(0, space) : cut}…`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
