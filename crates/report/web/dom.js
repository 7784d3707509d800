// Creates elements and formats figures. Text from a record is always set as text.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element. Attributes that are functions become event listeners.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes
 * @param {Child[]} children
 */
function apply(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, /** @type {EventListener} */ (value));
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  apply(element, {}, children);
}

/**
 * Splits text at backticks: `code` becomes a code element, the rest stays text.
 * @param {string} text
 * @returns {Child[]}
 */
export function prose(text) {
  const parts = text.split("`");
  // An unmatched backtick stays as it is.
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join("`"));
  return parts.map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part));
}

/**
 * Formats a time with three digits and a unit, as the terminal does.
 * @param {number} ns
 */
export function time(ns) {
  const size = Math.abs(ns);
  const [value, unit] =
    size < 1e3 ? [size, "ns"] : size < 1e6 ? [size / 1e3, "µs"] : size < 1e9 ? [size / 1e6, "ms"]
    : size < 3600e9 ? [size / 1e9, "s"] : [size / 3600e9, "h"];
  const places = unit === "ns" || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${ns < 0 ? "-" : ""}${fixed(value, places)} ${unit}`;
}

/**
 * Rounds as the terminal does: an exact tie goes to the even digit.
 * @param {number} value
 * @param {number} places
 */
function fixed(value, places) {
  const scaled = value * 10 ** places;
  const below = Math.floor(scaled);
  // Only a multiple of a power of two can be a tie.
  const tie = Number.isInteger(value * 2 ** 20) && scaled - below === 0.5;
  return (tie && below % 2 === 0 ? below / 10 ** places : value).toFixed(places);
}

/** @param {number} share */
export function percent(share) {
  return `${fixed(share * 100, Math.abs(share) < 0.1 ? 2 : 1)} %`;
}

/** @param {number} n */
export function grouped(n) {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Formats `1 task`, `2 tasks`.
 * @param {number} n
 * @param {string} what
 */
export function count(n, what) {
  return `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
}

/**
 * Shows a figure as text, with the exact value as an attribute for scripts.
 * @param {string} name
 * @param {number} value
 * @param {string} text
 */
export function figure(name, value, text) {
  return el("data", { value, "data-figure": name }, text);
}

/**
 * Creates a section with a heading.
 * @param {string} title
 * @param {...Child} children
 */
export function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

/**
 * Creates a table. Columns whose heading begins with a space are right-aligned.
 * @param {string} caption
 * @param {string[]} head
 * @param {Child[][]} rows
 */
export function table(caption, head, rows) {
  const right = head.map((text) => text.startsWith(" "));
  const kind = (/** @type {number} */ i) => ({ class: right[i] ? "number" : null });
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      head.every((text) => text === "") ? null : el("thead", {}, el("tr", {}, ...head.map((text, i) => text.trim() === "" ? el("td") : el("th", { scope: "col", ...kind(i) }, text.trim())))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell, i) => el("td", kind(i), cell))))),
    ),
  );
}

/**
 * Says that there is nothing to show, and why.
 * @param {...Child} children
 */
export function empty(...children) {
  return el("p", { class: "nothing" }, ...children);
}

/** Returns a hue that depends only on the name, so that a function always has the same colour. @param {string} name */
export function hue(name) {
  let hash = 7;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash % 360;
}
