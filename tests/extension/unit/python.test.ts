import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import type { Log } from "../../../extension/src/log";
import {
  type InterpreterProvider,
  NoInterpreter,
  Python,
  PythonEnvironments,
  PythonExtension,
  tellNoInterpreter,
} from "../../../extension/src/python";
import { editor, reset } from "./vscodeapi.stub";

const log = { debug() {}, warn() {}, error() {}, info() {}, show() {} } as unknown as Log;
const root = mkdtempSync(join(tmpdir(), "firstfault-"));
for (const name of ["cp310", "cp311", "common"]) {
  mkdirSync(join(root, "bundled", "libs", name), { recursive: true });
}

/** An interpreter for each path; others are not there. */
function world(known: Record<string, string>, providers: InterpreterProvider[] = []) {
  const probe = async (command: string[]) => {
    const version = known[command.join(" ")];
    if (version === undefined) {
      throw Object.assign(new Error("not there"), { code: "ENOENT" });
    }
    const [implementation, number] = version.includes(" ") ? version.split(" ") : ["cpython", version];
    return `${implementation}\n${(number ?? "").split(".").join("\n")}\n${command[0]}\n`;
  };
  return new Python({ root, probe, providers }, log);
}

const provider = (path: string | undefined, name = "extension"): InterpreterProvider => ({
  name,
  current: async () => path,
  onDidChange: () => undefined,
});

beforeEach(reset);

test("the setting comes first, then the extensions, then the PATH", async () => {
  const known = { "/set": "3.11.2", "/env": "3.11.3", python3: "3.10.1" };
  assert.equal((await world(known, [provider("/env")]).find()).executable, "/env");
  assert.equal((await world(known, [provider(undefined)]).find()).executable, "python3");
  editor.settings["firstfault.interpreter"] = "/set";
  assert.equal((await world(known, [provider("/env")]).find()).executable, "/set");
});

test("an environment that does not fit is passed over", async () => {
  const known = { "/old": "3.8.1", "/pypy": "pypy 3.10.1", python3: "3.12.0", python: "3.11.9" };
  const python = world(known, [provider("/old"), provider("/pypy")]);
  assert.equal((await python.find()).executable, "python");
  assert.deepEqual(python.tried, ["/old (is 3.8)", "/pypy (is pypy 3.10)", "python3 (is 3.12)"]);
});

test("a setting that does not fit is said, not passed over", async () => {
  editor.settings["firstfault.interpreter"] = "/nowhere";
  await assert.rejects(
    world({ python3: "3.11.0" }).find(),
    /firstfault\.interpreter names a Python that does not fit: \/nowhere \(not there\)/,
  );
});

test("none at all gives one message with a button", async () => {
  const error = await world({ python3: "3.7.0" })
    .find()
    .then(
      () => undefined,
      (e: unknown) => e,
    );
  assert.ok(error instanceof NoInterpreter);
  assert.equal(error.message, "Firstfault needs CPython 3.10 to 3.11 and found none that fits. Found: python3 (is 3.7).");
  editor.answer = "Open setting";
  await tellNoInterpreter(log, error);
  assert.deepEqual(editor.messages, [error.message]);
  assert.deepEqual(editor.executed, [["workbench.action.openSettings", "firstfault.interpreter"]]);
});

test("in a restricted workspace its own environment is not run", async () => {
  editor.trusted = false;
  assert.equal((await world({ "/env": "3.11.3", python3: "3.10.1" }, [provider("/env")]).find()).executable, "python3");
});

test("a broken Python extension does not matter", async () => {
  const broken: InterpreterProvider = {
    name: "broken",
    current: () => Promise.reject(new Error("no")),
    onDidChange: () => undefined,
  };
  assert.equal((await world({ python3: "3.10.1" }, [broken]).find()).executable, "python3");
});

test("both Python extensions are understood, and neither is needed", async () => {
  assert.equal(await new PythonEnvironments().current(undefined), undefined);
  assert.equal(await new PythonExtension().current(undefined), undefined);
  editor.extensions["ms-python.vscode-python-envs"] = {
    isActive: false,
    activate: async () => ({ getEnvironment: async () => ({ execInfo: { run: { executable: "/a" } } }) }),
  };
  const environments = {
    getActiveEnvironmentPath: () => ({ path: "/b" }),
    resolveEnvironment: async () => ({ executable: { uri: { fsPath: "/b" } } }),
  };
  editor.extensions["ms-python.python"] = { isActive: true, exports: { environments } };
  assert.equal(await new PythonEnvironments().current(undefined), "/a");
  assert.equal(await new PythonExtension().current(undefined), "/b");
});
