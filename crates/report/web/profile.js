// The profile: flame graph, treemap, machines, devices, lanes, phases, outliers, what-if and budget.

import { count, el, fill, figure, grouped, hue, percent, prose, section, svg, table, time } from "./dom.js";
import { ok, reason } from "./data.js";
import { MAX_ERROR, runsIn, whatIf } from "./whatif.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Cost} Cost */
/** @typedef {import("./data.js").Block} Block */
/** @typedef {import("./data.js").Projected} Projected */

/** @param {Run} run */
export function profileView(run) {
  const cost = ok(run.cost);
  if (cost === null) return el("div", {}, el("h1", {}, "Profile"), el("p", { class: "note" }, ...prose(`${reason(run.cost)}.`)));
  const { wall, lanes, lane_time, busy, devices } = cost.framework;
  return el("div", { class: cost.validity.valid ? null : "invalid" },
    el("h1", {}, "Profile"),
    el("p", { class: `stamp ${cost.validity.valid ? "good" : "bad"}` }, run.stamp),
    el("p", {}, "wall ", figure("wall", wall, time(wall)), ` · ${count(lanes, "lane")} · `, figure("lane time", lane_time, time(lane_time)), " of lane time, ", figure("busy", busy, time(busy)), " busy", devices.length > 0 ? ` · ${count(devices.length, "device")}` : ""),
    whatIfPart(cost), categoriesPart(cost), machinesPart(cost), devicesPart(cost), section("Flame graph", flame(cost.flame)), section("Treemap", treemap(cost)),
    primitivesPart(cost), phasesPart(cost), outliersPart(cost), section("Lanes over time", lanesPlot(cost)));
}

/** @param {Cost} cost */
function categoriesPart(cost) {
  const rows = cost.framework.categories.filter((row) => row.time > 0 || row.name === "unaccounted");
  return section("Categories", categoryTable("Time of all lanes; every function is in one category", "category", rows));
}

/**
 * @param {string} caption
 * @param {string} head
 * @param {import("./data.js").Category[]} rows
 */
function categoryTable(caption, head, rows) {
  return table(caption, [head, " self", " share", "top functions"], rows.map((row) => [
    row.name, figure(`${head} ${row.name}`, row.time, time(row.time)), percent(row.share),
    row.functions.filter((it) => it.time > 0).slice(0, 4).map((it) => `${it.name} ${time(it.time)}`).join(" · ")]));
}

/** Shows the devices, if there are any. @param {Cost} cost */
function devicesPart(cost) {
  const { devices, device_categories } = cost.framework;
  if (devices.length === 0) return null;
  const times = devices.map((row) => [row.name, ...[row.upload, row.kernel, row.download, row.driver, row.idle].map(time),
    figure(`share ${row.name}`, row.share, percent(row.share))]);
  const work = devices.map((row) => [row.name, ...[row.batches, row.asked, row.answered, row.passed, row.late].map(grouped),
    row.break_even === null ? "" : count(row.break_even, "job"), row.lost ? `lost${row.reason === null ? "" : `: ${row.reason}`}` : ""]);
  return section("Devices", categoryTable("Time of all devices", "device category", device_categories),
    table("Time of each device", ["device", " upload", " kernel", " download", " driver", " idle", " share"], times),
    table("Jobs of each device", ["device", " batches", " jobs", " answered", " passed on", " late", " break-even", ""], work),
    el("p", { class: "muted" }, "Threads do not wait for a device: they compute jobs that are passed on or late."));
}

/** Shows the machines of a cluster, if there are any. @param {Cost} cost */
function machinesPart(cost) {
  const { machines, driver } = cost.framework;
  if (driver === null) return null;
  const rows = machines.map((row) => {
    const share = (/** @type {number} */ ns) => percent(ns / Math.max(1, row.lane_time));
    return [row.name, grouped(row.cores), grouped(row.tasks), figure(`busy ${row.name}`, row.busy, share(row.busy)), share(row.idle),
      figure(`network ${row.name}`, row.network, share(row.network)),
      `${time(row.clock_offset)} ± ${row.clock_error === null ? "?" : time(row.clock_error)}`, row.lost ? "lost" : ""];
  });
  return section("Machines", table("Shares of the time of each machine's lanes", ["machine", " cores", " tasks", " busy", " idle", " network", " clock offset", ""], rows),
    el("p", { class: "muted" }, `The driver was busy for ${percent(driver.busy / Math.max(1, driver.lane_time))} of its time.`));
}

/** @param {Cost} cost */
function primitivesPart(cost) {
  const rows = cost.dsl.rows.filter((row) => row.share >= 0.001).map((row) => [
    row.name, grouped(row.hits), row.calls ? grouped(row.calls) : "",
    figure(`self ${row.name}`, row.measured, time(row.measured)),
    row.apportioned ? figure(`apportioned ${row.name}`, row.apportioned, `~${time(row.apportioned)}`) : "",
    row.median === null ? "" : time(row.median), row.p99 === null ? "" : time(row.p99),
    `${row.apportioned ? "~" : ""}${percent(row.share)}`, row.priority === "MINIMAL" ? "" : row.priority]);
  return section("Primitives", table("Cost of each primitive", ["primitive", " nodes", " calls", " self", " apportioned", " median", " p99", " share", "priority"], rows),
    cost.dsl.deep ? null : el("p", { class: "muted" }, ...prose("~ apportioned: the time of a node with nested calls, split by fuel; `--deep` measures it.")));
}

/** @param {Projected} projected */
function projection({ low, middle, high }) {
  return low === high ? `≈ ${time(middle)}` : `≈ ${time(middle)} (${time(low)} to ${time(high)})`;
}

/** @param {Cost} cost */
function phasesPart(cost) {
  const { phases } = cost;
  const { to_tasks: to, from_tasks: from } = phases.projection;
  const bars = /** @type {[string, number[]][]} */ ([
    [`recorded, ${count(from, "task")}`, phases.rows.map((row) => row.time)],
    [`projected, ${count(to, "task")}`, phases.rows.map((row) => row.projected.middle)]]);
  const bar = ([name, values] = bars[0]) => {
    const total = values.reduce((sum, ns) => sum + ns, 0);
    const stack = el("div", { class: "stack", role: "img", "aria-label": `${name}: ${time(total)}` });
    values.forEach((ns, i) => {
      const part = el("span", { class: `part tone${i}`, title: `${phases.rows[i].name}: ${time(ns)}` });
      part.style.width = `${(100 * ns) / Math.max(1, total)}%`;
      stack.append(part);
    });
    return el("div", {}, el("p", { class: "small" }, `${name}: ${time(total)}`), stack);
  };
  const rows = phases.rows.map((row, i) => [
    el("span", {}, el("span", { class: `dot tone${i}` }), row.name), figure(`phase ${row.name}`, row.time, time(row.time)), percent(row.share),
    row.fixed === null ? "?" : time(row.fixed), row.per_task === null ? "?" : time(row.per_task), projection(row.projected), row.how]);
  return section("Phases", ...bars.map(bar),
    table("Phases of the run, without waiting", ["phase", " time", " share", " fixed", " per task", ` for ${grouped(to)} tasks`, "basis"], rows),
    el("p", {}, `Projected wall time ${projection(phases.projection.wall)}.`),
    ...phases.warnings.map((text) => el("p", { class: "note" }, ...prose(text))));
}

/** @param {Cost} cost */
function outliersPart(cost) {
  const { outliers } = cost;
  const slots = cost.schedule.tasks.map((slot) => /** @type {[string, number]} */ ([slot[0], slot[3] - slot[2]]));
  const [width, height] = [720, 130];
  const times = slots.map(([, ns]) => Math.max(1, ns));
  const [low, high] = [Math.log10(times.reduce((a, b) => Math.min(a, b), Infinity)), Math.log10(times.reduce((a, b) => Math.max(a, b), 10))];
  const x = (/** @type {number} */ ns) => 12 + ((width - 24) * (Math.log10(Math.max(1, ns)) - low)) / Math.max(0.1, high - low);
  const out = new Set(outliers.outliers.map((it) => it.task));
  const dots = slots.map(([id, ns], i) => svg("circle", { cx: x(ns).toFixed(1), cy: 62 + ((i * 37) % 41) - 20, r: out.has(id) ? 4 : 2.5, class: out.has(id) ? "out" : "in" }, svg("title", {}, `${id}: ${time(ns)}`)));
  const names = outliers.outliers.slice(0, 5).map((it, i) => svg("text", { x: Math.min(x(it.time), width - 8).toFixed(1), y: 14 + (i % 2) * 14, "text-anchor": "end", class: "small" }, it.task));
  const ticks = [];
  for (let power = Math.ceil(low); power <= high; power++) ticks.push(svg("text", { x: x(10 ** power), y: height - 6, "text-anchor": "middle" }, time(10 ** power)));
  const limit = x(outliers.threshold);
  const rows = outliers.outliers.map((it) => [
    el("a", { href: `#/task/${encodeURIComponent(it.task)}` }, it.task), figure(`outlier ${it.task}`, it.time, time(it.time)), `${it.times.toFixed(0)}×`, grouped(it.cells), grouped(it.fuel),
    `${it.function} ${it.apportioned ? "~" : ""}${percent(it.share)}${it.cold ? ", first of its lane" : ""}${it.limits.length ? `, stopped: ${it.limits.join(" ")}` : ""}`]);
  return section("Outliers",
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tasks by time" },
      svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": `${count(slots.length, "task")} by time, ${count(out.size, "outlier")}` },
        svg("line", { x1: limit, x2: limit, y1: 30, y2: height - 24, class: "limit" }), ...dots, ...names, ...ticks)),
    el("p", { class: "muted" }, `${outliers.rule}, here ${time(outliers.threshold)}. Sum of all ${time(outliers.all.total)}, without outliers ${time(outliers.without.total)}.`),
    rows.length > 0 ? table("Tasks that take unusually long", ["task", " time", " median ×", " cells", " fuel", "why"], rows) : el("p", {}, "No task is an outlier."));
}

/** @param {Cost} cost */
function whatIfPart(cost) {
  const { schedule, budget } = cost;
  const plain = whatIf(schedule, new Map());
  if (Math.abs(plain.error) > MAX_ERROR) {
    return section("What if", el("p", { class: "note" }, `The replay of the recorded schedule is off by ${percent(plain.error)} without any change, so it cannot predict anything; record again, with --threads 1 for an exact result.`));
  }
  /** @type {Map<string, number>} */
  const speedups = new Map();
  const answer = el("p", { class: "answer", role: "status" });
  const update = () => {
    const { predicted, off, wall } = whatIf(schedule, speedups);
    const runs = runsIn(budget, predicted);
    fill(answer, "wall ", time(wall), " → ", figure("predicted", predicted, projection({ low: predicted - off, middle: predicted, high: predicted + off })),
      `, ${percent(predicted / Math.max(1, wall) - 1)} · `, figure("runs", runs, grouped(runs)), ` runs in ${time(budget.budget_ns)} in one process`);
    if (budget.candidates !== null) answer.append(", ", figure("candidates", runs * budget.candidates, grouped(runs * budget.candidates)), " pairs of program and task");
  };
  const sliders = cost.dsl.rows.slice(0, 12).map((row) => {
    const shown = el("output", {}, "1×");
    const input = el("input", { type: "range", min: 1, max: 10, step: 0.5, value: 1, "data-primitive": row.name, "aria-label": `${row.name}, times faster`,
      input: () => {
        speedups.set(row.name, Number(input.value));
        shown.textContent = `${input.value}×`;
        update();
      } });
    return el("label", { class: "slider" }, el("span", {}, row.name, " ", el("span", { class: "muted" }, percent(row.share))), input, shown);
  });
  const reset = el("button", { type: "button", click: () => {
    speedups.clear();
    part.querySelectorAll("input").forEach((input) => { input.value = "1"; });
    part.querySelectorAll("output").forEach((output) => { output.textContent = "1×"; });
    update();
  } }, "as recorded");
  const part = section("What if a primitive were faster?", answer, el("div", { class: "sliders" }, ...sliders), reset,
    el("p", { class: "muted" }, `Cold start ≈ ${time(budget.cold_start)}, ${budget.warm ? "not " : ""}in the recorded run (${budget.cold_from}). ${schedule.workers === 1 ? "One worker: exact." : `${schedule.workers} workers: replayed schedule, off by ${percent(plain.error)} without any change.`}`));
  update();
  return part;
}

/**
 * @param {Block} block
 * @returns {number}
 */
function depth([, , inside]) {
  return 1 + Math.max(0, ...inside.map(depth));
}

/** @param {Block} root */
function flame(root) {
  const [width, row] = [1000, 20];
  const box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Flame graph" });
  const status = el("p", { class: "muted", role: "status" });
  /** @param {Block[]} path */
  function show(path) {
    const top = path[path.length - 1];
    const height = (path.length - 1 + depth(top)) * row;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "flame", role: "group", "aria-label": "Flame graph" });
    const frame = (/** @type {Block[]} */ path, /** @type {number} */ x, /** @type {number} */ wide, /** @type {number} */ level) => {
      const [name, ns, parts] = path[path.length - 1];
      if (wide < 0.8) return;
      const letters = Math.floor((wide - 6) / 6.6);
      const zoom = () => { show(path); box.querySelector("g")?.focus(); };
      picture.append(svg("g", { tabindex: wide > 8 ? 0 : null, role: "button", "aria-label": `${name}: ${time(ns)}, ${percent(ns / root[1])}`, click: zoom,
        keydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); zoom(); } } },
        svg("title", {}, `${name}: ${time(ns)}, ${percent(ns / root[1])}`),
        svg("rect", { x: x.toFixed(2), y: level * row, width: wide.toFixed(2), height: row - 1, fill: `hsl(${hue(name) % 60} 80% 70%)` }),
        letters > 2 ? svg("text", { x: (x + 3).toFixed(2), y: level * row + 14 }, name.slice(0, letters)) : null));
      let at = x;
      parts.forEach((part) => {
        const w = (wide * part[1]) / Math.max(1, ns);
        frame([...path, part], at, w, level + 1);
        at += w;
      });
    };
    path.slice(0, -1).forEach((_, level) => {
      const above = path.slice(0, level + 1);
      frame([...above.slice(0, -1), [above[level][0], above[level][1], []]], 0, width, level);
      // A click on a box above shows it again with all its parts.
      picture.lastElementChild?.addEventListener("click", () => show(above));
    });
    frame(path, 0, width, path.length - 1);
    box.replaceChildren(picture);
    status.textContent = `${path.map(([name]) => name).join(" › ")}: ${time(top[1])}, ${percent(top[1] / root[1])} of lane time. Select a box to zoom in, or one above it to zoom out.`;
  }
  show([root]);
  return el("div", {}, status, box);
}

/**
 * Draws categories as areas with their functions inside.
 * @param {Cost} cost
 */
function treemap(cost) {
  const [width, height] = [1000, 420];
  const categories = cost.framework.categories.filter((row) => row.time > 0 && row.name !== "idle" && row.name !== "network");
  const busy = categories.reduce((sum, row) => sum + row.time, 0);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "flame", role: "img", "aria-label": `Busy time by category and function, ${time(busy)}` });
  squares(categories.map((row) => row.time), 0, 0, width, height).forEach(([x, y, w, h], i) => {
    const row = categories[i];
    const functions = row.functions.filter((it) => it.time > 0);
    squares(functions.map((it) => it.time), x + 1, y + 1, w - 2, h - 2).forEach(([fx, fy, fw, fh], k) => {
      const letters = Math.floor((fw - 4) / 6.4);
      picture.append(svg("g", {},
        svg("title", {}, `${row.name} › ${functions[k].name}: ${time(functions[k].time)}, ${percent(functions[k].time / busy)}`),
        svg("rect", { x: fx.toFixed(1), y: fy.toFixed(1), width: Math.max(0, fw - 0.5).toFixed(1), height: Math.max(0, fh - 0.5).toFixed(1), fill: `hsl(${hue(row.name)} 55% 78%)` }),
        letters > 3 && fh > 14 ? svg("text", { x: (fx + 3).toFixed(1), y: (fy + 12).toFixed(1) }, functions[k].name.slice(0, letters)) : null));
    });
  });
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Treemap" }, picture);
}

/**
 * Divides a rectangle into areas in the ratio of the values, as square as possible.
 * @param {number[]} values descending
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @returns {[number, number, number, number][]}
 */
function squares(values, x, y, width, height) {
  /** @type {[number, number, number, number][]} */
  const places = [];
  let rest = values.reduce((sum, value) => sum + value, 0);
  for (let i = 0; i < values.length && rest > 0; ) {
    const short = Math.max(1e-9, Math.min(width, height));
    const scale = (width * height) / rest;
    const worst = (/** @type {number} */ n) => {
      const row = values.slice(i, i + n);
      const side = (row.reduce((sum, value) => sum + value, 0) * scale) / short;
      return Math.max(...row.map((value) => { const other = (value * scale) / side; return Math.max(side / other, other / side); }));
    };
    let n = 1;
    while (i + n < values.length && worst(n + 1) <= worst(n)) n++;
    const row = values.slice(i, i + n);
    const sum = row.reduce((total, value) => total + value, 0);
    const side = (sum * scale) / short;
    let at = 0;
    row.forEach((value) => {
      const long = (value * scale) / side;
      places.push(width >= height ? [x, y + at, side, long] : [x + at, y, long, side]);
      at += long;
    });
    if (width >= height) { x += side; width -= side; } else { y += side; height -= side; }
    rest -= sum;
    i += n;
  }
  return places;
}

/** @param {Cost} cost */
function lanesPlot(cost) {
  const { schedule } = cost;
  const longest = schedule.lanes.reduce((most, name) => Math.max(most, name.length), 0);
  const [width, row, left] = [1000, schedule.lanes.length > 40 ? 15 : 26, Math.min(260, Math.max(80, 7 * longest + 10))];
  const start = Math.min(...schedule.waits.map(([from]) => from), ...schedule.tasks.slice(0, 1).map((slot) => slot[2]));
  const end = schedule.tasks.reduce((most, slot) => Math.max(most, slot[3]), start + 1);
  const x = (/** @type {number} */ ns) => left + ((width - left) * (ns - start)) / (end - start);
  const height = schedule.lanes.length * row + 20;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "flame", role: "img", "aria-label": `Tasks on ${count(schedule.lanes.length, "lane")} over time` });
  // The lanes of a machine are drawn together.
  const place = schedule.lanes.map((_, lane) => schedule.order.indexOf(lane));
  const letters = Math.floor((left - 10) / 7);
  schedule.lanes.forEach((name, lane) => picture.append(svg("text", { x: 0, y: place[lane] * row + row - 10 * (row / 26), class: "plain" }, name.length > letters ? svg("title", {}, name) : null, name.slice(0, letters))));
  schedule.waits.forEach(([from, to]) => picture.append(svg("rect", { x: x(from), y: 2, width: Math.max(0, x(to) - x(from)), height: row - 4, class: "wait" }, svg("title", {}, `waits ${time(to - from)}`))));
  schedule.tasks.forEach(([id, lane, from, to]) => picture.append(svg("rect", { x: x(from).toFixed(2), y: place[lane] * row + 2, width: Math.max(0.4, x(to) - x(from)).toFixed(2), height: row - 4, fill: `hsl(${hue(id)} 60% 65%)` }, svg("title", {}, `${id}: ${time(to - from)}`))));
  // A device may be there before the first task and after the last.
  schedule.devices.map(([lane, from, to]) => [lane, Math.max(from, start), Math.min(to, end)]).filter(([, from, to]) => from < to).forEach(([lane, from, to]) =>
    picture.append(svg("rect", { x: x(from).toFixed(2), y: place[lane] * row + 2, width: Math.max(0.4, x(to) - x(from)).toFixed(2), height: row - 4, class: "batches" }, svg("title", {}, `batches: ${time(to - from)}`))));
  picture.append(svg("text", { x: left, y: height - 4, class: "plain" }, time(start)), svg("text", { x: width, y: height - 4, "text-anchor": "end", class: "plain" }, time(end)));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Lanes over time" }, picture);
}
