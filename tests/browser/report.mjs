// Tests of the report in a real browser.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { accessible, browser, json, out, run, test, watched } from "./common.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "batt-report-"));
const file = (name) => path.join(folder, name);
const chrome = await browser();
const open = async (report, options) => {
  const url = pathToFileURL(report).href;
  const watchedPage = await watched(chrome, (it) => it === url || it.startsWith(`${url}#`), options);
  await watchedPage.page.goto(url);
  return watchedPage;
};
/** Waits until the page has shown the part that its address names after `move`. */
const shown = async (page, move, argument) => {
  // The listener is added after the page's own, so it is called after it.
  await page.evaluate(() => { window.shown = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true })); });
  await page.evaluate(move, argument);
  await page.evaluate(() => window.shown.then(() => {}));
};
const go = async (page, hash) => {
  const there = await page.evaluate((hash) => location.hash === new URL(hash, location.href).hash, hash);
  if (!there) await shown(page, (hash) => { location.hash = hash; }, hash);
};
const back = (page) => shown(page, () => history.back());
const figure = (page, name) => page.locator(`[data-figure=${JSON.stringify(name)}]`).first();
const value = async (page, name) => Number(await figure(page, name).getAttribute("value"));
const near = (a, b, what) => assert(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${what}: ${a} is not ${b}`);

try {
  run("run", "--record", file("run.json"), "--profile");
  // A second run with mistakes: every third program is changed.
  const source = readFileSync(new URL("../../programs/demo.py", import.meta.url), "utf8");
  let n = 0;
  const broken = source.replace(/^    return (.*)$/gm, (line, what) => (n++ % 3 === 0 ? `    return ${n % 2 ? `vmirror(${what})` : "crop(I, ORIGIN, UNITY)"}` : line));
  writeFileSync(file("broken.py"), broken);
  run("run", "--programs", file("broken.py"), "--record", file("broken.json"), "--profile");
  run("report", file("run.json"), "-o", file("run.html"));
  run("report", file("broken.json"));
  run("report", file("run.json"), file("broken.json"), "-o", file("both.html"));
  const record = JSON.parse(readFileSync(file("run.json"), "utf8"));
  run("solve", "--record", file("solve.json"), "--profile", "-o", file("submission.json"), "--fuel-per-task", "20000000");
  run("report", file("solve.json"));
  const solve = JSON.parse(readFileSync(file("solve.json"), "utf8"));

  await test("the first screen matches the record", async () => {
    const { page, bad, close } = await open(file("run.html"));
    const framework = json("profile", "framework", file("run.json"));
    assert.equal(await value(page, "wall"), framework.wall);
    assert.equal(await value(page, "busy"), framework.busy);
    for (const score of record.scores) near(await value(page, `score ${score.rule}`), score.numerator / score.denominator, score.rule);
    const valid = framework.validity[0].valid;
    assert.match(await page.locator("#stamp").textContent(), valid ? /✓ valid/ : /✗ not valid/);
    assert.match(await page.locator("#stamp").textContent(), new RegExp(`${record.right.on_all} of ${record.right.programs} programs right`));
    const solved = await value(page, "tasks solved");
    assert.equal(solved, record.tasks.length);
    // Hash, date, command and machine are those of the record; the hash is the one that `data list` prints.
    const listed = run("data", "list").split("\n").find((line) => line.startsWith("demo "));
    const hash = await page.locator("#data-hash").textContent();
    assert(listed.split(/\s+/).includes(hash), `${hash} is not in ${listed}`);
    const facts = await page.locator(".facts").textContent();
    assert(facts.includes(record.environment.command) && record.environment.command.startsWith("batt run --record"), facts);
    assert(facts.includes(record.environment.started.slice(0, 10)) && facts.includes(record.setup.version), facts);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the profile has the figures of `batt profile`", async () => {
    const { page, bad, close } = await open(file("run.html"));
    await go(page, "#/profile");
    const text = run("profile", "framework", file("run.json"));
    for (const row of json("profile", "framework", file("run.json")).categories.filter((row) => row.time > 0)) {
      assert.equal(await value(page, `category ${row.name}`), row.time, row.name);
      // Printed as in the terminal.
      const shown = await figure(page, `category ${row.name}`).textContent();
      assert(text.split("\n").some((line) => line.startsWith(row.name) && line.includes(` ${shown} `)), `${row.name} ${shown}`);
    }
    for (const row of json("profile", "dsl", file("run.json")).rows.filter((row) => row.share >= 0.001)) {
      assert.equal(await value(page, `self ${row.name}`), row.measured, row.name);
      if (row.apportioned > 0) assert.equal(await value(page, `apportioned ${row.name}`), row.apportioned, row.name);
    }
    const sentences = json("profile", "framework", file("run.json")).advice.sentences.map(({ text }) => text.replaceAll("`", ""));
    assert.deepEqual(await page.locator("#advice p").allTextContents(), sentences);
    for (const row of json("profile", "phases", file("run.json")).rows) assert.equal(await value(page, `phase ${row.name}`), row.time, row.name);
    for (const row of json("profile", "tasks", file("run.json")).outliers) assert.equal(await value(page, `outlier ${row.task}`), row.time, row.task);
    assert.deepEqual(bad, []);
    await close();
  });

  for (const threads of ["1", "2"]) {
    await test(`what-if sliders agree with the command, ${threads} threads`, async () => {
      // On a busy machine the schedule may be impossible to replay; then both report it.
      run("run", "--record", file("what.json"), "--profile", "--threads", threads);
      run("report", file("what.json"));
      const { page, bad, close } = await open(file("what.html"));
      await go(page, "#/profile");
      const names = await page.locator("[data-lever]").evaluateAll((all) => all.map((it) => it.getAttribute("data-lever")));
      if (names.length === 0) {
        assert.throws(() => run("profile", "what-if", file("what.json"), "objects=2x"), /off by/);
        assert(threads === "2", "one worker is always exact");
      } else {
        assert(names.some((it) => it.startsWith("category:")), "categories are levers too");
        const category = names.find((it) => it.startsWith("category:primitives"));
        const primitive = names.find((it) => it.startsWith("primitive:"));
        const move = async (name, factor) => page.locator(`[data-lever="${name}"]`).evaluate((it, factor) => {
          it.value = String(factor);
          it.dispatchEvent(new Event("input", { bubbles: true }));
        }, factor);
        const same = async (...changes) => {
          const { predicted } = json("profile", "what-if", file("what.json"), ...changes);
          near(await value(page, "predicted"), predicted.middle, changes.join(" "));
          near(Number(await page.locator("[data-low]").getAttribute("data-low")), predicted.low, `low of ${changes.join(" ")}`);
          near(Number(await page.locator("[data-low]").getAttribute("data-high")), predicted.high, `high of ${changes.join(" ")}`);
        };
        await move(category, 4);
        await same(`${category}=4x`);
        await move(primitive, 2.5);
        await same(`${category}=4x`, `${primitive}=2.5x`);
        const budget = json("profile", "budget", "8h", file("what.json"), "--what-if", `${category}=4x`, "--what-if", `${primitive}=2.5x`);
        assert.equal(await value(page, "runs"), budget.rows.at(-1).runs_warm);
        assert.equal(await value(page, "candidates"), budget.rows.at(-1).candidates);
        await page.locator("text=as recorded").click();
        await same(`${primitive}=1x`);
        // In the order of what they save, as in the terminal.
        const shown = json("profile", "what-if", file("what.json")).levers.map((it) => it.what);
        assert.deepEqual(names, shown.slice(0, names.length));
      }
      assert.equal(await page.locator("#budget").textContent(), json("profile", "budget", "8h", file("what.json")).sentence);
      assert.deepEqual(bad, []);
      await close();
    });
  }

  await test("tasks are searched, filtered, sorted and opened", async () => {
    const { page, bad, close } = await open(file("broken.html"));
    const wrong = JSON.parse(readFileSync(file("broken.json"), "utf8"));
    await page.locator("nav >> text=Tasks").click();
    const ids = () => page.locator(".card .id").allTextContents();
    const total = async () => Number((await page.locator("#found").textContent()).match(/^[\d,]+/)[0]);
    const pick = async (kind) => {
      const chip = page.locator(`[data-filter="${kind}"]`);
      await chip.click();
      assert.equal(await chip.getAttribute("aria-pressed"), "true");
      assert.equal(Number(await chip.locator(".n").textContent()), await total(), "the count of the chip");
    };
    assert.equal(await total(), wrong.tasks.length);
    assert.notEqual(await page.locator(".card").first().getAttribute("class"), "card solved", "failures come first");
    await pick("solved");
    const solved = await total();
    await pick("near_miss");
    const nearMiss = await total();
    assert(solved > 0 && solved < wrong.tasks.length, `${solved} solved`);
    assert(nearMiss > 0 && nearMiss < wrong.tasks.length - solved + 1, `${nearMiss} near misses`);
    await pick("unsolved");
    assert.equal(await total(), wrong.tasks.length - solved);
    await pick("verdict wrong_shape");
    const shapes = wrong.tasks.filter((task) => task.programs.some((it) => [...it.train, ...it.test].some((pair) => pair.verdict === "wrong_shape")));
    assert.equal(await total(), shapes.length);
    assert((await ids()).every((id) => shapes.some((task) => task.id === id)));
    await pick("");
    await page.locator("#sort").selectOption("id");
    const sorted = await ids();
    assert.deepEqual(sorted, [...sorted].sort());
    const target = wrong.tasks[40].id;
    await page.keyboard.press("/");
    await page.locator("#search").fill(target);
    assert((await ids()).includes(target));
    await page.locator(".card", { hasText: target }).first().click();
    await page.locator("h1", { hasText: target }).waitFor();
    const task = wrong.tasks[40];
    const inputs = await page.locator(".pair svg[aria-label*='input']").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")));
    assert.equal(new Set(inputs).size, task.train.length + task.test.length);
    await page.locator(`a[href^="#/program/"]`).first().click();
    await page.locator("h1", { hasText: wrong.programs[task.programs[0].program].name }).waitFor();
    const lines = json("profile", "lines", file("broken.json"), "--allow-invalid", "--program", wrong.programs[task.programs[0].program].name).lines.filter((line) => line.hits > 0);
    for (const line of lines) assert.equal(await value(page, `line ${line.number}`), line.alone, `line ${line.number}`);
    // Steps follow the gallery as it was filtered and sorted.
    await go(page, "#/tasks");
    await page.locator("#search").fill("");
    const inOrder = (await ids()).slice(0, 3);
    await page.locator(".card").first().click();
    await page.locator("h1", { hasText: inOrder[0] }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator("h1", { hasText: inOrder[1] }).waitFor();
    await page.keyboard.press("j");
    await page.locator("h1", { hasText: inOrder[2] }).waitFor();
    await page.keyboard.press("k");
    await page.locator("h1", { hasText: inOrder[1] }).waitFor();
    await go(page, "#/tasks");
    await page.locator("#search").fill("no such task");
    await page.locator("text=Show all tasks").click();
    assert.equal(await total(), wrong.tasks.length);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the page of a solve shows its answers as the record has them", async () => {
    const { page, bad, close } = await open(file("solve.html"));
    const grid = (rows) => rows.map((row) => row.join("")).join("|");
    const shares = [["outputs", / of \d+ outputs$/], ["fractions", /^over 79 tasks$/], ["tasks", / of 79 tasks$/]];
    for (const [rule, text] of shares) assert.match(await page.locator(".tile", { has: figure(page, `score ${rule}`) }).locator(".small").textContent(), text);
    let [attempts, several, fallbacks] = [0, 0, 0];
    for (const task of solve.tasks) {
      await go(page, `#/task/${task.id}`);
      const cost = await page.locator("#cost").textContent();
      assert(cost.includes(`${task.search.fuel.toLocaleString("en-US")} fuel`) && cost.includes(task.search.tried.toLocaleString("en-US")), `${task.id}: ${cost}`);
      const solved = task.attempts !== undefined && task.test.every(({ output }, k) => task.attempts[k].some((it) => grid(it) === grid(output)));
      assert.equal(await page.locator("h1 .badge.solved").count(), solved ? 1 : 0, task.id);
      if (solved) assert.equal(await page.locator("#first-wrong-line").count(), 0, task.id);
      if (task.attempts === undefined) { assert.match(await page.locator(".nothing").textContent(), /fallbacks/); continue; }
      for (const [k, both] of task.search.attempts.entries()) {
        for (const i of [0, 1]) {
          const box = page.locator(`[data-attempt="${k} ${i}"]`);
          const stated = both[i];
          if (stated === undefined) {
            assert.equal(await box.locator(".words").count(), 0);
            fallbacks += 1;
            continue;
          }
          const { name, made } = solve.programs[stated.program];
          assert.equal(await box.locator(".words").textContent(), made.words, `${task.id} ${k} ${i}`);
          assert.equal(await value(page, `sure ${k} ${i}`), stated.sure, `${task.id} ${k} ${i}`);
          assert.equal(await figure(page, `sure ${k} ${i}`).textContent(), `${Math.round(stated.sure * 100)} %`);
          const facts = await box.locator("dl").textContent();
          assert(facts.includes(made.operator) && facts.includes(name) && facts.includes(`${stated.votes} mechanism`), facts);
          const right = grid(task.attempts[k][i]) === grid(task.test[k].output);
          assert.equal(await box.locator(".badge.right").count(), right ? 1 : 0);
          attempts += 1;
          several += i;
        }
      }
    }
    assert(attempts > 70 && several > 10 && fallbacks > 10, `${attempts} attempts, ${several} second ones, ${fallbacks} fallbacks`);
    // Names tell programs apart.
    await go(page, "#/programs");
    const names = await page.locator(".row .id").allTextContents();
    assert.equal(new Set(names).size, names.length);
    await accessible(page, "programs of a solve");
    assert.deepEqual(bad, []);
    await close();
  });

  await test("grids of a pair have one scale", async () => {
    const { page, bad, close } = await open(file("solve.html"));
    await go(page, "#/tasks");
    const scales = await page.locator(".card").evaluateAll((cards) => cards.map((card) => [...card.querySelectorAll("svg.grid")].map((it) => {
      const [, rows] = it.getAttribute("aria-label").match(/: (\d+) by/);
      return Number(it.getAttribute("height")) / Number(rows);
    })));
    assert(scales.length > 5);
    for (const cells of scales) assert.equal(new Set(cells).size, 1, String(cells));
    assert.deepEqual(bad, []);
    await close();
  });

  await test("a category has one colour in all charts", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, bad, close } = await open(file("solve.html"), { colorScheme });
      const seen = new Map();
      const collect = async (where) => {
        const found = await page.locator("main [data-category]").evaluateAll((all) => all.map((it) => {
          const style = getComputedStyle(it);
          return [it.getAttribute("data-category"), it instanceof SVGElement ? style.fill : it.classList.contains("hatched") ? 'url("#hatch")' : style.backgroundColor, it.closest(".flame, .lanes, .treemap, .stack, .key, table")?.classList[0] ?? "table"];
        }));
        for (const [category, color, chart] of found) {
          const known = seen.get(category) ?? [color, new Set()];
          assert.equal(color, known[0], `${category} in ${where}, ${chart}`);
          seen.set(category, [known[0], known[1].add(`${where} ${chart}`)]);
        }
      };
      await collect("overview");
      await go(page, "#/profile");
      await page.locator("#flame-idle").check();
      await collect("profile");
      const charts = seen.get("primitives: learn")[1];
      for (const chart of ["overview stack", "overview key", "profile flame", "profile lanes", "profile treemap", "profile table"]) assert(charts.has(chart), `${chart}: ${[...charts]}`);
      const [idle] = seen.get("idle");
      const channels = idle.match(/\d+/g).map(Number);
      assert(Math.max(...channels) - Math.min(...channels) < 12, `idle is grey: ${idle}`);
      assert.equal(seen.get("unaccounted")[0], 'url("#hatch")');
      const large = solve.profile.functions.filter((it) => it.primitive).map((it) => it.category);
      const colors = [...new Set(large)].filter((it) => seen.has(it)).map((it) => seen.get(it)[0]);
      assert.equal(new Set(colors).size, colors.length, "families have different colours");
      assert.deepEqual(bad, []);
      await close();
    }
  });

  await test("no text overlaps another", async () => {
    for (const width of [390, 800, 1400]) {
      const { page, bad, close } = await open(file("solve.html"), { viewport: { width, height: 900 } });
      for (const hash of ["#/", "#/tasks", "#/task/step_closer", "#/task/rotating_row", "#/programs", "#/program/0", "#/plan", "#/profile"]) {
        await go(page, hash);
        const overlaps = await page.evaluate(async () => {
          // Drawings take their final width in the next frame.
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          const boxes = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const parent = node.parentElement;
            if (node.data.trim() === "" || parent === null || parent.closest("script, style, option, .skip, svg.grid")) continue;
            if (!parent.checkVisibility()) continue;
            const range = document.createRange();
            range.selectNodeContents(node);
            for (const box of range.getClientRects()) {
              // Text that its box cuts off is not seen.
              let { left, top, right, bottom } = box;
              for (let it = parent; it && it !== document.body; it = it.parentElement) {
                if (getComputedStyle(it).overflow === "visible") continue;
                const clip = it.getBoundingClientRect();
                [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
              }
              if (right - left > 1 && bottom - top > 1) boxes.push({ left, top, right, bottom, node, text: node.data.trim().slice(0, 40), sticky: parent.closest(".bar") !== null });
            }
          }
          const found = [];
          boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
            if (a.node === b.node || a.sticky !== b.sticky) return;
            const [w, h] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
            // Line boxes of neighbouring lines may touch by a few pixels; letters do not.
            if (w > 2 && h > 5) found.push(`${a.text} / ${b.text}`);
          }));
          return [boxes.length, found];
        });
        assert(overlaps[0] > 10, `${hash}: ${overlaps[0]} texts`);
        assert.deepEqual(overlaps[1].slice(0, 5), [], `${hash} at ${width}`);
        const clipped = await page.evaluate(() => [...document.querySelectorAll(".flame g, .treemap g")].flatMap((group) => {
          const [box, text] = [group.querySelector("rect")?.getBoundingClientRect(), group.querySelector("text")];
          const name = group.getAttribute("data-name");
          if (!box || !text) return [];
          const label = text.getBoundingClientRect();
          const whole = name === null || text.textContent === name || text.textContent.endsWith("…");
          return whole && label.left >= box.left && label.right <= box.right + 1 ? [] : [text.textContent];
        }));
        assert.deepEqual(clipped, [], `${hash} at ${width}`);
        const tall = await page.evaluate(() => [...document.querySelectorAll(".flame rect")].map((it) => it.getBoundingClientRect()).filter((it) => it.height > 32 || it.right > innerWidth).length);
        assert.equal(tall, 0, `${hash} at ${width}`);
        const rows = await page.evaluate(() => [...document.querySelectorAll("main table:not(.source) tr")].filter((row) => !row.closest(".facts") && row.getBoundingClientRect().height > 64).map((row) => row.textContent));
        assert.deepEqual(rows, [], `low rows of ${hash} at ${width}`);
      }
      assert.deepEqual(bad, []);
      await close();
    }
  });

  await test("a disturbed recording says so first", async () => {
    const disturbed = structuredClone(record);
    disturbed.profile.lanes.forEach((lane) => { if (lane.cpu !== undefined) [lane.cpu, lane.queued] = [1, lane.end - lane.start]; });
    writeFileSync(file("disturbed.json"), JSON.stringify(disturbed));
    run("report", file("disturbed.json"), "-o", file("disturbed.html"));
    const { noise } = json("profile", "framework", file("disturbed.json"), "--allow-invalid").validity[0];
    const { page, bad, close } = await open(file("disturbed.html"));
    // The overview starts with the results, which are not disturbed, and then shows times.
    for (const [hash, parts] of [["#/", ".note, .tiles"], ["#/profile", ".note, .stamp, .tiles"]]) {
      await go(page, hash);
      // Other systems do not measure it.
      if (noise.share === null) continue;
      assert.equal(await page.locator("#noise").textContent(), noise.warning.replaceAll("`", ""));
      const first = await page.evaluate((parts) => document.querySelector("h1").parentElement.querySelector(parts).id, parts);
      assert.equal(first, "noise", `line 1 of ${hash}`);
    }
    console.log(`   ${noise.warning ?? "disturbance is not measured here"}`);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the flame graph is searched, zoomed and read", async () => {
    const { page, bad, close } = await open(file("solve.html"));
    await go(page, "#/profile");
    const names = () => page.locator("#flame g").evaluateAll((all) => all.map((it) => it.getAttribute("data-name")));
    assert(!(await names()).includes("idle"), "idle time is off by default");
    const busy = json("profile", "framework", file("solve.json")).busy;
    await page.locator("#flame-idle").check();
    assert((await names()).includes("idle"));
    await page.locator("#flame-idle").uncheck();
    await page.locator("#flame-search").fill("learn_cells");
    const row = json("profile", "dsl", file("solve.json")).rows.find((it) => it.name === "learn_cells");
    const share = (row.measured / busy) * 100;
    assert((await page.locator("#flame-status").textContent()).includes(`${share.toFixed(share < 10 ? 2 : 1)} % of busy time`), await page.locator("#flame-status").textContent());
    assert((await page.locator("#flame g.faint").count()) > 0);
    await page.locator("#flame-search").fill("");
    const box = page.locator('#flame g[data-name="primitives: learn"]');
    await box.hover();
    assert.match(await page.locator("#tip").textContent(), /primitives: learn.*%.*self/);
    await box.focus();
    await page.keyboard.press("Enter");
    assert(!(await names()).includes("scoring"), "zoomed in");
    await page.locator(".crumbs button").first().click();
    assert((await names()).includes("scoring"), "zoomed out");
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the keyboard alone leads from the overview to a task", async () => {
    const { page, bad, close } = await open(file("solve.html"));
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href"));
    for (let i = 0; i < 40 && (await focused()) !== "#/tasks/near_miss"; i++) await page.keyboard.press("Tab");
    assert.equal(await focused(), "#/tasks/near_miss");
    await page.keyboard.press("Enter");
    await page.locator('[data-filter="near_miss"][aria-pressed="true"]').waitFor();
    const ids = await page.locator(".card .id").allTextContents();
    await page.keyboard.press("j");
    assert.equal(await focused(), `#/task/${ids[0]}`);
    await page.keyboard.press("j");
    assert.equal(await focused(), `#/task/${ids[1]}`);
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: ids[0] }).waitFor();
    await page.keyboard.press("j");
    await page.locator("h1", { hasText: ids[1] }).waitFor();
    await back(page);
    await back(page);
    await page.keyboard.press("/");
    await page.keyboard.type(ids[1]);
    await page.locator("#found", { hasText: /^1 of/ }).waitFor();
    assert.deepEqual(bad, []);
    await close();
  });

  await test("two submissions side by side", async () => {
    const given = JSON.parse(readFileSync(file("submission.json"), "utf8"));
    const right = (id, k, it) => JSON.stringify(it) === JSON.stringify(solve.tasks.find((task) => task.id === id).test[k].output);
    const solved = Object.keys(given).filter((id) => given[id].every((both, k) => right(id, k, both.attempt_1) || right(id, k, both.attempt_2)));
    const [lost, gained] = [solved.slice(0, 3), solved.slice(3, 5)];
    const without = (ids) => Object.fromEntries(Object.entries(given).map(([id, outputs]) => [id, ids.includes(id) ? outputs.map(() => ({ attempt_1: [[0]], attempt_2: [[1]] })) : outputs]));
    writeFileSync(file("old-submission.json"), JSON.stringify(without(gained)));
    writeFileSync(file("new-submission.json"), JSON.stringify(without(lost)));
    assert.throws(() => run("report", file("old-submission.json")), /this is a submission, not a record; add --data DATA/);
    run("report", file("old-submission.json"), file("new-submission.json"), "--data", "demo", "-o", file("submissions.html"));
    const { page, bad, close } = await open(file("submissions.html"));
    assert.match(await page.locator("#stamp").textContent(), /a submission: 79 tasks, 101 outputs, complete and well formed/);
    assert.match(await page.locator("#change").textContent(), /2 gained, 3 lost/);
    assert.equal(await value(page, "tasks solved"), json("score", file("new-submission.json"), "demo").rules.find((it) => it.rule === "tasks").numerator);
    await page.locator("text=Compare the two").click();
    assert.equal(await value(page, "gained"), 2);
    assert.equal(await value(page, "lost"), 3);
    const cards = await page.locator("section", { hasText: "Lost: 3 tasks" }).locator(".card .id").allTextContents();
    assert.deepEqual(cards.sort(), lost.sort());
    assert.equal(await page.locator("section", { hasText: "Lost: 3 tasks" }).locator(".card").first().locator("svg.grid").count(), 3);
    await accessible(page, "two submissions");
    await page.screenshot({ path: path.join(out, "submissions.png"), fullPage: true });
    assert.deepEqual(bad, []);
    await close();
  });

  await test("missing answers are called missing, and leave room for the other grids", async () => {
    const given = JSON.parse(readFileSync(file("submission.json"), "utf8"));
    writeFileSync(file("no-answers.json"), JSON.stringify(Object.fromEntries(Object.entries(given).slice(0, 1))));
    run("report", file("no-answers.json"), file("submission.json"), "--data", "demo", "-o", file("missing.html"));
    const { page, bad, close } = await open(file("missing.html"));
    await go(page, "#/compare");
    const outside = await page.evaluate(() => [...document.querySelectorAll(".card")].flatMap((card) => {
      const room = card.getBoundingClientRect();
      return [...card.querySelectorAll("figure")].map((figure) => figure.getBoundingClientRect()).filter((it) => it.left < room.left || it.right > room.right);
    }).length);
    assert.equal(outside, 0, "grids are inside their cards");
    assert((await page.locator(".card .nogrid").count()) > 3);
    run("report", file("no-answers.json"), "--data", "demo", "-o", file("missing-one.html"));
    const one = await open(file("missing-one.html"));
    await go(one.page, "#/tasks");
    assert((await one.page.locator(".card .badge", { hasText: /^missing$/ }).count()) > 3);
    await one.close();
    assert.deepEqual(bad, []);
    await close();
  });

  await test("the first wrong line of a program is shown", async () => {
    // A right program, and one that departs from it in its last line.
    const task = record.tasks.find((it) => it.test[0].output.length > 1 && it.train.length > 1);
    const right = record.programs[task.programs[0].program].text;
    const name = (prefix) => `def solve_${prefix}_${task.id}(`;
    const known = right.replace(/^def \w+\(/, name("a"));
    const stray = known.replace(name("a"), name("b")).replace(/^    return (.*)$/m, "    late = $1\n    return vmirror(hmirror(rot90(late)))");
    const strayLine = stray.trimEnd().split("\n").length;
    writeFileSync(file("stray.py"), `${known}\n\n${stray}\n`);
    run("run", "-i", task.id, "--programs", file("stray.py"), "--record", file("stray.json"));
    run("report", file("stray.json"));
    {
      const { page, bad, close } = await open(file("stray.html"));
      await go(page, `#/task/${task.id}`);
      const said = page.locator("#first-wrong-line");
      assert.equal(await said.getAttribute("data-line"), String(strayLine));
      assert.match(await said.textContent(), new RegExp(`solve_b_${task.id}, line ${strayLine}: no line of solve_a_${task.id}, which is right, has its values`));
      assert.equal(await page.locator("tr.wrong-line").count(), 1);
      await accessible(page, "a wrong line");
      await page.screenshot({ path: path.join(out, "first-wrong-line.png"), fullPage: true });
      assert.deepEqual(bad, []);
      await close();
    }
    // Without a right program, a mirrored answer is recognised by the grid before it.
    const { page, bad, close } = await open(file("broken.html"));
    const wrong = JSON.parse(readFileSync(file("broken.json"), "utf8"));
    let found = 0;
    for (const task of wrong.tasks) {
      const program = wrong.programs[task.programs[0].program];
      const last = program.text.trimEnd().split("\n").length;
      if (!/^    return vmirror\(\w+\(/m.test(program.text) || [...task.programs[0].train, ...task.programs[0].test].every((pair) => pair.verdict === "ok")) continue;
      await go(page, `#/task/${task.id}`);
      assert.equal(await page.locator("#first-wrong-line").getAttribute("data-line"), String(last), task.id);
      assert.match(await page.locator("#first-wrong-line").textContent(), /is the expected output, the answer only/);
      found += 1;
    }
    assert(found > 3, `${found} near misses were found`);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("a search shows its programs and their lineages", async () => {
    run("search", "--programs", file("broken.py"), "--store", file("store.sqlite"), "--fuel-per-task", "2000000", "--record", file("search.json"));
    run("report", file("search.json"));
    const { page, bad, close } = await open(file("search.html"));
    assert.match(await page.locator("#stamp").textContent(), /✓ valid: a search: \d+ programs? found/);
    const bred = JSON.parse(readFileSync(file("search.json"), "utf8")).programs;
    assert(bred.length > 3, `${bred.length} programs were found`);
    for (const [place, { name, made }] of bred.entries()) {
      await go(page, `#/program/${place}`);
      const tree = page.locator("#lineage");
      const parents = made.parents ?? [];
      assert.equal(await tree.locator("> li > ul > li").count(), parents.length, name);
      assert((await tree.textContent()).includes(made.operator));
      for (const parent of parents) assert((await tree.textContent()).includes(parent.slice(0, 12)));
    }
    await accessible(page, "a lineage");
    await page.screenshot({ path: path.join(out, "lineage.png"), fullPage: true });
    assert.deepEqual(bad, []);
    await close();
    // A search that finds nothing is valid.
    run("search", "-n", "3", "--store", file("empty.sqlite"), "--fuel-per-task", "1000", "--record", file("nothing.json"));
    run("report", file("nothing.json"));
    const nothing = await open(file("nothing.html"));
    assert.match(await nothing.page.locator("#stamp").textContent(), /✓ valid: a search: 0 programs found/);
    await nothing.close();
  });

  await test("two runs side by side", async () => {
    const { page, bad, close } = await open(file("both.html"));
    await go(page, "#/compare");
    const view = json("profile", "compare", file("run.json"), file("broken.json"), "--allow-invalid");
    assert.equal(await value(page, "before wall"), view.wall.before);
    assert.equal(await value(page, "after busy time"), view.busy.after);
    const lost = await value(page, "lost");
    assert(lost > 10 && (await value(page, "gained")) === 0, `${lost} lost`);
    assert((await page.locator(".card svg.grid").count()) > 10, "changes have pictures");
    await go(page, "#/");
    assert.match(await page.locator("#change").textContent(), new RegExp(`0 gained, ${lost} lost`));
    assert.match(await page.locator("#stamp a").first().getAttribute("href"), /^#\/task\//, "a link to a wrong program");
    assert.deepEqual(bad, []);
    await close();
  });

  await test("wall times of a comparison agree", async () => {
    const repeated = structuredClone(record);
    const last = repeated.profile.repeats.at(-1);
    const slow = { ...last, wall: 3 * last.wall };
    // The recorded run is the last repetition, but the median is three times as long.
    repeated.profile.repeats = [last, slow, slow, last];
    writeFileSync(file("repeated.json"), JSON.stringify(repeated));
    run("report", file("repeated.json"), file("run.json"), "-o", file("repeated.html"));
    const { page, bad, close } = await open(file("repeated.html"));
    await go(page, "#/compare");
    const cells = (name) => page.locator("tr").evaluateAll((rows, name) => {
      const texts = rows.map((row) => [...row.children].map((cell) => cell.textContent));
      return texts.find(([first]) => first === name).slice(1, 3);
    }, name);
    assert.deepEqual(await cells("wall time"), await cells("wall"));
    assert.equal(await value(page, "before wall"), slow.wall);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("machines are shown if there are any", async () => {
    const cluster = structuredClone(record);
    const machine = (name, stayed) => ({ name, cores: 2, clock_offset: 1500, round_trip: 400, stayed });
    cluster.profile.machines = [machine("alpha", true), machine("<b>beta</b>", false)];
    cluster.profile.lanes.slice(1).forEach((lane, i) => { lane.machine = i % 2; });
    writeFileSync(file("cluster.json"), JSON.stringify(cluster));
    run("report", file("cluster.json"), "-o", file("cluster.html"));
    const { page, bad, close } = await open(file("cluster.html"));
    await go(page, "#/profile");
    for (const row of json("profile", "framework", file("cluster.json")).machines) assert.equal(await value(page, `busy ${row.name}`), row.busy, row.name);
    const text = await page.locator("main").textContent();
    assert(text.includes("<b>beta</b>") && text.includes("lost") && text.includes("alpha worker 1"));
    assert.equal(await page.locator("main b").count(), 0);
    assert.deepEqual(bad, []);
    await close();
    const alone = await open(file("run.html"));
    await go(alone.page, "#/profile");
    assert.equal(await alone.page.locator("h2", { hasText: "Machines" }).count(), 0);
    await alone.close();
  });

  await test("devices are shown if there are any", async () => {
    const devices = structuredClone(record);
    const { profile } = devices;
    const number = (name) => profile.functions.findIndex((it) => it.name === name);
    const [first] = profile.tasks;
    const [from, to] = [first.start, first.start + 4000];
    profile.devices = [{ name: "<i>T4</i>", driver: "1", kind: "gpu", batches: 3, asked: 9, answered: 5, passed: 2, late: 1, stayed: false, reason: "<i>lost</i>" }];
    profile.lanes.push({ ...profile.lanes[1], name: "T4", device: 0, start: from, end: to, primitives: [],
      between: [[number("waiting"), 3000, 1], [number("run kernels"), 1000, 1]], waits: [[from + 500, to - 500]] });
    writeFileSync(file("devices.json"), JSON.stringify(devices));
    run("report", file("devices.json"), "-o", file("devices.html"));
    const { page, bad, close } = await open(file("devices.html"));
    await go(page, "#/profile");
    const view = json("profile", "framework", file("devices.json"));
    assert.equal(await value(page, "share <i>T4</i>"), view.devices[0].share);
    assert.equal(await value(page, "device category device: kernel"), 1000);
    assert.equal(await value(page, "busy"), json("profile", "framework", file("run.json")).busy);
    assert.equal(await page.locator("rect.batches").count(), 2);
    const text = await page.locator("main").textContent();
    assert(text.includes("lost: <i>lost</i>") && text.includes("1 device"));
    assert.equal(await page.locator("main i").count(), 0);
    assert.deepEqual(bad, []);
    await close();
    const alone = await open(file("run.html"));
    await go(alone.page, "#/profile");
    assert.equal(await alone.page.locator("h2", { hasText: "Devices" }).count(), 0);
    await alone.close();
  });

  await test("hostile names are text, and nothing runs", async () => {
    const evil = `"><img src=x onerror="window.evil=1"></script><script>window.evil=1</script><b>`;
    const hostile = structuredClone(JSON.parse(readFileSync(file("broken.json"), "utf8")));
    hostile.setup.data.name = evil;
    hostile.programs.forEach((program, i) => {
      program.name = `${evil}${i}`;
      program.text = `# ${evil}\n${program.text}`;
    });
    hostile.tasks.forEach((task, i) => {
      const id = `${evil}${i}`;
      hostile.profile.tasks.filter((it) => it.id === task.id).forEach((it) => { it.id = id; });
      task.id = id;
      task.programs.forEach((it) => [...it.train, ...it.test].forEach((pair) => { if (pair.why) pair.why = evil; }));
    });
    writeFileSync(file("evil <b>.json"), JSON.stringify(hostile));
    run("report", file("evil <b>.json"), "-o", file("evil.html"));
    const { page, bad, close } = await open(file("evil.html"));
    for (const hash of ["#/", "#/tasks", `#/task/${encodeURIComponent(`${evil}0`)}`, "#/programs", "#/program/0", "#/plan", "#/profile", `#/task/${evil}`]) {
      await go(page, hash);
      assert.equal(await page.evaluate(() => window.evil), undefined, hash);
      assert.equal(await page.locator("main img, main script, main b").count(), 0, hash);
    }
    await go(page, `#/task/${encodeURIComponent(`${evil}0`)}`);
    assert((await page.locator("h1").textContent()).startsWith(`${evil}0`));
    // The policy blocks a script even if one gets into the page.
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.evil = 2";
      document.body.append(script);
      return window.evil;
    });
    assert.equal(ran, undefined);
    assert.deepEqual(bad.filter((it) => !it.includes("Content Security Policy")), []);
    await close();
  });

  await test("axe finds no violations in light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      for (const [width, height] of [[1280, 800], [390, 844]]) {
        const { page, bad, close } = await open(file("broken.html"), { colorScheme, viewport: { width, height } });
        for (const [hash, name] of [["#/", "overview"], ["#/tasks", "tasks"], ["#/task/" + record.tasks[0].id, "task"], ["#/programs", "programs"], ["#/program/0", "program"], ["#/plan", "plan"], ["#/profile", "profile"]]) {
          await go(page, hash);
          if ((colorScheme === "dark") === (width < 1000)) await accessible(page, `${name} ${colorScheme} ${width}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert(wide <= 0, `${name} is ${wide} pixels too wide at ${width}`);
          await page.screenshot({ path: path.join(out, `${name}-${colorScheme}-${width}.png`), fullPage: name === "profile" });
        }
        assert.deepEqual(bad, []);
        await close();
      }
    }
  });

  await test("axe finds no violations in a solve and a comparison", async () => {
    const parts = [[file("solve.html"), ["#/", "#/tasks", "#/task/step_closer", "#/program/0", "#/profile"]], [file("both.html"), ["#/", "#/compare"]]];
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [1400, 390]) {
        for (const [report, hashes] of parts) {
          const { page, bad, close } = await open(report, { colorScheme, viewport: { width, height: 900 } });
          for (const hash of hashes) {
            await go(page, hash);
            if ((colorScheme === "dark") === (width < 1000)) await accessible(page, `${hash} ${colorScheme} ${width}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert(wide <= 0, `${hash} is ${wide} pixels too wide at ${width}`);
            await page.screenshot({ path: path.join(out, `${path.basename(report, ".html")}-${hash.replaceAll(/\W+/g, "")}-${colorScheme}-${width}.png`), fullPage: true });
          }
          assert.deepEqual(bad, []);
          await close();
        }
      }
    }
  });

  await test("palette, digits and theme can be switched, and the page prints", async () => {
    const { page, bad, close } = await open(file("run.html"));
    await go(page, "#/tasks");
    const shot = () => page.locator(".card svg").first().screenshot();
    const classic = await shot();
    await page.locator("select[aria-label='Grid colours']").selectOption("safe");
    const safe = await shot();
    await page.locator("#digits").check();
    const digits = await shot();
    assert(!classic.equals(safe) && !safe.equals(digits));
    await page.locator("select[aria-label='Theme']").selectOption("dark");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.pdf({ path: path.join(out, "tasks.pdf") });
    // Paper is white, and all tasks are on it.
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".card").first().evaluate((it) => getComputedStyle(it).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.locator(".card .id").first().evaluate((it) => getComputedStyle(it).color), "rgb(0, 0, 0)");
    assert.equal(await page.locator(".card").count(), record.tasks.length);
    assert.equal(await page.locator(".bar").isVisible(), false);
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    assert.deepEqual(bad, []);
    await close();
  });

  await test("a solve of four hundred tasks", async () => {
    run("data", "generate", "--seed", "3", "--count", "400", "-o", file("four-hundred"));
    run("solve", file("four-hundred"), "--fuel-per-task", "1000000", "--record", file("four-hundred.json"), "--profile");
    run("report", file("four-hundred.json"));
    const size = statSync(file("four-hundred.html")).size / 1e6;
    const opened = performance.now();
    const { page, bad, close } = await open(file("four-hundred.html"));
    await page.locator("#stamp").waitFor();
    console.log(`   400 tasks: ${size.toFixed(1)} MB, shown after ${((performance.now() - opened) / 1000).toFixed(2)} s`);
    assert(size < 5, `${size} MB`);
    assert.deepEqual(bad, []);
    await close();
  });

  await test("a thousand tasks and ten thousand programs", async () => {
    run("data", "generate", "--seed", "7", "--count", "1000", "-o", file("many"));
    const known = Object.fromEntries([...source.matchAll(/^def (?:solve_)?(\w+)\((.*?)\)[^\n]*:\n((?:    .*\n|\n)*)/gm)].map(([, name, args, body]) => [name, [args, body]]));
    const index = json("data", "verify", file("many"));
    assert(index);
    const { readdirSync } = await import("node:fs");
    const ids = readdirSync(file("many")).filter((it) => it.endsWith(".json")).map((it) => it.slice(0, -5));
    const rules = Object.keys(known);
    const texts = [];
    for (const id of ids) {
      const rule = rules.filter((rule) => id.startsWith(rule)).sort((a, b) => b.length - a.length)[0];
      assert(rule, id);
      const [args, body] = known[rule];
      // Ten programs per task: the right one, and nine that mirror or rotate its result.
      for (let k = 0; k < 10; k++) {
        const turn = (what) => Array.from({ length: k }, (_, i) => ["hmirror", "vmirror", "rot90"][(k + i) % 3]).reduce((text, name) => `${name}(${text})`, what);
        texts.push(`def solve_${k}_${id}(${args}):\n${body.replace(/^    return (.*)$/m, (_, what) => `    return ${turn(what)}`)}`);
      }
    }
    writeFileSync(file("many.py"), texts.join("\n"));
    run("run", file("many"), "--programs", file("many.py"), "--record", file("many-run.json"), "--profile");
    const begun = performance.now();
    run("report", file("many-run.json"));
    const took = (performance.now() - begun) / 1000;
    const size = statSync(file("many-run.html")).size / 1e6;
    const opened = performance.now();
    const { page, bad, close } = await open(file("many-run.html"));
    await page.locator("#stamp").waitFor();
    const shown = (performance.now() - opened) / 1000;
    console.log(`   ${ids.length} tasks, ${texts.length} programs: report in ${took.toFixed(1)} s, ${size.toFixed(1)} MB, shown after ${shown.toFixed(2)} s`);
    assert(size < 20, `${size} MB`);
    for (const part of ["tasks", "programs"]) {
      await go(page, `#/${part}`);
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable");
      const work = async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        return metrics.find((it) => it.name === "TaskDuration").value * 1000;
      };
      const before = await work();
      const frames = await page.evaluate(async () => {
        const longest = [];
        let last = await new Promise(requestAnimationFrame);
        for (let i = 0; i < 200; i++) {
          window.scrollBy(0, window.innerHeight / 2);
          const now = await new Promise(requestAnimationFrame);
          longest.push(now - last);
          last = now;
        }
        return longest.sort((a, b) => b - a);
      });
      const each = (await work()) - before;
      const nodes = await page.locator(".long > .cell").count();
      assert(nodes < 200, `${nodes} items are in the page`);
      console.log(`   ${part}: a hundred screens, longest frames ${frames.slice(0, 3).map((ms) => ms.toFixed(0)).join(", ")} ms, ${frames.filter((ms) => ms > 50).length} of ${frames.length} above 50 ms, median ${frames[100].toFixed(0)} ms, ${(each / 200).toFixed(1)} ms of work a step, ${nodes} items in the page`);
    }
    assert.deepEqual(bad, []);
    await close();
  });
} finally {
  await chrome.close();
  rmSync(folder, { recursive: true, force: true });
}
