// Story 3: opens a log.
import assert from "node:assert/strict";
import { measure } from "../lib/session.mjs";

export const firstFault = (e) =>
  e.event === "diagnostics" && e.all.some((d) => d.severity === "Error" && /first fault/i.test(d.message));

export default function tell(story) {
  story("3a. opening a log marks the first fault and what followed from it", async ({ bench, probe, page, file }) => {
    const before = Date.now();
    const since = probe.now();
    const { language } = await probe.call("open", file("eight-ranks.log"));
    assert.equal(language, "log");
    const { all } = await probe.waitFor("diagnostics of the log", firstFault, { since, timeout: 60_000 });
    measure("log opened to first fault marked", (Date.now() - before) / 1000, "s");

    const errors = all.filter((d) => d.severity === "Error");
    assert.equal(errors.length, 1, "one first fault");
    assert.match(errors[0].message, /rank 5/);
    assert.ok(errors[0].message.length <= 120, errors[0].message);
    assert.ok(
      all.some((d) => d.severity === "Information" || d.severity === "Hint"),
      "what followed is marked lower",
    );

    const [line] = errors[0].range;
    const verdict = page.locator(".codelens-decoration a").filter({ hasText: "Rank 5 on node0 failed first" });
    await verdict.waitFor();
    await bench.shot("03-open-log-top");
    await verdict.click();
    await bench.retry(async () =>
      assert.equal((await probe.call("active")).selection[0], line, "the verdict leads to the fault"),
    );

    await probe.call("open", file("eight-ranks.log"), [line, 0, line, 0]);
    await bench.squiggles("error").first().waitFor();
    await page.locator(".codelens-decoration").filter({ hasText: "cause of 7" }).first().waitFor();
    const text = (await probe.call("active")).text.split("\n")[line];
    const hover = await bench.hoverLine(text.slice(0, 25).trim());
    // The diagnostic stands there at once, the server's words a moment later.
    await hover.getByText("Why first").waitFor();
    const seen = await hover.evaluate((e) => {
      const box = e.getBoundingClientRect();
      const shown = (text) =>
        [...e.querySelectorAll("strong")].some((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return one.textContent.startsWith(text) && top >= box.top && bottom <= box.bottom;
        });
      return { cause: shown("Cause"), fix: shown("Fix") };
    });
    assert.deepEqual(seen, { cause: true, fix: true }, "cause and fix are seen without scrolling");
    await bench.shot("03-open-log");
  });

  story("3e. frames lead to the program that printed them, not to one that is called alike", async ({ bench, probe, file }) => {
    await probe.call("open", file("job/run.log"));
    await bench.retry(async () => {
      const [link, ...others] = await probe.call("links", file("job/run.log"));
      assert.ok(link?.to.endsWith("job/train.py#L7"), JSON.stringify(link));
      assert.deepEqual(others, []);
    });
    // The run of eight ranks had a train.py of 346 lines; the one here has 8.
    await probe.call("open", file("eight-ranks.log"));
    await bench.retry(async () => assert.ok((await probe.call("diagnostics", file("eight-ranks.log"))).length > 0));
    assert.deepEqual(await probe.call("links", file("eight-ranks.log")), []);
  });
}
