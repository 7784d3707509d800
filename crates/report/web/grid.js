// Draws grids in the chosen palette.

import { el, svg } from "./dom.js";

/** @typedef {import("./data.js").Cells} Cells */
/** @typedef {import("./data.js").Look} Look */

/** The current appearance of grids. @type {{ look: Look, digits: boolean }} */
export const paint = { look: { name: "", colors: [], inks: [], line: "#555555" }, digits: false };

/**
 * @param {Cells} cells
 * @returns {number[][] | null}
 */
export function rows(cells) {
  if (typeof cells !== "string") return cells;
  if (cells === "") return [];
  return cells.split("|").map((row) => Array.from(row, Number));
}

/**
 * Returns the number of cells that differ, or null if the shapes do.
 * @param {number[][]} a
 * @param {number[][]} b
 */
export function differing(a, b) {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return null;
  return a.reduce((sum, row, y) => sum + row.filter((cell, x) => cell !== b[y][x]).length, 0);
}

/**
 * Returns the size of a cell with which grids fit side by side, so that all are drawn to one scale.
 * @param {Cells[]} grids
 * @param {number} width of all grids together
 * @param {number} height of each
 * @param {number} [max]
 */
export function sharedCell(grids, width, height, max = MAX_CELL) {
  const sizes = grids.map(rows).flatMap((grid) => (grid === null || grid.length === 0 ? [] : [[grid[0].length, grid.length]]));
  const wide = sizes.reduce((sum, [w]) => sum + w, 0);
  const room = width - NO_GRID * (grids.length - sizes.length);
  const high = sizes.reduce((most, [, h]) => Math.max(most, h), 1);
  return Math.max(1, Math.min(max, Math.floor(Math.min(room / Math.max(1, wide), height / high))));
}

/**
 * Draws a grid in a square of `size` pixels, or with cells of a given size; cells that differ from `expected`
 * are marked. It is an SVG with few paths, because a canvas costs the browser several times as much.
 * @param {Cells} cells
 * @param {number} size
 * @param {string} name
 * @param {Cells} [expected]
 * @param {number | null} [scale] size of a cell
 */
export function picture(cells, size, name, expected = null, scale = null) {
  const grid = rows(cells);
  if (grid === null || grid.length === 0) {
    return el("div", { class: "nogrid", role: "img", "aria-label": `${name}: none` }, "—");
  }
  const other = rows(expected);
  const differ = other === null ? null : differing(grid, other);
  const [height, width] = [grid.length, Math.max(...grid.map((row) => row.length))];
  const cell = scale ?? Math.min(MAX_CELL, Math.max(2, Math.floor(size / Math.max(width, height))));
  return svg("svg", {
    class: "grid", width: width * cell, height: height * cell, viewBox: `0 0 ${width * cell} ${height * cell}`, role: "img",
    "aria-label": `${name}: ${height} by ${width}${differ === null ? "" : `, ${differ} cells differ`}`,
  }, ...fields(grid, cell), cell > 4 ? lines(width, height, cell) : null, ...figures(grid, cell), ...(other === null || differ === null ? [] : crosses(grid, other, cell)));
}

/** Width of the box in place of a missing grid, as in the style sheet. */
const NO_GRID = 66;
/** Largest cell in pixels, so that tiny grids do not fill their box. */
const MAX_CELL = 28;
/** Smallest cell in pixels in which a digit can be read. */
const MIN_DIGIT_CELL = 8;

/**
 * Draws a path for each colour. Equal neighbours in a row are one rectangle.
 * @param {number[][]} grid
 * @param {number} cell
 */
function fields(grid, cell) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  grid.forEach((row, y) => {
    for (let x = 0; x < row.length; ) {
      const from = x;
      while (x < row.length && row[x] === row[from]) x++;
      paths.set(row[from], `${paths.get(row[from]) ?? ""}M${from * cell} ${y * cell}h${(x - from) * cell}v${cell}H${from * cell}z`);
    }
  });
  return [...paths].map(([color, d]) => svg("path", { d, fill: paint.look.colors[color] ?? "#ffffff" }));
}

/**
 * Draws the lines between the cells.
 * @param {number} width
 * @param {number} height
 * @param {number} cell
 */
function lines(width, height, cell) {
  let d = "";
  for (let x = 1; x <= width; x++) d += `M${x * cell - 0.5} 0V${height * cell}`;
  for (let y = 1; y <= height; y++) d += `M0 ${y * cell - 0.5}H${width * cell}`;
  return svg("path", { d, stroke: paint.look.line, fill: "none" });
}

/**
 * Draws digits if they are enabled, and for numbers that have no colour.
 * @param {number[][]} grid
 * @param {number} cell
 */
function figures(grid, cell) {
  const shown = (/** @type {number} */ color) => (paint.digits && cell >= MIN_DIGIT_CELL) || paint.look.colors[color] === undefined;
  const style = { "font-size": Math.floor(cell * 0.7), "font-family": "monospace", "text-anchor": "middle" };
  return grid.flatMap((row, y) => row.flatMap((color, x) => shown(color)
    ? [svg("text", { x: (x + 0.5) * cell, y: (y + 0.75) * cell, fill: paint.look.inks[color] ?? "#000000", ...style }, color)] : []));
}

/**
 * Draws crosses on the cells that differ; they are visible on every colour.
 * @param {number[][]} grid
 * @param {number[][]} expected
 * @param {number} cell
 */
function crosses(grid, expected, cell) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  const [near, far] = [0.2 * cell, 0.8 * cell];
  grid.forEach((row, y) => row.forEach((color, x) => {
    if (expected[y][x] === color) return;
    const ink = paint.look.inks[color] ?? "#000000";
    const [left, top] = [x * cell, y * cell];
    paths.set(ink, `${paths.get(ink) ?? ""}M${left + near} ${top + near}L${left + far} ${top + far}M${left + far} ${top + near}L${left + near} ${top + far}`);
  }));
  return [...paths].map(([stroke, d]) => svg("path", { d, stroke, fill: "none", "stroke-width": Math.max(1, cell / 8) }));
}
