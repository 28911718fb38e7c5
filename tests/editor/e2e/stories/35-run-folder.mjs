// Story 3: a folder with the logs of one run, and a log that is too big for the editor.
import assert from "node:assert/strict";
import fs from "node:fs";
import { measure } from "../lib/session.mjs";

/** A log of a run that goes well, of at least so many megabytes. */
function megabytes(size) {
  const step = (i) => `2026-12-01 02:24:50,439 INFO [rank 0] train: step ${i} loss 2.31 samples/s 113.0\n`;
  const steps = Array.from({ length: 1000 }, (_, i) => step(i)).join("");
  return steps.repeat(Math.ceil((size * 1e6) / steps.length));
}

export default function tell(story) {
  story("3b. Diagnose run folder, in the explorer", async ({ bench, probe }) => {
    const row = bench.explorerRow("run-2node");
    await row.waitFor();
    const menu = await bench.contextMenu(row, "Diagnose run folder");
    await bench.shot("03-folder-menu");
    const before = Date.now();
    await menu.choose();
    const panel = await bench.panel("node1");
    measure("run folder (2 logs) to answer on screen", (Date.now() - before) / 1000, "s");
    assert.match(await panel.locator("body").innerText(), /Node lost/);
    await bench.shot("03-folder-answer");
    await bench.retry(async () => {
      const all = await probe.call("allDiagnostics");
      assert.ok(
        all.some((d) => d.uri.includes("run-2node/") && d.all.length > 0),
        "files that are not open are marked, too",
      );
    });
  });

  story("3c. a log of 60 MB, which the editor gives to no extension", async ({ bench, file }) => {
    const big = file("big.log");
    fs.writeFileSync(big, megabytes(60) + fs.readFileSync(file("eight-ranks.log"), "utf8"));
    try {
      const row = bench.explorerRow("big.log");
      await row.waitFor();
      const menu = await bench.contextMenu(row, "Diagnose this log");
      const before = Date.now();
      await menu.choose();
      await bench.panel("Rank 5");
      measure("log of 60 MB to answer on screen", (Date.now() - before) / 1000, "s");
    } finally {
      fs.unlinkSync(big);
    }
  });

  story("3d. a run folder can be cancelled, and the server lives on", async ({ bench, page, file }) => {
    const folder = file("run-large");
    fs.mkdirSync(folder);
    fs.writeFileSync(`${folder}/rank0.log`, megabytes(60));
    for (let rank = 1; rank < 16; rank += 1) {
      fs.linkSync(`${folder}/rank0.log`, `${folder}/rank${rank}.log`);
    }
    try {
      const row = bench.explorerRow("run-large");
      await row.waitFor();
      const menu = await bench.contextMenu(row, "Diagnose run folder");
      await menu.choose();
      const toast = bench.toast("Reading logs");
      await toast.waitFor();
      await bench.shot("03-folder-progress");
      const before = Date.now();
      await bench.toastButton(toast, "Cancel").click();
      await toast.waitFor({ state: "detached" });
      measure("Cancel to end of a run folder", (Date.now() - before) / 1000, "s");
      assert.equal(await page.locator(".tab").filter({ hasText: "Firstfault: run-large" }).count(), 0, "no answer");
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
    const row = bench.explorerRow("run-2node");
    await row.waitFor();
    const menu = await bench.contextMenu(row, "Diagnose run folder");
    await menu.choose();
    await bench.panel(/Node lost/);
  });
}
