// Story 5: acts.
import assert from "node:assert/strict";
import fs from "node:fs";
import { firstFault } from "./30-open-log.mjs";

export default function tell(story) {
  story("5a. a quick fix of the server in the lightbulb edits the program", async ({ bench, probe, file }) => {
    const since = probe.now();
    await probe.call("open", file("job/run.log"));
    const { all } = await probe.waitFor("diagnostics", (e) => firstFault(e) && e.uri.endsWith("run.log"), { since });
    const [line] = all.find((d) => d.severity === "Error").range;
    await probe.call("open", file("job/run.log"), [line, 10, line, 10]);
    const rows = await bench.lightbulbHere();
    const fix = rows.filter({ hasText: "find_unused_parameters=True" }).first();
    await fix.waitFor();
    await bench.shot("05-quick-fix");
    await fix.click();
    await bench.retry(async () => assert.match(await probe.call("text", file("job/train.py")), /find_unused_parameters=True/));
    // The change is shown, and is the user's to save.
    await bench.line("find_unused_parameters=True").waitFor();
    await bench.retry(async () => assert.ok((await probe.call("active"))?.uri.endsWith("job/train.py")));
    await bench.shot("05-quick-fix-done");
    await probe.call("command", "workbench.action.files.revert");
  });

  story("5c. an edit that may cost more than time is previewed: nothing is written before it is ticked", async (session) => {
    const { bench, probe, file } = session;
    const since = probe.now();
    await probe.call("open", file("fabric/run.log"));
    const { all } = await probe.waitFor("diagnostics", (e) => firstFault(e) && e.uri.endsWith("fabric/run.log"), { since });
    const [line] = all.find((d) => d.severity === "Error").range;
    const choose = async () => {
      await probe.call("open", file("fabric/run.log"), [line, 10, line, 10]);
      const fix = (await bench.lightbulbHere()).filter({ hasText: "NCCL_IB_GID_INDEX" }).first();
      await fix.waitFor();
      await fix.click();
      const preview = await bench.refactorPreview();
      await preview.rows.filter({ hasText: "NCCL_IB_GID_INDEX" }).first().waitFor();
      return preview;
    };
    const changed = async () => /GID_INDEX=3/.test(await probe.call("text", file("fabric/launch.sh")));
    const discarded = await choose();
    await bench.shot("05-preview");
    await discarded.discard();
    await discarded.gone();
    assert.ok(!(await changed()), "discarded");
    const accepted = await choose();
    await accepted.tick();
    await accepted.apply();
    await bench.retry(async () => assert.ok(await changed(), "applied"));
    await probe.call("open", file("fabric/launch.sh"));
    await probe.call("command", "workbench.action.files.revert");
  });

  story("5d. Apply in the panel shows the change, makes it when that is wanted, and shows the place", async (session) => {
    const { bench, probe, file } = session;
    await probe.call("open", file("job/run.log"));
    await bench.line("RuntimeError").waitFor();
    await bench.palette("Firstfault: Diagnose this log");
    const panel = await bench.panel("unused parameters");
    const preview = async () => {
      await panel
        .getByRole("button", { name: /^Apply: / })
        .first()
        .click();
      await bench.diff("find_unused_parameters=True").waitFor();
      return bench.toast("Make this edit in job/train.py?");
    };
    const changed = async () => /find_unused_parameters=True/.test(await probe.call("text", file("job/train.py")));
    const asked = await preview();
    await asked.waitFor();
    await bench.shot("05-panel-preview");
    await bench.toastMore(asked, "Discard");
    await bench.diff("find_unused_parameters=True").waitFor({ state: "detached" });
    assert.ok(!(await changed()), "discarded");
    await preview();
    // The notification may be gone by then; the button above the comparison stays.
    await bench.page.locator('.editor-actions a[aria-label^="Apply this edit"]').first().click();
    await bench.retry(async () => assert.ok(await changed(), "applied"));
    await bench.line("find_unused_parameters=True").waitFor();
    await panel.getByRole("heading", { level: 1 }).waitFor();
    await bench.shot("05-panel-apply");
    await probe.call("open", file("job/train.py"));
    await probe.call("command", "workbench.action.files.revert");
  });

  story("5b. Run verification: its output is read back and judged", async ({ bench, probe, file, root }) => {
    // The command of the answer, as a host with a repaired card would answer it.
    fs.mkdirSync(`${root}/python/bin`, { recursive: true });
    fs.writeFileSync(
      `${root}/python/bin/nvidia-smi`,
      "#!/bin/sh\nprintf '    ECC Mode\\n        Current                               : Enabled\\n    Remapped Rows\\n        Pending                               : No\\n        Remapping Failure Occurred            : No\\n'\n",
      { mode: 0o755 },
    );
    await probe.call("open", file("ecc.log"));
    await bench.palette("Firstfault: Diagnose this log");
    const panel = await bench.panel("ECC");
    await bench.shot("05-verify-before");
    const verify = panel.locator("section").filter({ has: panel.getByRole("heading", { name: /^verify/i }) });
    await verify.getByRole("button", { name: /^run/i }).first().click();
    await bench.answer("0"); // <GPU>, which the log does not tell
    await bench.confirm();
    await bench.panel(/Pending: No — (as expected|fixed)/i);
    await bench.shot("05-verify-after");
  });
}
