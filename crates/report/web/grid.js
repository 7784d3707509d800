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
  const cell = Math.min(LARGEST, Math.max(2, Math.floor(size / Math.max(width, height))));
  const sharp = window.devicePixelRatio > 1 ? 2 : 1;
  const canvas = el("canvas", {
    width: width * cell * sharp,
    height: height * cell * sharp,
    role: "img",
    "aria-label": `${name}: ${height} by ${width}${marks ? `, ${differing(grid, marks)} cells differ` : ""}`,
  });
  canvas.style.width = `${width * cell}px`;
  canvas.style.height = `${height * cell}px`;
  const context = canvas.getContext("2d");
  if (context !== null) draw(context, grid, width, cell * sharp, marks);
  return canvas;
}

/** Cells of a tiny grid need not fill its room. */
const LARGEST = 30;

/**
 * The cells are written into a buffer and drawn at once: a rectangle for each is many times slower.
 * @param {CanvasRenderingContext2D} context
 * @param {number[][]} grid
 * @param {number} width
 * @param {number} cell in pixels of the screen
 * @param {number[][] | null} marks
 */
function draw(context, grid, width, cell, marks) {
  const { look, digits } = paint;
  const size = Math.round(cell);
  const gap = size > 4 ? 1 : 0;
  const image = context.createImageData(width * size, grid.length * size);
  const pixels = new Uint32Array(image.data.buffer).fill(pixel(look.line));
  const colors = look.colors.map(pixel);
  grid.forEach((row, y) =>
    row.forEach((color, x) => {
      const value = colors[color] ?? pixel("#ffffff");
      for (let line = y * size; line < (y + 1) * size - gap; line++) {
        const from = line * image.width + x * size;
        pixels.fill(value, from, from + size - gap);
      }
    }),
  );
  context.putImageData(image, 0, 0);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${Math.floor(size * 0.7)}px monospace`;
  context.lineWidth = Math.max(1, size / 8);
  grid.forEach((row, y) =>
    row.forEach((color, x) => {
      const ink = look.inks[color] ?? "#000000";
      if (digits || look.colors[color] === undefined) {
        context.fillStyle = ink;
        context.fillText(String(color), (x + 0.5) * size, (y + 0.55) * size);
      }
      if (marks !== null && marks[y][x] !== color) {
        // A cross can be seen on every colour and without any.
        context.strokeStyle = ink;
        context.beginPath();
        context.moveTo((x + 0.2) * size, (y + 0.2) * size);
        context.lineTo((x + 0.8) * size, (y + 0.8) * size);
        context.moveTo((x + 0.8) * size, (y + 0.2) * size);
        context.lineTo((x + 0.2) * size, (y + 0.8) * size);
        context.stroke();
      }
    }),
  );
}

/** A colour as a pixel of an image, which begins with red whatever the machine's order of bytes. @param {string} hex */
function pixel(hex) {
  const value = parseInt(hex.slice(1), 16);
  return new Uint32Array(new Uint8Array([value >> 16, (value >> 8) & 255, value & 255, 255]).buffer)[0];
}
