// Data sets: a list, galleries of tasks, and the pairs of a task.

import { count, el, fill, grouped, section } from "./dom.js";
import { oneScale } from "./drawing.js";
import { picture } from "./grid.js";
import { address, request } from "./server.js";

/** @typedef {{ name: string, about: string, tasks: number, installed: boolean, own: boolean, error: string | null }} LiveSet */
/** @typedef {{ input: number[][], output?: number[][] | null }} LivePair */
/** @typedef {{ id: string, train: LivePair[], test: LivePair[] }} LiveTask */
/** @typedef {{ id: string, pair: LivePair | null }} Preview */

/** @param {string[]} rest */
export function dataPage([set = "", task = ""]) {
  return task !== "" ? taskPage(set, task) : set !== "" ? setPage(set) : setsPage();
}

async function setsPage() {
  /** @type {LiveSet[]} */
  const sets = await request("/api/data");
  const card = (/** @type {LiveSet} */ set) => {
    const head = el("h3", {}, set.installed && set.error === null ? el("a", { href: address("data", set.name) }, set.name) : set.name);
    const state = set.error !== null ? el("p", { class: "note" }, set.error) : set.installed ? null : el("p", { class: "small" }, "Install it with ", el("code", {}, `batt data install ${set.name}`));
    return el("div", { class: "pair set" }, head, el("p", { class: "small" }, `${grouped(set.tasks)} tasks · ${set.about}`), state);
  };
  const list = (/** @type {LiveSet[]} */ some) => el("div", { class: "set-list" }, ...some.map(card));
  const own = sets.filter((set) => set.own);
  return el("div", {}, el("h1", {}, "Data sets"),
    section("Your folders", own.length > 0 ? list(own) : el("p", { class: "muted" }, "Start the server with ", el("code", {}, "batt serve --data FOLDER"), " to see your own tasks here. FOLDER can also be a file with tasks.")),
    section("Named sets", list(sets.filter((set) => !set.own && set.installed))),
    section("Not installed", list(sets.filter((set) => !set.installed))));
}

/** @param {string} set */
async function setPage(set) {
  /** @type {string[]} */
  const ids = await request(`/api/data/${encodeURIComponent(set)}`);
  const { element } = gallery(set, ids, (id) => el("a", { href: address("data", set, id) }));
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/data" }, "Data sets")), el("h1", {}, set), element);
}

/** Number of tasks in one request for pictures. */
const CHUNK = 24;
/** Maximum number of cards; the search finds the others. */
const MAX_CARDS = 2000;

/**
 * Creates a gallery with a search field. Pictures are loaded when their cards come near the visible part.
 * @param {string} set
 * @param {string[]} ids
 * @param {(id: string) => HTMLElement} make creates the link or button of a card
 */
export function gallery(set, ids, make) {
  /** @type {Map<number, Promise<Preview[]>>} */
  const chunks = new Map();
  const load = (/** @type {number} */ i) => {
    const at = Math.floor(i / CHUNK);
    /** @type {Promise<Preview[]>} */
    const chunk = chunks.get(at) ?? request(`/api/previews/${encodeURIComponent(set)}?start=${at * CHUNK}&count=${CHUNK}`);
    chunks.set(at, chunk);
    return chunk.then((previews) => previews.find((it) => it.id === ids[i])?.pair ?? null);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      const box = /** @type {HTMLElement} */ (target.querySelector(".thumbs"));
      load(Number(target.getAttribute("data-index"))).then((pair) => {
        if (pair !== null) fill(box, picture(pair.input, 64, "input"), el("span", { "aria-hidden": "true" }, "→"), picture(pair.output ?? null, 64, "output"));
      }, (error) => fill(box, el("span", { class: "small" }, error.message)));
    }
  }, { rootMargin: "300px" });
  const list = el("ul", { class: "gallery" });
  const found = el("p", { class: "muted", role: "status" });
  const search = el("input", { type: "search", placeholder: "id", "aria-label": "Search by id", input: () => choose() });
  const choose = () => {
    observer.disconnect();
    const text = search.value.trim().toLowerCase();
    const shown = ids.flatMap((id, i) => (id.toLowerCase().includes(text) ? [i] : []));
    fill(list, ...shown.slice(0, MAX_CARDS).map((i) => {
      const inside = make(ids[i]);
      inside.classList.add("thumb");
      inside.append(el("span", { class: "thumbs" }), el("span", { class: "id" }, ids[i]));
      const card = el("li", { "data-index": i }, inside);
      observer.observe(card);
      return card;
    }));
    fill(found, `${grouped(shown.length)} of ${count(ids.length, "task")}`, shown.length > MAX_CARDS ? `; the first ${grouped(MAX_CARDS)} are shown` : null);
  };
  choose();
  return { element: el("div", {}, el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search)), found, list), search };
}

/**
 * @param {string} set
 * @param {string} id
 */
async function taskPage(set, id) {
  /** @type {LiveTask} */
  const task = await request(`/api/data/${encodeURIComponent(set)}/${encodeURIComponent(id)}`);
  const size = Math.min(200, Math.floor((window.innerWidth - 90) / 2));
  const pair = (/** @type {string} */ part) => (/** @type {LivePair} */ it, /** @type {number} */ i) => {
    const shown = oneScale([{ cells: it.input, label: "input" }, { cells: it.output ?? null, label: "output" }], size);
    return el("div", { class: "pair" }, el("h3", {}, `${part} ${i + 1}`), el("div", { class: "grids" }, ...shown));
  };
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/data" }, "Data sets"), el("a", { href: address("data", set) }, set)),
    el("h1", {}, task.id), el("p", {}, el("a", { class: "primary", href: address("editor", set, id) }, "Open in the editor")),
    section("Pairs", el("div", { class: "pairs" }, ...task.train.map(pair("demonstration")), ...task.test.map(pair("test")))));
}
