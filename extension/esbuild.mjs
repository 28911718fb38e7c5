// Bundles the extension into one file, and its unit tests with a stub in the place of the editor.
//   node extension/esbuild.mjs [--production] [--watch]      extension/dist/extension.js
//   node extension/esbuild.mjs --tests                       extension/dist/tests/*.test.js
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const unit = join(here, "..", "tests", "extension", "unit");
const production = process.argv.includes("--production");

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
};

/** In tests every module gets the stub where it asks for the seam. */
const stubbed = {
  name: "stubbed-editor",
  setup(build) {
    const stub = () => ({ path: join(unit, "vscodeapi.stub.ts") });
    build.onResolve({ filter: /\/vscodeapi$/ }, stub);
    build.onResolve({ filter: /^vscode$/ }, stub);
  },
};

if (process.argv.includes("--tests")) {
  const outdir = join(here, "dist", "tests");
  rmSync(outdir, { recursive: true, force: true });
  await esbuild.build({
    ...common,
    entryPoints: readdirSync(unit)
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(unit, name)),
    outdir,
    sourcemap: "inline",
    plugins: [stubbed],
  });
} else {
  const options = {
    ...common,
    entryPoints: [join(here, "src", "extension.ts")],
    outfile: join(here, "dist", "extension.js"),
    external: ["vscode"],
    minify: production,
    sourcemap: production ? false : "linked",
  };
  if (process.argv.includes("--watch")) {
    await (await esbuild.context(options)).watch();
  } else {
    await esbuild.build(options);
  }
}
