// A report to test with: rank 5 of 8 failed, the others followed.
import type { Diagnosis, Incident, Mark, Picture, Report } from "../../../extension/src/report";

export function incident(changes: Partial<Incident> = {}): Incident {
  return {
    signature: "cuda/out-of-memory",
    title: "CUDA out of memory",
    category: "cuda",
    severity: "error",
    confidence: 0.94,
    status: "established",
    named_by: "entry",
    owner: "code",
    cause: "The card of rank 5 had no memory left (logs/rank5.err:641).",
    initiator: {
      rank: 5,
      local_rank: 5,
      host: "node3",
      pid: 1,
      time: "10:00:00",
      source: "logs/rank5.err",
      line: 641,
      text: "CUDA out of memory",
    },
    why_first: "Rank 5 raised ten minutes before the others.",
    evidence: [{ source: "logs/rank5.err", line: 641, end_line: 641, text: "CUDA out of memory", role: "initiating" }],
    collateral: [
      {
        signature: "collective/watchdog-timeout",
        title: "NCCL watchdog timeout",
        ranks: [0, 1, 2, 3, 4, 6],
        source: "logs/rank0.err",
        line: 90,
        count: 6,
        role: "effect",
        explained_by: "waits for rank 5",
      },
      {
        signature: "launch/child-failed",
        title: "torchrun summary",
        ranks: [],
        source: "logs/rank0.err",
        line: 99,
        count: 1,
        role: "wrapper",
        explained_by: "",
      },
    ],
    fix: [
      { text: "Use smaller batches", command: null, caution: null, kind: "code", risk: "safe" },
      {
        text: "Reset the GPU",
        command: "nvidia-smi --gpu-reset -i <GPU>",
        caution: "drain the node first",
        kind: "hardware",
        risk: "admin",
      },
    ],
    verify: [{ text: "Look at the card", command: "nvidia-smi -q -d ROW_REMAPPER", expect: "Pending : No" }],
    missing: [{ fact: "the kernel log", command: "dmesg -T", would_show: "an Xid" }],
    next_action: "Use smaller batches",
    references: [{ title: "PyTorch", url: "https://pytorch.org" }],
    ...changes,
  };
}

export function report(changes: Partial<Report> = {}): Report {
  return {
    schema: "firstfault.report/1",
    tool: { name: "firstfault", version: "0.1.0", catalog: "2026.12.1", entries: 644 },
    verdict: "failure",
    summary: "Rank 5 failed first.",
    sources: [
      { name: "logs/rank0.err", bytes: 1000, lines: 100 },
      { name: "logs/rank5.err", bytes: 81_234, lines: 702 },
    ],
    run: { launcher: "torchrun", world_size: 8, attempts: 1, hosts: ["node3"], ranks_seen: [0, 1, 2, 3, 4, 5, 6, 7] },
    incidents: [incident()],
    notes: [],
    ...changes,
  };
}

export function healthy(): Report {
  return report({ verdict: "no-failure", incidents: [], summary: "No failure found." });
}

function mark(changes: Partial<Mark>): Mark {
  return {
    start: 0,
    end: changes.start ?? 0,
    kind: "effect",
    words: "collateral: NCCL watchdog timeout",
    clock: "2026-12-01 10:10:00",
    uncertain: false,
    source: "logs/rank0.err",
    line: 90,
    text: "Watchdog caught collective operation timeout",
    ...changes,
  };
}

/** The run as the server lays it out: rank 5 fails, six ranks wait for it, the launcher sums up. */
export function picture(changes: Partial<Picture> = {}): Picture {
  const failed = mark({
    start: 0.2,
    kind: "first",
    words: "first fault: CUDA out of memory",
    clock: null,
    uncertain: true,
    source: "logs/rank5.err",
    line: 641,
    text: "CUDA out of memory",
  });
  const summary = mark({ start: 1, kind: "wrapper", words: "launcher: torchrun summary", line: 99, text: "ChildFailedError" });
  const last = mark({ start: 0, kind: "last-progress", words: "last ordinary line", line: 40, text: "step 12" });
  return {
    rows: [
      {
        label: "ranks 0–4, 6",
        host: "",
        marks: [last, mark({ start: 0.8, end: 0.9 })],
        spans: [
          { start: -0.02, end: 0, works: true },
          { start: 0, end: 0.9, works: false },
        ],
      },
      { label: "rank 5", host: "node3", marks: [failed], spans: [{ start: 0.2, end: 0.2, works: true }] },
      { label: "launcher", host: "", marks: [summary], spans: [] },
    ],
    ticks: [
      { at: 0, words: "−30 s", first: false },
      { at: 0.2, words: "first fault", first: true },
      { at: 0.8, words: "+10 min", first: false },
      { at: 0.9, words: "+11 min", first: false },
      { at: 1, words: "+12 min", first: false },
    ],
    timed: true,
    doubt: [0.1, 0.3],
    axis: "Time runs to the right, counted from the first fault; gaps are not to scale. Within 1 s the times do not tell the order.",
    ...changes,
  };
}

export function diagnosis(changes: Partial<Diagnosis> = {}): Diagnosis {
  return {
    id: "1",
    time: 0,
    kind: "terminal",
    title: "torchrun train.py",
    report: report(),
    reportUri: "firstfault:/report/1.md",
    sources: {},
    unreadable: [],
    picture: picture(),
    ...changes,
  };
}
