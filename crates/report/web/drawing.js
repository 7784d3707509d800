// Draws the values of programs: grids, objects, indices, numbers and text.

import { el, svg } from "./dom.js";
import { paint, picture } from "./grid.js";

/** @typedef {[number, number, number][]} Patch Colour (-1 for an index), row and column of each cell. */
/**
 * @typedef {{ about: string } & ({ kind: "grid", rows: number[][] } | { kind: "patches", patches: Patch[], more: number }
 *   | { kind: "list", items: Drawing[], more: number } | { kind: "number", value: number } | { kind: "text" | "words", text: string })} Drawing
 */
/** @typedef {{ height: number, width: number }} Frame The size of the grid that patches are shown in. */

/**
 * Draws a value in a square of about `size` pixels.
 * @param {Drawing} value
 * @param {number} size
 * @param {Frame | null} frame
 * @returns {Element}
 */
export function drawing(value, size, frame) {
  switch (value.kind) {
    case "grid": return picture(value.rows, size, value.about);
    case "patches": return el("span", { class: "drawn" }, patchPicture(value.patches, size, value.about, frame), more(value.more));
    case "list": return el("span", { class: "drawn" }, ...value.items.map((item) => drawing(item, size, frame)), more(value.more));
    case "number": return el("span", { class: "drawn" }, swatch(value.value), el("code", {}, value.value));
    case "words": return el("span", { class: "drawn-text" }, value.text);
    case "text": return el("code", { class: "drawn-text" }, value.text);
  }
}

/**
 * Draws grids side by side with cells of one size, in squares of at most `size` pixels.
 * @param {{ cells: number[][] | null, label: string, other?: number[][] | null, stale?: boolean }[]} grids
 * @param {number} size
 */
export function oneScale(grids, size) {
  const side = (/** @type {number[][] | null} */ cells) => (cells === null ? 1 : Math.max(cells.length, cells[0]?.length ?? 0));
  const cell = size / Math.max(...grids.map(({ cells }) => side(cells)));
  return grids.map(({ cells, label, other = null, stale = false }) =>
    el("figure", { class: stale ? "stale" : null }, picture(cells, Math.floor(cell) * side(cells), label, other), el("figcaption", {}, label)));
}

/** @param {number} n */
function more(n) {
  return n === 0 ? null : el("span", { class: "muted small" }, `+${n}`);
}

/** Shows the colour of a number that can be one. @param {number} value */
function swatch(value) {
  const fill = paint.look.colors[value];
  if (fill === undefined) return null;
  return svg("svg", { class: "swatch", width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, fill }));
}

/**
 * Returns a frame for all patches of some values, so that their places can be compared.
 * @param {Drawing[]} values
 * @returns {Frame}
 */
export function commonFrame(values) {
  const sizes = values.map((value) => {
    if (value.kind === "grid") return { height: value.rows.length, width: value.rows[0]?.length ?? 0 };
    if (value.kind !== "patches") return { height: 0, width: 0 };
    const cells = value.patches.flat();
    return { height: Math.max(...cells.map(([, y]) => y + 1)), width: Math.max(...cells.map(([, , x]) => x + 1)) };
  });
  return { height: Math.max(...sizes.map((it) => it.height)), width: Math.max(...sizes.map((it) => it.width)) };
}

/** Limits of a cell in pixels. */
const [SMALLEST, LARGEST] = [2, 24];
/** Smallest cell in pixels whose colour is visible beside dots and outlines. */
const OUTLINED = 5;

/**
 * Draws patches at their places, each with an outline. If one is outside of the frame, the picture is as large as they
 * are.
 * @param {Patch[]} patches
 * @param {number} size
 * @param {string} name
 * @param {Frame | null} frame
 */
function patchPicture(patches, size, name, frame) {
  const cells = patches.flat();
  const span = (/** @type {number} */ at) => cells.reduce(([low, high], cell) => [Math.min(low, cell[at]), Math.max(high, cell[at])], [Infinity, -Infinity]);
  const [[top, bottom], [left, right]] = [span(1), span(2)];
  const inside = frame !== null && top >= 0 && left >= 0 && bottom < frame.height && right < frame.width;
  const [y0, x0] = inside ? [0, 0] : [top, left];
  const [height, width] = inside ? [frame.height, frame.width] : [bottom - top + 1, right - left + 1];
  const cell = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(size / Math.max(width, height))));
  /** @type {Map<number, string>} */
  const paths = new Map();
  for (const [color, y, x] of cells) paths.set(color, `${paths.get(color) ?? ""}M${(x - x0) * cell} ${(y - y0) * cell}h${cell}v${cell}h${-cell}z`);
  const fields = [...paths].map(([color, d]) => svg("path", color < 0 ? { d, class: cell < OUTLINED ? "indices dense" : "indices" } : { d, fill: paint.look.colors[color] ?? "#ffffff" }));
  // Dots tell indices, which have no colour, from cells.
  const dots = cells.filter(([color]) => color < 0 && cell >= OUTLINED).map(([, y, x]) => `M${(x - x0 + 0.5) * cell} ${(y - y0 + 0.5) * cell}h0`).join("");
  const outline = cell < OUTLINED ? null : svg("path", { d: patches.map((patch) => edges(patch, y0, x0, cell)).join(""), class: "outline" });
  return svg("svg", { class: "grid patches", width: width * cell, height: height * cell, viewBox: `0 0 ${width * cell} ${height * cell}`, role: "img", "aria-label": name },
    svg("rect", { width: width * cell, height: height * cell, class: "paper" }), ...fields, dots === "" ? null : svg("path", { d: dots, class: "dots", "stroke-width": cell * 0.4 }), outline);
}

/**
 * Returns the path of the sides that a patch's cells do not share.
 * @param {Patch} patch
 * @param {number} y0
 * @param {number} x0
 * @param {number} cell
 */
function edges(patch, y0, x0, cell) {
  const places = new Set(patch.map(([, y, x]) => `${y} ${x}`));
  const has = (/** @type {number} */ y, /** @type {number} */ x) => places.has(`${y} ${x}`);
  let d = "";
  for (const [, y, x] of patch) {
    const [top, left] = [(y - y0) * cell, (x - x0) * cell];
    if (!has(y - 1, x)) d += `M${left} ${top}h${cell}`;
    if (!has(y + 1, x)) d += `M${left} ${top + cell}h${cell}`;
    if (!has(y, x - 1)) d += `M${left} ${top}v${cell}`;
    if (!has(y, x + 1)) d += `M${left + cell} ${top}v${cell}`;
  }
  return d;
}
