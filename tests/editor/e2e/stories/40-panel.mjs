// Story 4: reads the answer.
import assert from "node:assert/strict";

async function answer({ bench, probe, file }, name, verdict) {
  await probe.call("open", file(name));
  await bench.line("").waitFor();
  await bench.palette("Firstfault: Diagnose this log");
  return bench.panel(verdict);
}

export default function tell(story) {
  story("4a. the panel: verdict, timeline, cause, fix, verification, evidence", async (session) => {
    const { bench, page } = session;
    const broken = [];
    const listen = (message) =>
      /Content Security Policy|Refused to/.test(message.text()) &&
      message.text().includes("firstfault") &&
      broken.push(message.text());
    page.on("console", listen);
    const panel = await answer(session, "eight-ranks.log", "Rank 5");
    const text = await panel.locator("body").innerText();
    for (const part of [/rank 5/i, /why first/i, /cause/i, /fix/i, /verify|verification/i, /evidence/i]) {
      assert.match(text, part);
    }
    assert.ok((await panel.locator("svg").count()) > 0, "a timeline picture");
    await bench.shot("04-panel");
    await session.probe.call("command", "workbench.action.closePanel");
    page.off("console", listen);
    assert.deepEqual(broken, []);
  });

  story("4b. evidence jumps to its line", async (session) => {
    const { bench, probe } = session;
    const panel = await answer(session, "eight-ranks.log", "Rank 5");
    await panel
      .getByRole("button", { name: /(^line |:)\d+$/ })
      .first()
      .click();
    await bench.retry(async () => {
      const active = await probe.call("active");
      assert.ok(active?.uri.endsWith("eight-ranks.log"));
      assert.ok(active.selection[0] > 5, `the cursor is at the fault: ${active.selection}`);
    });
    await bench.shot("04-panel-evidence");
  });

  story(
    "4c. by keyboard: every control has a name, focus is seen, the timeline is a list for screen readers",
    async (session) => {
      const { page } = session;
      const panel = await answer(session, "eight-ranks.log", "Rank 5");
      const nameless = await panel
        .locator("button, a, [role=button]")
        .evaluateAll((all) =>
          all
            .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.getAttribute("title")))
            .map((e) => e.outerHTML),
        );
      assert.deepEqual(nameless, []);
      assert.ok((await panel.locator("h1, h2").count()) >= 2, "headings to move by");
      await panel.locator("button, a, [tabindex='0']").first().focus();
      await page.keyboard.press("Tab");
      const focused = await panel.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        return { tag: document.activeElement.tagName, outline: style.outlineStyle, width: style.outlineWidth };
      });
      assert.notEqual(focused.tag, "BODY");
      assert.ok(focused.outline !== "none" && focused.width !== "0px", JSON.stringify(focused));
    },
  );

  story("4d. narrow, and in the light and high-contrast themes", async (session) => {
    const { bench, probe, page } = session;
    await answer(session, "eight-ranks.log", "Rank 5");
    try {
      await probe.call("configure", "workbench.colorTheme", "Default Light Modern");
      await page.locator(".monaco-workbench.vs").waitFor();
      await bench.shot("04-panel-light");
      await probe.call("configure", "workbench.colorTheme", "Default High Contrast");
      await page.locator(".monaco-workbench.hc-black").waitFor();
      await page.setViewportSize({ width: 900, height: 900 });
      await bench.shot("04-panel-narrow-contrast");
    } finally {
      await page.setViewportSize({ width: 1440, height: 900 });
      await probe.call("configure", "workbench.colorTheme", "Default Dark Modern");
    }
  });

  story("4e. nothing runs without a click; Copy gives the command", async (session) => {
    const { bench, probe } = session;
    const panel = await answer(session, "issue.log", "out of memory");
    assert.deepEqual(await probe.call("terminals"), [], "no terminal was opened");
    await probe.call("setClipboard", "");
    await panel.getByRole("button", { name: /copy/i }).first().click();
    await bench.retry(async () => assert.notEqual(await probe.call("clipboard"), ""));
  });

  story("4f. a command with a risk shows its caution first, and is not run when one says no", async (session) => {
    const { bench, probe, page } = session;
    const panel = await answer(session, "ecc.log", "Xid 94");
    const since = probe.now();
    const fix = panel.locator("section").filter({ has: panel.getByRole("heading", { name: /^fix/i }) });
    await fix.getByRole("button", { name: /^run/i }).first().click();
    await bench.answer("0"); // <GPU>, which the log does not tell
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    const asked = await dialog.innerText();
    assert.match(asked, /caution/i);
    assert.match(asked, /admin/i);
    assert.match(asked, /nvidia-smi --gpu-reset -i 0/);
    await bench.shot("04-caution");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await probe.call("terminals"), []);
    assert.ok(!probe.events.slice(since).some((event) => event.event === "started"));
  });
}
