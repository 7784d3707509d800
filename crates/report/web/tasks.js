// The gallery of tasks, and the page of one task.

import { count, el, empty, fill, grouped, prose, section, table, time } from "./dom.js";
import { FAILURES_FIRST, STATES, isUnsolved, stateCounts, sureText } from "./data.js";
import { picture, sharedCell } from "./grid.js";
import { longList } from "./list.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Task} Task */
/** @typedef {import("./data.js").Attempt} Attempt */
/** @typedef {import("./data.js").Cells} Cells */
/** @typedef {import("./data.js").ProgramResult} ProgramResult */

/** The current filter, and the tasks that match it. They are kept while a task is opened. */
const query = { text: "", kind: "", sort: "failures", shown: /** @type {Task[]} */ ([]), at: 0 };

/** @type {Record<string, [string, (a: Task, b: Task) => number]>} */
const SORTS = {
  failures: ["failures first", (a, b) => FAILURES_FIRST.indexOf(a.state) - FAILURES_FIRST.indexOf(b.state) || distance(a) - distance(b)],
  data: ["in the order of the data", () => 0],
  id: ["by id", (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)],
  sure: ["least sure first", (a, b) => sureOf(a) - sureOf(b)],
  slow: ["slowest first", (a, b) => (b.time ?? 0) - (a.time ?? 0)],
  fuel: ["most fuel first", (a, b) => b.fuel - a.fuel],
};

/** @param {Task} task */
function distance(task) {
  return task.state === "solved" ? 1e9 : (task.differ ?? 1e6);
}

/** Returns how sure the first attempts are, the least sure one. @param {Task} task */
function sureOf(task) {
  return task.attempts.reduce((least, [first]) => Math.min(least, first.sure ?? 0), task.attempts.length > 0 ? 1 : -1);
}

/** @param {string} id */
export function taskLink(id) {
  return `#/task/${encodeURIComponent(id)}`;
}

/**
 * @param {Run} run
 * @param {string} kind a filter, such as a state
 */
export function tasksView(run, kind) {
  if (kind !== "") query.kind = kind;
  const list = longList({ label: "Tasks", height: 248, width: 360, make: (i) => el("div", { class: "cell" }, card(run, query.shown[i])) });
  list.element.classList.add("gallery");
  const found = el("p", { class: "muted small", role: "status", id: "found" });
  const none = empty("No task matches. ", el("button", { type: "button", click: () => { search.value = query.text = ""; pick(""); } }, "Show all tasks"));
  function choose() {
    const text = query.text.toLowerCase();
    const words = (/** @type {number} */ place) => { const it = run.programs[place]; return it === undefined ? "" : `${it.name} ${it.made?.words ?? ""}`.toLowerCase(); };
    const named = (/** @type {Task} */ task) => task.id.toLowerCase().includes(text) || task.programs.some((it) => words(it.program).includes(text));
    const matches = (/** @type {Task} */ task) => query.kind === "" || task.state === query.kind || (query.kind === "unsolved" && isUnsolved(task)) || `verdict ${task.verdict}` === query.kind;
    query.shown = run.tasks.filter((task) => matches(task) && (text === "" || named(task)));
    if (query.sort !== "data") query.shown.sort(SORTS[query.sort][1]);
    fill(found, `${grouped(query.shown.length)} of ${count(run.tasks.length, "task")}`);
    none.hidden = query.shown.length > 0;
    list.show(query.shown.length);
  }
  const search = el("input", { type: "search", id: "search", placeholder: "id, program or rule", value: query.text,
    input: () => { query.text = search.value; query.at = 0; choose(); } });
  const chips = kinds(run).map(([value, label, n]) => el("button", { type: "button", class: "chip", "data-filter": value, "aria-pressed": value === query.kind ? "true" : "false", click: () => pick(value) },
    value in STATES ? el("span", { class: `dot ${value}` }) : null, label, el("span", { class: "n" }, grouped(n))));
  const pick = (/** @type {string} */ value) => {
    query.kind = value;
    query.at = 0;
    chips.forEach((chip) => chip.setAttribute("aria-pressed", chip.getAttribute("data-filter") === value ? "true" : "false"));
    choose();
  };
  const sorts = Object.entries(SORTS).filter(([value]) => value !== "sure" || run.subject === "solve");
  const sort = el("select", { id: "sort", change: () => { query.sort = sort.value; query.at = 0; choose(); } },
    ...sorts.map(([value, [label]]) => el("option", { value, selected: value === query.sort }, label)));
  // j and k move through the gallery; the first press goes to the task that was opened last.
  const step = (/** @type {number} */ by) => {
    if (query.shown.length === 0) return;
    const inside = list.element.contains(document.activeElement);
    query.at = Math.max(0, Math.min(query.shown.length - 1, inside ? query.at + by : query.at));
    list.focus(query.at);
  };
  list.element.addEventListener("focusin", (event) => {
    const item = event.target instanceof Element ? event.target.closest("[aria-posinset]") : null;
    if (item) query.at = Number(item.getAttribute("aria-posinset")) - 1;
  });
  const element = el("div", {}, el("h1", {}, "Tasks"),
    el("div", { class: "chips", role: "group", "aria-label": "Show" }, ...chips),
    el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search), el("label", {}, "Sort ", sort),
      el("span", { class: "muted small keys" }, el("kbd", {}, "/"), " search, ", el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " next and previous, ", el("kbd", {}, "Enter"), " open")),
    found, none, list.element);
  return { element, ready: choose, stop: list.stop, step };
}

/**
 * Returns the filters with the number of tasks: states, and the verdicts that occur.
 * @param {Run} run
 * @returns {[string, string, number][]}
 */
function kinds(run) {
  const verdicts = [...new Set(run.tasks.map((task) => task.verdict))].filter((it) => it !== "" && it !== "ok" && it !== "unjudged").sort();
  /** @type {[string, string, number][]} */
  const all = [
    ["", "all", run.tasks.length],
    ["unsolved", "not solved", run.tasks.filter(isUnsolved).length],
    ...stateCounts(run).map(([state, n]) => /** @type {[string, string, number]} */ ([state, STATES[state], n])),
    ...verdicts.map((it) => /** @type {[string, string, number]} */ ([`verdict ${it}`, `verdict: ${it.replaceAll("_", " ")}`, run.tasks.filter((task) => task.verdict === it).length])),
  ];
  return all.filter(([value, , n]) => value === "" || n > 0);
}

/**
 * Shows a task as a small picture of one pair, all grids to one scale.
 * @param {Run} run
 * @param {Task} task
 */
export function card(run, task) {
  const [input, expected] = pairs(task)[task.shown] ?? [null, null];
  const attempt = shownAttempt(run, task);
  const best = task.programs[0];
  const answer = attempt ? attempt.answer : best ? answerOf(best, task.shown, expected) : null;
  const program = run.programs[attempt ? attempt.program ?? -1 : best?.program ?? -1];
  const cell = sharedCell([input, expected, answer], 300, 120, 20);
  const small = (/** @type {Cells} */ cells, /** @type {string} */ name, /** @type {Cells} */ other = null) =>
    el("figure", {}, picture(cells, 88, name, other, cell), el("figcaption", {}, name));
  const sure = attempt?.sure ?? null;
  const words = program?.made?.words ?? program?.name ?? (run.subject === "submission" ? "" : "no program");
  const facts = [pairName(task, task.shown, "demo"), sure === null ? null : `${sureText(sure)} sure`, differs(task), task.time === null ? null : time(task.time)];
  return el("a", { class: `card ${task.state}`, href: taskLink(task.id) },
    el("div", { class: "cardhead" }, el("span", { class: "id" }, task.id), badge(task)),
    el("div", { class: "grids" }, small(input, "input"), small(expected, "expected"), small(answer, attempt ? "attempt" : "answer", expected)),
    el("div", { class: "small words", title: words }, words),
    el("div", { class: "small" }, facts.filter((it) => it).join(" · ")));
}

/**
 * Returns the attempt that the card of a task shows: the right one, or else the first.
 * @param {Run} run
 * @param {Task} task
 * @returns {Attempt | null}
 */
export function shownAttempt(run, task) {
  const both = task.attempts[task.shown - task.train.length];
  if (both === undefined || (run.subject !== "solve" && run.subject !== "submission")) return null;
  return both.find((it) => it.right) ?? both[0];
}

/** @param {Task} task */
export function badge(task) {
  const why = task.state === "failed" || task.state === "wrong" ? task.verdict.replaceAll("_", " ") || STATES[task.state] : STATES[task.state];
  return el("span", { class: `badge ${task.state}` }, why);
}

/** @param {Task} task */
function differs(task) {
  return task.differ === null || task.differ === 0 ? null : `${count(task.differ, "cell")} differ${task.differ === 1 ? "s" : ""}`;
}

/** @param {Task} task */
function pairs(task) {
  return [...task.train, ...task.test];
}

/**
 * @param {Task} task
 * @param {number} i
 * @param {string} demo
 */
function pairName(task, i, demo) {
  return i < task.train.length ? `${demo} ${i + 1}` : `test ${i - task.train.length + 1}`;
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
  if (task === undefined) return el("div", {}, el("h1", {}, "No such task"), empty(id));
  // Steps follow the gallery, if the task is in it.
  const order = query.shown.includes(task) ? query.shown : run.tasks;
  const place = order.indexOf(task);
  if (order === query.shown) query.at = place;
  const step = (/** @type {number} */ by, /** @type {string} */ label, /** @type {string} */ rel) => {
    const next = order[place + by];
    return next ? el("a", { href: taskLink(next.id), rel, "data-step": by }, label) : null;
  };
  const cost = [task.time === null ? null : `${time(task.time)} on its lane`, task.tried === null ? null : count(task.tried, "candidate"), run.subject === "submission" ? null : `${grouped(task.fuel)} fuel`];
  return el("div", {},
    el("p", { class: "crumbs" }, el("a", { href: "#/tasks" }, "All tasks"), step(-1, "‹ previous", "prev"), step(1, "next ›", "next"),
      el("span", { class: "muted" }, `${grouped(place + 1)} of ${grouped(order.length)}`)),
    el("h1", {}, task.id, " ", badge(task)),
    el("p", { class: "lead", id: "cost" }, cost.filter((it) => it).join(" · ")),
    pairs(task).length === 0 ? el("p", { class: "note" }, "This record has no grids; record again with this version of batt.") : null,
    attemptsPart(run, task), pairsPart(run, task), outcomes(run, task), firstWrongLine(run, task));
}

/**
 * Shows the attempts at each test output: the answer, the rule, how sure it is and how it was found.
 * @param {Run} run
 * @param {Task} task
 */
function attemptsPart(run, task) {
  if (task.attempts.length === 0) {
    const found = run.subject === "search" ? "A search makes no attempts; its programs are below." : "No program was found, so the submission has fallbacks for this task.";
    return run.subject === "run" ? null : section("Attempts", empty(found));
  }
  const room = Math.min(1192, window.innerWidth - 64);
  const boxes = task.attempts.map((both, k) => {
    const [input, expected] = task.test[k] ?? [null, null];
    const cell = sharedCell([input, expected, both[0].answer, both[1].answer].filter((it) => it !== null), room < 640 ? (room - 48) * 1.6 : room - 220, room < 640 ? 200 : 240, 24);
    const part = (/** @type {Cells} */ cells, /** @type {string} */ label) => el("figure", {}, picture(cells, 120, `test ${k + 1} ${label}`, null, cell), el("figcaption", {}, label));
    return el("div", { class: "pair" }, el("h3", {}, `Test ${k + 1}`), el("div", { class: "attempt" },
      el("div", { class: "grids" }, part(input, "input"), expected === null ? null : part(expected, "expected")),
      el("div", { class: "tries" }, ...both.map((attempt, i) => attemptBox(run, attempt, both, expected, k, i, cell)))));
  });
  return section("Attempts", el("div", { class: "attempts" }, ...boxes));
}

/**
 * @param {Run} run
 * @param {Attempt} attempt
 * @param {[Attempt, Attempt]} both
 * @param {Cells} expected
 * @param {number} k
 * @param {number} i
 * @param {number} cell
 */
function attemptBox(run, attempt, both, expected, k, i, cell) {
  const { answer, right, differ, program: place, sure, votes } = attempt;
  const program = place === null ? undefined : run.programs[place];
  const verdict = right === null ? null : right ? "✓ right" : answer === "" ? "✗ missing" : differ === null ? "✗ wrong shape" : `✗ ${count(differ, "cell")} differ${differ === 1 ? "s" : ""}`;
  const same = i > 0 && String(answer) === String(both[0].answer);
  const words = program?.made?.words ?? null;
  const bar = el("span", {});
  bar.style.width = `${100 * (sure ?? 0)}%`;
  /** @type {[string, (Node | string | null)][]} */
  const facts = [
    ["sure", sure === null ? null : el("span", {}, el("data", { value: sure, "data-figure": `sure ${k} ${i}` }, sureText(sure)), el("span", { class: "meter", "aria-hidden": "true" }, bar))],
    ["found by", program?.made ? program.made.operator : null],
    ["led here", votes === null ? null : count(votes, "mechanism")],
    ["program", program === undefined || place === null ? null : el("a", { href: `#/program/${place}` }, program.name)],
  ];
  // A wrong attempt does no harm if the other one is right.
  const mood = right ? "right" : right === null || both.some((it) => it.right) ? "" : "wrong";
  return el("div", { class: `try ${mood}`, "data-attempt": `${k} ${i}` },
    el("h3", {}, `Attempt ${i + 1} `, verdict === null ? null : el("span", { class: `badge ${mood}` }, verdict)),
    picture(answer, 120, `test ${k + 1} attempt ${i + 1}`, expected, cell),
    ...(words === null ? [] : wordsOf(words)),
    same ? el("p", { class: "small" }, "The same answer as the first attempt.") : place === null && run.subject !== "submission" ? el("p", { class: "small" }, "A fallback: no program gives this answer.") : null,
    el("dl", {}, ...facts.filter(([, value]) => value !== null).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    words !== null && program ? el("details", { class: "small" }, el("summary", {}, "source"), el("pre", { class: "text" }, program.text.trimEnd())) : null);
}

/** Rules that are longer than this are shortened until the reader asks for the rest. */
const LONG_RULE = 200;

/**
 * Shows a rule in words; of a long one only the first lines.
 * @param {string} words
 */
function wordsOf(words) {
  const text = el("p", { class: words.length > LONG_RULE ? "words short" : "words" }, words);
  const more = el("button", { type: "button", click: () => { text.classList.remove("short"); more.remove(); } }, "whole rule");
  return words.length > LONG_RULE ? [text, more] : [text];
}

/**
 * Shows the pairs in as many columns as fit. An answer is shown if it differs from the expected output.
 * @param {Run} run
 * @param {Task} task
 */
function pairsPart(run, task) {
  const attempted = run.subject === "solve" || run.subject === "submission";
  const best = task.programs[0];
  const room = Math.min(1192, window.innerWidth - 64);
  const box = ([input, expected] = pairs(task)[0], i = 0) => {
    const name = pairName(task, i, "demonstration");
    const result = best?.pairs[i];
    const right = typeof result === "number";
    const verdict = result === undefined ? null : right ? "right" : result[2] ?? result[0].replaceAll("_", " ");
    // A right answer is the expected output.
    const answer = best === undefined || right ? null : answerOf(best, i, expected);
    const grids = [input, expected, answer].filter((it) => it !== null);
    const cell = sharedCell(grids, Math.min(room - 64, grids.length > 2 ? 480 : 340), 200, 24);
    const part = (/** @type {Cells} */ cells, /** @type {string} */ label, /** @type {Cells} */ other = null) =>
      el("figure", {}, picture(cells, 120, `${name} ${label}`, other, cell), el("figcaption", {}, label));
    return el("div", { class: "pair" }, el("h3", {}, name, " ", verdict === null ? null : el("span", { class: `badge ${right ? "right" : result !== undefined && result[0] === "skipped" ? "" : "wrong"}` }, ...prose(verdict))),
      el("div", { class: "grids" }, part(input, "input"), el("span", { class: "arrow", "aria-hidden": "true" }, "→"), part(expected, "expected"), answer === null ? null : part(answer, "answer", expected)));
  };
  // Tests are shown with the attempts, unless the best program has another answer.
  const answered = (/** @type {number} */ i) => {
    const both = task.attempts[i - task.train.length];
    const answer = best && !attempted ? answerOf(best, i, pairs(task)[i][1]) : null;
    return both !== undefined && (answer === null || both.some((it) => String(it.answer) === String(answer)));
  };
  const shown = pairs(task).flatMap((pair, i) => (answered(i) ? [] : [box(pair, i)]));
  if (shown.length === 0) return null;
  const title = shown.length === task.train.length ? "Demonstrations" : "Pairs";
  const about = best && !attempted ? el("p", { class: "muted small" }, "Answers of ", el("a", { href: `#/program/${best.program}` }, run.programs[best.program]?.name ?? "?"), task.programs.length + task.more > 1 ? ", the best program" : "", ". An answer is shown where it is not right.") : null;
  return section(title, about, el("div", { class: "pairs" }, ...shown));
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
  return section(task.state === "solved" ? "Where another program goes wrong" : "Where it goes wrong",
    el("p", { id: "first-wrong-line", "data-line": line ?? "" }, el("a", { href: `#/program/${place}` }, program.name), line === null ? ": " : `, line ${line}: `, ...prose(reason), "."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Source with the first wrong line" }, el("table", { class: "source" }, el("tbody", {}, ...rows))),
    el("p", { class: "muted small" }, "If the record has a right program for the task, the first wrong line is the first one whose values no line of the right program has. Otherwise it is the line that fails, or the line after the grid closest to the expected output. Of several wrong programs, the closest is shown."));
}

/**
 * Lists the programs with their verdicts, and shows the wrong answers of those that are nearly right.
 * @param {Run} run
 * @param {Task} task
 */
function outcomes(run, task) {
  // The programs of a solve are shown with its attempts.
  if (task.programs.length === 0 || run.subject === "solve") return null;
  const text = (/** @type {import("./data.js").PairResult} */ pair) => (typeof pair === "number" ? "✓" : pair[0] === "unjudged" ? "?" : pair[0].replaceAll("_", " "));
  const measured = task.programs.some((result) => result.pairs.some((pair) => (typeof pair === "number" ? pair : pair[1]) > 0));
  const rows = task.programs.map((result) => {
    const why = result.pairs.map((pair) => (typeof pair === "number" ? null : pair[2])).find((it) => it);
    const fuel = result.pairs.reduce((/** @type {number} */ sum, pair) => sum + (typeof pair === "number" ? pair : pair[1]), 0);
    const program = run.programs[result.program];
    return [
      el("a", { href: `#/program/${result.program}` }, program?.name ?? "?"),
      result.pairs.slice(0, task.train.length || result.pairs.length).map(text).join(" "),
      result.pairs.slice(task.train.length || result.pairs.length).map(text).join(" "),
      ...(measured ? [fuel > 0 ? grouped(fuel) : ""] : []),
      el("span", { class: "wrap" }, ...(program?.made?.words ? [program.made.words] : prose(why ?? ""))),
    ];
  });
  return section("Programs", table("Programs on this task, the best first", ["program", "demonstrations", "tests", ...(measured ? [" fuel"] : []), run.search === null ? "problem" : "rule"], rows),
    task.more > 0 ? el("p", { class: "muted" }, `and ${count(task.more, "more program")} that did worse`) : null, nearMisses(run, task));
}

/** Number of programs whose wrong answers are drawn. */
const MAX_NEAR = 6;

/**
 * Draws the wrong answers of programs other than those shown above.
 * @param {Run} run
 * @param {Task} task
 */
function nearMisses(run, task) {
  const boxes = task.programs.slice(1).flatMap((result) => {
    const place = result.pairs.findIndex((pair) => typeof pair !== "number" && pair[3] !== null && pair[0] !== "unjudged");
    const pair = result.pairs[place];
    const [, expected] = pairs(task)[place] ?? [null, null];
    if (pair === undefined || typeof pair === "number" || expected === null) return [];
    const cell = sharedCell([expected, pair[3]], 240, 120, 16);
    const part = (/** @type {Cells} */ cells, /** @type {string} */ label, /** @type {Cells} */ other = null) => el("figure", {}, picture(cells, 100, `${pairName(task, place, "demonstration")} ${label}`, other, cell), el("figcaption", {}, label));
    return [el("div", { class: "pair" }, el("h3", {}, el("a", { href: `#/program/${result.program}` }, run.programs[result.program]?.name ?? "?")),
      el("div", { class: "grids" }, part(expected, "expected"), part(pair[3], "answer", expected)), el("p", { class: "small" }, pairName(task, place, "demonstration")))];
  });
  return boxes.length === 0 ? null : el("div", {}, el("h3", {}, "Wrong answers of other programs"), el("div", { class: "pairs" }, ...boxes.slice(0, MAX_NEAR)));
}
