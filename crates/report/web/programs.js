// All programs, and the lines of one with their costs.

import { count, el, empty, fill, figure, grouped, percent, section, time } from "./dom.js";
import { longList } from "./list.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Program} Program */

const filter = { text: "" };

/** @typedef {import("./data.js").Made} Made */
/** @typedef {{ hash: string, name: string, text: string, made: Made | null, place: number | null }} Ancestor */

/**
 * Returns all known programs by hash: those that ran, and those they were made from.
 * @param {Run} run
 */
 function knownPrograms(run) {
  /** @type {Map<string, Ancestor>} */
  const all = new Map();
  run.ancestors.forEach(([hash, name, text, made]) => all.set(hash, { hash, name, text, made, place: null }));
  run.programs.forEach(({ hash, name, text, made }, place) => all.set(hash, { hash, name, text, made, place }));
  return all;
}

/**
 * Shows the programs that a program was made from, as a tree with the program at its root.
 * @param {Run} run
 * @param {Program} program
 */
function lineage(run, program) {
  if (program.made === null) return null;
  const all = knownPrograms(run);
  /** @type {Set<string>} */
  const shown = new Set();
  const short = (/** @type {string} */ hash) => el("code", {}, hash.slice(0, 12));
  /** @param {string} hash @returns {HTMLElement} */
  const branch = (hash) => {
    const it = all.get(hash);
    if (it === undefined) return el("li", {}, short(hash), el("span", { class: "muted" }, " is no longer stored"));
    const how = it.made === null ? "given" : it.made.operator;
    const head = [el("strong", {}, it.name || "unnamed"), " ", short(hash), el("span", { class: "muted" }, ` ${how}`)];
    if (shown.has(hash)) return el("li", {}, ...head, el("span", { class: "muted" }, ", see above"));
    shown.add(hash);
    const more = it.place === null
      ? el("details", {}, el("summary", {}, ...head), el("pre", {}, it.text))
      : hash === program.hash ? el("span", {}, ...head) : el("a", { href: `#/program/${it.place}` }, ...head);
    const parents = it.made?.parents ?? [];
    return el("li", {}, more, parents.length ? el("ul", {}, ...parents.map(branch)) : null);
  };
  return section("Lineage", el("p", { class: "muted" }, "The programs that it was made from, and how. Parents are listed below their child."),
    el("ul", { class: "tree", id: "lineage" }, branch(program.hash)));
}

/** @param {Run} run */
export function programsView(run) {
  /** @type {number[]} */
  let shown = [];
  const cost = (/** @type {Program} */ program) => program.lines.reduce((sum, line) => sum + line[2], 0);
  const costs = run.programs.map(cost);
  const item = (/** @type {number} */ i) => {
    const program = run.programs[shown[i]];
    return el("div", { class: "cell" }, el("a", { class: "row", href: `#/program/${shown[i]}` },
      el("span", { class: "id" }, program.name),
      program.made?.words ? el("span", { class: "words extra" }, program.made.words) : null,
      el("span", { class: "muted" }, `solves ${grouped(program.solves.length)} of ${grouped(program.ran)}`),
      el("span", { class: "number" }, costs[shown[i]] > 0 ? time(costs[shown[i]]) : "")));
  };
  const list = longList({ label: "Programs", height: 36, width: 0, make: item });
  const found = el("p", { class: "muted", role: "status" });
  function choose() {
    const text = filter.text.toLowerCase();
    shown = run.programs.flatMap((program, i) => (text === "" || `${program.name} ${program.made?.words ?? ""} ${program.text}`.toLowerCase().includes(text) ? [i] : []));
    fill(found, `${grouped(shown.length)} of ${count(run.programs.length, "program")}`);
    list.show(shown.length);
  }
  const search = el("input", { type: "search", placeholder: "name, rule or text", value: filter.text,
    input: () => { filter.text = search.value; choose(); } });
  const element = el("div", {}, el("h1", {}, "Programs"), el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search)), found, list.element);
  return { element, ready: choose, stop: list.stop };
}

/**
 * @param {Run} run
 * @param {number} place
 */
export function programView(run, place) {
  const program = run.programs[place];
  if (program === undefined) return el("div", {}, el("h1", {}, "No such program"));
  const total = program.lines.reduce((sum, line) => sum + line[2], 0);
  const times = new Map(program.lines.map((line) => [line[0], line]));
  const rows = program.text.replace(/\n$/, "").split("\n").map((text, i) => {
    const line = times.get(i + 1);
    const share = line && total > 0 ? line[2] / total : 0;
    const bar = el("span", { class: "heat" });
    bar.style.width = `${100 * share}%`;
    const figures = total === 0 ? [] : [
      el("td", { class: "number extra" }, line ? grouped(line[1]) : ""),
      el("td", { class: "number heatcell" }, bar, line ? figure(`line ${i + 1}`, line[2], time(line[2])) : ""),
      el("td", { class: "number extra" }, line ? percent(share) : ""),
      el("td", { class: "number extra" }, line && line[3] !== line[2] ? time(line[4]) : ""),
    ];
    return el("tr", {}, el("td", { class: "number muted" }, i + 1), ...figures, el("td", {}, el("code", {}, text)));
  });
  const column = (/** @type {string} */ kind) => (/** @type {string} */ text) => el("th", { scope: "col", class: kind }, text);
  const head = [column("number")("line"), ...(total === 0 ? [] : [column("number extra")("hits"), column("number")("self"), ...["share", "fair share"].map(column("number extra"))]), column("")("text")];
  const solved = program.solves.map((task) => el("li", {}, el("a", { href: `#/task/${encodeURIComponent(run.tasks[task].id)}` }, run.tasks[task].id)));
  return el("div", {},
    el("p", { class: "crumbs" }, el("a", { href: "#/programs" }, "All programs")),
    el("h1", {}, program.name),
    program.made?.words ? el("p", { class: "says", id: "rule" }, program.made.words) : null,
    el("p", { class: "muted small" }, program.made ? `found by ${program.made.operator} · ` : "", `content hash `, el("code", {}, program.hash.slice(0, 16)), total > 0 ? ` · ${time(total)} in total` : " · times were not recorded"),
    section("Source", el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Source with times" },
      el("table", { class: "source" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))),
      total === 0 ? null : el("p", { class: "muted" }, "Self: the cost of the line if the program ran alone. Fair share: the time of a line that several programs need, divided among them.")),
    lineage(run, program),
    section(`Solves ${count(program.solves.length, "task")} of ${grouped(program.ran)} it ran on`, solved.length > 0 ? el("ul", { class: "chips" }, ...solved) : empty(program.ran > 0 ? "It solves none of them." : "It ran on no task.")));
}
