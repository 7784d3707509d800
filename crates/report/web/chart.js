// Shared by the charts: colours of categories, drawings that fill their width, labels, and the tooltip.

import { el, fill, hue, svg } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/** Time in which a lane does no work. */
export const WAITING = ["idle", "network"];
export const UNACCOUNTED = "unaccounted";

/**
 * Hue, saturation and lightness of each category. Primitives are vivid, the engine is muted, and dark text is
 * readable on all of them.
 * @type {Record<string, [number, number, number]>}
 */
const TONES = {
  "primitives": [212, 40, 78], "primitives: learn": [212, 78, 70], "primitives: function": [28, 88, 68], "primitives: object": [145, 50, 62], "primitives: extend": [330, 65, 76],
  "primitives: geometry": [262, 70, 78], "primitives: assemble": [185, 60, 62], "primitives: paint": [8, 80, 74], "primitives: color": [48, 85, 64],
  "primitives: shape": [95, 50, 66], "primitives: line": [292, 55, 74], "primitives: container": [170, 45, 72], "primitives: rank": [70, 60, 62],
  "primitives: logic": [232, 75, 80], "primitives: measure": [122, 45, 74], "primitives: arith": [346, 70, 82], "primitives: samples": [312, 50, 68],
  "primitives: places": [199, 75, 78],
  "scoring": [160, 32, 56], "candidate management": [270, 30, 68], "deduplication": [240, 28, 72], "writing": [35, 40, 62], "scheduling": [0, 32, 70],
  "result collection": [190, 28, 68], "loading": [215, 28, 66], "parsing": [55, 34, 62], "merging": [320, 28, 70], "folding": [80, 30, 62],
  "failure handling": [12, 45, 64], "memory": [130, 24, 66], "logging": [45, 28, 70], "progress display": [300, 22, 74], "profiling overhead": [340, 28, 72],
  "language": [100, 28, 64], "device: kernel": [20, 80, 70], "device: transfer": [52, 70, 72], "device: driver": [338, 45, 76],
};

/**
 * Returns the colour of a category. It is the same in every chart.
 * @param {string} category
 */
export function tone(category) {
  if (WAITING.includes(category)) return "var(--idle)";
  if (category === UNACCOUNTED) return "url(#hatch)";
  const [h, s, l] = TONES[category] ?? [hue(category), 30, 70];
  return `hsl(${h} ${s}% ${l}%)`;
}

/**
 * Paints an element of HTML in the colour of a category.
 * @template {HTMLElement} E
 * @param {E} element
 * @param {string} category
 */
export function toned(element, category) {
  element.setAttribute("data-category", category);
  if (category === UNACCOUNTED) element.classList.add("hatched");
  else element.style.background = tone(category);
  return element;
}

/** Returns the mark of a category in keys and tables. @param {string} category */
export function dot(category) {
  return toned(el("span", { class: "dot" }), category);
}

/** Returns the pattern of unaccounted time, for drawings. */
export function hatch() {
  return svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 2, height: 6, fill: "var(--bad-mark)" })));
}

/** Width of a letter of a label in pixels: 12 px monospace. */
export const LETTER = 7.3;

/**
 * Returns as much of a label as fits, with an ellipsis if it is shortened, or nothing if too little would be left.
 * @param {string} text
 * @param {number} width in pixels
 */
export function fitted(text, width) {
  const letters = Math.floor(width / LETTER);
  if (text.length <= letters) return text;
  return letters < 5 ? "" : `${text.slice(0, letters - 1)}…`;
}

/**
 * Creates a drawing that is made again when its width changes.
 * @param {(width: number) => SVGElement} draw
 */
export function drawing(draw) {
  const box = el("div", { class: "chart" });
  let drawn = 0;
  const at = (/** @type {number} */ width) => {
    if (width === drawn || width <= 0) return;
    drawn = width;
    box.replaceChildren(draw(width));
  };
  // Draws at once, so that the page does not jump; the observer corrects the width.
  const main = document.getElementById("main");
  at(Math.max(280, (main?.clientWidth ?? 800) - (window.innerWidth <= 640 ? 32 : 48)));
  new ResizeObserver((entries) => entries.forEach((entry) => at(Math.floor(entry.contentRect.width)))).observe(box);
  return box;
}

/** The tooltip, which is in the page only once. @type {HTMLElement | null} */
let tip = null;

/**
 * Shows a tooltip while the pointer or the focus is on an element.
 * @template {Element} E
 * @param {E} element
 * @param {() => Child[]} content its first child is the title
 */
export function tipped(element, content) {
  const show = (/** @type {number} */ x, /** @type {number} */ y) => {
    tip ??= el("div", { id: "tip", role: "presentation" });
    if (!tip.isConnected) document.body.append(tip);
    const [title, ...lines] = content();
    fill(tip, el("strong", {}, title), ...lines.flatMap((line, i) => (i === 0 ? [line] : [el("br"), line])));
    tip.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(8, Math.min(window.innerWidth - width - 8, x + 12))}px`;
    tip.style.top = `${y + height + 24 > window.innerHeight ? Math.max(8, y - height - 12) : y + 16}px`;
  };
  const hide = () => { if (tip) tip.hidden = true; };
  element.addEventListener("pointermove", (event) => { if (event instanceof PointerEvent) show(event.clientX, event.clientY); });
  element.addEventListener("pointerleave", hide);
  element.addEventListener("focus", () => { const box = element.getBoundingClientRect(); show(box.left, box.bottom); });
  element.addEventListener("blur", hide);
  return element;
}

/** Removes the tooltip, because what it describes is no longer shown. */
export function hideTip() {
  tip?.remove();
}

/**
 * Returns round values between two bounds, for an axis.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function ticks(low, high, most) {
  const step = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(1e-9, step)));
  const round = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= step) ?? step;
  const values = [];
  for (let at = Math.ceil(low / round) * round; at <= high + 1e-9 * round; at += round) values.push(at);
  return values;
}
