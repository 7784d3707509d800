// Compares two runs or two submissions.

import { count, el, empty, figure, grouped, percent, prose, section, table, time } from "./dom.js";
import { STATES, ok, reason, scoreText } from "./data.js";
import { picture, sharedCell } from "./grid.js";
import { longList } from "./list.js";

/** @typedef {import("./data.js").Report} Report */
/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Task} Task */
/** @typedef {import("./data.js").Cells} Cells */
/** @typedef {import("./data.js").Change} Change */
/** @typedef {[Task, Task]} Both A task before and after. */

/**
 * Returns the tasks that only the second run solves, those that only the first solves, and those that changed
 * otherwise.
 * @param {Run} before
 * @param {Run} after
 */
export function changes(before, after) {
  const old = new Map(before.tasks.map((task) => [task.id, task]));
  const both = after.tasks.flatMap((task) => { const it = old.get(task.id); return it === undefined ? [] : [/** @type {Both} */ ([it, task])]; });
  const solved = (/** @type {Task} */ task) => task.state === "solved";
  const gained = both.filter(([a, b]) => !solved(a) && solved(b));
  const lost = both.filter(([a, b]) => solved(a) && !solved(b));
  const other = both.filter(([a, b]) => !solved(a) && !solved(b) && (a.state !== b.state || a.differ !== b.differ));
  return { gained, lost, other, both: both.length, only: [before.tasks.length - both.length, after.tasks.length - both.length] };
}

/** @param {Report} report */
export function compareView(report) {
  const [before, after] = report.runs;
  const view = report.compare ? ok(report.compare) : null;
  const scores = before.scores.map((score, i) => [score.label, scoreText(score), scoreText(after.scores[i])]);
  const { gained, lost, other, both, only } = changes(before, after);
  const jobs = before.subject !== "submission";
  const recorded = (/** @type {Run} */ run) => { const cost = ok(run.cost); return cost ? time(cost.framework.wall) : "not recorded"; };
  // The same figures as below: medians over the repetitions.
  const walls = view === null ? [recorded(before), recorded(after)] : [time(view.wall.before), time(view.wall.after)];
  /** @type {import("./list.js").LongList[]} */
  const lists = [];
  /** @type {(() => void)[]} */
  const shown = [];
  const group = (/** @type {string} */ title, /** @type {Both[]} */ tasks, /** @type {string} */ none) => {
    if (tasks.length === 0) return none === "" ? null : section(title, empty(none));
    const list = longList({ label: title, height: 232, width: 400, make: (i) => el("div", { class: "cell" }, changeCard(before, after, tasks[i])) });
    list.element.classList.add("gallery");
    lists.push(list);
    shown.push(() => list.show(tasks.length));
    return section(`${title}: ${count(tasks.length, "task")}`, list.element);
  };
  const element = el("div", {}, el("h1", {}, "Comparison"),
    el("p", { class: "lead" }, `${before.name} → ${after.name}`),
    ...report.runs.map((run) => { const warning = ok(run.cost)?.validity.noise.warning ?? null; return warning === null ? null : el("p", { class: "note" }, `${run.name}: `, ...prose(warning)); }),
    el("ul", { class: "outcomes" },
      ...[["solved", "gained", gained.length], ["wrong", "lost", lost.length], ["open", "changed, still not solved", other.length]].map(([state, label, n]) =>
        el("li", {}, el("div", { class: "tile" }, el("div", { class: "value" }, figure(String(label), Number(n), grouped(Number(n)))), el("div", { class: "small" }, el("span", { class: `dot ${state}` }), label))))),
    only[0] + only[1] > 0 ? el("p", { class: "note" }, `${grouped(both)} tasks are in both; ${grouped(only[0])} only in the first, ${grouped(only[1])} only in the second.`) : null,
    group("Gained", gained, "No task was gained."), group("Lost", lost, "No task was lost."), group("Changed, still not solved", other, ""),
    section("Both in figures", table("Sizes and scores", ["", before.name, after.name], [
      ["data", before.setup.data.name, after.setup.data.name],
      ["tasks", grouped(before.tasks.length), grouped(after.tasks.length)],
      ...(jobs ? [["programs", grouped(before.programs.length), grouped(after.programs.length)],
        ["programs right", `${before.right.on_all} of ${before.right.programs}`, `${after.right.on_all} of ${after.right.programs}`]] : []),
      ...scores, ...(jobs ? [["wall time", ...walls]] : [])])),
    !jobs ? null : view === null ? section("Times", el("p", { class: "note" }, ...prose(`Times cannot be compared: ${report.compare ? reason(report.compare) : ""}.`))) : times(view));
  return { element, ready: () => { shown.forEach((show) => show()); lists.forEach((list) => list.remeasure()); }, stop: () => lists.forEach((list) => list.stop()) };
}

/**
 * Shows the answer before and after.
 * @param {Run} before
 * @param {Run} after
 * @param {Both} both
 */
function changeCard(before, after, [old, now]) {
  // Shows the pair that is wrong in one of them.
  const worse = now.state === "solved" ? old : now;
  const place = worse.shown;
  const [, expected] = [...now.train, ...now.test][place] ?? [null, null];
  const [a, b] = [answerAt(before, old, place, expected), answerAt(after, now, place, expected)];
  const cell = sharedCell([expected, a, b], 300, 120, 20);
  const part = (/** @type {Cells} */ cells, /** @type {string} */ label) => el("figure", {}, picture(cells, 88, label, label === "expected" ? null : expected, cell), el("figcaption", {}, label));
  const where = place < now.train.length ? `demonstration ${place + 1}` : `test ${place - now.train.length + 1}`;
  return el("a", { class: `card ${now.state}`, href: `#/task/${encodeURIComponent(now.id)}` },
    el("div", { class: "cardhead" }, el("span", { class: "id" }, now.id), el("span", { class: "small" }, `${STATES[old.state]} → ${STATES[now.state]}`)),
    el("div", { class: "grids" }, part(expected, "expected"), part(a, "before"), part(b, "after")),
    el("div", { class: "small" }, where));
}

/**
 * Returns the answer of a run at a pair: of the attempts the right one or the first, otherwise of the best program.
 * @param {Run} run
 * @param {Task} task
 * @param {number} place
 * @param {Cells} expected
 * @returns {Cells}
 */
function answerAt(run, task, place, expected) {
  const both = run.subject === "run" ? undefined : task.attempts[place - task.train.length];
  if (both !== undefined) return (both.find((it) => it.right) ?? both[0]).answer;
  const pair = task.programs[0]?.pairs[place];
  return pair === undefined ? null : typeof pair === "number" ? expected : pair[3];
}

/** @param {import("./data.js").Compare} view */
function times(view) {
  const signed = (/** @type {number | null} */ share) => (share === null ? "" : `${share >= 0 ? "+" : ""}${percent(share)}`);
  const row = (/** @type {Change} */ it) => [it.name, figure(`before ${it.name}`, it.before, time(it.before)), figure(`after ${it.name}`, it.after, time(it.after)),
    it.ratio === null ? "new" : signed(it.ratio), it.interval ? `${signed(it.interval[0])} to ${signed(it.interval[1])}` : "", signed(it.more_work), signed(it.slower), it.verdict.replaceAll("_", " ")];
  return section("Times", ...view.notes.map((text) => el("p", { class: "note" }, ...prose(text))),
    view.wall.interval ? null : el("p", { class: "note" }, ...prose("There are no intervals, so nobody can tell a difference from noise; record both with `--repeat 4` or more.")),
    table("Changes in time, split into more work and slower work", ["", " before", " after", " change", "interval", " more work", " slower", "verdict"], [view.wall, view.busy, ...view.functions.slice(0, 30)].map(row)));
}
