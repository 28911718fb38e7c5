import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Client } from "../../../extension/src/client";
import { terminalText } from "../../../extension/src/clipboard";
import type { Log } from "../../../extension/src/log";
import { Queued } from "../../../extension/src/queue";
import { type TerminalRun, Terminals } from "../../../extension/src/terminal";
import { OwnCommands, Runner } from "../../../extension/src/verify";
import type { Terminal } from "../../../extension/src/vscodeapi";
import { report } from "./sample";
import { editor, reset, StubTerminal } from "./vscodeapi.stub";

const log = { debug() {}, warn() {}, error() {}, info() {} } as unknown as Log;
beforeEach(reset);

/** A server that keeps what it was sent. */
function server() {
  const sent: [string, Record<string, unknown>][] = [];
  const client = {
    state: "ready",
    request: async (method: string, params: Record<string, unknown>) => {
      sent.push([method.replace("firstfault/stream/", ""), params]);
      return method.endsWith("close") ? { report: report(), reportUri: "firstfault:/report/1.md", unreadable: [] } : {};
    },
  };
  return { client: client as unknown as Client, sent };
}

/** Lets all run that waits for nothing from outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A promise that a test fulfils. */
function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The output as the server was sent it. */
function appended(sent: readonly [string, Record<string, unknown>][]): string {
  const pieces = sent.filter(([method]) => method === "append");
  return pieces.map(([, params]) => params.text).join("");
}

function execution(commandLine: string, pieces: string[]) {
  return {
    commandLine: { value: commandLine },
    async *read() {
      yield* pieces;
    },
  };
}

async function ran(
  terminals: Terminals,
  terminal: StubTerminal,
  commandLine: string,
  pieces: string[],
  exitCode: number | undefined,
) {
  const one = execution(commandLine, pieces);
  const finished = new Promise<TerminalRun>((resolve) => terminals.onDidFinish(resolve));
  editor.started.fire({ terminal, execution: one });
  await settled();
  editor.ended.fire({ terminal, execution: one, exitCode });
  return finished;
}

test("output goes to the server from the first byte, in order, and is closed with the exit code", async () => {
  const { client, sent } = server();
  const terminals = new Terminals(client, log);
  const terminal = new StubTerminal("bash");
  const run = await ran(terminals, terminal, "torchrun train.py", ["\x1b]633;C\x07one\r\n", "two\r\n"], 1);
  assert.deepEqual(
    sent.map(([method]) => method).filter((m, i, all) => m !== all[i - 1]),
    ["open", "append", "close"],
  );
  assert.equal(appended(sent), "\x1b]633;C\x07one\r\ntwo\r\n");
  assert.equal(sent.at(-1)?.[1].exitCode, 1);
  assert.equal(run.answer?.report.verdict, "failure");
  assert.equal(terminals.provideTextDocumentContent(run.uri), "one\ntwo\n");
  assert.match(run.uri.path, /\/torchrun\.log$/);
  assert.equal(terminals.latest(terminal as unknown as Terminal), run);
  terminals.dispose();
});

test("an unknown exit code is sent as unknown", async () => {
  const { client, sent } = server();
  const terminals = new Terminals(client, log);
  await ran(terminals, new StubTerminal("bash"), "( false )", ["x\r\n"], undefined);
  assert.equal(sent.at(-1)?.[1].exitCode, null);
  terminals.dispose();
});

test("output that comes just as the server has answered for all before it goes there, too", async () => {
  const { client, sent } = server();
  const [first, last, answer] = [deferred(), deferred(), deferred()];
  const pieces = [
    first.promise.then(() => ({ value: "first\r\n" })),
    last.promise.then(() => ({ value: "last\r\n" })),
    Promise.resolve({ done: true }),
  ];
  const one = {
    commandLine: { value: "x" },
    read: () => ({ [Symbol.asyncIterator]: () => ({ next: () => pieces.shift() }) }),
  };
  const request = (method: string, params: Record<string, unknown>) => {
    const given = client.request<object>(method, params);
    return params.text === "first\r\n" ? answer.promise : given;
  };
  const terminals = new Terminals({ state: "ready", request } as unknown as Client, log);
  const finished = new Promise<TerminalRun>((resolve) => terminals.onDidFinish(resolve));
  editor.started.fire({ terminal: new StubTerminal("bash"), execution: one });
  await settled();
  first.resolve();
  await settled();
  answer.resolve();
  last.resolve();
  editor.ended.fire({ execution: one, exitCode: 1 });
  await finished;
  assert.equal(appended(sent), "first\r\nlast\r\n");
  terminals.dispose();
});

test("a server that is slower than the command gets all of it before the end", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, sent } = server();
  const big = "x".repeat(2 * 1024 * 1024);
  const slow = deferred();
  const request = async (method: string, params: Record<string, unknown>) => {
    if (method.endsWith("append")) {
      await slow.promise;
    }
    return client.request<object>(method, params);
  };
  const terminals = new Terminals({ state: "ready", request } as unknown as Client, log);
  const finished = new Promise<TerminalRun>((resolve) => terminals.onDidFinish(resolve));
  const one = execution("x", [big, "the last words\r\n"]);
  editor.started.fire({ terminal: new StubTerminal("bash"), execution: one });
  await settled();
  editor.ended.fire({ execution: one, exitCode: 1 });
  for (let waited = 0; waited < 3; waited += 1) {
    await settled();
    context.mock.timers.tick(10_000);
  }
  assert.ok(!sent.some(([method]) => method === "close"), "it is not closed while the server is behind");
  slow.resolve();
  await finished;
  assert.equal(appended(sent), `${big}the last words\r\n`);
  assert.equal(sent.at(-1)?.[0], "close");
  terminals.dispose();
});

test("an output that the shell never ends is closed after a while of silence", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, sent } = server();
  const one = {
    commandLine: { value: "x" },
    async *read() {
      yield "words\r\n";
      await new Promise(() => {});
    },
  };
  const terminals = new Terminals(client, log);
  const finished = new Promise<TerminalRun>((resolve) => terminals.onDidFinish(resolve));
  editor.started.fire({ terminal: new StubTerminal("bash"), execution: one });
  await settled();
  editor.ended.fire({ execution: one, exitCode: 1 });
  for (let waited = 0; waited < 3; waited += 1) {
    await settled();
    context.mock.timers.tick(3_000);
  }
  assert.equal((await finished).answer?.report.verdict, "failure");
  assert.equal(appended(sent), "words\r\n");
  terminals.dispose();
});

test("a server that does not answer loses nothing of what is shown", async () => {
  const client = { state: "failed", request: () => Promise.reject(new Error("the server is not running")) } as unknown as Client;
  const terminals = new Terminals(client, log);
  const run = await ran(terminals, new StubTerminal("bash"), "x", ["kept\r\n"], 1);
  assert.equal(run.answer, undefined);
  assert.equal(run.capture.text(), "kept\n");
  terminals.dispose();
});

test("nothing is read when capture is off", async () => {
  editor.settings["firstfault.terminal.capture"] = false;
  const { client, sent } = server();
  const terminals = new Terminals(client, log);
  const terminal = new StubTerminal("bash");
  editor.started.fire({ terminal, execution: execution("x", ["y"]) });
  assert.deepEqual(sent, []);
  assert.equal(terminals.latest(terminal as unknown as Terminal), undefined);
  terminals.dispose();
});

test("the clipboard is the user's again, also when nothing was copied", async () => {
  const terminal = new StubTerminal("bash");
  editor.clipboard = "what the user had copied";
  editor.copies["workbench.action.terminal.copySelection"] = "all of it";
  assert.equal(await terminalText(terminal as unknown as Terminal), "all of it");
  assert.equal(editor.clipboard, "what the user had copied");
  editor.copies = {};
  assert.equal(await terminalText(terminal as unknown as Terminal), "");
  assert.equal(editor.clipboard, "what the user had copied");
});

test("a command with a risk is run only once its caution was accepted", async () => {
  const terminals = new Terminals(server().client, log);
  const runner = new Runner(terminals, new OwnCommands());
  await runner.run("reboot", "restarts the node");
  assert.deepEqual(editor.messages, ["Run this command?"]);
  assert.equal(editor.terminals.length, 0);
  terminals.dispose();
});

test("values that the log does not give are asked for; without them nothing is run", async () => {
  const terminals = new Terminals(server().client, log);
  const runner = new Runner(terminals, new OwnCommands());
  await runner.run("kill <PID>\n");
  assert.equal(editor.terminals.length, 0);
  editor.input = "12";
  const running = runner.run("kill <PID>\nkill -9 <PID>");
  await settled();
  assert.deepEqual(editor.terminals[0]?.sent, [], "nothing is typed before the shell has its prompt");
  editor.integrationChanged.fire({ terminal: editor.terminals[0], shellIntegration: {} });
  await running;
  assert.deepEqual(editor.terminals[0]?.sent, [["kill 12\nkill -9 12", false]]);
  terminals.dispose();
});

test("in a restricted workspace nothing is run", async () => {
  const terminals = new Terminals(server().client, log);
  editor.trusted = false;
  await new Runner(terminals, new OwnCommands()).run("ls");
  assert.equal(editor.terminals.length, 0);
  terminals.dispose();
});

test("a check is run in a terminal, its output is read back and judged", async () => {
  const terminals = new Terminals(server().client, log);
  const one = execution("nvidia-smi -q", ["Pending : No\r\n"]);
  const judged: string[] = [];
  const verified = new Runner(terminals, new OwnCommands()).verify("nvidia-smi -q", "Pending : No", ({ text }) =>
    judged.push(text),
  );
  await settled();
  const terminal = editor.terminals[0] as StubTerminal;
  editor.integrationChanged.fire({ terminal, shellIntegration: { executeCommand: () => one } });
  await verified;
  editor.started.fire({ terminal, execution: one });
  await settled();
  editor.ended.fire({ terminal, execution: one, exitCode: 0 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(judged, ["Running…", "Pending: No — fixed"]);
  terminals.dispose();
});

test("a restart that is asked for during a restart is done once, after it", async () => {
  let runs = 0;
  const queue = new Queued(async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await Promise.all([queue.run(), queue.run(), queue.run()]);
  assert.equal(runs, 2);
});
