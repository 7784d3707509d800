// Tests of the local page in a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { accessible, batt, browser, json, out, test, watched } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-serve-"));
const [runs, elsewhere, store, programs, tasks] = ["runs", "elsewhere", "store.sqlite", "programs", "own-tasks"].map((name) => path.join(folder, name));
for (const it of [elsewhere, programs, tasks]) mkdirSync(it);
// The largest grid that a task can have, with many objects.
const large = (seed) => Array.from({ length: 30 }, (_, y) => Array.from({ length: 30 }, (_, x) => ((x * 7 + y * 13 + x * y * seed) % 11 < 4 ? 1 + ((x >> 2) + (y >> 2) + seed) % 9 : 0)));
const mirrored = (grid) => grid.map((row) => [...row].reverse());
writeFileSync(path.join(tasks, "large.json"), JSON.stringify({ train: [1, 2, 3].map((seed) => ({ input: large(seed), output: mirrored(large(seed)) })), test: [{ input: large(4), output: mirrored(large(4)) }] }));
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
  const args = ["serve", "--json", "--port", String(port), "--runs", runs, "--follow", elsewhere, "--store", store, "--programs", programs, "--data", tasks];
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

const open = (part = "") => watched(chrome, (it) => it.startsWith(new URL(server.url).origin)).then(async (opened) => {
  await opened.page.goto(`${server.url}${part}`);
  return opened;
});
/** Returns the text in the editor. */
const typed = (page) => page.evaluate(() => JSON.parse(sessionStorage.getItem("arcbatt draft")).text);
/** Replaces the text in the editor by typing. */
async function write(page, text) {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}
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

  await test("the editor begins with a right program and shows the value of every line", async () => {
    const { page, bad, close } = await open("#/editor");
    await page.locator("#checked", { hasText: "Right on 4 of 4 pairs" }).waitFor();
    assert.equal(await page.locator(".verdict.right").count(), 4);
    // The values are those of `batt eval --trace`, for every pair.
    const text = await typed(page);
    const file = path.join(folder, "example.py");
    writeFileSync(file, text);
    const pairs = json("eval", file, "kaleidoscope", "--trace").runs;
    for (const [k, { trace }] of pairs.entries()) {
      await page.locator(".verdict input").nth(k).check();
      const shape = (rows) => `${rows.length}×${rows[0].length} grid: ${rows.length} by ${rows[0].length}`;
      for (const { line, value } of trace) await page.locator(`.value[data-line="${line}"] svg[aria-label="${shape(value)}"]`).waitFor();
      for (const { line, value } of trace) {
        const colors = await page.locator(`.value[data-line="${line}"] svg path[fill^="#"]`).evaluateAll((paths) => paths.length);
        assert.equal(colors, new Set(value.flat()).size, `pair ${k}, line ${line}`);
      }
    }
    await accessible(page, "editor");
    await page.screenshot({ path: path.join(out, "serve-editor.png") });
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the editor completes, explains, underlines, keeps the last good pictures, and formats", async () => {
    const { page, bad, close } = await open("#/editor");
    await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
    await write(page, "def solve_kaleidoscope(I):\nx1 = vmirror(I)\nx2 = hconcat(I, x1)\nx3 = hmir");
    // Completion shows signature and documentation.
    await page.locator(".cm-tooltip-autocomplete li[aria-selected]", { hasText: "hmirror(piece: Piece) -> Piece" }).waitFor();
    await page.locator(".cm-completionInfo", { hasText: "Swaps top and bottom" }).waitFor();
    assert((await page.locator(".cm-completionInfo svg.grid").count()) > 0, "the examples have pictures");
    await accessible(page, "completion");
    // A fresh list ignores keys for a moment, so that typing does not accept it by accident.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await page.keyboard.type("(x2");
    await page.keyboard.press("End");
    await page.keyboard.type("\nx4 = x3");
    await page.locator('.value[data-line="5"]').waitFor();
    assert.equal(await page.locator(".cm-tooltip-autocomplete").count(), 0, "a whole name needs no completion");
    await page.keyboard.type("\nreturn vconcat(x2,x4)");
    await page.locator("#checked", { hasText: "Right on 4 of 4 pairs" }).waitFor();
    assert.equal(await page.locator(".value:not(.stale)").count(), 6);
    await page.locator("#format").click();
    await page.locator("#saved", { hasText: "Formatted" }).waitFor();
    assert.match(await typed(page), /^    return vconcat\(x2, x4\)$/m);
    await page.locator(".cm-line .tok-primitive", { hasText: "vconcat" }).hover();
    await page.locator(".cm-tooltip-hover .doc", { hasText: "vconcat(" }).waitFor();
    await page.mouse.move(0, 0);
    // An error keeps the pictures of the lines below it, marked as old.
    const good = await page.locator(".value").count();
    await page.locator(".cm-line", { hasText: "x3 = hmirror" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type("\nx5 = hmiror(x3)");
    await page.locator(".cm-lintRange-error", { hasText: "hmiror" }).waitFor();
    assert.match(await page.locator("#problems").textContent(), /did you mean hmirror/);
    await page.locator("#checked", { hasText: "1 error" }).waitFor();
    assert.equal(await page.locator(".value").count(), good);
    assert.equal(await page.locator("figure.stale").count(), 1, "the last answer stays");
    assert.equal(await page.locator(".value.stale").count(), 0, "no line with a value needs the wrong one");
    await page.locator(".cm-line", { hasText: "x2 = hconcat" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(" oops");
    await page.locator(".value.stale").first().waitFor();
    assert.equal(await page.locator(".value").count(), good);
    // The lines above the error are not old.
    for (const line of ["1", "2"]) assert.equal(await page.locator(`.value[data-line="${line}"]:not(.stale)`).count(), 1);
    await accessible(page, "editor with an error");
    await page.screenshot({ path: path.join(out, "serve-editor-error.png") });
    // A name that is not ASCII must not move the underline.
    await write(page, "# größer ☃\ndef f(I):\nreturn hmiror(I)");
    await page.locator(".cm-lintRange-error", { hasText: /^hmiror$/ }).waitFor();
    assert.deepEqual(bad, []);
    await close();
  });

  await test("programs are saved in files and in the store, and nothing is replaced without a question", async () => {
    const { page, bad, close } = await open("#/editor");
    await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
    const file = path.join(programs, "mine.py");
    writeFileSync(file, "# older\n");
    const save = async () => {
      await page.locator("#save").click();
      await page.locator("dialog input").fill("mine.py");
      await page.locator("dialog button", { hasText: "Save" }).click();
      await page.locator("dialog", { hasText: "exists already" }).waitFor();
    };
    await save();
    await accessible(page, "a question");
    await page.locator("dialog button", { hasText: "Cancel" }).click();
    await page.locator("#saved", { hasText: "exists already" }).waitFor();
    assert.equal(readFileSync(file, "utf8"), "# older\n");
    await save();
    await page.locator("dialog button", { hasText: "Replace" }).click();
    await page.locator("#saved", { hasText: "Saved as" }).waitFor();
    assert.equal(readFileSync(file, "utf8"), await typed(page));
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# more");
    await page.locator("#file", { hasText: "mine.py *" }).waitFor();
    await page.keyboard.press("Control+s");
    await page.locator("#file", { hasText: /mine\.py$/ }).waitFor();
    assert.match(readFileSync(file, "utf8"), /# more/);
    await page.locator("#save-store").click();
    await page.locator("#saved", { hasText: "Added solve_kaleidoscope" }).waitFor();
    // The text survives a visit of another part, and a file is opened again.
    await page.locator("nav a", { hasText: "Primitives" }).click();
    await page.locator("h1", { hasText: "Primitives" }).waitFor();
    await page.locator("nav a", { hasText: "Editor" }).click();
    await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
    assert.match(await typed(page), /# more/);
    await page.locator("#new").click();
    await page.locator(".cm-line", { hasText: "identity" }).waitFor();
    await page.locator("#open").click();
    await page.locator("dialog button", { hasText: "mine.py" }).click();
    await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
    assert.deepEqual(bad.filter((it) => !it.includes("409")), []);
    await close();
  });

  await test("a task is picked by its picture, and values follow the typing on 30×30 grids", async () => {
    const { page, bad, close } = await open("#/editor");
    await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
    await page.locator("#task").click();
    await page.locator("dialog.picker .thumb svg.grid").first().waitFor();
    await accessible(page, "the picker");
    await page.screenshot({ path: path.join(out, "serve-picker.png") });
    await page.locator("dialog.picker select").selectOption("own-tasks");
    await page.locator("dialog.picker .thumb[aria-label=large]").click();
    await page.locator("#task", { hasText: "large" }).waitFor();
    await page.locator(".cm-line", { hasText: "def solve_large(I)" }).waitFor();
    await write(page, ["def solve_large(I):", "x1 = objects(I, T, F, T)", "x2 = merge(x1)", "x3 = colorfilter(x1, THREE)", "x4 = ofcolor(I, FOUR)", "x5 = sizefilter(x1, ONE)",
      "x6 = underfill(I, TWO, x4)", "x7 = argmax(x1, size)", "x8 = toindices(x7)", "x9 = hmirror(I)", "O = vmirror(I)", "return O"].join("\n"));
    await page.locator("#checked", { hasText: "Right on 4 of 4 pairs" }).waitFor();
    assert.equal(await page.locator(".value").count(), 11);
    // A new key aborts the check before it.
    let held = () => {};
    const aborted = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/check"));
    await page.route("**/api/check", async (route) => {
      await new Promise((resolve) => { held = resolve; });
      await route.continue().catch(() => {});
    }, { times: 1 });
    await page.keyboard.type("#");
    await page.waitForTimeout(100);
    await page.keyboard.type(" now");
    assert.match((await aborted).failure().errorText, /ABORTED/);
    held();
    await page.locator("#checked", { hasText: "Right on 4 of 4 pairs" }).waitFor();
    await page.evaluate(() => {
      window.latencies = [];
      const host = document.querySelector(".editor-host");
      new MutationObserver(() => window.latencies.push(Number(host.getAttribute("data-latency")))).observe(host, { attributeFilter: ["data-latency"] });
    });
    await page.locator(".cm-line", { hasText: "x6" }).click();
    await page.keyboard.press("End");
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Backspace");
      await page.waitForTimeout(150);
      await page.keyboard.type(i % 2 ? "4" : "5");
      await page.keyboard.press("End");
      await page.waitForTimeout(150);
    }
    const latencies = (await page.evaluate(() => window.latencies)).sort((a, b) => a - b);
    console.log(`   from a key to new pictures on 30×30 grids: median ${latencies[latencies.length >> 1]} ms, longest ${latencies.at(-1)} ms, ${latencies.length} checks`);
    assert(latencies.length > 0);
    await page.screenshot({ path: path.join(out, "serve-editor-large.png") });
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the keyboard alone leads from a run to its task and to the editor", async () => {
    const { page, bad, close } = await open();
    await page.locator("#here [data-run] a").first().waitFor();
    /** Presses Tab until an element has the focus. */
    const tab = async (selector, text = "") => {
      for (let i = 0; i < 300; i++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(([selector, text]) => document.activeElement?.matches(selector) && document.activeElement.textContent.includes(text), [selector, text])) return;
      }
      assert.fail(`Tab does not reach ${selector} ${text}`);
    };
    await tab("#here [data-run] a", "Report");
    await page.keyboard.press("Enter");
    await page.locator("#stamp").waitFor();
    await tab("nav a", "Tasks");
    await page.keyboard.press("Enter");
    await page.locator("a.card").first().waitFor();
    await tab("a[href^='#/task/']", "");
    const id = decodeURIComponent((await page.evaluate(() => document.activeElement.getAttribute("href"))).slice("#/task/".length));
    await page.keyboard.press("Enter");
    await page.locator(".to-editor a").waitFor();
    await tab(".to-editor a", "Open in the editor");
    await page.keyboard.press("Enter");
    await page.locator("#task", { hasText: id }).waitFor();
    await page.locator(".cm-line", { hasText: `def solve_${id}` }).waitFor();
    await page.locator("#checked", { hasText: "Right on" }).waitFor();
    await tab(".cm-content");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# by hand");
    await page.locator(".cm-line", { hasText: "# by hand" }).waitFor();
    // The text is not a trap.
    await page.keyboard.press("Escape");
    await tab(".verdict input");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator(".verdict input:checked").getAttribute("value"), "1");
    assert.deepEqual(bad, []);
    await close();
  });

  await test("runs are renamed, compared and deleted", async () => {
    const { page, bad, close } = await open();
    await page.locator("#start").click();
    const first = page.locator("#here [data-run]").first();
    await page.locator("#here h3", { hasText: "run demo 2" }).waitFor();
    await first.locator(".badge", { hasText: "finished" }).waitFor();
    assert.match(await first.locator("time").textContent(), /20\d\d/);
    await first.locator("button", { hasText: "Rename" }).click();
    await page.locator("dialog input").fill("after <i>all</i>");
    await page.keyboard.press("Enter");
    await page.locator("#here h3", { hasText: "after <i>all</i>" }).waitFor();
    for (const k of [0, 1]) await page.locator("#here [data-run] input").nth(k).check();
    await accessible(page, "runs to compare");
    await page.locator("#comparison a", { hasText: "Compare run demo with after <i>all</i>" }).click();
    await page.locator("nav a[aria-current]", { hasText: "Comparison" }).waitFor();
    await page.locator("nav a", { hasText: "Runs" }).click();
    await first.locator("button", { hasText: "Delete" }).click();
    await page.locator("dialog", { hasText: "cannot be undone" }).waitFor();
    await page.locator("dialog button", { hasText: "Cancel" }).click();
    const name = await first.getAttribute("data-run");
    assert(existsSync(path.join(runs, name, "record.json")));
    await first.locator("button", { hasText: "Delete" }).click();
    await page.locator("dialog button", { hasText: "Delete" }).click();
    await page.locator(`[data-run="${name}"]`).waitFor({ state: "detached" });
    assert(!existsSync(path.join(runs, name)));
    assert.deepEqual(bad, []);
    await close();
  });

  await test("data sets are galleries whose pictures are loaded while scrolling", async () => {
    const { page, bad, close } = await open("#/data");
    await page.locator("a", { hasText: "own-tasks" }).waitFor();
    await accessible(page, "data");
    await page.locator("main a", { hasText: /^demo$/ }).click();
    const drawn = () => page.locator(".gallery li:has(svg.grid)").count();
    await page.locator(".gallery svg.grid").first().waitFor();
    const cards = await page.locator(".gallery li").count();
    await page.waitForTimeout(500);
    assert((await drawn()) < cards, "only the visible part is loaded");
    await page.locator(".gallery li").last().scrollIntoViewIfNeeded();
    await page.locator(".gallery li:last-child svg.grid").first().waitFor();
    await accessible(page, "a gallery");
    await page.locator("main input[type=search]").fill("kalei");
    await page.locator(".gallery a", { hasText: "kaleidoscope" }).click();
    await page.locator("h1", { hasText: "kaleidoscope" }).waitFor();
    assert.equal(await page.locator(".pair").count(), 4);
    await accessible(page, "a task");
    await page.locator("main a", { hasText: "Open in the editor" }).click();
    await page.locator("#checked", { hasText: "Right on 4 of 4 pairs" }).waitFor();
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the manual is searched, and draws its examples", async () => {
    const { page, bad, close } = await open("#/manual");
    await page.locator(".manual").first().waitFor();
    assert(!(await page.locator("main").textContent()).includes("`"), "code is shown as code");
    await page.keyboard.press("/");
    await page.keyboard.type("90 degrees clockwise");
    await page.locator("#found", { hasText: " of " }).waitFor();
    const first = page.locator(".manual").first();
    assert.equal(await first.locator("h2 strong").textContent(), "rot90");
    // Input and output of its example.
    assert.equal(await first.locator(".example").first().locator("svg.grid").count(), 2);
    await accessible(page, "manual");
    await page.screenshot({ path: path.join(out, "serve-manual.png") });
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
      const { page, bad, close } = await watched(chrome, (it) => it.startsWith(new URL(server.url).origin), { colorScheme, viewport: { width: 390, height: 844 } });
      for (const part of ["", "store", "data", "data/demo", "manual", "editor"]) {
        await page.goto(`${server.url}#/${part}`);
        await page.locator("main h1").waitFor();
        if (part === "") await page.locator("#here [data-run]").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert(wide <= 0, `${part || "runs"} is ${wide} pixels too wide`);
        if (part === "editor") {
          await page.locator("#task").click();
          await page.locator("dialog.picker .thumb svg.grid").first().waitFor();
          assert.equal(await page.locator("dialog.picker").evaluate((box) => box.scrollWidth - box.clientWidth), 0, "the picker is too wide");
          await page.screenshot({ path: path.join(out, `serve-picker-${colorScheme}-390.png`) });
          await page.keyboard.press("Escape");
          await page.locator("#checked", { hasText: "4 of 4" }).waitFor();
        }
        if (part !== "manual") await accessible(page, `${part || "runs"} ${colorScheme} on a phone`);
        await page.screenshot({ path: path.join(out, `serve-${part.replace("/", "-") || "runs"}-${colorScheme}-390.png`) });
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
