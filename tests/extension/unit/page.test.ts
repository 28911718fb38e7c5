import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../../../extension/src/page";
import { editorLine, Names } from "../../../extension/src/places";
import { timeline } from "../../../extension/src/timeline";
import { ranges, timeOfDay } from "../../../extension/src/words";
import { diagnosis, healthy, incident, picture, report } from "./sample";

const resources = { nonce: "n0nce", cspSource: "https://webview", style: "panel.css", script: "panel.js", folders: [] };

test("text of a log cannot become markup", () => {
  const evil = `<img src=x onerror="alert(1)"></pre><script>alert(1)</script>`;
  const one = incident({ title: evil, cause: evil, why_first: evil, next_action: evil });
  one.initiator.text = evil;
  one.evidence[0] = { source: evil, line: 1, end_line: 1, text: evil, role: evil };
  one.collateral[0] = {
    signature: "x",
    title: evil,
    ranks: [0],
    source: evil,
    line: 1,
    count: 1,
    role: "effect",
    explained_by: evil,
  };
  one.fix = [{ text: evil, command: evil, caution: evil, kind: "code", risk: "safe" }];
  one.verify = [{ text: evil, command: evil, expect: evil }];
  one.missing = [{ fact: evil, command: evil, would_show: evil }];
  one.references = [{ title: evil, url: evil }];
  const drawn = picture({ axis: evil });
  for (const row of drawn.rows) {
    Object.assign(row, { label: evil, host: evil });
    for (const mark of row.marks) {
      Object.assign(mark, { words: evil, clock: evil, source: evil, text: evil });
    }
  }
  const html = page(
    diagnosis({ title: evil, unreadable: [evil], picture: drawn, report: report({ incidents: [one], notes: [evil] }) }),
    resources,
  );
  assert.ok(!html.includes("<img"));
  assert.equal(html.match(/<script/g)?.length, 1);
});

test("the policy lets in the style sheet and the one script, and there are no inline handlers or styles", () => {
  const html = page(diagnosis(), resources);
  assert.match(html, /default-src 'none'; style-src https:\/\/webview; script-src 'nonce-n0nce'"/);
  assert.ok(!/\son\w+=|\sstyle=/.test(html));
});

test("the page says everything in its order, and every button has a name", () => {
  const html = page(diagnosis(), resources);
  const order = [
    "Rank 5 on node3 failed first",
    "established · 0.94",
    "<svg",
    "Cause",
    "Why first",
    "Collateral",
    "Fix",
    "Caution:",
    "Verify",
    "Missing",
    "Evidence",
  ];
  let last = -1;
  for (const word of order) {
    const next = html.indexOf(word, last + 1);
    assert.ok(next > last, word);
    last = next;
  }
  assert.ok(
    html.indexOf("drain the node first") < html.indexOf("nvidia-smi --gpu-reset"),
    "the caution stands before the command",
  );
});

test("a healthy log is told so, without a picture", () => {
  const html = page(diagnosis({ report: healthy(), picture: null }), resources);
  assert.match(html, /No failure found in 2 logs/);
  assert.ok(!html.includes("<svg"));
});

test("the timeline is a picture with a button for each event, and the same as a list in order of time", () => {
  const html = timeline(picture(), new Names(report()));
  const marks = html.match(/<g class="mark"[^>]*>/g) ?? [];
  assert.equal(marks.length, 4);
  assert.ok(marks.every((one) => /role="button".*aria-label="[^"]+"/.test(one)));
  assert.match(marks.find((one) => one.includes('tabindex="0"')) ?? "", /Rank 5: first fault: CUDA out of memory, rank5.err:641/);
  const items = [...html.matchAll(/<li class="([\w-]+)"><strong>([^<]+)/g)].map(([, kind, who]) => `${who} ${kind}`);
  assert.deepEqual(items, ["Ranks 0–4, 6 last-progress", "Rank 5 first", "Ranks 0–4, 6 effect", "Launcher wrapper"]);
  assert.deepEqual([...html.matchAll(/data-index="(\d)">/g)].map(([, number]) => number).sort(), [..."00112233"]);
});

test("the time axis has its ticks, counted from the first fault, and shows where the clocks do not tell the order", () => {
  const html = timeline(picture(), new Names(report()));
  assert.match(html, /<text class="tick zero" x="20.00%"[^>]*>first fault</);
  assert.match(html, /<rect class="doubt" x="10.00%" y="\d+" width="20.00%"/);
  assert.match(html, /Within 1 s the times do not tell the order/);
  const words = [...html.matchAll(/<text class="tick( roomy)?" [^>]*>([^<]+)/g)].map(
    ([, roomy, text]) => `${text}${roomy ?? ""}`,
  );
  assert.deepEqual(
    words,
    ["+12 min", "+11 min roomy", "+10 min", "−30 s"],
    "words that would stand on each other need a wide panel",
  );
});

test("a run without times is told in its order, and says so", () => {
  const axis = "From left to right: the order of events. The log gives no time for the first fault.";
  const html = timeline(picture({ ticks: [], timed: false, doubt: null, axis }), new Names(report()));
  assert.ok(!html.includes('class="tick'));
  assert.ok(html.includes(axis));
});

test("a single process has no timeline", () => {
  assert.ok(!page(diagnosis({ picture: null }), resources).includes("<svg"));
});

test("names of sources are as short as tells them apart", () => {
  const names = new Names(report());
  assert.equal(names.at("logs/rank5.err", 641), "rank5.err:641");
  assert.equal(names.compact("see logs/rank5.err:641."), "see rank5.err:641.");
  const alone = new Names(report({ sources: [{ name: "/a/b.log", bytes: 1, lines: 1 }] }));
  assert.equal(alone.compact("at /a/b.log:3"), "at line 3");
  const mine = new Names(report(), ["/home/ann/finetune"]);
  assert.equal(mine.compact("Raised at /home/ann/finetune/train.py:8 in step."), "Raised at train.py:8 in step.");
  const alike = new Names(report({ sources: [{ name: "train.py", bytes: 1, lines: 1 }] }));
  assert.equal(alike.compact("in /run/train.py:42"), "in /run/train.py:42");
});

test("lone carriage returns make editor lines of their own; the text tells the right one", () => {
  const lines = ["start", "10%", "20%", "Error: x", "end"];
  assert.equal(editorLine(lines, 2, "Error: x"), 3);
  assert.equal(editorLine(lines, 4, "Error: x"), 3);
  assert.equal(editorLine(lines, 99, null), 4);
});

test("a time is told as the log has it, without the date", () => {
  assert.equal(timeOfDay("2026-12-01T02:51:37.538"), "02:51:37");
  assert.equal(timeOfDay("12-01T02:51:39.733000"), "02:51:39");
  assert.equal(timeOfDay("8123.25"), "8123.25 s after boot");
});

test("ranks are told as spans", () => {
  assert.equal(ranges([7, 0, 1, 2, 4, 5]), "0–2, 4, 5, 7");
});
