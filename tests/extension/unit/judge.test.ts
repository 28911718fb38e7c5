import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../../extension/src/judge";
import { placeholder } from "../../../extension/src/verify";

const remapper = "GPU 0\n    Remapped Rows\n        Pending                   : No\n        Remapping Failure Occurred : No\n";

test("a value that is as expected", () => {
  const judged = judge("Pending : No   Remapping Failure Occurred : No", remapper, 0);
  assert.equal(judged.state, "yes");
  assert.match(judged.text, /Pending: No — fixed/);
});

test("another value is said with what was expected", () => {
  const judged = judge("Pending : No", remapper.replace(": No", ": Yes"), 0);
  assert.deepEqual(judged, { state: "no", text: "Pending: Yes — not fixed, expected No" });
});

test("one card of several that is not mended is enough", () => {
  assert.equal(judge("Pending : No", `${remapper}Pending : Yes\n`, 0).state, "no");
});

test("something that must be gone", () => {
  assert.equal(judge("no KeyError", "step 1\nstep 2\n", 0).state, "yes");
  assert.equal(judge("no KeyError", "KeyError: 'x'\n", 1).state, "no");
  assert.equal(judge("no output", "", 0).state, "yes");
});

test("plain words are left to the reader", () => {
  assert.equal(judge("the wanted name is absent or spelled differently", "a b c", 0).state, "unclear");
  assert.equal(judge("no more waiting on that step", "x", 0).state, "unclear");
  assert.equal(judge(null, "x", 0).state, "unclear");
});

test("a command that is not there proves nothing", () => {
  assert.equal(judge("no Xid", "bash: nvidia-smi: command not found", 127).state, "unclear");
});

test("values that the log did not give are seen", () => {
  assert.equal(placeholder("nvidia-smi --gpu-reset -i <GPU>"), "<GPU>");
  assert.equal(placeholder("sort < in.txt > out.txt"), undefined);
});
