// Bundles CodeMirror into codemirror.js and collects the licences of its packages in codemirror.licences.txt.
// Both files are the same wherever they are built, because package-lock.json pins every package by its hash.
// With a folder as argument, the files are written there.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? here;

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["codemirror-entry.js"],
  outfile: path.join(target, "codemirror.js"),
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "CodeMirror",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  banner: { js: "// CodeMirror 6, see codemirror.licences.txt. Built by build.mjs; do not edit." },
  metafile: true,
});

const inputs = Object.keys(metafile.inputs).map((file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]);
const packages = [...new Set(inputs.filter((name) => name !== undefined))].sort();
const licences = packages.map((name) => {
  const folder = path.join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(path.join(folder, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(path.join(target, "codemirror.licences.txt"), licences.join(`\n${"-".repeat(72)}\n\n`));
