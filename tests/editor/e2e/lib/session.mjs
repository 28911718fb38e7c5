// One editor for all stories: server, browser, page, probe; and what was measured.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pack } from "./pack.mjs";
import { Probe } from "./probe.mjs";
import { Server } from "./server.mjs";
import { Workbench } from "./workbench.mjs";

const HERE = path.dirname(new URL(import.meta.url).pathname);
const E2E = path.dirname(HERE);
export const CHECKOUT = path.resolve(E2E, "../../..");
export const FAILED = path.join(CHECKOUT, "build/e2e");
/** Those that are shown to readers are renewed on purpose only: make screenshots. */
export const SHOTS = path.resolve(CHECKOUT, process.env.FIRSTFAULT_SCREENSHOTS ?? "build/e2e/screenshots");
export const EXTENSION = "firstfault.firstfault";

const measured = [];

/** Remembers a number for the table at the end. */
export function measure(what, value, unit) {
  measured.push({ what, value, unit });
}

export function printMeasured() {
  const width = Math.max(...measured.map((m) => m.what.length));
  console.log("\nMeasured");
  for (const { what, value, unit } of measured) {
    console.log(`  ${what.padEnd(width)}  ${Number.isInteger(value) ? value : value.toFixed(2)} ${unit}`);
  }
  fs.mkdirSync(FAILED, { recursive: true });
  fs.writeFileSync(path.join(FAILED, "measured.json"), `${JSON.stringify(measured, null, 2)}\n`);
}

function chromium() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => fs.existsSync(file));
  if (!found) {
    throw new Error("Chromium is missing. Install it with: apt-get install -y chromium");
  }
  return found;
}

/** The VSIX under test: FIRSTFAULT_VSIX, else the newest for this machine in dist/. */
export function vsix() {
  const named = process.env.FIRSTFAULT_VSIX;
  if (named) {
    return path.resolve(named);
  }
  const dist = path.join(CHECKOUT, "dist");
  const found = fs.existsSync(dist)
    ? fs.readdirSync(dist).filter((file) => file.endsWith(".vsix") && file.includes(`${process.platform}-${process.arch}`))
    : [];
  if (found.length === 0) {
    throw new Error("There is no VSIX in dist/. Build it with: make vsix");
  }
  const time = (file) => fs.statSync(path.join(dist, file)).mtimeMs;
  return path.join(dist, found.sort((a, b) => time(b) - time(a))[0]);
}

export class Session {
  static async start({ toolchain, root, vsix, trusted = true }) {
    const session = new Session();
    session.toolchain = toolchain;
    session.root = root;
    session.workspace = path.join(root, "finetune");
    fs.mkdirSync(session.workspace, { recursive: true });
    fs.cpSync(path.join(E2E, "workspace"), session.workspace, { recursive: true });
    fs.cpSync(path.join(CHECKOUT, "docs/demo/eight-ranks.log"), path.join(session.workspace, "eight-ranks.log"));
    const server = new Server({ toolchain, root, trusted });
    session.server = server;
    await server.prepare();
    const probe = path.join(root, "probe.vsix");
    pack(path.join(E2E, "probe"), probe);
    await server.install(probe);
    const before = Date.now();
    await server.install(vsix);
    if (trusted) {
      measure("VSIX size", fs.statSync(vsix).size / 1e6, "MB");
      measure("installing the VSIX", (Date.now() - before) / 1000, "s");
    }
    session.address = await server.start();
    const { chromium: browser } = createRequire(path.join(toolchain, "package.json"))("playwright-core");
    session.browser = await browser.launch({
      executablePath: chromium(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
    session.context = await session.browser.newContext({
      viewport: { width: 1440, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await session.open();
    return session;
  }

  /** Opens the workspace in the browser and waits for the extension host. */
  async open() {
    const before = Date.now();
    this.page = await this.context.newPage();
    this.page.on("dialog", (dialog) => dialog.accept());
    await this.page.goto(`${this.address}/?folder=${this.workspace}`);
    await this.page.locator(".monaco-workbench .explorer-folders-view").waitFor({ timeout: 60_000 });
    if (this.server.trusted) {
      measure("workbench on screen", (Date.now() - before) / 1000, "s");
    }
    for (const end = Date.now() + 60_000; !fs.existsSync(this.server.socket); ) {
      if (Date.now() > end) {
        throw new Error(`the extension host did not start:\n${this.server.output}`);
      }
      await this.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    }
    this.probe = await Probe.connect(this.server.socket);
    this.bench = new Workbench(this.page, this.probe, SHOTS);
  }

  /** The path of a file of the workspace; bound, so that stories can take it out of the session. */
  file = (name) => path.join(this.workspace, name);

  /** Another editor beside this one, with a workspace that nobody has said to trust; `prepare` gets its folder before it opens. */
  async restricted(prepare) {
    const root = path.join(this.root, "restricted");
    fs.mkdirSync(path.join(root, "finetune"), { recursive: true });
    prepare(path.join(root, "finetune"));
    return Session.start({ toolchain: this.toolchain, root, vsix: vsix(), trusted: false });
  }

  /** What helps to see why a test failed. */
  async keepFailure(name) {
    fs.mkdirSync(FAILED, { recursive: true });
    const safe = name.replace(/[^\w]+/g, "-").slice(0, 60);
    await this.page.screenshot({ path: path.join(FAILED, `${safe}.png`) }).catch(() => {});
    const logs = path.join(this.server.data, "logs");
    if (fs.existsSync(logs)) {
      fs.cpSync(logs, path.join(FAILED, "logs"), { recursive: true, force: true });
    }
  }

  /** The log that "Show logs" shows. */
  log() {
    const logs = path.join(this.server.data, "logs");
    const found = fs.readdirSync(logs, { recursive: true }).find((file) => file.endsWith("Firstfault.log"));
    return found ? fs.readFileSync(path.join(logs, found), "utf8") : "";
  }

  async stop() {
    this.probe?.close();
    await this.browser?.close();
    await this.server.stop();
  }
}

/** True when only loopback exists: then nothing that runs here can have used a network. */
export function onlyLoopback() {
  const links = fs
    .readFileSync("/proc/net/dev", "utf8")
    .split("\n")
    .slice(2)
    .map((line) => line.split(":")[0].trim())
    .filter(Boolean);
  return links.every((link) => link === "lo");
}
