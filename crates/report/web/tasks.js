// The gallery of tasks, and the page of one task.

import { count, el, fill, grouped, prose, section, table, time } from "./dom.js";
import { STATES } from "./data.js";
import { picture } from "./grid.js";
import { longList } from "./list.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Task} Task */
/** @typedef {import("./data.js").Cells} Cells */
/** @typedef {import("./data.js").ProgramResult} ProgramResult */

/** The current filter. It is kept while a task is opened. */
const query = { text: "", kind: "", sort: "data" };

/** @type {Record<string, [string, (a: Task, b: Task) => number]>} */
const SORTS = {
  data: ["in the order of the data", () => 0],
  id: ["by id", (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)],
  slow: ["slowest first", (a, b) => (b.time ?? 0) - (a.time ?? 0)],
  fuel: ["most fuel first", (a, b) => b.fuel - a.fuel],
  near: ["closest first", (a, b) => distance(a) - distance(b)],
};

/** @param {Task} task */
function distance(task) {
  return task.state === "solved" ? Infinity : (task.differ ?? 1e6);
}

/**
 * @param {Run} run
 * @param {string} kind
 */
export function tasksView(run, kind) {
  if (kind !== "") query.kind = kind;
  /** @type {Task[]} */
  let shown = [];
  const list = longList({ label: "Tasks", height: 200, width: 330, make: (i) => card(run, shown[i]) });
  const found = el("p", { class: "muted", role: "status", id: "found" });
  function choose() {
    const text = query.text.toLowerCase();
    const named = (/** @type {Task} */ task) =>
      task.id.toLowerCase().includes(text) || task.programs.some((it) => run.programs[it.program]?.name.toLowerCase().includes(text));
    const matches = (/** @type {Task} */ task) => query.kind === "" || task.state === query.kind || `verdict ${task.verdict}` === query.kind;
    shown = run.tasks.filter((task) => matches(task) && (text === "" || named(task)));
    if (query.sort !== "data") shown = shown.sort(SORTS[query.sort][1]);
    fill(found, `${grouped(shown.length)} of ${count(run.tasks.length, "task")}`);
    list.show(shown.length);
  }
  const search = el("input", { type: "search", id: "search", placeholder: "id or program", value: query.text,
    input: () => { query.text = search.value; choose(); } });
  const filter = el("select", { id: "filter", change: () => { query.kind = filter.value; choose(); } },
    ...kinds(run).map(([value, label]) => el("option", { value, selected: value === query.kind }, label)));
  const sort = el("select", { id: "sort", change: () => { query.sort = sort.value; choose(); } },
    ...Object.entries(SORTS).map(([value, [label]]) => el("option", { value, selected: value === query.sort }, label)));
  const element = el("div", {}, el("h1", {}, "Tasks"),
    el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search), el("label", {}, "Show ", filter), el("label", {}, "Sort ", sort)),
    found, list.element);
  return { element, ready: choose, stop: list.stop };
}

/**
 * Returns the filters: states, and the verdicts that occur.
 * @param {Run} run
 * @returns {[string, string][]}
 */
function kinds(run) {
  const states = new Set(run.tasks.map((task) => task.state));
  const verdicts = new Set(run.tasks.map((task) => task.verdict).filter((it) => it !== "" && it !== "ok"));
  return [
    ["", "all"],
    ...Object.entries(STATES).filter(([state]) => states.has(/** @type {Task["state"]} */ (state))),
    ...[...verdicts].sort().map((it) => /** @type {[string, string]} */ ([`verdict ${it}`, `error: ${it.replaceAll("_", " ")}`])),
  ];
}

/**
 * @param {Run} run
 * @param {Task} task
 */
function card(run, task) {
  const pair = pairs(task)[task.shown];
  const [input, expected] = pair ?? [null, null];
  const best = task.programs[0];
  const answer = best ? answerOf(best, task.shown, expected) : null;
  const where = task.shown < task.train.length ? `demo ${task.shown + 1}` : `test ${task.shown - task.train.length + 1}`;
  const small = (/** @type {Cells} */ cells, /** @type {string} */ name, /** @type {Cells} */ other = null) =>
    el("figure", {}, picture(cells, 88, name, other), el("figcaption", {}, name));
  return el("div", { class: "cell" },
    el("a", { class: `card ${task.state}`, href: `#/task/${encodeURIComponent(task.id)}` },
      el("div", { class: "cardhead" }, el("span", { class: "id" }, task.id), badge(task)),
      el("div", { class: "grids" }, small(input, "input"), small(expected, "expected"), small(answer, "answer", expected)),
      el("div", { class: "small" }, [where, differs(task), task.time === null ? null : time(task.time), best ? run.programs[best.program]?.name : null].filter((it) => it).join(" · "))));
}

/** @param {Task} task */
function badge(task) {
  const why = task.state === "failed" || task.state === "wrong" ? task.verdict.replaceAll("_", " ") || STATES[task.state] : STATES[task.state];
  return el("span", { class: `badge ${task.state}` }, why);
}

/** @param {Task} task */
function differs(task) {
  return task.differ === null ? null : `${count(task.differ, "cell")} differ`;
}

/** @param {Task} task */
function pairs(task) {
  return [...task.train, ...task.test];
}

/**
 * Returns the answer of a program; a right answer is the expected output.
 * @param {ProgramResult} result
 * @param {number} place
 * @param {Cells} expected
 * @returns {Cells}
 */
function answerOf(result, place, expected) {
  const pair = result.pairs[place];
  if (pair === undefined) return null;
  return typeof pair === "number" ? expected : pair[3];
}

/**
 * @param {Run} run
 * @param {string} id
 */
export function taskView(run, id) {
  const task = run.tasks.find((it) => it.id === id);
  if (task === undefined) return el("div", {}, el("h1", {}, "No such task"), el("p", {}, id));
  const place = run.tasks.indexOf(task);
  const step = (/** @type {number} */ by, /** @type {string} */ label, /** @type {string} */ rel) => {
    const next = run.tasks[place + by];
    return next ? el("a", { href: `#/task/${encodeURIComponent(next.id)}`, rel, "data-step": by }, label) : null;
  };
  const size = Math.min(220, Math.floor((window.innerWidth - 80) / 3));
  const all = pairs(task);
  const best = task.programs[0];
  const row = (/** @type {[Cells, Cells]} */ pair, /** @type {number} */ i) => {
    const name = i < task.train.length ? `demonstration ${i + 1}` : `test ${i - task.train.length + 1}`;
    const result = best?.pairs[i];
    const verdict = result === undefined ? "" : typeof result === "number" ? "right" : result[2] ?? result[0].replaceAll("_", " ");
    const part = (/** @type {Cells} */ cells, /** @type {string} */ label, /** @type {Cells} */ other = null) =>
      el("figure", {}, picture(cells, size, `${name} ${label}`, other), el("figcaption", {}, label));
    return el("div", { class: "pair" }, el("h3", {}, name, " ", el("span", { class: "muted" }, ...prose(verdict))),
      el("div", { class: "grids" }, part(pair[0], "input"), part(pair[1], "expected"), best ? part(answerOf(best, i, pair[1]), "answer", pair[1]) : null));
  };
  const attempts = task.attempts.map((both, k) => el("div", { class: "pair" }, el("h3", {}, `test ${k + 1}`),
    el("div", { class: "grids" }, ...both.map((cells, i) => el("figure", {}, picture(cells, size, `attempt ${i + 1}`, task.test[k]?.[1] ?? null), el("figcaption", {}, `attempt ${i + 1}`))))));
  return el("div", {},
    el("p", { class: "crumbs" }, el("a", { href: "#/tasks" }, "All tasks"), step(-1, "‹ previous", "prev"), step(1, "next ›", "next")),
    el("h1", {}, task.id, " ", badge(task)),
    el("p", {}, [task.time === null ? null : `${time(task.time)} on its lane`, `${grouped(task.fuel)} fuel`, differs(task)].filter((it) => it).join(" · ")),
    all.length === 0 ? el("p", { class: "note" }, "This record has no grids; record again with this version of batt.") : null,
    section("Pairs", el("div", { class: "pairs" }, ...all.map(row))),
    firstWrongLine(run, task),
    outcomes(run, task),
    section("Attempts", el("div", { class: "pairs" }, ...attempts)));
}

/**
 * Shows the text of a program that is not right, with the first wrong line.
 * @param {Run} run
 * @param {Task} task
 */
function firstWrongLine(run, task) {
  if (task.first_wrong_line === null) return null;
  const { program: place, line = null, reason } = task.first_wrong_line;
  const program = run.programs[place];
  if (program === undefined) return null;
  const rows = program.text.replace(/\n$/, "").split("\n").map((text, i) =>
    el("tr", { class: i + 1 === line ? "wrong-line" : null }, el("td", { class: "number muted" }, i + 1), el("td", {}, el("code", {}, text), i + 1 === line ? el("strong", { class: "here" }, " ← first wrong line") : null)));
  return section("Where it goes wrong",
    el("p", { id: "first-wrong-line", "data-line": line ?? "" }, el("a", { href: `#/program/${place}` }, program.name), line === null ? ": " : `, line ${line}: `, ...prose(reason), "."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Source with the first wrong line" }, el("table", { class: "source" }, el("tbody", {}, ...rows))),
    el("p", { class: "muted small" }, "If the record has a right program for the task, the first wrong line is the first one whose values no line of the right program has. Otherwise it is the line that fails, or the line after the grid closest to the expected output. Of several wrong programs, the closest is shown."));
}

/**
 * @param {Run} run
 * @param {Task} task
 */
function outcomes(run, task) {
  const text = (/** @type {import("./data.js").PairResult} */ pair) => (typeof pair === "number" ? "✓" : pair[0].replaceAll("_", " "));
  const rows = task.programs.map((result) => {
    const why = result.pairs.map((pair) => (typeof pair === "number" ? null : pair[2])).find((it) => it);
    const fuel = result.pairs.reduce((/** @type {number} */ sum, pair) => sum + (typeof pair === "number" ? pair : pair[1]), 0);
    return [
      el("a", { href: `#/program/${result.program}` }, run.programs[result.program]?.name ?? "?"),
      result.own ? "yes" : "",
      result.pairs.slice(0, task.train.length || result.pairs.length).map(text).join(" "),
      result.pairs.slice(task.train.length || result.pairs.length).map(text).join(" "),
      fuel > 0 ? grouped(fuel) : "not measured",
      why === undefined || why === null ? "" : el("span", {}, ...prose(why)),
    ];
  });
  return section("Programs", table("Programs on this task, the best first", ["program", "own", "demonstrations", "tests", " fuel", "problem"], rows),
    task.more > 0 ? el("p", { class: "muted" }, `and ${count(task.more, "more program")} that did worse`) : null);
}
