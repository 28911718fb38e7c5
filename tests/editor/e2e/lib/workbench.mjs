// What a user does in VS Code, by mouse and keyboard, and what then stands on the screen.
import path from "node:path";

export const TOASTS = ".notifications-toasts .notification-toast";

/** Whether something comes within some milliseconds. */
function appears(locator, timeout) {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}

export class Workbench {
  /** @param page of playwright  @param probe inside the editor  @param shots folder of the screenshots */
  constructor(page, probe, shots) {
    this.page = page;
    this.probe = probe;
    this.shots = shots;
  }

  // Commands

  async palette(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
    await row.waitFor();
    await row.click();
  }

  async quickPick() {
    const rows = this.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    return rows;
  }

  // Editors

  /** The visible line of the active editor that holds a text. */
  line(text) {
    return this.page.locator(".editor-group-container.active .view-line").filter({ hasText: text }).first();
  }

  /** Rests the mouse on a line until the hover stands there; returns it. */
  async hoverLine(text) {
    const line = this.line(text);
    await line.waitFor();
    const span = line.locator("span").filter({ hasText: text }).last();
    const hover = this.page.locator(".monaco-resizable-hover:visible").first();
    // The first rest of the mouse after opening may come before the server has answered; move away and back.
    await this.retry(async () => {
      const box = await span.boundingBox();
      await this.page.mouse.move(box.x + 100, box.y + 60);
      await this.page.mouse.move(box.x + 30, box.y + 8, { steps: 5 });
      await hover.waitFor({ timeout: 6_000 });
    });
    return hover;
  }

  squiggles(kind = "error") {
    return this.page.locator(`.editor-group-container.active .squiggly-${kind}`);
  }

  /** The menu of the lightbulb at the cursor or selection (Ctrl+. as users press it); returns its rows. */
  async lightbulbHere() {
    await this.probe.call("command", "workbench.action.focusActiveEditorGroup");
    const widget = this.page.locator(".action-widget:not(.action-list-submenu-panel)");
    await this.retry(async () => {
      await this.page.keyboard.press("Control+.");
      await widget.waitFor({ timeout: 4_000 });
    });
    return widget.locator(".monaco-list-row.action");
  }

  /** The editor's preview of an edit, once it is there: its rows, and what applies it. */
  async refactorPreview() {
    const panel = this.page.locator(".part.panel .bulk-edit-panel");
    await panel.waitFor();
    return {
      rows: panel.locator(".monaco-list-row"),
      tick: async () => {
        for (const box of await panel.locator(".edit-checkbox").all()) {
          await box.setChecked(true);
        }
      },
      apply: () => panel.locator(".monaco-button").filter({ hasText: "Apply" }).first().click(),
      gone: () => panel.waitFor({ state: "hidden" }),
      discard: () => panel.locator(".monaco-button").filter({ hasText: "Discard" }).first().click(),
    };
  }

  /** A line of the right side of a comparison. */
  diff(text) {
    return this.page.locator(".monaco-diff-editor .view-line").filter({ hasText: text }).first();
  }

  /** Opens a context menu; returns what chooses the item. */
  async contextMenu(locator, label, options = {}) {
    await locator.click({ button: "right", ...options });
    const item = this.page.locator(".monaco-menu .action-item").filter({ hasText: label }).first();
    await item.hover();
    return {
      // A menu that has just opened ignores the mouse for a moment, so that it is not left by the click that opened it.
      choose: () =>
        this.retry(async () => {
          // Gone: the click before has worked, though the menu took its time to close.
          if ((await item.count()) > 0) {
            await item.click({ timeout: 2_000 });
            await item.waitFor({ state: "detached", timeout: 500 });
          }
        }),
    };
  }

  // The explorer

  explorerRow(name) {
    return this.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name }).first();
  }

  treeRow(name) {
    return this.page.locator(".pane-body .monaco-list-row").filter({ hasText: name }).first();
  }

  // Notifications and the status bar

  toast(text) {
    return this.page.locator(TOASTS).filter({ hasText: text }).first();
  }

  async toastTexts() {
    return this.page.locator(`${TOASTS} .notification-list-item-message`).allInnerTexts();
  }

  toastButton(toast, label) {
    return toast.locator(".notification-list-item-buttons-container .monaco-button").filter({ hasText: label }).first();
  }

  /** Chooses what a notification has behind its gear or its "⋯". */
  async toastMore(toast, label) {
    const button = this.toastButton(toast, "⋯");
    if ((await button.count()) > 0) {
      await button.click();
      await (await this.quickPick()).filter({ hasText: label }).first().click();
      return;
    }
    const direct = this.toastButton(toast, label);
    await direct.click();
  }

  /** Answers an input box, where one asks. */
  async answer(text) {
    const box = this.page.locator(".quick-input-widget:visible input").first();
    if (await appears(box, 3_000)) {
      await box.fill(text);
      await this.page.keyboard.press("Enter");
    }
  }

  /** Says yes to a question of ours, where there is one. */
  async confirm() {
    const dialog = this.page.locator(".monaco-dialog-box");
    if (await appears(dialog, 1_500)) {
      await dialog.locator(".dialog-buttons .monaco-button:not(.secondary)").first().click();
    }
  }

  status(text) {
    return this.page.locator(".statusbar-item").filter({ hasText: text }).first();
  }

  // Terminals

  /** A new bash terminal with shell integration; resolves when it can tell commands apart. */
  async terminal() {
    const since = this.probe.now();
    await this.probe.call("command", "workbench.action.terminal.new");
    await this.probe.waitFor("shell integration", (e) => e.event === "integration", { since, timeout: 20_000 });
    await this.probe.call("command", "workbench.action.terminal.focus");
    await this.page.locator(".terminal-wrapper.active .xterm").first().waitFor();
  }

  async type(line) {
    await this.page.locator(".terminal-wrapper.active .xterm").first().click();
    await this.page.keyboard.type(line);
    await this.page.keyboard.press("Enter");
  }

  /** Waits until a text stands in the terminal, for shells that tell nothing. */
  screenText(text) {
    // Blanks of the terminal are no-break spaces; a text without any is compared.
    return this.whenOnScreen(".terminal-wrapper.active .xterm-rows", text);
  }

  /** Types a command and waits for its end; returns the shell's event with the exit code. */
  async typeCommand(line, { timeout = 30_000 } = {}) {
    const since = this.probe.now();
    await this.type(line);
    return this.probe.waitFor(`the end of "${line}"`, (e) => e.event === "ended" && e.line.includes(line.slice(0, 20)), {
      since,
      timeout,
    });
  }

  /** Milliseconds since the epoch at which a text stands in the window; asked at each animation frame, inside the page. */
  whenOnScreen(selector, text, { timeout = 60_000 } = {}) {
    return this.page.evaluate(
      ([css, wanted, limit]) =>
        new Promise((resolve, reject) => {
          const end = Date.now() + limit;
          const look = () => {
            const found = [...document.querySelectorAll(css)].some(
              (e) => e.innerText?.includes(wanted) && e.getClientRects().length > 0,
            );
            if (found) {
              resolve(Date.now());
            } else if (Date.now() > end) {
              reject(new Error(`"${wanted}" did not come in ${css}`));
            } else {
              requestAnimationFrame(look);
            }
          };
          look();
        }),
      [selector, text, timeout],
    );
  }

  // Webviews

  /** The frame of the panel that holds a text, once it is there. */
  async panel(text, { timeout = 60_000 } = {}) {
    let found;
    await this.retry(
      async () => {
        for (const frame of this.page.frames()) {
          const body = await frame
            .locator("body")
            .innerText({ timeout: 500 })
            .catch(() => "");
          if (frame.parentFrame()?.parentFrame() && (text instanceof RegExp ? text.test(body) : body.includes(text))) {
            found = frame;
            return;
          }
        }
        throw new Error(`no panel shows "${text}"`);
      },
      { timeout },
    );
    return found;
  }

  // Order

  /** Closes everything that the last test left behind. */
  async reset() {
    await this.page.keyboard.press("Escape");
    await this.probe.call("killTerminals");
    for (const id of [
      "notifications.clearAll",
      "workbench.action.closeAllEditors",
      "workbench.action.closePanel",
      "workbench.view.explorer",
    ]) {
      await this.probe.call("command", id);
    }
    await this.page.locator(TOASTS).first().waitFor({ state: "detached" });
  }

  /** Tries until it holds; pauses between tries grow with the frames the page paints, there is no fixed sleep. */
  async retry(action, { timeout = 30_000 } = {}) {
    const end = Date.now() + timeout;
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (Date.now() > end) {
          throw error;
        }
        await this.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
      }
    }
  }

  async shot(name) {
    // Two frames, so that what was just asked for has been painted.
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await this.page.screenshot({ path: path.join(this.shots, `${name}.png`), animations: "disabled", caret: "hide" });
  }
}
