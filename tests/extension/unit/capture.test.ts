import assert from "node:assert/strict";
import { test } from "node:test";
import { Capture, Cleaner, clean } from "../../../extension/src/capture";

test("marks of the shell, colours and links are not shown", () => {
  assert.equal(clean("\x1b]633;C\x07\x1b[31mError\x1b[0m: \x1b]8;;file:///a\x1b\\a\x1b]8;;\x1b\\"), "Error: a");
});

test("a carriage return writes over the line, as on the screen", () => {
  assert.equal(clean("epoch 1: 10%\repoch 1: 100%\r"), "epoch 1: 100%");
  assert.equal(clean("long text\rabc"), "abcg text");
});

test("a backspace takes a character back", () => {
  assert.equal(clean("abcd\b\bx"), "abx");
});

test("a sequence may be cut anywhere between two pieces", () => {
  const text = "\x1b]633;C\x07\x1b[1;31mred\x1b[0m\r\nnext\r\n";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const cleaner = new Cleaner();
    assert.deepEqual([...cleaner.lines(text.slice(0, cut)), ...cleaner.lines(text.slice(cut))], ["red", "next"]);
  }
});

test("each line feed of the output is one line, so that line numbers agree", () => {
  const capture = new Capture(1 << 20);
  capture.append("one\r\ntwo\rTWO\r\n\r\nfour");
  assert.deepEqual(capture.text().split("\n"), ["one", "TWO", "", "four"]);
});

test("beginning and end are kept; a line number leads to the right line or to the gap", () => {
  const capture = new Capture(2000);
  for (let line = 1; line <= 1000; line += 1) {
    capture.append(`line ${line}\n`);
  }
  const shown = capture.text().split("\n");
  assert.ok(capture.text().length < 2200);
  assert.equal(shown[0], "line 1");
  assert.equal(shown[capture.lineOf(1) - 1], "line 1");
  assert.equal(shown[capture.lineOf(1000) - 1], "line 1000");
  assert.equal(shown[capture.lineOf(990) - 1], "line 990");
  assert.match(shown[capture.lineOf(500) - 1] ?? "", /lines are not kept/);
});

test("an output of marks alone is empty", () => {
  const capture = new Capture(2000);
  capture.append("\x1b]633;C\x07\x1b[?2004l\r\n");
  assert.equal(capture.empty, true);
});

test("a progress bar without an end does not grow", () => {
  const cleaner = new Cleaner();
  for (let step = 0; step < 3000; step += 1) {
    cleaner.lines(`\r${"#".repeat(1000)} ${step}`);
  }
  assert.match(cleaner.rest(), / 2999$/);
});
