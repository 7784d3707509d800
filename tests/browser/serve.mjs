// Tests of the local page in a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { accessible, batt, browser, out, test, watched } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-serve-"));
const [runs, elsewhere, store] = ["runs", "elsewhere", "store.sqlite"].map((name) => path.join(folder, name));
mkdirSync(elsewhere);
const chrome = await browser();

/** A free port, so that a restarted server can use it again. */
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

/** Starts a server; its first line of output has the address. */
async function serve() {
  const args = ["serve", "--json", "--port", String(port), "--runs", runs, "--follow", elsewhere, "--store", store];
  const child = spawn(batt, args, { stdio: ["ignore", "pipe", "inherit"] });
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

const open = (part = "", allowed = () => false) => watched(chrome, (it) => it.startsWith(new URL(server.url).origin) || allowed(it)).then(async (opened) => {
  await opened.page.goto(`${server.url}${part}`);
  return opened;
});
/** Whether a browser message is about a server that is gone. */
const gone = (it) => it.includes("ERR_CONNECTION_REFUSED") || it.includes("ERR_INCOMPLETE_CHUNKED_ENCODING") || it.includes("ERR_CONNECTION_RESET");

let server = await serve();
try {
  await test("a run is started, watched, and its report opened", async () => {
    const { page, bad, close } = await open();
    await page.locator("#seconds").fill("20");
    await page.locator("#start").click();
    await page.locator("[data-run] .badge", { hasText: "finished" }).waitFor();
    assert.match(await page.locator("[data-run]").first().textContent(), /(\d+) of \1 tasks done, \1 right/);
    await accessible(page, "runs");
    await page.screenshot({ path: path.join(out, "serve-runs.png") });
    await page.locator("[data-run] a").first().click();
    await page.locator("#stamp").waitFor();
    assert.match(await page.locator("#stamp").textContent(), /programs right/);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the editor underlines mistakes and shows the picture", async () => {
    const { page, bad, close } = await open("#/editor", (it) => it.startsWith("data:image/svg+xml"));
    await page.locator("#text").fill("def solve_rooms(I):\n    return hmiror(I)\n");
    await page.locator(".marks .error", { hasText: "hmiror" }).waitFor();
    assert.match(await page.locator("#problems").textContent(), /did you mean hmirror/);
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
    // Code in the manual is shown as code.
    assert((await page.locator(".manual p code").count()) > 0);
    assert(!(await page.locator("main").textContent()).includes("`"));
    assert.deepEqual(bad, []);
    await close();
  });

  await test("a running search is followed, and the page survives a restart of the server", async () => {
    const source = readFileSync(new URL("../../programs/demo.py", import.meta.url), "utf8");
    let n = 0;
    writeFileSync(path.join(folder, "broken.py"), source.replace(/^    return (.*)$/gm, (line) => (n++ % 2 ? line : "    return crop(I, ORIGIN, UNITY)")));
    const search = spawn(batt, ["search", "--programs", path.join(folder, "broken.py"), "--store", store, "--budget", "10m", "--threads", "1", "--record", path.join(elsewhere, "search.json")], { stdio: "ignore" });
    const ended = new Promise((resolve) => search.on("exit", resolve));
    const { page, bad, close } = await open();
    try {
      const card = page.locator("#elsewhere [data-run]");
      const tried = async () => Number((await card.locator(".counts").textContent()).match(/([\d,]+) candidates/)?.[1].replaceAll(",", "") ?? 0);
      const beyond = async (last) => {
        while ((await tried()) <= last) await page.waitForTimeout(100);
        return tried();
      };
      await card.locator(".badge", { hasText: "running" }).waitFor();
      const [first, second] = [await beyond(0), await beyond(await tried())];
      assert(second > first);
      await accessible(page, "a running search");
      await page.screenshot({ path: path.join(out, "serve-search.png") });
      // Its record is written while it runs, so its report can be opened and follows it.
      await card.locator("a", { hasText: "Report" }).waitFor();
      const report = await page.context().newPage();
      report.on("pageerror", (error) => bad.push(`error: ${error.message}`));
      await report.goto(new URL(await card.locator("a").getAttribute("href"), server.url).href);
      await report.locator("#follow", { hasText: "running" }).waitFor();
      assert.match(await report.locator("#follow").textContent(), /^running: [\d,]+ of [\d,]+ tasks? done, [\d,]+ with an answer$/);
      assert.match(await report.locator("#stamp").textContent(), /✓ valid: a search/);
      await report.close();
      await server.end();
      await page.locator("#lost").waitFor();
      const before = await tried();
      server = await serve();
      await page.locator("#lost").waitFor({ state: "hidden" });
      const after = await beyond(before);
      console.log(`   candidates seen: ${first}, ${second}, ${before} when the server ended, ${after} after it was started again`);
      search.kill("SIGINT");
      await ended;
      await card.locator(".badge", { hasText: "stopped" }).waitFor();
    } finally {
      search.kill("SIGKILL");
    }
    assert.deepEqual(bad.filter((it) => !gone(it)), []);
    await close();
  });

  await test("a solve is paused, and resumes after a restart of the server", async () => {
    const { page, bad, close } = await open();
    await page.locator("#kind").selectOption("solve");
    await page.locator("#seconds").fill("0.15");
    await page.locator("#start").click();
    const card = page.locator("#here [data-run]").first();
    const done = async () => Number((await card.locator(".counts").textContent()).match(/^([\d,]+) of/)[1]);
    const total = async () => Number((await card.locator(".counts").textContent()).match(/of ([\d,]+) tasks/)[1]);
    await card.locator(".badge", { hasText: "running" }).waitFor();
    while ((await done()) === 0) await page.waitForTimeout(20);
    await card.locator("button", { hasText: "Pause" }).click();
    await card.locator(".badge", { hasText: "paused" }).waitFor();
    const paused = await done();
    assert(paused > 0 && paused < (await total()), `paused after ${paused}`);
    await server.end();
    await page.locator("#lost").waitFor();
    server = await serve();
    await page.locator("#lost").waitFor({ state: "hidden" });
    assert.equal(await card.getAttribute("data-state"), "paused");
    assert.equal(await done(), paused);
    await card.locator("button", { hasText: "Resume" }).click();
    await card.locator(".badge", { hasText: "finished" }).waitFor();
    assert.equal(await done(), await total());
    await card.locator("a", { hasText: "Report" }).click();
    await page.locator("#stamp", { hasText: "a solve" }).waitFor();
    assert((await page.locator("svg.plot").count()) > 0, "the curve of the search");
    assert.deepEqual(bad.filter((it) => !gone(it)), []);
    await close();
  });

  await test("the store can be browsed", async () => {
    const { page, bad, close } = await open("#/store");
    await page.locator("h1", { hasText: "Store" }).waitFor();
    await accessible(page, "store");
    await page.screenshot({ path: path.join(out, "serve-store.png") });
    await page.locator("a[href^='#/store/task/']").first().click();
    await page.locator("a[href^='#/store/program/']").first().click();
    await page.locator("#lineage li").first().waitFor();
    await accessible(page, "a stored program");
    await page.screenshot({ path: path.join(out, "serve-program.png") });
    assert.deepEqual(bad, []);
    await close();
  });

  await test("every part fits a phone, light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, bad, close } = await watched(chrome, (it) => it.startsWith(new URL(server.url).origin) || it.startsWith("data:image/svg+xml"), { colorScheme, viewport: { width: 390, height: 844 } });
      for (const part of ["", "store", "data", "manual", "editor"]) {
        await page.goto(`${server.url}#/${part}`);
        await page.locator("main h1").waitFor();
        if (part === "") await page.locator("#here [data-run]").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert(wide <= 0, `${part || "runs"} is ${wide} pixels too wide`);
        if (part !== "manual") await accessible(page, `${part || "runs"} ${colorScheme} on a phone`);
        await page.screenshot({ path: path.join(out, `serve-${part || "runs"}-${colorScheme}-390.png`) });
      }
      assert.deepEqual(bad, []);
      await close();
    }
  });

  await test("runs survive a restart of the server", async () => {
    await server.end();
    server = await serve();
    const { page, bad, close } = await open();
    await page.locator("#here .badge", { hasText: "finished" }).first().waitFor();
    assert.equal(await page.locator("#here [data-run]").count(), 2);
    assert.deepEqual(bad, []);
    await close();
  });
} finally {
  await server.end();
  await chrome.close();
  rmSync(folder, { recursive: true, force: true });
}
