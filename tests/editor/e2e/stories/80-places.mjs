// Story 8: places that are not one's own machine, files or trust.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../lib/session.mjs";

const VERDICT = "First fault: GPU out of memory";
const TRACEBACK = [
  "Traceback (most recent call last):",
  '  File "/workspace/nb/cell.py", line 3, in <module>',
  "    loss = model(batch)",
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.40 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.10 GiB is free.",
];

/** A notebook as Jupyter stores it: the second of three cells has raised. */
function notebook() {
  const code = (source, outputs = []) => ({ cell_type: "code", execution_count: 1, metadata: {}, source, outputs });
  const printed = { output_type: "stream", name: "stdout", text: ["step 1 loss=2.10\n"] };
  const raised = {
    output_type: "error",
    ename: "OutOfMemoryError",
    evalue: TRACEBACK.at(-1).split(": ").slice(1).join(": "),
    traceback: TRACEBACK,
  };
  const cells = [code(["import torch"]), code(["loss = model(batch)"], [printed, raised]), code(["print(loss)"])];
  return JSON.stringify({ cells, metadata: { kernelspec: { name: "python3" } }, nbformat: 4, nbformat_minor: 5 });
}

export default function tell(story) {
  story("8a. a notebook cell that failed", async ({ bench, probe, file }) => {
    fs.writeFileSync(file("train.ipynb"), notebook());
    try {
      await probe.call("openNotebook", file("train.ipynb"));
      await bench.page.locator(".notebook-editor .cell.code").first().waitFor();
      await bench.palette("Firstfault: Diagnose failed notebook cell");
      const panel = await bench.panel(VERDICT);
      await bench.shot("08-notebook");
      await panel.getByRole("button", { name: "line 6" }).first().click();
      await bench.line("OutOfMemoryError").waitFor();
      await bench.squiggles("error").first().waitFor();
    } finally {
      await probe.call("command", "workbench.action.closeAllEditors");
      fs.unlinkSync(file("train.ipynb"));
    }
  });

  story("8b. the output of a cell, pasted into a new file, and from the clipboard", async ({ bench, probe }) => {
    await probe.call("setClipboard", TRACEBACK.join("\n"));
    await probe.call("command", "workbench.action.files.newUntitledFile");
    await probe.call("command", "editor.action.clipboardPasteAction");
    await bench.line("OutOfMemoryError").waitFor();
    await probe.call("command", "editor.action.selectAll");
    await bench.palette("Firstfault: Diagnose selection");
    await bench.panel(VERDICT);
    await probe.call("command", "workbench.action.focusFirstEditorGroup");
    await probe.call("command", "workbench.action.revertAndCloseActiveEditor");
    await probe.call("command", "workbench.action.closeAllEditors");
    await bench.palette("Firstfault: Diagnose clipboard");
    await bench.panel(VERDICT);
  });

  story(
    "8c. on the side of the logs, as with Remote-SSH: the window is in a browser, the extension on the host",
    async (session) => {
      const { probe, server } = session;
      const { kind } = await probe.call("extension", EXTENSION);
      const host = await probe.call("host");
      assert.equal(kind, 2, "a workspace extension");
      assert.equal(host.ui, "Web");
      assert.ok(host.remoteName, "the window knows that it works remotely");
      // The extension host, and the server that it started, descend from code-server, not from the browser.
      const parents = (pid) => {
        const parent = Number(/^PPid:\t(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
        return parent > 1 ? [parent, ...parents(parent)] : [];
      };
      assert.ok(parents(host.pid).includes(server.process.pid), "the extension host runs on the host");
      const servers = fs
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, "utf8").includes("boot.py"));
      assert.ok(
        servers.length > 0 && servers.every((pid) => parents(pid).includes(host.pid)),
        "so does the server, as its child",
      );
    },
  );

  story("8d. restricted mode: logs are explained; what the workspace names is not run, nor is a command", async (session) => {
    const restricted = await session.restricted((folder) => {
      fs.mkdirSync(path.join(folder, ".vscode"));
      const evil = path.join(folder, "python3");
      fs.writeFileSync(evil, `#!/bin/sh\ntouch ${folder}/was-run\nexec /usr/bin/python3 "$@"\n`, { mode: 0o755 });
      fs.writeFileSync(path.join(folder, ".vscode/settings.json"), JSON.stringify({ "firstfault.interpreter": evil }));
    });
    try {
      const { bench, probe, page, file } = restricted;
      assert.equal((await probe.call("host")).trusted, false);
      await page.locator(".part.banner, .statusbar-item").filter({ hasText: "Restricted Mode" }).first().waitFor();
      await probe.call("open", file("ecc.log"));
      await bench.line("ECC").waitFor();
      await bench.palette("Firstfault: Diagnose this log");
      const panel = await bench.panel("Xid 94");
      await bench.squiggles("error").first().waitFor();
      const verify = panel.locator("section").filter({ has: panel.getByRole("heading", { name: /^verify/i }) });
      await verify.getByRole("button", { name: /^run/i }).first().click();
      await bench.toast("not run in a restricted workspace").waitFor();
      await bench.shot("08-restricted");
      assert.deepEqual(await probe.call("terminals"), []);
      assert.ok(!fs.existsSync(file("was-run")), "the interpreter that the workspace names is not used");
    } catch (error) {
      await restricted.keepFailure("8d restricted");
      throw error;
    } finally {
      await restricted.stop();
    }
  });
}
