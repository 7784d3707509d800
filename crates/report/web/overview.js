// The first screen: setup, results, scores, and where the time went.

import { count, el, figure, grouped, percent, prose, section, svg, table, time } from "./dom.js";
import { STATES, anytime, ok, reason, scoreText } from "./data.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Cost} Cost */
/** @typedef {import("./data.js").State} State */

/** @param {Run} run */
export function overviewView(run) {
  const cost = ok(run.cost);
  return el(
    "div",
    {},
    el("h1", {}, run.name),
    stampLine(run),
    el("div", { class: "tiles" }, ...run.scores.map(scoreTile), ...wallTiles(run, cost)),
    cost ? timeBar(cost) : el("p", { class: "note" }, ...prose(`There are no times: ${reason(run.cost)}.`)),
    el("div", { class: "columns" }, setup(run), states(run)),
    run.curve.length ? searchCurve(run) : cost ? taskCurve(run, cost) : null,
  );
}

/** @param {Run} run */
function stampLine(run) {
  const { right, valid, stamp } = run;
  const left = right.left ? ` The run was stopped or is still running; ${count(right.left, "task")} did not run.` : "";
  return el(
    "p",
    { class: `stamp ${valid ? "good" : "bad"}`, id: "stamp" },
    el("strong", {}, valid ? "✓ valid: " : "✗ not valid: "),
    `${stamp.replace(/^INVALID: /, "")}.${left}`,
    ...wrongLinks(run),
  );
}

/**
 * Returns links to programs that are wrong on their own tasks.
 * @param {Run} run
 */
function wrongLinks(run) {
  const shown = run.wrong.slice(0, 5);
  return shown.flatMap(([place, task]) => [" ", el("a", { href: `#/task/${encodeURIComponent(task)}` }, `see ${run.programs[place]?.name ?? task}`)]);
}

/** @param {import("./data.js").Score} score */
function scoreTile(score) {
  const share = score.denominator ? (score.numerator ?? 0) / score.denominator : 0;
  const exact = score.denominator ? `${score.numerator} of ${score.denominator}` : "";
  return tile(score.label, figure(`score ${score.rule}`, share, scoreText(score)), exact);
}

/**
 * @param {Run} run
 * @param {Cost | null} cost
 */
function wallTiles(run, cost) {
  const { threads, machine } = run.environment;
  const on = `${count(threads, "thread")}, ${machine.os} ${machine.arch}, ${count(machine.cores, "core")}`;
  if (cost === null) return [tile("wall time", "not recorded", on)];
  const { wall, busy, lanes } = cost.framework;
  return [
    tile("wall time", figure("wall", wall, time(wall)), on),
    tile("busy", figure("busy", busy, time(busy)), `of ${count(lanes, "lane")}`),
  ];
}

/**
 * @param {string} label
 * @param {Node | string} value
 * @param {string} small
 */
function tile(label, value, small) {
  return el(
    "div",
    { class: "tile" },
    el("div", { class: "label" }, label),
    el("div", { class: "value" }, value),
    el("div", { class: "small" }, small),
  );
}

/** @param {Cost} cost */
function timeBar(cost) {
  const { categories, lane_time } = cost.framework;
  const shown = categories.filter((row) => row.time > 0);
  const largest = [...shown].sort((a, b) => b.time - a.time).slice(0, 6);
  const bar = el("div", { class: "stack", role: "img", "aria-label": "Time of all lanes by category" });
  let other = 0;
  shown.forEach((row) => {
    if (!largest.includes(row)) other += row.time;
  });
  /** @type {[string, number][]} */
  const parts = largest.map((row) => [row.name, row.time]);
  if (other > 0) parts.push(["other", other]);
  parts.forEach(([name, ns], i) => {
    const part = el("span", { class: `part tone${i}`, title: `${name}: ${time(ns)}` });
    part.style.width = `${(100 * ns) / lane_time}%`;
    bar.append(part);
  });
  const key = parts.map(([name, ns], i) =>
    el("li", {}, el("span", { class: `dot tone${i}` }), `${name} `, el("span", { class: "muted" }, `${time(ns)}, ${percent(ns / lane_time)}`)),
  );
  return section("Where the time went", bar, el("ul", { class: "key" }, ...key));
}

/** @param {Run} run */
function setup(run) {
  const { data, options, version, dsl } = run.setup;
  const { programs, calls, distinct, shared } = run.plan;
  return section(
    "Setup",
    table("Setup", ["", ""], [
      ["data", `${data.name}, ${count(data.tasks, "task")}`],
      ["data hash", el("code", {}, data.hash.slice(0, 16))],
      ["programs", `${grouped(programs)}, ${grouped(calls)} calls, ${grouped(distinct)} distinct, ${grouped(shared)} shared`],
      run.search === null ? ["right on demonstrations", `${run.right.on_demos} of ${run.right.programs}`] : ["found by", run.search],
      ["right on tests", `${run.right.on_tests} of ${run.right.programs}`],
      ["fuel", fuel(run)],
      ["every program on every task", options.all_pairs ? "yes" : "no"],
      ["seed", options.seed === undefined ? "none, nothing is random" : String(options.seed)],
      ["version", `${version}, language ${dsl.slice(0, 12)}`],
    ]),
  );
}

/** @param {Run} run */
function fuel({ search, setup: { options } }) {
  if (search === null) return `${grouped(options.fuel ?? 0)} for each program and pair`;
  return options.fuel_per_task ? `${grouped(options.fuel_per_task)} for each task` : "limited by time only";
}

/** @param {Run} run */
function states(run) {
  /** @type {Map<State, number>} */
  const counts = new Map();
  run.tasks.forEach((task) => counts.set(task.state, (counts.get(task.state) ?? 0) + 1));
  const names = /** @type {State[]} */ (Object.keys(STATES));
  const rows = names.filter((state) => counts.has(state)).map((state) => [
    el("a", { href: `#/tasks/${state}` }, STATES[state]),
    figure(`tasks ${state}`, counts.get(state) ?? 0, grouped(counts.get(state) ?? 0)),
  ]);
  const verdicts = run.verdicts.filter((row) => row.count > 0).map((row) => [
    row.verdict.replaceAll("_", " "),
    figure(`verdict ${row.verdict}`, row.count, grouped(row.count)),
  ]);
  return section("Results", table("Tasks", ["state", " tasks"], rows), table("Verdicts on pairs", ["verdict", " pairs"], verdicts));
}

/**
 * Plots solved tasks over time for a run, which runs each task once.
 * @param {Run} run
 * @param {Cost} cost
 */
function taskCurve(run, cost) {
  const wall = cost.framework.wall;
  const points = anytime(run, cost);
  const label = `${count(points.length, "task")} solved in ${time(wall)}`;
  /** @type {[number, number][]} */
  const steps = points.map(([ns], i) => [ns, i + 1]);
  return section("Solved over time", el("p", { class: "muted" }, `${label}; tasks count when they end.`), plot(run, steps, wall, label));
}

/**
 * Plots solved tasks over time for a solve, which works on each task several times.
 * @param {Run} run
 */
function searchCurve(run) {
  const [seconds, solved, expected] = run.curve[run.curve.length - 1];
  const label = `${count(solved, "task")} solved on demonstration pairs in ${time(seconds * 1e9)}`;
  /** @type {[number, number][]} */
  const steps = run.curve.map(([at, n]) => [at * 1e9, n]);
  return section(
    "Solved over time",
    el("p", { class: "muted" }, `${label}; ${expected.toFixed(1)} right outputs expected.`),
    plot(run, steps, seconds * 1e9, label),
  );
}

/**
 * @param {Run} run
 * @param {[number, number][]} steps time and number of solved tasks
 * @param {number} wall
 * @param {string} label
 */
function plot(run, steps, wall, label) {
  const [width, height, left, bottom] = [720, 180, 36, 24];
  const x = (/** @type {number} */ ns) => left + ((width - left - 8) * ns) / wall;
  const y = (/** @type {number} */ n) => height - bottom - ((height - bottom - 8) * n) / Math.max(1, run.tasks.length);
  let path = `M${x(0)} ${y(0)}`;
  steps.forEach(([ns, n]) => {
    path += `H${x(ns).toFixed(1)}V${y(n).toFixed(1)}`;
  });
  path += `H${x(wall)}`;
  const line = (/** @type {number} */ n) => [
    svg("line", { x1: left, x2: width - 8, y1: y(n), y2: y(n), class: "rule" }),
    svg("text", { x: left - 4, y: y(n) + 4, "text-anchor": "end" }, n),
  ];
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    svg("text", { x: x(wall * share), y: height - 6, "text-anchor": share === 1 ? "end" : share === 0 ? "start" : "middle" }, time(wall * share)),
  );
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Solved over time" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": label },
      ...line(0), ...line(run.tasks.length), ...ticks, svg("path", { d: path, class: "curve" })));
}
