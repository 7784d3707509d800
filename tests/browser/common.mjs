// Shared by the browser tests: the binary under test, and a browser page that reports errors.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const here = path.dirname(fileURLToPath(import.meta.url));
const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The binary under test; `BATT` names another. */
export const batt = process.env.BATT ?? path.join(here, "../../target/debug/batt");
export const out = process.env.BROWSER_OUT ?? path.join(here, "out");
mkdirSync(out, { recursive: true });

/** Runs `batt`. Exit code 1 (the answer is no) is not an error. */
export function run(...args) {
  try {
    return execFileSync(batt, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw new Error(`batt ${args.join(" ")}: ${error.stderr}`);
  }
}

export const json = (...args) => JSON.parse(run(...args, "--json"));

export async function browser() {
  const executablePath = CANDIDATES.find((it) => it && existsSync(it));
  assert(executablePath, "no chromium: install Debian's package chromium, or name one in CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** Opens a page that collects all errors and all requests. `allowed` decides which requests are fine. */
export async function watched(browser, allowed, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // A busy machine must not fail the tests.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const bad = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) bad.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => bad.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!allowed(request.url())) bad.push(`request: ${request.url()}`);
  });
  return { page, bad, close: () => context.close() };
}

/** Checks the rules of axe-core. It is injected by the debugger, because the page's policy allows no other script. */
export async function accessible(page, where) {
  const session = await page.context().newCDPSession(page);
  const { readFileSync } = await import("node:fs");
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: readFileSync(axeSource, "utf8") });
  assert.equal(exceptionDetails, undefined);
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document).then((r) => JSON.stringify(r.violations.map((v) => v.id + ": " + v.help + " — " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  assert.deepEqual(JSON.parse(result.value), [], `axe on ${where}`);
}

let done = 0;
export async function test(name, body) {
  const start = performance.now();
  await body();
  done += 1;
  console.log(`ok ${done} ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}
