// Story 2: a terminal command fails. Real bash, real Python, exit codes as the shell tells them.
import assert from "node:assert/strict";
import { measure } from "../lib/session.mjs";
import { TOASTS } from "../lib/workbench.mjs";

/** Runs a command that fails; returns the exit code and the notification. */
async function fail({ bench }, line, words) {
  await bench.terminal();
  const shown = bench.whenOnScreen(TOASTS, words);
  const ended = await bench.typeCommand(line);
  const seconds = ((await shown) - ended.at) / 1000;
  return { exitCode: ended.exitCode, seconds, toast: bench.toast(words) };
}

export default function tell(story) {
  story("2a. an exception: notification, status item, answer, squiggle in the program", async (session) => {
    const { bench, probe, page, file } = session;
    const { exitCode, seconds, toast } = await fail(session, "python3 exception.py", "exception.py failed");
    measure("command failed to notification", seconds, "s");
    assert.equal(exitCode, 1);
    assert.equal((await bench.toastTexts()).length, 1, "one notification");
    await bench.status("n/a").or(bench.status("failed")).first().waitFor();
    await bench.shot("02-terminal-exception");

    const before = Date.now();
    await bench.toastButton(toast, "Show").click();
    const panel = await bench.panel("could not be converted");
    measure("Show to answer on screen", (Date.now() - before) / 1000, "s");
    measure("command failed to answer on screen", seconds + (Date.now() - before) / 1000, "s");
    assert.match(await panel.locator("body").innerText(), /could not be converted to a number/);
    assert.match(
      await panel.locator("body").innerText(),
      /Raised at exception\.py:8 in/,
      "files of the workspace have short names",
    );
    await bench.shot("02-terminal-answer");

    const marks = await bench.retry(async () => {
      const found = await probe.call("diagnostics", file("exception.py"));
      assert.ok(found.length > 0, "the failing frame is marked in exception.py");
      return found;
    });
    assert.ok(
      marks.some((mark) => mark.range[0] === 7),
      "line 8 is the innermost frame",
    );
    await probe.call("open", file("exception.py"), [7, 0, 7, 0]);
    await page
      .locator(
        ".editor-group-container.active .squiggly-error, .editor-group-container.active .squiggly-info, .editor-group-container.active .squiggly-warning",
      )
      .first()
      .waitFor();
    await bench.shot("02-terminal-source");
  });

  story("2b. a process that the kernel killed says nothing itself: the shell's 137 does", async (session) => {
    const { exitCode, toast } = await fail(session, "python3 sigkill.py", "sigkill.py failed");
    assert.equal(exitCode, 137);
    assert.match(await toast.innerText(), /SIGKILL|signal 9/);
    await session.bench.shot("02-terminal-sigkill");
  });

  story("2c. two ranks and a launcher: the rank that failed by itself is named", async (session) => {
    const { bench } = session;
    const { exitCode, toast } = await fail(session, "python3 launch.py", "rank 1");
    assert.equal(exitCode, 1);
    assert.match(await toast.innerText(), /KeyError|key/);
    await bench.shot("02-terminal-ranks");
    await bench.toastButton(toast, "Show").click();
    const panel = await bench.panel("Rank 1 failed first");
    await bench.shot("02-terminal-ranks-answer");
    assert.match(await panel.locator("body").innerText(), /rank 0/i, "rank 0 is told as collateral");
  });

  story("2d. a failure in the text although the shell says 0", async (session) => {
    const { exitCode, toast } = await fail(session, "python3 masked.py | tee out.txt", "masked.py ended with 0");
    assert.equal(exitCode, 0);
    assert.match(await toast.innerText(), /IndexError|index/i);
    await session.bench.shot("02-terminal-exit-0");
  });

  story("2e. Ctrl-C and success are not news", async ({ bench, probe, page }) => {
    await bench.terminal();
    const since = probe.now();
    await bench.type("python3 -c 'import time; print(1, flush=True); time.sleep(60)'");
    await probe.waitFor("the start", (e) => e.event === "started" && e.line.includes("time.sleep"), { since });
    await page.locator(".terminal-wrapper.active .xterm").first().click();
    await page.keyboard.press("Control+c");
    const ended = await probe.waitFor("the end", (e) => e.event === "ended" && e.line.includes("time.sleep"), { since });
    assert.equal(ended.exitCode, 130);
    // A later failure is told of: had Ctrl-C been, it would stand there by then, too.
    const shown = bench.whenOnScreen(TOASTS, "exception.py");
    await bench.typeCommand("python3 exception.py");
    await shown;
    const texts = await bench.toastTexts();
    assert.equal(texts.length, 1, texts.join(" | "));
  });

  story("2f. Don't show for this command", async (session) => {
    const { bench } = session;
    const { toast } = await fail(session, "python3 exception.py", "exception.py failed");
    await bench.toastMore(toast, "Don't show for this command");
    await toast.waitFor({ state: "detached" });
    await bench.typeCommand("python3 exception.py");
    const shown = bench.whenOnScreen(TOASTS, "launch.py");
    await bench.typeCommand("python3 launch.py");
    await shown;
    assert.ok(!(await bench.toastTexts()).some((text) => text.includes("exception.py")));
    await session.probe.call("configure", "firstfault.terminal.ignoredCommands", undefined);
  });

  story("2g. Diagnose failed terminal without shell integration: by the clipboard, which is given back", async (session) => {
    const { bench, probe } = session;
    await probe.call("configure", "terminal.integrated.shellIntegration.enabled", false);
    try {
      await probe.call("setClipboard", "what the user had copied");
      await probe.call("command", "workbench.action.terminal.new");
      await bench.type("python3 exception.py; echo ended=$?");
      await bench.screenText("ended=1");
      await bench.palette("Firstfault: Diagnose failed terminal");
      await bench.panel("could not be converted");
      await bench.retry(async () => assert.equal(await probe.call("clipboard"), "what the user had copied"));
      await bench.shot("02-terminal-clipboard");
    } finally {
      await probe.call("configure", "terminal.integrated.shellIntegration.enabled", undefined);
    }
  });

  story("2h. a task that fails", async ({ bench, probe }) => {
    const shown = bench.whenOnScreen(TOASTS, "failed");
    await probe.call("task", "train", "python3 exception.py");
    await shown;
    await bench.shot("02-terminal-task");
  });

  story("2i. the output as a read-only document with diagnostics", async (session) => {
    const { bench, probe } = session;
    const { toast } = await fail(session, "python3 launch.py", "rank 1");
    await bench.toastButton(toast, "Show").click();
    const panel = await bench.panel("Rank 1 failed first");
    const since = probe.now();
    await panel
      .locator("a, button")
      .filter({ hasText: /launch|python3|line|:\d+/ })
      .first()
      .click();
    const { uri } = await probe.waitFor(
      "the output in an editor",
      (e) => e.event === "editor" && e.uri?.startsWith("firstfault"),
      { since },
    );
    await bench.retry(async () => assert.ok((await probe.call("diagnostics", uri)).length > 0));
    await bench.squiggles("error").first().waitFor();
    const folds = await probe.call("folds", uri);
    assert.ok(folds.length > 0, "tracebacks can be folded");
    await bench.shot("02-terminal-output");
  });
}
