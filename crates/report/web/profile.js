// The profile: what it says, what-ifs, the flame graph, lanes over time, outliers, and the figures.

import { count, el, empty, fill, figure, grouped, percent, prose, section, svg, table, time } from "./dom.js";
import { ok, reason, stampText } from "./data.js";
import { LETTER, UNACCOUNTED, WAITING, dot, drawing, fitted, hatch, ticks, tipped, tone } from "./chart.js";
import { flamePart } from "./flame.js";
import { advice, noiseLine, rangeText, timeBar } from "./overview.js";
import { taskLink } from "./tasks.js";
import { MAX_ERROR, factorsOf, runsIn, whatIf } from "./whatif.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Cost} Cost */
/** @typedef {import("./data.js").Projected} Projected */

/** @param {Run} run */
export function profileView(run) {
  const cost = ok(run.cost);
  if (cost === null) return el("div", {}, el("h1", {}, "Profile"), empty(...prose(`${reason(run.cost)}.`)));
  const { wall, lanes, lane_time, busy, devices } = cost.framework;
  return el("div", { class: cost.validity.valid ? null : "invalid" },
    el("h1", {}, "Profile"),
    noiseLine(cost),
    el("p", { class: `stamp ${cost.validity.valid ? "good" : "bad"}` }, stampText(run)),
    el("p", {}, "wall ", figure("wall", wall, time(wall)), ` · ${count(lanes, "lane")} · `, figure("lane time", lane_time, time(lane_time)), " of lane time, ", figure("busy", busy, time(busy)), " busy", devices.length > 0 ? ` · ${count(devices.length, "device")}` : ""),
    timeBar(cost), advice(cost),
    whatIfPart(cost), section("Flame graph", flamePart(cost)), section("Lanes over time", lanesPlot(cost)), outliersPart(cost),
    categoriesPart(cost), machinesPart(cost), devicesPart(cost), section("Treemap", treemap(cost)), primitivesPart(cost), phasesPart(cost));
}

/** @param {Cost} cost */
function categoriesPart(cost) {
  const rows = cost.framework.categories.filter((row) => row.time > 0 || row.name === UNACCOUNTED);
  return section("Categories", categoryTable(cost, "Time of all lanes; every function is in one category", "category", rows));
}

/**
 * @param {Cost} cost
 * @param {string} caption
 * @param {string} head
 * @param {import("./data.js").Category[]} rows
 */
function categoryTable(cost, caption, head, rows) {
  return table(caption, [head, " self", " share", "top functions"], rows.map((row) => [
    el("span", {}, dot(row.name), row.name), figure(`${head} ${row.name}`, row.time, time(row.time)), shareText(cost, row),
    row.functions.filter((it) => it.time > 0).slice(0, 4).map((it) => `${it.name} ${time(it.time)}`).join(" · ")]));
}

/**
 * Formats a share, with its range if the recording was disturbed.
 * @param {Cost} cost
 * @param {{ share: number, range: [number, number] }} row
 */
function shareText(cost, { share, range }) {
  const text = rangeText(cost, range);
  return text === null ? percent(share) : `${percent(share)} (${text})`;
}

/** Shows the devices, if there are any. @param {Cost} cost */
function devicesPart(cost) {
  const { devices, device_categories } = cost.framework;
  if (devices.length === 0) return null;
  const times = devices.map((row) => [row.name, ...[row.upload, row.kernel, row.download, row.driver, row.idle].map(time),
    figure(`share ${row.name}`, row.share, percent(row.share))]);
  const work = devices.map((row) => [row.name, ...[row.batches, row.asked, row.answered, row.passed, row.late].map(grouped),
    row.break_even === null ? "" : count(row.break_even, "job"), row.lost ? `lost${row.reason === null ? "" : `: ${row.reason}`}` : ""]);
  return section("Devices", categoryTable(cost, "Time of all devices", "device category", device_categories),
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
    el("span", {}, dot(row.family), row.name), grouped(row.hits), row.calls ? grouped(row.calls) : "",
    figure(`self ${row.name}`, row.measured, time(row.measured)),
    row.apportioned ? figure(`apportioned ${row.name}`, row.apportioned, `~${time(row.apportioned)}`) : "",
    row.median === null ? "" : time(row.median), row.p99 === null ? "" : time(row.p99),
    `${row.apportioned ? "~" : ""}${shareText(cost, row)}`, priorityText(row)]);
  return section("Primitives", cost.dsl.tied.length > 0 ? el("p", { class: "note" }, `Cannot tell apart: ${cost.dsl.tied.slice(0, 6).join(", ")}${cost.dsl.tied.length > 6 ? ` and ${count(cost.dsl.tied.length - 6, "other")}` : ""}.`) : null, table("Cost of each primitive", ["primitive", " nodes", " calls", " self", " apportioned", " median", " p99", " share", "priority"], rows),
    cost.dsl.deep ? null : el("p", { class: "muted" }, ...prose("~ apportioned: the time of a node with nested calls, split by fuel; `--deep` measures it.")));
}

/** Formats a priority. One that is not clear names the candidates. @param {import("./data.js").PrimitiveRow} row */
function priorityText({ priority, priority_range: [low, high] }) {
  if (priority !== "UNCLEAR") return priority === "MINIMAL" ? "" : priority;
  return low === "MINIMAL" ? `${high} or less` : `${low} or ${high}`;
}

/** @param {Projected} projected */
function projection({ low, middle, high }) {
  return low === high ? `≈ ${time(middle)}` : `≈ ${time(middle)} (${time(low)} to ${time(high)})`;
}

/** @param {Cost} cost */
function phasesPart(cost) {
  const { phases } = cost;
  const { to_tasks: to, from_tasks: from } = phases.projection;
  const rows = phases.rows.map((row) => {
    const bar = el("div", {});
    bar.style.width = `${100 * row.share}%`;
    return [row.name, el("div", {}, bar), figure(`phase ${row.name}`, row.time, time(row.time)), percent(row.share),
      row.fixed === null ? "?" : time(row.fixed), row.per_task === null ? "?" : time(row.per_task), projection(row.projected), row.how];
  });
  const phaseTable = table(`Phases of the run, without waiting: ${count(from, "task")} recorded, ${count(to, "task")} projected`, ["phase", "", " time", " share", " fixed", " per task", ` for ${grouped(to)} tasks`, "basis"], rows);
  phaseTable.classList.add("bars");
  phaseTable.querySelectorAll("td:nth-child(2)").forEach((cell) => cell.classList.add("barcell"));
  return section("Phases", phaseTable,
    el("p", { id: "marginal" }, `Fixed ${projection(phases.fixed)} and ${projection(phases.per_task)} of lane time for each task. Projected wall time ${projection(phases.projection.wall)}.`),
    phases.remedy === null ? null : el("p", { class: "muted" }, ...prose(phases.remedy)),
    ...phases.warnings.map((text) => el("p", { class: "note" }, ...prose(text))));
}

/** Largest height of the dots of the strip plot, and the height of a row of labels. */
const [MAX_STRIP, LABEL_ROW] = [112, 16];

/**
 * Shows the tasks as dots on a logarithmic axis of time. Outliers have labels, as many as fit.
 * @param {Cost} cost
 */
function outliersPart(cost) {
  const { outliers } = cost;
  const known = new Set(outliers.outliers.map((it) => it.task));
  /** A solve works on a task several times. @type {Map<string, number>} */
  const sums = new Map();
  cost.schedule.tasks.forEach(([id, , from, to]) => sums.set(id, (sums.get(id) ?? 0) + to - from));
  const tasks = [...sums].map(([id, ns]) => /** @type {[string, number]} */ ([id, Math.max(1, ns)])).sort((a, b) => b[1] - a[1]);
  const rows = outliers.outliers.map((it) => [
    el("a", { href: taskLink(it.task) }, it.task), figure(`outlier ${it.task}`, it.time, time(it.time)), `${it.times.toFixed(0)}×`, grouped(it.cells), grouped(it.fuel),
    `${it.function} ${it.apportioned ? "~" : ""}${percent(it.share)}${it.cold ? ", first of its lane" : ""}${it.limits.length ? `, stopped: ${it.limits.join(" ")}` : ""}${it.sure ? "" : `, may be disturbed${it.disturbed === null ? "" : `: did not run for ${time(it.disturbed)}`}`}`]);
  return section("Outliers",
    el("p", { class: "muted" }, `${outliers.rule}, here ${time(outliers.threshold)}. Sum of all ${time(outliers.all.total)}, without outliers ${time(outliers.without.total)}.`),
    tasks.length === 0 ? null : drawing((width) => strip(tasks, known, outliers.threshold, width)),
    rows.length > 0 ? table("Tasks that take unusually long", ["task", " time", " median ×", " cells", " fuel", "why"], rows) : empty("No task is an outlier."));
}

/**
 * @param {[string, number][]} tasks the slowest first
 * @param {Set<string>} outliers
 * @param {number} threshold
 * @param {number} width
 */
function strip(tasks, outliers, threshold, width) {
  const [low, high] = [Math.log10(tasks[tasks.length - 1][1]), Math.log10(Math.max(tasks[0][1], 10))];
  const x = (/** @type {number} */ ns) => 12 + ((width - 24) * (Math.log10(Math.max(1, ns)) - low)) / Math.max(0.1, high - low);
  // Labels end at their dots. They are placed from the slowest task on, each in the highest row in which it touches
  // no other label and its leader crosses none below.
  /** @type {[number, number][][]} */
  const taken = [[], [], [], [], []];
  /** @type {[string, number, number, number][]} */
  const labels = [];
  tasks.filter(([id]) => outliers.has(id)).forEach(([id, ns]) => {
    const [from, to] = [x(ns) - 4 - id.length * LETTER, x(ns) - 4];
    const free = (/** @type {number} */ row) => taken[row].every(([left, right]) => from > right + 8 || to + 8 < left);
    const crosses = (/** @type {number} */ row) => taken.slice(row + 1).some((places) => places.some(([left, right]) => x(ns) > left - 2 && x(ns) < right + 2));
    const row = taken.findIndex((_, row) => free(row) && !crosses(row));
    if (row < 0 || from < 0) return;
    taken[row].push([from, to]);
    labels.push([id, x(ns), from, row]);
  });
  // Dots of similar times are stacked from the middle.
  /** @type {Map<number, number>} */
  const stacked = new Map();
  const nth = tasks.map(([, ns]) => {
    const column = Math.round(x(ns) / 7);
    const k = stacked.get(column) ?? 0;
    stacked.set(column, k + 1);
    return k;
  });
  const most = [...stacked.values()].reduce((most, k) => Math.max(most, k), 1);
  const tall = Math.min(MAX_STRIP, Math.max(32, most * 7 + 8));
  const n = labels.reduce((most, [, , , row]) => Math.max(most, row + 1), 0);
  const top = n * LABEL_ROW + 8;
  const height = top + tall + 24;
  const place = (/** @type {number} */ k) => top + tall / 2 + (k % 2 === 0 ? 1 : -1) * Math.min(tall / 2 - 4, Math.ceil(k / 2) * 7);
  /** @type {Map<string, number>} */
  const heights = new Map();
  const dots = tasks.map(([id, ns], i) => {
    const y = place(nth[i]);
    heights.set(id, y);
    return tipped(svg("circle", { cx: x(ns).toFixed(1), cy: y.toFixed(1), r: outliers.has(id) ? 4 : 3, class: outliers.has(id) ? "out" : "in" }), () => [id, time(ns)]);
  });
  const names = labels.flatMap(([id, at, left, row]) => [
    svg("path", { class: "leader", d: `M${at.toFixed(1)} ${((heights.get(id) ?? top) - 5).toFixed(1)}V${row * LABEL_ROW + 4}` }),
    svg("text", { x: left.toFixed(1), y: row * LABEL_ROW + 12, class: "plain", "data-label": id }, id)]);
  const marks = [];
  for (let power = Math.ceil(low); power <= high; power++) marks.push(svg("text", { x: Math.max(24, Math.min(width - 24, x(10 ** power))), y: height - 6, "text-anchor": "middle", class: "plain" }, time(10 ** power)));
  const limit = x(threshold);
  return svg("svg", { width, height, class: "strip", role: "img", "aria-label": `${count(tasks.length, "task")} by time, ${count(outliers.size, "outlier")}` },
    limit <= width ? svg("line", { x1: limit, x2: limit, y1: top, y2: top + tall, class: "limit" }) : null, ...names, ...dots, ...marks);
}

/** Number of sliders that are shown at first. */
const LEVERS = 12;

/**
 * Lets the reader make anything faster, and predicts the wall time. What can bring most comes first.
 * @param {Cost} cost
 */
function whatIfPart(cost) {
  const { schedule, budget } = cost;
  const levers = ok(cost.levers);
  const plain = whatIf(schedule, factorsOf(schedule, []));
  const runs = el("div", { class: "says" }, el("p", { id: "budget" }, budget.sentence), budget.assumptions.length > 0 ? el("ul", { class: "small" }, ...budget.assumptions.map((text) => el("li", {}, ...prose(text)))) : null);
  if (levers === null || Math.abs(plain.error) > MAX_ERROR) {
    const why = levers === null ? reason(cost.levers) : `the replay of the recorded schedule is off by ${percent(plain.error)} without any change`;
    return section("What if something were faster?", el("p", { class: "note" }, ...prose(`There is no prediction: ${why}.`)), runs);
  }
  /** @type {Map<string, number>} */
  const factors = new Map();
  const answer = el("p", { class: "answer", role: "status" });
  const update = () => {
    const changes = levers.levers.flatMap((lever) => { const factor = factors.get(lever.what) ?? 1; return factor === 1 ? [] : [/** @type {[import("./data.js").Lever, number]} */ ([lever, factor])]; });
    const { low, middle, high, wall } = whatIf(schedule, factorsOf(schedule, changes));
    const fit = runsIn(budget, middle);
    fill(answer, "wall ", time(wall), " → ", el("span", { "data-low": low, "data-high": high }, figure("predicted", middle, projection(changes.length === 0 ? { low: middle, middle, high: middle } : { low, middle, high }))),
      `, ${percent(middle / Math.max(1, wall) - 1)} · `, figure("runs", fit, grouped(fit)), ` runs in ${time(budget.budget_ns)} in one process`);
    if (budget.candidates !== null) answer.append(", ", figure("candidates", fit * budget.candidates, grouped(fit * budget.candidates)), " pairs of program and task");
  };
  const slider = (/** @type {import("./data.js").Lever} */ lever) => {
    const shown = el("output", {}, "1×");
    const { low, middle, high } = lever.twice;
    const gain = `saves ${time(middle)} of wall time if twice as fast${low === high ? "" : ` (${time(low)} to ${time(high)})`}`;
    const input = el("input", { type: "range", min: 1, max: 10, step: 0.5, value: 1, "data-lever": lever.what, "aria-label": `${lever.name}, ${lever.kind}, times faster`,
      input: () => {
        factors.set(lever.what, Number(input.value));
        shown.textContent = `${input.value}×`;
        update();
      } });
    return tipped(el("label", { class: "slider" }, el("span", {}, dot(lever.category), lever.name), el("span", { class: "muted number" }, `−${time(middle)}`), input, shown), () => [lever.name, `${lever.kind}, ${percent(lever.share)} of busy time`, gain]);
  };
  const reset = el("button", { type: "button", click: () => {
    factors.clear();
    part.querySelectorAll("input").forEach((input) => { input.value = "1"; });
    part.querySelectorAll("output").forEach((output) => { output.textContent = "1×"; });
    update();
  } }, "as recorded");
  const rest = levers.levers.slice(LEVERS);
  const part = section("What if something were faster?", answer,
    el("p", { class: "muted small" }, "Sorted by the wall time that each saves if it is twice as fast. A category contains its functions, so do not add them up."),
    levers.tied.length > 0 ? el("p", { class: "note" }, `Cannot tell which of these saves most: ${levers.tied.slice(0, 6).join(", ")}${levers.tied.length > 6 ? ` and ${count(levers.tied.length - 6, "other")}` : ""}.`) : null,
    el("div", { class: "sliders" }, ...levers.levers.slice(0, LEVERS).map(slider)),
    rest.length > 0 ? el("details", {}, el("summary", {}, `${grouped(rest.length)} more`), el("div", { class: "sliders" }, ...rest.map(slider))) : null, el("p", { class: "buttons" }, reset), runs,
    el("p", { class: "muted small" }, `Cold start ≈ ${time(budget.cold_start)}, ${budget.warm ? "not " : ""}in the recorded run (`, ...prose(budget.cold_from), `). ${schedule.workers === 1 ? "One worker: exact." : `${schedule.workers} workers: replayed schedule, off by ${percent(Math.abs(plain.error))} without any change.`}`));
  update();
  return part;
}

/**
 * Draws categories as areas with their functions inside. A name is shown if it fits.
 * @param {Cost} cost
 */
function treemap(cost) {
  const categories = cost.framework.categories.filter((row) => row.time > 0 && !WAITING.includes(row.name));
  const busy = categories.reduce((sum, row) => sum + row.time, 0);
  return drawing((width) => {
    const height = width < 600 ? 360 : 420;
    const picture = svg("svg", { width, height, class: "treemap", role: "img", "aria-label": `Busy time by category and function, ${time(busy)}` }, hatch());
    squares(categories.map((row) => row.time), 0, 0, width, height).forEach(([x, y, w, h], i) => {
      const row = categories[i];
      const functions = row.functions.filter((it) => it.time > 0);
      squares(functions.map((it) => it.time), x + 1, y + 1, w - 2, h - 2).forEach(([fx, fy, fw, fh], k) => {
        const { name, time: ns } = functions[k];
        const fits = name.length * LETTER <= fw - 10 && fh > 18;
        picture.append(tipped(svg("g", {},
          svg("rect", { x: fx.toFixed(1), y: fy.toFixed(1), width: Math.max(0, fw - 1).toFixed(1), height: Math.max(0, fh - 1).toFixed(1), fill: tone(row.name), "data-category": row.name }),
          fits ? svg("text", { x: (fx + 5).toFixed(1), y: (fy + 15).toFixed(1) }, name) : null),
          () => [name, `${time(ns)}, ${percent(ns / Math.max(1, busy))} of busy time`, row.name]));
      });
    });
    return picture;
  });
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

/**
 * Draws the tasks of each lane over time, in the colour of the category that took most of the task.
 * @param {Cost} cost
 */
function lanesPlot(cost) {
  const { schedule } = cost;
  const main = (/** @type {[number, number][]} */ costs) => {
    /** @type {Map<string, number>} */
    const sums = new Map();
    costs.forEach(([id, ns]) => { const name = schedule.functions[id][1]; sums.set(name, (sums.get(name) ?? 0) + ns); });
    return [...sums].sort((a, b) => b[1] - a[1]);
  };
  const sorted = schedule.tasks.map((slot) => main(slot[4]));
  const used = [...new Set(sorted.flatMap(([first]) => (first ? [first[0]] : [])))];
  const start = Math.min(...schedule.waits.map(([from]) => from), ...schedule.tasks.slice(0, 1).map((slot) => slot[2]));
  const end = schedule.tasks.reduce((most, slot) => Math.max(most, slot[3]), start + 1);
  const longest = schedule.lanes.reduce((most, name) => Math.max(most, name.length), 0);
  // The lanes of a machine are drawn together.
  const place = schedule.lanes.map((_, lane) => schedule.order.indexOf(lane));
  const picture = drawing((width) => {
    // On a narrow page the name of a lane is above it.
    const narrow = width < 600;
    const [row, above] = schedule.lanes.length > 40 ? [16, 0] : narrow ? [40, 16] : [24, 0];
    const left = narrow ? (schedule.lanes.length > 40 ? 64 : 0) : Math.min(240, Math.max(80, LETTER * longest + 12));
    const x = (/** @type {number} */ ns) => left + ((width - left) * (ns - start)) / Math.max(1, end - start);
    const bar = (/** @type {number} */ lane, /** @type {number} */ from, /** @type {number} */ to) => ({ x: x(from).toFixed(2), y: place[lane] * row + above + 2, width: Math.max(0.5, x(to) - x(from)).toFixed(2), height: row - above - 4 });
    const height = schedule.lanes.length * row + 24;
    const drawn = svg("svg", { width, height, class: "lanes", role: "img", "aria-label": `Tasks on ${count(schedule.lanes.length, "lane")} over time` });
    schedule.lanes.forEach((name, lane) => drawn.append(tipped(svg("text", { x: 0, y: place[lane] * row + (above > 0 ? 13 : row - 8 * (row / 24)), class: "plain" }, fitted(name, above > 0 ? width : left - 8)), () => [name])));
    schedule.waits.forEach(([from, to]) => drawn.append(tipped(svg("rect", { ...bar(0, from, to), class: "idle", "data-category": "idle" }), () => ["waiting", time(to - from)])));
    schedule.tasks.forEach(([id, lane, from, to], i) => drawn.append(tipped(svg("rect", { ...bar(lane, from, to), fill: tone(sorted[i][0]?.[0] ?? UNACCOUNTED), "data-category": sorted[i][0]?.[0] ?? UNACCOUNTED }),
      () => [id, time(to - from), ...sorted[i].slice(0, 3).map(([name, ns]) => `${name} ${time(ns)}`)])));
    // A device may be there before the first task and after the last.
    schedule.devices.map(([lane, from, to]) => [lane, Math.max(from, start), Math.min(to, end)]).filter(([, from, to]) => from < to).forEach(([lane, from, to]) =>
      drawn.append(tipped(svg("rect", { ...bar(lane, from, to), class: "batches", fill: tone("device: kernel"), "data-category": "device: kernel" }), () => ["batches", time(to - from)])));
    ticks(start, end, (width - left) / 120).forEach((ns) => drawn.append(svg("text", { x: Math.max(left + 24, Math.min(width - 24, x(ns))), y: height - 4, "text-anchor": "middle", class: "plain" }, time(ns))));
    return drawn;
  });
  const key = [...used, ...(schedule.devices.length > 0 ? ["device: kernel"] : []), "idle"].map((name) => el("li", {}, dot(name), name));
  return el("div", {}, el("p", { class: "muted small" }, "The colour of a task is that of the category in which it spent most time."), picture, el("ul", { class: "key" }, ...key));
}
