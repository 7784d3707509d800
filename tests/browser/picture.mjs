// Takes the README's screenshots: the report of a solve of the built-in tasks, in light and dark.
// Usage: node picture.mjs LIGHT.png DARK.png

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { browser, run } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-picture-"));
const chrome = await browser();
try {
  const file = (name) => path.join(folder, name);
  run("solve", "--record", file("solve.json"), "-o", file("submission.json"));
  run("report", file("solve.json"));
  for (const [i, colorScheme] of ["light", "dark"].entries()) {
    const page = await chrome.newPage({ viewport: { width: 1240, height: 790 }, colorScheme });
    await page.goto(pathToFileURL(file("solve.html")).href);
    await page.locator(".card").first().waitFor();
    await page.screenshot({ path: process.argv[2 + i] });
  }
} finally {
  await chrome.close();
  rmSync(folder, { recursive: true, force: true });
}
