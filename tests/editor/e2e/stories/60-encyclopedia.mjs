// Story 6: browses the encyclopedia; walkthrough, history, redacted report.
import assert from "node:assert/strict";

export default function tell(story) {
  story("6a. the tree by category, and an entry", async ({ bench, probe, page }) => {
    await probe.call("command", "firstfault.catalog.focus");
    const category = bench.treeRow(/NCCL/i);
    await category.waitFor();
    await bench.shot("06-tree");
    await category.click();
    const entry = page.locator(".pane-body .monaco-list-row[aria-level='2']").first();
    await entry.waitFor();
    await entry.click();
    await bench.panel("Fix");
    await bench.shot("06-entry");
  });

  story("6b. search", async ({ bench, page }) => {
    await bench.palette("Firstfault: Search encyclopedia");
    const input = page.locator(".quick-input-widget:visible input").first();
    await input.waitFor();
    await input.fill("Xid 79");
    const row = page
      .locator(".quick-input-widget:visible .monaco-list-row")
      .filter({ hasText: /fallen off the bus/i })
      .first();
    await row.waitFor();
    await bench.shot("06-search");
    await row.click();
    await bench.panel(/bus/i);
  });

  story("6c. Compare all Xid codes", async ({ bench }) => {
    await bench.palette("Firstfault: Compare all Xid codes");
    await bench.panel("79");
    await bench.shot("06-xid");
  });

  story("6d. the walkthrough, and its sample", async ({ bench, page }) => {
    await bench.palette("Firstfault: Open walkthrough");
    await page.locator(".gettingStartedContainer").getByText("No log to hand? Try one").first().waitFor();
    await bench.shot("06-walkthrough");
    await page.locator(".gettingStartedContainer .monaco-button").filter({ hasText: "Try a sample log" }).first().click();
    await bench.panel("Rank 5");
    await bench.shot("06-sample");
  });

  story("6e. the history, and a redacted report", async ({ bench, probe, page, file }) => {
    await probe.call("open", file("issue.log"));
    await bench.palette("Firstfault: Diagnose this log");
    await bench.panel("out of memory");
    await probe.call("setClipboard", "");
    await bench.palette("Firstfault: Copy redacted report");
    await bench.retry(async () => assert.match(await probe.call("clipboard"), /out of memory/i));
    const report = await probe.call("clipboard");
    assert.ok(!report.includes("alice") && !report.includes("10.1.2.3"), report);
    await probe.call("command", "firstfault.history.focus");
    const row = page.locator(".pane-body .monaco-list-row[aria-label*='issue.log']").first();
    await row.waitFor();
    await bench.shot("06-history");
    await bench.palette("Firstfault: Clear history of diagnoses");
    await bench.confirm();
    await row.waitFor({ state: "detached" });
  });

  story("6f. the language-model tool gives the report, made here", async ({ probe, file }) => {
    const text = await probe.call("tool", "firstfault_diagnose", { path: file("eight-ranks.log") });
    assert.match(text, /rank 5/i);
    assert.match(text, /KeyError/);
  });
}
