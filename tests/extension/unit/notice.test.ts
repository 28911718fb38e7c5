import assert from "node:assert/strict";
import { test } from "node:test";
import { isIgnored, isTestRunner, isViewer, key, program } from "../../../extension/src/commandline";
import { notice, sentence, statusText } from "../../../extension/src/notice";
import type { TerminalSettings } from "../../../extension/src/settings";
import { healthy, incident, report } from "./sample";

const settings: TerminalSettings = { capture: true, notifications: "failures", ignoredCommands: [], maximumMegabytes: 8 };
const failed = (commandLine: string, exitCode: number | undefined = 1) => ({ commandLine, exitCode });

test("a command is called what its user calls it", () => {
  const cases: Record<string, string> = {
    "torchrun --nproc-per-node 8 train.py": "torchrun",
    "CUDA_VISIBLE_DEVICES=0 python3 -u src/train.py --lr 1": "train.py",
    "python -m torch.distributed.run train.py": "torch.distributed.run",
    "sudo -E /opt/venv/bin/torchrun x.py": "torchrun",
    "cd run && srun -n 4 train": "srun",
    "python -c 'raise SystemExit(1)'": "python",
    "python3 masked.py | tee out.txt": "masked.py",
    "": "The command",
  };
  for (const [line, name] of Object.entries(cases)) {
    assert.equal(program(line), name, line);
  }
});

test("a failed command whose output tells why is notified of", () => {
  assert.equal(notice(failed("torchrun train.py"), report(), settings, false), "notification");
  assert.equal(notice(failed("torchrun train.py | tee log", 0), report(), settings, false), "notification");
  assert.equal(notice(failed("torchrun train.py", undefined), report(), settings, false), "notification");
});

test("Ctrl-C is no failure, whatever the output says", () => {
  assert.equal(notice(failed("torchrun train.py", 130), report(), settings, false), "none");
  assert.equal(notice({ ...failed("torchrun train.py", 1), interrupted: true }, report(), settings, false), "none");
});

test("nothing is said where nothing was found", () => {
  assert.equal(notice(failed("grep x y"), healthy(), settings, false), "none");
});

test("failing tests are the test runner's business; its crash is not", () => {
  for (const line of [
    "pytest -x",
    "python -m pytest",
    "npm test",
    "npm run test:unit",
    "go test ./...",
    "cargo test",
    "make test",
  ]) {
    assert.equal(isTestRunner(line), true, line);
    assert.equal(notice(failed(line, 1), report(), settings, false), "status", line);
  }
  assert.equal(notice(failed("pytest -x", 139), report(), settings, false), "notification");
  assert.equal(isTestRunner("python test.py"), false);
});

test("showing a log is no failure", () => {
  assert.equal(isViewer("cat train.log | head"), true);
  assert.equal(notice(failed("tail -f train.log", 0), report(), settings, false), "none");
});

test("no notification while the panel of the same run is open, for ignored commands, or when switched off", () => {
  assert.equal(notice(failed("torchrun train.py"), report(), settings, true), "status");
  assert.equal(notice(failed("make run"), report(), { ...settings, ignoredCommands: ["make run"] }, false), "status");
  assert.equal(notice(failed("torchrun train.py"), report(), { ...settings, notifications: "never" }, false), "status");
});

test("an ignored command is named by its beginning, by whole words", () => {
  assert.equal(key("python3 -u train.py --lr 1"), "python3");
  assert.equal(key("python3 train.py --lr 1"), "python3 train.py");
  assert.equal(key("python -m torch.distributed.run train.py"), "python -m torch.distributed.run");
  assert.equal(isIgnored("FOO=1 python3 train.py --lr 2", ["python3 train.py"]), true);
  assert.equal(isIgnored("python3 train.pyx", ["python3 train.py"]), false);
});

test("the sentence says what failed, who, and what", () => {
  assert.equal(sentence(failed("torchrun train.py"), report()), "torchrun failed — rank 5: CUDA out of memory");
  assert.match(sentence(failed("torchrun train.py", 0), report()), /^torchrun ended with 0, but failed — /);
  const open = report({ verdict: "undetermined", incidents: [incident({ status: "undetermined" })] });
  assert.match(sentence(failed("torchrun train.py"), open), /not settled, best candidate rank 5: CUDA out of memory$/);
  assert.equal(statusText(failed("torchrun train.py"), report()), "torchrun failed: rank 5 · CUDA out of memory");
});
