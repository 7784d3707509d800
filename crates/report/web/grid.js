// Grids as pictures, in the palette that the reader chose.

import { el } from "./dom.js";

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
 * A grid in a square of `size` pixels; cells that differ from `expected` are marked.
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
  const marks = other !== null && differing(grid, other) !== null ? other : null;
  const [height, width] = [grid.length, Math.max(...grid.map((row) => row.length))];
  const cell = Math.max(2, Math.floor(size / Math.max(width, height)));
  const sharp = Math.min(2, window.devicePixelRatio || 1);
  const canvas = el("canvas", {
    width: width * cell * sharp,
    height: height * cell * sharp,
    role: "img",
    "aria-label": `${name}: ${height} by ${width}${marks ? `, ${differing(grid, marks)} cells differ` : ""}`,
  });
  canvas.style.width = `${width * cell}px`;
  canvas.style.height = `${height * cell}px`;
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  context.scale(sharp, sharp);
  draw(context, grid, cell, marks);
  return canvas;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number[][]} grid
 * @param {number} cell
 * @param {number[][] | null} marks
 */
function draw(context, grid, cell, marks) {
  const { look, digits } = paint;
  const gap = cell > 4 ? 1 : 0;
  context.fillStyle = look.line;
  context.fillRect(0, 0, grid[0].length * cell, grid.length * cell);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${Math.floor(cell * 0.7)}px monospace`;
  grid.forEach((row, y) =>
    row.forEach((color, x) => {
      const known = color >= 0 && color <= 9;
      context.fillStyle = known ? look.colors[color] : "#ffffff";
      context.fillRect(x * cell, y * cell, cell - gap, cell - gap);
      const ink = known ? look.inks[color] : "#000000";
      if (digits || !known) {
        context.fillStyle = ink;
        context.fillText(String(color), (x + 0.5) * cell, (y + 0.55) * cell);
      }
      if (marks !== null && marks[y][x] !== color) {
        // A cross can be seen on every colour and without any.
        context.strokeStyle = ink;
        context.lineWidth = Math.max(1, cell / 8);
        context.beginPath();
        context.moveTo(x * cell + cell * 0.2, y * cell + cell * 0.2);
        context.lineTo(x * cell + cell * 0.8, y * cell + cell * 0.8);
        context.moveTo(x * cell + cell * 0.8, y * cell + cell * 0.2);
        context.lineTo(x * cell + cell * 0.2, y * cell + cell * 0.8);
        context.stroke();
      }
    }),
  );
}
