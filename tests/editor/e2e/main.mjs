// Runs the stories one after the other in one editor. Words on the command line choose among the files in stories/.
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { FAILED, measure, printMeasured, Session, SHOTS, vsix } from "./lib/session.mjs";

const STORIES = path.join(path.dirname(new URL(import.meta.url).pathname), "stories");
const wanted = process.argv.slice(2);
const files = fs
  .readdirSync(STORIES)
  .filter((file) => file.endsWith(".mjs") && (wanted.length === 0 || wanted.some((word) => file.includes(word))))
  .sort();

let session;

/** A story: what the user does, told by its name; each starts with a tidy window. */
function story(name, body) {
  test(name, { timeout: 120_000 }, async (context) => {
    await session.bench.reset();
    try {
      await body(session, context);
    } catch (error) {
      await session.keepFailure(name);
      throw error;
    }
  });
}

before(
  async () => {
    fs.rmSync(FAILED, { recursive: true, force: true });
    fs.mkdirSync(SHOTS, { recursive: true });
    session = await Session.start({
      toolchain: process.env.FIRSTFAULT_E2E_TOOLCHAIN,
      root: process.env.FIRSTFAULT_E2E_ROOT,
      vsix: vsix(),
    });
  },
  { timeout: 180_000 },
);

after(async () => {
  const ready = /the server is ready after (\d+) ms/.exec(session?.log() ?? "");
  if (ready) {
    measure("language server ready, first start", Number(ready[1]) / 1000, "s");
  }
  await session?.stop();
  printMeasured();
});

for (const file of files) {
  const { default: tell } = await import(path.join(STORIES, file));
  tell(story);
}
