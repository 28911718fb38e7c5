import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Client } from "../../../extension/src/client";
import { editsOf } from "../../../extension/src/edits";
import type { Log } from "../../../extension/src/log";
import { Terminals } from "../../../extension/src/terminal";
import { diagnosis, incident } from "./sample";
import { editor, Range, reset } from "./vscodeapi.stub";

beforeEach(reset);

test("edits are asked for at the line of the first fault, also after progress bars", async () => {
  const terminals = new Terminals({} as Client, {} as Log);
  const asked = async (text: string) => {
    editor.documents["file:/run/rank5.err"] = text;
    const one = incident();
    Object.assign(one.initiator, { source: "/run/rank5.err", line: 2, text: "CUDA out of memory" });
    assert.deepEqual(await editsOf(diagnosis(), one, terminals), []);
    return editor.executed.at(-1);
  };
  const at = (line: number) => ["vscode.executeCodeActionProvider", new Range(line, 0, line, 18), "quickfix"];
  const plain = await asked("start\nCUDA out of memory\nend\n");
  assert.deepEqual(plain?.toSpliced(1, 1), at(1));
  // The server counts line feeds; the editor breaks lines at the returns of the bar, too.
  const bar = await asked("10%\r20%\r30%\nCUDA out of memory\nend\n");
  assert.deepEqual(bar?.toSpliced(1, 1), at(3));
  terminals.dispose();
});
