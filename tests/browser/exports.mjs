// Opens exported profiles in the programs that read them: speedscope (its own format, folded stacks and
// Chrome's), and
// the loader of the Firefox Profiler.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { browser, json, run, test } from "./common.mjs";

const require = createRequire(import.meta.url);
const reader = path.dirname(require.resolve("speedscope/package.json"));
const firefox = require.resolve("@firefox-devtools/profiler-cli");
const folder = mkdtempSync(path.join(os.tmpdir(), "batt-exports-"));
const file = (name) => path.join(folder, name);
const chrome = await browser();

/** Opens a file in speedscope. Returns its complaints, and the self time of each function. */
async function read(name) {
  const script = `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(readFileSync(file(name)).toString("base64"))})`;
  writeFileSync(file("load.js"), script);
  const page = await chrome.newPage({ viewport: { width: 1200, height: 4000 } });
  const bad = [];
  let imported;
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("Importing as ")) imported = text.slice("Importing as ".length);
    if (/Tried to end|still open|[Ee]rror/.test(text)) bad.push(text);
  });
  page.on("pageerror", (error) => bad.push(error.message));
  page.on("dialog", (dialog) => { bad.push(dialog.message()); dialog.dismiss(); });
  await page.goto(`${pathToFileURL(path.join(reader, "dist/release/index.html")).href}#localProfilePath=${file("load.js")}`);
  await page.getByText("Sandwich").click().catch((error) => { throw new Error(`${name}: ${bad.join("; ") || error.message}`); });
  const rows = await page.locator("tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((it) => it.textContent)));
  await page.close();
  // A row has total, self and name; a time is followed by its share.
  const self = new Map(rows.filter((row) => row.length === 3).map(([, time, name]) => [name, time.replace(/ \(.*/, "")]));
  return { bad, imported, self };
}

/** Asks the Firefox Profiler, which keeps a loaded profile in a separate process until it is stopped. */
function profiler(...args) {
  const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder, PROFILER_CLI_NO_SYMBOLICATE: "1" };
  return execFileSync("node", [firefox, ...args], { encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Compares times: the reader shows two decimals, and a timeline rounds each interval to a nanosecond. */
function same(shown, { name, ns, intervals }) {
  const [, number, unit] = /^([\d.]+)(µs|ms)$/.exec(shown ?? "") ?? assert.fail(`${name}: ${shown}`);
  const scale = unit === "ms" ? 1e6 : 1e3;
  assert(Math.abs(number * scale - ns) <= 0.0051 * scale + intervals, `${name}: ${shown} is not ${ns} ns`);
}

try {
  run("run", "--record", file("run.json"), "--profile", "--events");
  for (const [format, name] of [["speedscope", "run.json.speedscope"], ["folded", "run.txt"], ["chrome", "timeline.json"], ["firefox", "firefox.json"]])
    run("profile", "export", file("run.json"), "--format", format, "-o", file(name));
  const functions = json("profile", "framework", file("run.json")).categories.flatMap((category) => category.functions);
  const main = JSON.parse(readFileSync(file("run.json"), "utf8")).profile;
  const engine = functions.filter((it) => it.phase !== "execute" && it.time > 0);

  await test("folded stacks sum up to the framework view", async () => {
    const { bad, imported, self } = await read("run.txt");
    assert.deepEqual(bad, []);
    assert.equal(imported, "collapsed stack format");
    for (const { name, time } of engine) assert.equal(self.get(name), time.toLocaleString("en-US"), name);
  });

  // Both show one lane at a time, starting with the main thread's.
  const lane = main.lanes[0];
  const booked = lane.between.map(([id, ns, intervals]) => ({ name: main.functions[id].name, ns, intervals })).filter((it) => it.ns >= 1e4);
  for (const [name, format] of [["run.json.speedscope", "speedscope json file"], ["timeline.json", "Trace Event Format profile"]])
    await test(`${format}: the main lane has its times`, async () => {
      const { bad, imported, self } = await read(name);
      assert.deepEqual(bad, []);
      assert.equal(imported, format);
      assert(booked.length > 3);
      for (const it of booked) same(self.get(it.name), it);
    });

  await test("Firefox Profiler: every lane is a thread with its times, in microseconds", () => {
    profiler("load", file("firefox.json"));
    try {
      const threads = JSON.parse(profiler("thread", "list", "--json", "--limit", "0")).threads;
      assert.equal(threads.length, main.lanes.length);
      main.lanes.forEach(({ start, end }, number) => {
        const options = ["--thread", `t-${number}`, "--include-idle", "--limit", "0", "--json"];
        const { weightType, functions } = JSON.parse(profiler("thread", "functions", ...options));
        assert.equal(weightType, "samples");
        assert.equal(functions.reduce((sum, it) => sum + it.selfSamples, 0), Math.floor((end - start) / 1e3));
        if (number > 0) return;
        const self = new Map(functions.map((it) => [it.name, it.selfSamples]));
        for (const { name, ns } of booked) assert(Math.abs(self.get(name) * 1e3 - ns) < 1e3, `${name}: ${self.get(name)} µs is not ${ns} ns`);
      });
    } finally {
      profiler("stop");
    }
  });
} finally {
  await chrome.close();
  rmSync(folder, { recursive: true });
}
