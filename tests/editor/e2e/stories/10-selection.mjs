// Story 1: selects a traceback in any editor.
import assert from "node:assert/strict";
import { measure } from "../lib/session.mjs";

const TRACEBACK = [5, 0, 11, 0];
const VERDICT = "out of memory";

export default function tell(story) {
  story("1a. a traceback pasted into a Markdown issue, by the context menu", async ({ bench, probe, file }) => {
    await probe.call("open", file("issue.md"), TRACEBACK);
    const menu = await bench.contextMenu(bench.line("OutOfMemoryError"), "Diagnose selection", { position: { x: 60, y: 8 } });
    await bench.shot("01-selection-menu");
    const before = Date.now();
    await menu.choose();
    const panel = await bench.panel(VERDICT);
    measure("selection to answer on screen", (Date.now() - before) / 1000, "s");
    assert.match(await panel.locator("body").innerText(), /rank 2/i);
    await bench.shot("01-selection-answer");
  });

  story("1b. by key, palette and lightbulb", async ({ bench, probe, page, file }) => {
    for (const way of ["key", "palette", "lightbulb"]) {
      await probe.call("command", "workbench.action.closeAllEditors");
      await probe.call("open", file("issue.md"), TRACEBACK);
      await bench.line("OutOfMemoryError").waitFor();
      await probe.call("command", "workbench.action.focusActiveEditorGroup");
      if (way === "key") {
        await page.keyboard.press("Control+Alt+f");
      } else if (way === "palette") {
        await bench.palette("Firstfault: Diagnose selection");
      } else {
        const rows = await bench.lightbulbHere();
        await rows.filter({ hasText: "Diagnose selection" }).first().waitFor();
        await bench.shot("01-selection-lightbulb");
        await rows.filter({ hasText: "Diagnose selection" }).first().click();
      }
      await bench.panel(VERDICT);
    }
  });
}
