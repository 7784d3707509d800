// The first screen: the results, what changed, where the time went, and how the job was run.

import { count, el, figure, grouped, percent, prose, section, svg, table, time } from "./dom.js";
import { FAILURES_FIRST, STATES, anytime, isUnsolved, ok, reason, scoreText, stampText, stateCounts } from "./data.js";
import { UNACCOUNTED, WAITING, dot, drawing, ticks, tipped, toned } from "./chart.js";
import { changes } from "./compare.js";
import { card, taskLink } from "./tasks.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Cost} Cost */

/**
 * @param {Run} run
 * @param {Run | null} [earlier] the run to compare with
 */
export function overviewView(run, earlier = null) {
  const cost = ok(run.cost);
  const { started } = run.environment;
  const date = started === undefined ? null : `${started.slice(0, 10)} ${started.slice(11, 16)} UTC`;
  return el(
    "div",
    {},
    el("h1", {}, `${run.subject[0].toUpperCase()}${run.subject.slice(1)} of ${run.setup.data.name}`),
    el("p", { class: "lead" }, [run.name, count(run.setup.data.tasks, "task"), date].filter((it) => it).join(" · ")),
    results(run),
    earlier ? changeLine(earlier, run) : null,
    stampLine(run),
    // It concerns the times below, not the results.
    cost ? noiseLine(cost) : null,
    el("div", { class: "tiles" }, ...run.scores.map((score) => scoreTile(run, score)), ...wallTiles(run, cost)),
    lookFirst(run),
    cost ? timePart(cost) : run.subject === "submission" ? null : section("Where the time went", el("p", { class: "note" }, ...prose(`There are no times: ${reason(run.cost)}.`))),
    run.curve.length ? searchCurve(run) : cost ? taskCurve(run, cost) : null,
    facts(run),
  );
}

/** Shows the number of tasks in each state; each number is a filter. @param {Run} run */
function results(run) {
  const counts = stateCounts(run);
  const bar = el("div", { class: "stack states", "aria-hidden": "true" });
  counts.forEach(([state, n]) => {
    const part = el("span", { class: `part ${state}` });
    part.style.width = `${(100 * n) / Math.max(1, run.tasks.length)}%`;
    bar.append(part);
  });
  const items = counts.map(([state, n]) => el("li", {}, el("a", { class: state, href: `#/tasks/${state}` },
    el("span", { class: "value" }, figure(`tasks ${state}`, n, grouped(n))), `${STATES[state]}${state === "near_miss" && n !== 1 ? "es" : ""}`)));
  return el("div", { role: "group", "aria-label": "Results" }, el("ul", { class: "outcomes" }, ...items), bar);
}

/**
 * @param {Run} before
 * @param {Run} after
 */
function changeLine(before, after) {
  const { gained, lost } = changes(before, after);
  return el("p", { id: "change" }, `Against ${before.name}: `, el("strong", {}, `${grouped(gained.length)} gained, ${grouped(lost.length)} lost`), ". ", el("a", { href: "#/compare" }, "Compare the two"));
}

/** @param {Run} run */
function stampLine(run) {
  const { right, valid } = run;
  const left = right.left ? ` The run was stopped or is still running; ${count(right.left, "task")} did not run.` : "";
  return el(
    "p",
    { class: `stamp ${valid ? "good" : "bad"}`, id: "stamp" },
    el("strong", {}, valid ? "✓ valid: " : "✗ not valid: "),
    `${stampText(run)}.${left}`,
    ...wrongLinks(run),
  );
}

/**
 * Returns links to programs that are wrong on their own tasks.
 * @param {Run} run
 */
function wrongLinks(run) {
  const shown = run.wrong.slice(0, 5);
  return shown.flatMap(([place, task]) => [" ", el("a", { href: taskLink(task) }, `see ${run.programs[place]?.name ?? task}`)]);
}

/**
 * @param {Run} run
 * @param {import("./data.js").Score} score
 */
function scoreTile(run, score) {
  const share = score.denominator ? (score.numerator ?? 0) / score.denominator : 0;
  // The mean of the fractions is a reduced fraction, so its parts count nothing.
  const tasks = run.scores.find((it) => it.rule === "tasks")?.denominator ?? 0;
  const exact = !score.denominator ? "" : score.rule === "fractions" ? `over ${count(tasks, "task")}` : `${grouped(score.numerator ?? 0)} of ${count(score.denominator, score.rule === "tasks" ? "task" : "output")}`;
  return tile(score.label, figure(`score ${score.rule}`, share, scoreText(score)), exact);
}

/**
 * @param {Run} run
 * @param {Cost | null} cost
 */
function wallTiles(run, cost) {
  if (run.subject === "submission") return [];
  const { threads, seconds } = run.environment;
  if (cost === null) return [tile("wall time", seconds > 0 ? time(seconds * 1e9) : "not recorded", count(threads, "thread"))];
  const { wall, busy, lanes } = cost.framework;
  return [
    tile("wall time", figure("wall", wall, time(wall)), count(threads, "thread")),
    tile("busy time", figure("busy", busy, time(busy)), `of ${count(lanes, "lane")}`),
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

/** Shows a few tasks that are not solved, the closest first. @param {Run} run */
function lookFirst(run) {
  const unsolved = run.tasks.filter(isUnsolved);
  if (unsolved.length === 0) return null;
  const order = (/** @type {import("./data.js").Task} */ task) => FAILURES_FIRST.indexOf(task.state) * 1e6 + (task.differ ?? 1e5);
  const shown = [...unsolved].sort((a, b) => order(a) - order(b)).slice(0, 3);
  return section("Look at these first", el("div", { class: "few" }, ...shown.map((task) => card(run, task))),
    unsolved.length > shown.length ? el("p", {}, el("a", { href: "#/tasks/unsolved" }, `All ${count(unsolved.length, "task")} that are not solved`)) : null);
}

/** @param {Cost} cost */
function timePart(cost) {
  return section("Where the time went", timeBar(cost), advice(cost), el("p", { class: "small" }, el("a", { href: "#/profile" }, "The whole profile")));
}

/** Warns if other work disturbed the recording, before any figure. @param {Cost} cost */
export function noiseLine(cost) {
  const { warning } = cost.validity.noise;
  return warning === null ? null : el("p", { class: "note", id: "noise" }, ...prose(warning));
}

/** Shows what a person would say about the profile. @param {Cost} cost */
export function advice(cost) {
  const { sentences } = cost.framework.advice;
  return sentences.length === 0 ? null : el("div", { class: "says", id: "advice" }, ...sentences.map(({ text, sure }) => el("p", { class: sure ? null : "muted" }, ...prose(text))));
}

/** Number of categories that the key names. */
const NAMED = 8;

/**
 * Shows the time of all lanes as one bar: work first, then waiting and unaccounted time.
 * @param {Cost} cost
 */
export function timeBar(cost) {
  const { categories, lane_time } = cost.framework;
  const rank = (/** @type {string} */ name) => (name === UNACCOUNTED ? 2 : WAITING.includes(name) ? 1 : 0);
  const shown = categories.filter((row) => row.time > 0).sort((a, b) => rank(a.name) - rank(b.name) || b.time - a.time);
  const bar = el("div", { class: "stack", role: "img", "aria-label": "Time of all lanes by category" });
  shown.forEach(({ name, time: ns, range }) => {
    const part = tipped(toned(el("span", { class: "part" }), name), () => [name, `${time(ns)}, ${percent(ns / lane_time)} of lane time`, rangeText(cost, range)]);
    part.style.width = `${(100 * ns) / Math.max(1, lane_time)}%`;
    bar.append(part);
  });
  const named = new Set([...shown].filter((row) => rank(row.name) === 0).slice(0, NAMED).concat(shown.filter((row) => rank(row.name) > 0)));
  const rest = shown.filter((row) => !named.has(row));
  const key = [...named].map(({ name, time: ns }) => el("li", {}, dot(name), `${name} `, el("span", { class: "muted" }, `${time(ns)}, ${percent(ns / lane_time)}`)));
  const sum = rest.reduce((sum, row) => sum + row.time, 0);
  if (rest.length > 0) key.push(el("li", { class: "muted" }, `and ${grouped(rest.length)} more categories, ${time(sum)}`));
  return el("div", {}, bar, el("ul", { class: "key" }, ...key));
}

/**
 * Formats the range of a share, if the recording was disturbed.
 * @param {Cost} cost
 * @param {[number, number]} range
 */
export function rangeText(cost, [low, high]) {
  return cost.validity.noise.disturbed ? `${percent(low)} to ${percent(high)}` : null;
}

/** Shows how the job was run, in one place. @param {Run} run */
function facts(run) {
  const { data, options, version, dsl } = run.setup;
  const { programs, calls, distinct, shared } = run.plan;
  const { started, command, program_files: files = [], threads, machine } = run.environment;
  /** @type {[string, (Node | string)][]} */
  const rows = [["data", `${data.name}, ${count(data.tasks, "task")}`], ["data hash", el("code", { id: "data-hash" }, data.hash.slice(0, 12))]];
  if (run.subject !== "submission") {
    rows.unshift(["started", started === undefined ? "not recorded" : started.replace("T", " ").replace("Z", " UTC")],
      ["command", command === undefined ? "not recorded" : el("code", {}, command)]);
    rows.push(
      ["program files", files.length > 0 ? el("code", {}, files.join(" ")) : run.search === null ? "the built-in programs" : "none"],
      ["programs", `${grouped(programs)} ${run.search === null ? "run" : "found"}, ${grouped(calls)} calls, ${grouped(distinct)} distinct, ${grouped(shared)} shared`],
      run.search === null ? ["right on demonstrations", `${run.right.on_demos} of ${run.right.programs}`] : ["found by", run.search],
      ["right on tests", `${run.right.on_tests} of ${run.right.programs}`],
      ["fuel", fuel(run)],
      ...(run.search === null ? [/** @type {[string, string]} */ (["every program on every task", options.all_pairs ? "yes" : "no"])] : []),
      ["seed", options.seed === undefined ? "none, nothing is random" : String(options.seed)],
      ["machine", `${count(threads, "thread")}, ${machine.os} ${machine.arch}, ${count(machine.cores, "core")}`],
      ["version", `batt ${version}, language ${dsl.slice(0, 12)}`]);
  }
  const verdicts = run.verdicts.filter((row) => row.count > 0).map((row) => [row.verdict === "ok" ? "right" : row.verdict.replaceAll("_", " "), figure(`verdict ${row.verdict}`, row.count, grouped(row.count))]);
  const setup = table("How it was run", ["", ""], rows);
  setup.classList.add("facts");
  return section("Facts", el("div", { class: "columns" }, setup, verdicts.length > 0 ? table("Verdicts over all programs and pairs", ["verdict", " pairs"], verdicts) : null));
}

/** @param {Run} run */
function fuel({ search, setup: { options } }) {
  if (search === null) return `${grouped(options.fuel ?? 0)} for each program and pair`;
  return options.fuel_per_task ? `${grouped(options.fuel_per_task)} for each task` : "limited by time only";
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
  return drawing((full) => {
    const [width, height, left, bottom] = [Math.min(full, 880), 200, 40, 24];
    const x = (/** @type {number} */ ns) => left + ((width - left - 8) * ns) / Math.max(1, wall);
    const y = (/** @type {number} */ n) => height - bottom - ((height - bottom - 16) * n) / Math.max(1, run.tasks.length);
    let path = `M${x(0)} ${y(0)}`;
    steps.forEach(([ns, n]) => {
      path += `H${x(ns).toFixed(1)}V${y(n).toFixed(1)}`;
    });
    path += `H${x(wall)}`;
    const line = (/** @type {number} */ n) => [
      svg("line", { x1: left, x2: width - 8, y1: y(n), y2: y(n), class: "rule" }),
      svg("text", { x: left - 8, y: y(n) + 4, "text-anchor": "end", class: "plain" }, n),
    ];
    const marks = ticks(0, wall, width / 110).map((ns) => svg("text", { x: x(ns), y: height - 4, class: "plain", "text-anchor": ns === 0 ? "start" : x(ns) > width - 40 ? "end" : "middle" }, ns === 0 ? "0" : time(ns)));
    return svg("svg", { width, height, class: "plot", role: "img", "aria-label": label }, ...line(0), ...line(run.tasks.length), ...marks, svg("path", { d: path, class: "curve" }));
  });
}
