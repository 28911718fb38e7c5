import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ago, History } from "../../../extension/src/history";
import type { Log } from "../../../extension/src/log";
import { tablePage } from "../../../extension/src/pages";
import type { Memento } from "../../../extension/src/vscodeapi";
import { diagnosis } from "./sample";
import { editor, reset, Uri } from "./vscodeapi.stub";

const log = { debug() {}, warn() {} } as unknown as Log;
beforeEach(reset);

function history(storage: Uri | undefined = Uri.file("/storage")): History {
  const kept = new Map<string, unknown>();
  const state = {
    get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise,
    update: async (key: string, value: unknown) => kept.set(key, value),
  };
  return new History(state as unknown as Memento, storage as never, log);
}

test("a diagnosis can be opened again, also without a folder", async () => {
  for (const one of [history(), history(undefined)]) {
    await one.add(diagnosis({ id: "a" }));
    assert.equal((await one.open("a"))?.title, "torchrun train.py");
    assert.deepEqual([...one.seen], ["cuda/out-of-memory"]);
  }
});

test("the same answer for the same command is one entry", async () => {
  const one = history();
  await one.add(diagnosis({ id: "a" }));
  await one.add(diagnosis({ id: "b" }));
  await one.add(diagnosis({ id: "c", title: "other" }));
  assert.deepEqual(
    one.all.map((entry) => entry.id),
    ["c", "b"],
  );
  assert.equal(one.getTreeItem(one.all[0] as never).label, "Rank 5: CUDA out of memory");
});

test("no more than the setting says are kept, and clearing leaves nothing", async () => {
  editor.settings["firstfault.history.size"] = 2;
  const one = history();
  for (const id of ["a", "b", "c"]) {
    await one.add(diagnosis({ id, title: id }));
  }
  assert.deepEqual(Object.keys(editor.documents).length, 2);
  await one.clear();
  assert.deepEqual([one.all.length, Object.keys(editor.documents).length], [0, 0]);
});

test("times are told as one says them", () => {
  assert.deepEqual([0, 60_000, 7_200_000, 200_000_000].map(ago), ["now", "1 minute ago", "2 hours ago", "2 days ago"]);
});

test("a table of codes stays a table, whatever a cell holds", () => {
  const row = {
    code: "7|9",
    name: "A_B",
    meaning: "a | b <x>\nc",
    kind: "cause",
    severity: "error",
    action: null,
    applies_to: null,
    source: "NVIDIA",
  };
  const page = tablePage("xid", [row]);
  assert.match(page, /^\| \*\*7\\\|9\*\* \| error \| a \\\| b &lt;x> c \| yes \| A_<wbr>B \|$/m);
  assert.match(page, /^Source: NVIDIA$/m);
});
