// VS Code as a server, started as on a GPU host: no network but loopback, an empty environment, a Python with nothing installed.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "window.commandCenter": false,
  "chat.disableAIFeatures": true,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "terminal.integrated.defaultProfile.linux": "bash",
  "terminal.integrated.profiles.linux": { bash: { path: "/bin/bash", icon: "terminal-bash" } },
  // Drawn as text, so that the tests can read what stands there.
  "terminal.integrated.gpuAcceleration": "off",
  "editor.minimap.enabled": false,
  "files.simpleDialog.enable": true,
};

export class Server {
  /** @param places {toolchain, root}: where code-server is, and the folder of this run; `trusted: false` opens folders restricted */
  constructor({ toolchain, root, trusted = true }) {
    this.root = root;
    this.trusted = trusted;
    this.home = path.join(root, "home");
    this.data = path.join(root, "data");
    this.extensions = path.join(root, "extensions");
    this.socket = path.join(root, "probe.sock");
    this.node = path.join(toolchain, "node");
    this.entry = path.join(toolchain, "node_modules/code-server/out/node/entry.js");
    this.output = "";
  }

  get #arguments() {
    return ["--config", path.join(this.root, "config.yaml"), "--user-data-dir", this.data, "--extensions-dir", this.extensions];
  }

  get #trust() {
    return this.trusted
      ? { "security.workspace.trust.enabled": false }
      : { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "always" };
  }

  get #env() {
    // Nothing of the developer's own environment: what is found here is found on a fresh host, too.
    return {
      HOME: this.home,
      PATH: `${path.join(this.root, "python/bin")}:/usr/bin:/bin`,
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      FIRSTFAULT_E2E_SOCKET: this.socket,
    };
  }

  async prepare() {
    for (const folder of [this.home, this.extensions, path.join(this.data, "User")]) {
      fs.mkdirSync(folder, { recursive: true });
    }
    fs.writeFileSync(path.join(this.root, "config.yaml"), "bind-addr: 127.0.0.1:0\nauth: none\ncert: false\n");
    // VS Code asks a login shell for the environment, and Debian's /etc/profile sets PATH anew.
    const search = `export PATH=${this.#env.PATH}\n`;
    fs.writeFileSync(path.join(this.home, ".bash_profile"), search);
    fs.writeFileSync(path.join(this.home, ".bashrc"), `${search}PS1='$ '\nunset PROMPT_COMMAND\nHISTFILE=\n`);
    fs.writeFileSync(path.join(this.data, "User/settings.json"), JSON.stringify({ ...SETTINGS, ...this.#trust }, null, 2));
    // A virtual environment without pip has the standard library and nothing else.
    await run(process.env.FIRSTFAULT_E2E_PYTHON ?? "python3", ["-m", "venv", "--without-pip", path.join(this.root, "python")]);
  }

  async install(vsix) {
    const { stdout, stderr } = await run(this.node, [this.entry, ...this.#arguments, "--install-extension", vsix], {
      env: this.#env,
    });
    if (!/successfully installed/.test(stdout)) {
      throw new Error(`could not install ${vsix}:\n${stdout}${stderr}`);
    }
  }

  /** Starts the server; resolves to its address. */
  async start() {
    const options = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
    if (this.trusted) {
      options.push("--disable-workspace-trust");
    }
    this.process = spawn(this.node, [this.entry, ...this.#arguments, ...options, "--disable-getting-started-override"], {
      env: this.#env,
      cwd: this.root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Promise((resolve, reject) => {
      const take = (data) => {
        this.output += data;
        const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(this.output);
        if (found) {
          resolve(found[1]);
        }
      };
      this.process.stdout.on("data", take);
      this.process.stderr.on("data", take);
      this.process.on("exit", (code) => reject(new Error(`code-server ended with ${code}:\n${this.output}`)));
    });
  }

  async stop() {
    if (this.process && this.process.exitCode === null) {
      this.process.removeAllListeners("exit");
      this.process.kill("SIGTERM");
      await Promise.race([once(this.process, "exit"), new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
      this.process.kill("SIGKILL");
    }
  }
}
