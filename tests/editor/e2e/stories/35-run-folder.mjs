// Story 3: a folder with the logs of one run, and a log that is too big for the editor.
import assert from "node:assert/strict";
import fs from "node:fs";
import { measure } from "../lib/session.mjs";

export default function tell(story) {
  story("3b. Diagnose run folder, in the explorer", async ({ bench, probe, file }) => {
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
      assert.ok(all.some((d) => d.uri.includes("run-2node/") && d.all.length > 0), "files that are not open are marked, too");
    });
  });

  story("3c. a log of 60 MB, which the editor gives to no extension", async ({ bench, file }) => {
    const big = file("big.log");
    const step = Array.from({ length: 1000 }, (_, i) => `2026-12-01 02:24:50,439 INFO [rank 0] train: step ${i} loss 2.31 samples/s 113.0\n`).join("");
    const head = "x".repeat(0) + step.repeat(Math.ceil(60e6 / step.length));
    fs.writeFileSync(big, `${head}${fs.readFileSync(file("eight-ranks.log"), "utf8")}`);
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
}
