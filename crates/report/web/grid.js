// Grids as pictures, in the palette that the reader chose.

import { el, svg } from "./dom.js";

/** @typedef {import("./data.js").Cells} Cells */
/** @typedef {import("./data.js").Look} Look */

/** How grids look at the moment. @type {{ look: Look, digits: boolean }} */
export const paint = { look: { name: "", colors: [], inks: [], line: "#555555" }, digits: false };

/**
 * @param {Cells} cells
 * @returns {number[][] | null}
 */
export function rows(cells) {
  if (typeof cells !== "string") return cells;
  return cells.split("|").map((row) => Array.from(row, Number));
}

/**
 * How many cells differ; nothing if the shapes do.
 * @param {number[][]} a
 * @param {number[][]} b
 */
export function differing(a, b) {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return null;
  return a.reduce((sum, row, y) => sum + row.filter((cell, x) => cell !== b[y][x]).length, 0);
}

/**
 * A grid in a square of `size` pixels; cells that differ from `expected` are marked. It is a drawing of few paths: a
 * canvas costs the browser several times as much before anything is drawn on it.
 * @param {Cells} cells
 * @param {number} size
 * @param {string} name
 * @param {Cells} [expected]
 */
export function picture(cells, size, name, expected = null) {
  const grid = rows(cells);
  if (grid === null || grid.length === 0) {
    return el("div", { class: "nogrid", role: "img", "aria-label": `${name}: none` }, "—");
  }
  const other = rows(expected);
  const differ = other === null ? null : differing(grid, other);
  const [height, width] = [grid.length, Math.max(...grid.map((row) => row.length))];
  const cell = Math.min(LARGEST, Math.max(2, Math.floor(size / Math.max(width, height))));
  return svg("svg", {
    class: "grid", width: width * cell, height: height * cell, viewBox: `0 0 ${width * cell} ${height * cell}`, role: "img",
    "aria-label": `${name}: ${height} by ${width}${differ === null ? "" : `, ${differ} cells differ`}`,
  }, ...fields(grid, cell), cell > 4 ? lines(width, height, cell) : null, ...figures(grid, cell), ...(other === null || differ === null ? [] : crosses(grid, other, cell)));
}

/** Cells of a tiny grid need not fill its room. */
const LARGEST = 30;
/** Smaller digits cannot be read. */
const LEGIBLE = 8;

/**
 * A path for each colour. Neighbours in a row are one piece.
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
 * The lines between the cells.
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
 * Digits, where they are wanted, and where a number has no colour.
 * @param {number[][]} grid
 * @param {number} cell
 */
function figures(grid, cell) {
  const shown = (/** @type {number} */ color) => (paint.digits && cell >= LEGIBLE) || paint.look.colors[color] === undefined;
  const style = { "font-size": Math.floor(cell * 0.7), "font-family": "monospace", "text-anchor": "middle" };
  return grid.flatMap((row, y) => row.flatMap((color, x) => shown(color)
    ? [svg("text", { x: (x + 0.5) * cell, y: (y + 0.75) * cell, fill: paint.look.inks[color] ?? "#000000", ...style }, color)] : []));
}

/**
 * Crosses on the cells that differ: they can be seen on every colour and without any.
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
