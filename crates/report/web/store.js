// The store: the best programs for each task, their results and their lineage.

import { count, el, fill, grouped, prose, section, table } from "./dom.js";
import { request } from "./server.js";

/** @typedef {{ program: string, label: string, task: string, task_name: string, right: number, pairs: number, score: number, fuel: number }} StoredResult */
/** @typedef {{ path: string, stats: { programs: number, imported: number, written: number, found: number, results: number, tasks: number, solved: number } | null, tasks: { hash: string, name: string, programs: number, best: StoredResult }[] }} StoreOverview */
/** @typedef {{ hash: string, names: string[], text: string, signature: string, calls: number, from: string, places: StoredResult[], lineage: { depth: number, hash: string, label: string | null, from: string, again: boolean }[] }} ProgramDetails */

async function storePage() {
  /** @type {StoreOverview} */
  const store = await request("/api/store");
  const head = [el("h1", {}, "Store"), el("p", { class: "muted" }, store.path)];
  if (store.stats === null) return el("div", {}, ...head, el("p", { class: "note" }, ...prose("There is no store yet. `batt search` and `batt programs import` create one.")));
  const { programs, imported, written, found, tasks, solved } = store.stats;
  const list = el("div");
  const search = el("input", { type: "search", id: "store-search", placeholder: "name or text", input: () => void choose() });
  let requests = 0;
  const choose = async () => {
    const number = ++requests;
    /** @type {{ hash: string, label: string, calls: number, from: string }[]} */
    const found = await request(`/api/store/programs?text=${encodeURIComponent(search.value)}`);
    if (number !== requests) return;
    fill(list, table(`${count(found.length, "program")}${found.length === 500 ? ": the first 500, search for others" : ""}`, ["program", " calls", "from"],
      found.map((it) => [el("a", { href: `#/store/program/${it.hash}` }, it.label), grouped(it.calls), it.from])));
  };
  await choose();
  return el("div", {}, ...head,
    el("p", {}, `${count(programs, "program")}: ${grouped(imported)} imported, ${grouped(written)} written, ${grouped(found)} found. ${grouped(solved)} of ${count(tasks, "task")} solved on demonstrations.`),
    section("Tasks", table("The best program for each task, by its demonstration pairs", ["task", "best program", " pairs right", " closeness", " programs"],
      store.tasks.map((it) => [el("a", { href: `#/store/task/${it.hash}` }, it.name), el("a", { href: `#/store/program/${it.best.program}` }, it.best.label), `${it.best.right} of ${it.best.pairs}`, closeness(it.best.score), grouped(it.programs)]))),
    section("Programs", el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search)), list));
}

/** @param {number} millionths */
function closeness(millionths) {
  return `${(millionths / 1e4).toFixed(1)} %`;
}

/** @param {string} hash */
async function storeTaskPage(hash) {
  /** @type {StoredResult[]} */
  const places = await request(`/api/store/tasks/${encodeURIComponent(hash)}`);
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/store" }, "Store")), el("h1", {}, places[0]?.task_name ?? "No such task"),
    table("Programs on this task, the best first", ["program", " pairs right", " closeness", " fuel"],
      places.map((it) => [el("a", { href: `#/store/program/${it.program}` }, it.label), `${it.right} of ${it.pairs}`, closeness(it.score), grouped(it.fuel)])));
}

/** @param {string} hash */
async function storeProgramPage(hash) {
  /** @type {ProgramDetails} */
  const details = await request(`/api/store/programs/${encodeURIComponent(hash)}`);
  // The rows are a tree in depth-first order; a parent is one level deeper than its child.
  const root = el("ul", { class: "tree", id: "lineage" });
  /** @type {HTMLElement[]} */
  const lists = [root];
  details.lineage.forEach((it) => {
    const label = it.label === null ? el("span", {}, el("code", {}, it.hash.slice(0, 12)), el("span", { class: "muted" }, " is no longer stored")) : el("a", { href: `#/store/program/${it.hash}` }, it.label);
    const below = el("ul");
    lists.length = it.depth + 1;
    lists[it.depth].append(el("li", {}, label, el("span", { class: "muted" }, ` ${it.from}${it.again ? ", see above" : ""}`), below));
    lists.push(below);
  });
  root.querySelectorAll("ul:empty").forEach((it) => it.remove());
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/store" }, "Store")), el("h1", {}, details.names[0] ?? details.hash.slice(0, 12)),
    el("p", { class: "muted" }, `${details.signature} · ${count(details.calls, "call")} · ${details.from} · `, el("code", {}, details.hash.slice(0, 16))),
    section("Source", el("pre", { class: "text", tabindex: 0 }, details.text)),
    section("Results", table("Results on tasks, by demonstration pairs", ["task", " pairs right", " closeness", " fuel"],
      details.places.map((it) => [el("a", { href: `#/store/task/${it.task}` }, it.task_name), `${it.right} of ${it.pairs}`, closeness(it.score), grouped(it.fuel)]))),
    section("Lineage", root));
}

/** @param {string[]} rest */
export function storeParts([kind, hash = ""]) {
  return kind === "task" ? storeTaskPage(hash) : kind === "program" ? storeProgramPage(hash) : storePage();
}
