// Takes the README's screenshot: the report of the built-in run. Usage: node picture.mjs FILE.png

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { browser, run } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-picture-"));
const chrome = await browser();
try {
  const report = path.join(folder, "demo.html");
  run("run", "--report", report);
  const page = await chrome.newPage({ viewport: { width: 1180, height: 760 } });
  await page.goto(`${pathToFileURL(report).href}#/tasks`);
  await page.locator(".card").first().waitFor();
  await page.screenshot({ path: process.argv[2] });
} finally {
  await chrome.close();
  rmSync(folder, { recursive: true, force: true });
}
