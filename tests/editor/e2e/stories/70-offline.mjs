// Story 7: offline, with a Python that has nothing installed; and without a Python.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { EXTENSION, onlyLoopback } from "../lib/session.mjs";

export default function tell(story) {
  story("7a. all of this ran without a network, on a bare Python", async ({ bench, probe, root }) => {
    assert.ok(onlyLoopback(), "only loopback exists here");
    const python = `${root}/python/bin/python3`;
    assert.throws(() => execFileSync(python, ["-c", "import pygls"], { stdio: "pipe" }), /No module named 'pygls'/);
    const { active, kind } = await probe.call("extension", EXTENSION);
    assert.ok(active);
    assert.equal(kind, 2, "runs where the workspace is");
    await bench.palette("Firstfault: Show environment");
    await bench.retry(async () => {
      const shown = JSON.stringify([await probe.call("active"), await bench.page.locator(".monaco-workbench").innerText()]);
      assert.ok(shown.includes(`${root}/python/bin/python3`), "the interpreter is named");
    });
    await bench.shot("07-environment");
  });

  story("7b. no fit Python: one clear message with a button", async ({ bench, probe }) => {
    await probe.call("configure", "firstfault.interpreter", "/nonexistent/python3");
    try {
      await bench.palette("Firstfault: Restart server");
      const toast = bench.toast("Python");
      await toast.waitFor();
      assert.equal((await bench.toastTexts()).length, 1);
      assert.ok((await toast.locator(".monaco-button").count()) >= 1, "a button");
      await bench.shot("07-no-python");
    } finally {
      await probe.call("configure", "firstfault.interpreter", undefined);
    }
  });
}
