// The flame graph: the width of a box is its time, and its parts are below it.

import { el, fill, grouped, percent, svg, time } from "./dom.js";
import { UNACCOUNTED, WAITING, drawing, fitted, hatch, tipped, tone } from "./chart.js";

/** @typedef {import("./data.js").Cost} Cost */
/** @typedef {import("./data.js").Block} Block */

/** Height of a row in pixels. */
const ROW = 24;

/** @param {Cost} cost */
export function flamePart(cost) {
  const categories = new Set(cost.framework.categories.concat(cost.framework.device_categories).map((row) => row.name));
  const chosen = { idle: false, lanes: false, text: "", path: /** @type {string[]} */ ([]) };
  const status = el("p", { class: "muted small", role: "status", id: "flame-status" });
  const box = el("div", { id: "flame" });
  const crumbs = el("p", { class: "crumbs" });
  const show = () => {
    const root = prepared(cost.flame, chosen.idle, chosen.lanes);
    // A zoom stays only as long as its boxes exist.
    const path = [root];
    for (const name of chosen.path) {
      const next = path[path.length - 1][2].find((part) => part[0] === name);
      if (next === undefined) break;
      path.push(next);
    }
    chosen.path = path.slice(1).map(([name]) => name);
    const zoom = (/** @type {string[]} */ to) => { chosen.path = to; show(); };
    const top = path[path.length - 1];
    fill(crumbs, ...path.map(([name], i) => (i === path.length - 1 ? el("span", {}, name) : el("button", { type: "button", class: "chip", click: () => zoom(chosen.path.slice(0, i)) }, name))));
    crumbs.hidden = path.length === 1;
    fill(box, drawing((width) => draw(path, root[1], width, categories, chosen.text, (to) => { zoom(to); const first = box.querySelector("g[tabindex]"); if (first instanceof SVGElement) first.focus(); })));
    const of = chosen.idle ? "lane time" : "busy time";
    const [found, n] = chosen.text === "" ? [0, 0] : matching(top, chosen.text.toLowerCase());
    status.textContent = chosen.text === "" ? `${time(top[1])}, ${percent(top[1] / Math.max(1, root[1]))} of ${of}. Select a box to zoom in.`
      : `${grouped(n)} ${n === 1 ? "box matches" : "boxes match"}: ${time(found)}, ${percent(found / Math.max(1, root[1]))} of ${of}.`;
  };
  const search = el("input", { type: "search", id: "flame-search", placeholder: "function or category", input: () => { chosen.text = search.value; show(); } });
  const toggle = (/** @type {"idle" | "lanes"} */ what, /** @type {string} */ label) => {
    const input = el("input", { type: "checkbox", id: `flame-${what}`, change: () => { chosen[what] = input.checked; show(); } });
    return el("label", {}, input, ` ${label}`);
  };
  show();
  return el("div", {}, el("div", { class: "tools" }, el("label", {}, "Search ", search), toggle("idle", "idle time"), toggle("lanes", "each lane")), status, crumbs, box);
}

/**
 * Returns the boxes to draw: without waiting unless `idle`, lanes joined unless `lanes`, the largest first.
 * @param {Block} root
 * @param {boolean} idle
 * @param {boolean} lanes
 * @returns {Block}
 */
function prepared(root, idle, lanes) {
  /** @param {Block} block @returns {Block | null} */
  const kept = ([name, ns, parts]) => {
    if (!idle && WAITING.includes(name)) return null;
    const inside = parts.map(kept).filter((part) => part !== null);
    const dropped = parts.reduce((sum, part) => sum + part[1], 0) - inside.reduce((sum, part) => sum + part[1], 0);
    return ns - dropped > 0 ? [name, ns - dropped, inside.sort((a, b) => b[1] - a[1])] : null;
  };
  const joined = lanes ? root[2] : merged(root[2].flatMap(([, , parts]) => parts));
  return kept([idle ? "all time" : "busy time", joined.reduce((sum, part) => sum + part[1], 0), joined]) ?? ["busy time", 0, []];
}

/**
 * Adds up boxes of the same name.
 * @param {Block[]} blocks
 * @returns {Block[]}
 */
function merged(blocks) {
  /** @type {Map<string, Block[]>} */
  const byName = new Map();
  blocks.forEach((block) => byName.set(block[0], [...(byName.get(block[0]) ?? []), block]));
  return [...byName].map(([name, all]) => [name, all.reduce((sum, it) => sum + it[1], 0), merged(all.flatMap((it) => it[2]))]);
}

/**
 * Returns the time of the boxes whose name contains a text, and their number. A box inside another is not counted again.
 * @param {Block} block
 * @param {string} text
 * @returns {[number, number]}
 */
function matching([name, ns, parts], text) {
  if (name.toLowerCase().includes(text)) return [ns, 1];
  return parts.map((part) => matching(part, text)).reduce(([sum, n], [more, m]) => [sum + more, n + m], [0, 0]);
}

/**
 * @param {Block} block
 * @returns {number}
 */
function depth([, , parts]) {
  return 1 + parts.reduce((most, part) => Math.max(most, depth(part)), 0);
}

/**
 * @param {Block[]} path from the root to the box that fills the width
 * @param {number} total
 * @param {number} width
 * @param {Set<string>} categories
 * @param {string} text
 * @param {(path: string[]) => void} zoom
 */
function draw(path, total, width, categories, text, zoom) {
  const top = path[path.length - 1];
  const height = (path.length - 1 + depth(top)) * ROW;
  const picture = svg("svg", { width, height, class: "flame", role: "group", "aria-label": "Flame graph" }, hatch());
  const wanted = text.toLowerCase();
  /** @param {Block[]} path @param {number} x @param {number} wide @param {number} level @param {string | null} category @param {boolean} inside */
  const frame = (path, x, wide, level, category, inside) => {
    const [name, ns, parts] = path[path.length - 1];
    if (wide < 0.8) return;
    const mine = categories.has(name) ? name : category;
    const found = inside || (wanted !== "" && name.toLowerCase().includes(wanted));
    const own = ns - parts.reduce((sum, part) => sum + part[1], 0);
    const [share, self] = [percent(ns / Math.max(1, total)), `self ${time(own)}, ${percent(own / Math.max(1, total))}`];
    const go = () => zoom(path.slice(1).map(([name]) => name));
    const label = fitted(name, wide - 10);
    const style = mine === null ? "plainbox" : WAITING.includes(mine) ? "idle" : mine === UNACCOUNTED ? "plainbox" : "";
    picture.append(tipped(svg("g", { tabindex: wide > 8 ? 0 : null, role: "button", class: wanted !== "" && !found ? "faint" : null, "aria-label": `${name}: ${time(ns)}, ${share}; ${self}`, "data-name": name, click: go,
      keydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } } },
      svg("rect", { x: x.toFixed(2), y: level * ROW, width: wide.toFixed(2), height: ROW - 1, rx: 2, class: mine === UNACCOUNTED ? null : style, "data-category": mine, fill: style === "" || mine === UNACCOUNTED ? tone(mine ?? "") : null }),
      label === "" ? null : svg("text", { x: (x + 5).toFixed(2), y: level * ROW + 16, class: style }, label)), () => [name, `${time(ns)}, ${share}`, self, mine === null || mine === name ? null : mine]));
    let at = x;
    parts.forEach((part) => {
      const w = (wide * part[1]) / Math.max(1, ns);
      frame([...path, part], at, w, level + 1, mine, found);
      at += w;
    });
  };
  /** @type {string | null} */
  let category = null;
  path.slice(0, -1).forEach(([name, ns], level) => {
    frame([...path.slice(0, level), [name, ns, []]], 0, width, level, category, false);
    if (categories.has(name)) category = name;
  });
  frame(path, 0, width, path.length - 1, category, false);
  return picture;
}
