// Whether a command that ended is worth a word, and which.
import { isIgnored, isTestRunner, isViewer, program } from "./commandline";
import type { Report } from "./report";
import type { TerminalSettings } from "./settings";
import { brief, shortened } from "./words";

const INTERRUPTED = new Set([130, 0xc000013a, -1073741510]);
const TEST_FAILURES = 1;

export type Notice = "notification" | "status" | "none";

export interface Ended {
  commandLine: string;
  exitCode?: number | undefined;
  /** The user typed ^C; some shells give another code then. */
  interrupted?: boolean;
}

/** Ctrl-C is no failure. */
function wasInterrupted(ended: Ended): boolean {
  return ended.interrupted === true || (ended.exitCode !== undefined && INTERRUPTED.has(ended.exitCode));
}

/** How loud to be. */
export function notice(ended: Ended, report: Report, settings: TerminalSettings, panelOpen: boolean): Notice {
  if (wasInterrupted(ended) || report.incidents.length === 0) {
    return "none";
  }
  const viewed = isViewer(ended.commandLine);
  if (viewed && ended.exitCode === 0) {
    return "none";
  }
  const tests = isTestRunner(ended.commandLine) && (ended.exitCode === TEST_FAILURES || ended.exitCode === 0);
  if (
    viewed ||
    tests ||
    panelOpen ||
    settings.notifications === "never" ||
    isIgnored(ended.commandLine, settings.ignoredCommands)
  ) {
    return "status";
  }
  // A text that only may be a failure is not worth a notification when the shell says that all is well.
  return ended.exitCode === 0 && report.verdict !== "failure" ? "status" : "notification";
}

/** `torchrun failed — rank 5: CUDA out of memory` */
export function sentence(ended: Ended, report: Report): string {
  const name = program(ended.commandLine);
  const incident = report.incidents[0];
  const what = incident ? brief(incident) : report.summary;
  const how = ended.exitCode === 0 ? `${name} ended with 0, but failed` : `${name} failed`;
  const open = incident?.status === "undetermined" ? "first fault not settled, best candidate " : "";
  return `${how} — ${open}${shortened(what, 110)}`;
}

/** The same for the status bar. */
export function statusText(ended: Ended, report: Report): string {
  const incident = report.incidents[0];
  const rank = incident?.initiator.rank ?? null;
  const what = shortened(incident?.title ?? report.summary, 40);
  return `${program(ended.commandLine)} failed: ${rank === null ? what : `rank ${rank} · ${what}`}`;
}
