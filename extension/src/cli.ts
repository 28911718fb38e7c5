// The command line of Firstfault, for what an encyclopedia is asked: lists, tables, explanations.
import { execFile } from "node:child_process";
import type { Client } from "./client";

const LONGEST = 30_000;
const MOST_BYTES = 32 * 1024 * 1024;

export class CommandLine {
  constructor(
    private readonly client: Client,
    private readonly root: string,
  ) {}

  /** What a command prints; throws the reason that it gives. */
  async run(...args: string[]): Promise<string> {
    const [file = "python3", ...before] = (await this.client.found()).command;
    const all = [...before, "-I", "-X", "utf8", this.client.boot, ...args];
    return new Promise((resolve, reject) => {
      execFile(
        file,
        all,
        { cwd: this.root, timeout: LONGEST, maxBuffer: MOST_BYTES, windowsHide: true },
        (error, stdout, stderr) => {
          // Code 1 is an answer too, as of grep.
          if (error && error.code !== 1) {
            reject(new Error(stderr.trim().split("\n").at(-1) || error.message));
          } else {
            resolve(stdout);
          }
        },
      );
    });
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run(...args, "--format", "json")) as T;
  }
}
