// The command line of Firstfault, for what an encyclopedia is asked: lists, tables, explanations.
import { execFile } from "node:child_process";
import type { Client } from "./client";
import { invocation } from "./python";

const LONGEST = 30_000;
const MOST_BYTES = 32 * 1024 * 1024;

export class CommandLine {
  private readonly answers = new Map<string, Promise<unknown>>();

  constructor(
    private readonly client: Client,
    private readonly root: string,
  ) {}

  /** What a command prints; throws the reason that it gives. */
  async run(...given: string[]): Promise<string> {
    const { command, args, options } = invocation(this.root, await this.client.found(), ...given);
    return new Promise((resolve, reject) => {
      execFile(
        command,
        args,
        { ...options, timeout: LONGEST, maxBuffer: MOST_BYTES, windowsHide: true },
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

  /** What a command prints as JSON; asked once, for the encyclopedia does not change while it is open. */
  json<T>(...args: string[]): Promise<T> {
    const key = args.join("\0");
    let answer = this.answers.get(key);
    if (!answer) {
      answer = this.run(...args, "--format", "json").then((text) => JSON.parse(text));
      answer.catch(() => this.answers.delete(key));
      this.answers.set(key, answer);
    }
    return answer as Promise<T>;
  }
}
