// The local page in a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { accessible, batt, browser, out, test, watched } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-serve-"));
const chrome = await browser();

/** A server of its own; the address comes on its first line. */
async function serve() {
  const child = spawn(batt, ["serve", "--json", "--runs", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const first = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text);
    });
    child.on("exit", () => reject(new Error("the server ended")));
  });
  const { url } = JSON.parse(first);
  return { url, end: () => new Promise((resolve) => { child.on("exit", resolve); child.kill("SIGKILL"); }) };
}

let server = await serve();
try {
  await test("a run is started, watched, and its report opened", async () => {
    const { page, bad, close } = await watched(chrome, (it) => it.startsWith(new URL(server.url).origin));
    await page.goto(server.url);
    await page.locator("#start").click();
    await page.locator("[data-run] .badge", { hasText: "finished" }).waitFor();
    assert.match(await page.locator("[data-run]").first().textContent(), /(\d+) of \1 tasks, \1 solved/);
    await accessible(page, "runs");
    await page.screenshot({ path: path.join(out, "serve-runs.png") });
    await page.locator("[data-run] a").first().click();
    await page.locator("#stamp").waitFor();
    assert.match(await page.locator("#stamp").textContent(), /programs right/);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the editor underlines mistakes and shows the picture", async () => {
    const { page, bad, close } = await watched(chrome, (it) => it.startsWith(new URL(server.url).origin) || it.startsWith("data:image/svg+xml"));
    await page.goto(`${server.url}#/editor`);
    await page.locator("#text").fill("def solve_rooms(I):\n    return hmiror(I)\n");
    await page.locator(".marks .error", { hasText: "hmiror" }).waitFor();
    assert.match(await page.locator("#problems").textContent(), /did you mean `hmirror`/);
    await page.locator("#text").fill("def solve_rooms(I):\n    return hmirror(I)\n");
    await page.locator("#picture img").waitFor();
    assert(await page.locator("#picture img").evaluate((image) => image.decode().then(() => image.naturalWidth > 50)));
    await accessible(page, "editor");
    await page.screenshot({ path: path.join(out, "serve-editor.png") });
    for (const part of ["data", "manual"]) {
      await page.goto(`${server.url}#/${part}`);
      await page.locator("h1", { hasText: part === "data" ? "Data sets" : "Primitives" }).waitFor();
      await accessible(page, part);
    }
    assert.deepEqual(bad, []);
    await close();
  });

  await test("runs outlive the server", async () => {
    await server.end();
    server = await serve();
    const { page, bad, close } = await watched(chrome, (it) => it.startsWith(new URL(server.url).origin));
    await page.goto(server.url);
    await page.locator("[data-run] .badge", { hasText: "finished" }).waitFor();
    assert.deepEqual(bad, []);
    await close();
  });
} finally {
  await server.end();
  await chrome.close();
  rmSync(folder, { recursive: true, force: true });
}
