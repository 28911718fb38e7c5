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
    await probe.call("open", file("eight-ranks.log"), [line, 0, line, 0]);
    await bench.squiggles("error").first().waitFor();
    await page.locator(".codelens-decoration").filter({ hasText: "rank 5" }).first().waitFor();
    const text = (await probe.call("active")).text.split("\n")[line];
    const hover = await bench.hoverLine(text.slice(0, 25).trim());
    const said = await hover.innerText();
    assert.match(said, /why first/i);
    assert.match(said, /fix/i);
    await bench.shot("03-open-log");
  });
}
