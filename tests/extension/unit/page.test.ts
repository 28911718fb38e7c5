import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../../../extension/src/page";
import { editorLine, Names } from "../../../extension/src/places";
import { timelineOf } from "../../../extension/src/timeline";
import { ranges } from "../../../extension/src/words";
import { diagnosis, healthy, incident, report } from "./sample";

const resources = { nonce: "n0nce", cspSource: "https://webview", style: "panel.css", script: "panel.js" };

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
  const html = page(
    diagnosis({ title: evil, unreadable: [evil], report: report({ incidents: [one], notes: [evil] }) }),
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
  for (const svgMark of html.match(/<g class="mark[^>]*>/g) ?? []) {
    assert.match(svgMark, /role="button".*aria-label="[^"]+"/);
  }
});

test("a healthy log is told so, without a picture", () => {
  const html = page(diagnosis({ report: healthy() }), resources);
  assert.match(html, /No failure found in 2 logs/);
  assert.ok(!html.includes("<svg"));
});

test("ranks that are alike share a lane; the first fault has its own", () => {
  const timeline = timelineOf(report(), incident());
  assert.deepEqual(
    timeline?.lanes.map((lane) => lane.label),
    ["Rank 5", "Ranks 0–4, 6", "Rank 7", "Launcher, others"],
  );
  assert.deepEqual(
    timeline?.lanes.map((lane) => lane.waits),
    [false, true, false, false],
  );
});

test("a single process has no timeline", () => {
  const alone = incident({ collateral: [], initiator: { ...incident().initiator, rank: null } });
  const run = { launcher: null, world_size: null, attempts: 1, hosts: [], ranks_seen: [] };
  assert.equal(timelineOf(report({ run, incidents: [alone] }), alone), undefined);
});

test("names of sources are as short as tells them apart", () => {
  const names = new Names(report());
  assert.equal(names.at("logs/rank5.err", 641), "rank5.err:641");
  assert.equal(names.compact("see logs/rank5.err:641."), "see rank5.err:641.");
  const alone = new Names(report({ sources: [{ name: "/a/b.log", bytes: 1, lines: 1 }] }));
  assert.equal(alone.compact("at /a/b.log:3"), "at line 3");
  const alike = new Names(report({ sources: [{ name: "train.py", bytes: 1, lines: 1 }] }));
  assert.equal(alike.compact("in /run/train.py:42"), "in /run/train.py:42");
});

test("lone carriage returns make editor lines of their own; the text tells the right one", () => {
  const lines = ["start", "10%", "20%", "Error: x", "end"];
  assert.equal(editorLine(lines, 2, "Error: x"), 3);
  assert.equal(editorLine(lines, 4, "Error: x"), 3);
  assert.equal(editorLine(lines, 99, null), 4);
});

test("ranks are told as spans", () => {
  assert.equal(ranges([7, 0, 1, 2, 4, 5]), "0–2, 4, 5, 7");
});
