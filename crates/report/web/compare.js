// Compares two runs.

import { el, figure, grouped, percent, prose, section, table, time } from "./dom.js";
import { STATES, ok, reason, scoreText } from "./data.js";

/** @typedef {import("./data.js").Report} Report */
/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Change} Change */

/** @param {Report} report */
export function compareView(report) {
  const [before, after] = report.runs;
  const view = report.compare ? ok(report.compare) : null;
  const scores = before.scores.map((score, i) => [score.label, scoreText(score), scoreText(after.scores[i])]);
  const recorded = (/** @type {Run} */ run) => { const cost = ok(run.cost); return cost ? time(cost.framework.wall) : "not recorded"; };
  // The same figures as below: medians over the repetitions.
  const walls = view === null ? [recorded(before), recorded(after)] : [time(view.wall.before), time(view.wall.after)];
  return el("div", {}, el("h1", {}, "Comparison"),
    table("Both runs", ["", before.name, after.name], [
      ["data", before.setup.data.name, after.setup.data.name],
      ["tasks", grouped(before.tasks.length), grouped(after.tasks.length)],
      ["programs", grouped(before.programs.length), grouped(after.programs.length)],
      ["programs right", `${before.right.on_all} of ${before.right.programs}`, `${after.right.on_all} of ${after.right.programs}`],
      ...scores, ["wall time", ...walls]]),
    changed(before, after),
    view === null ? el("p", { class: "note" }, ...prose(`Times cannot be compared: ${report.compare ? reason(report.compare) : ""}.`)) : times(view));
}

/**
 * @param {Run} before
 * @param {Run} after
 */
function changed(before, after) {
  const old = new Map(before.tasks.map((task) => [task.id, task.state]));
  const rows = after.tasks.flatMap((task) => {
    const state = old.get(task.id);
    return state !== undefined && state !== task.state ? [[el("a", { href: `#/task/${encodeURIComponent(task.id)}` }, task.id), STATES[state], STATES[task.state]]] : [];
  });
  const now = new Set(after.tasks.map((task) => task.id));
  const only = [before.tasks.filter((task) => !now.has(task.id)).length, after.tasks.filter((task) => !old.has(task.id)).length];
  return section("Tasks that changed", rows.length > 0 ? table("Tasks whose state changed", ["task", "before", "after"], rows) : el("p", {}, "No task changed."),
    only[0] + only[1] > 0 ? el("p", { class: "muted" }, `${grouped(only[0])} only in the first, ${grouped(only[1])} only in the second.`) : null);
}

/** @param {import("./data.js").Compare} view */
function times(view) {
  const signed = (/** @type {number | null} */ share) => (share === null ? "" : `${share >= 0 ? "+" : ""}${percent(share)}`);
  const row = (/** @type {Change} */ it) => [it.name, figure(`before ${it.name}`, it.before, time(it.before)), figure(`after ${it.name}`, it.after, time(it.after)),
    it.ratio === null ? "new" : signed(it.ratio), it.interval ? `${signed(it.interval[0])} to ${signed(it.interval[1])}` : "", signed(it.more_work), signed(it.slower)];
  return section("Times", ...view.notes.map((text) => el("p", { class: "note" }, ...prose(text))),
    table("Changes in time, split into more work and slower work", ["", " before", " after", " change", "95 %", " more work", " slower"], [view.wall, view.busy, ...view.functions.slice(0, 30)].map(row)));
}
