import assert from "node:assert/strict";
import { test } from "node:test";
import { replaced } from "../../../extension/src/preview";

test("a preview is the text after all replacements, in whatever order they come", () => {
  const text = "port GID=1\nport HCA=mlx5\n";
  const first = { start: 9, end: 10, text: "3" };
  const second = { start: 20, end: 24, text: "" };
  assert.equal(replaced(text, [first, second]), "port GID=3\nport HCA=\n");
  assert.equal(replaced(text, [second, first]), "port GID=3\nport HCA=\n");
  assert.equal(replaced(text, [{ start: 0, end: 0, text: "export " }]), `export ${text}`);
});
