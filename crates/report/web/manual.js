// The manual of the language: every primitive with its signature, documentation and examples.

import { count, el, fill, prose } from "./dom.js";
import { commonFrame, drawing } from "./drawing.js";
import { request } from "./server.js";

/** @typedef {{ text: string, parts: (string | import("./drawing.js").Drawing)[] }} ManualExample */
/** @typedef {{ name: string, family: string, signature: string, docs: string, examples: ManualExample[] }} ManualEntry */

/** Returns all primitives, which are loaded once. @returns {Promise<ManualEntry[]>} */
export function primitives() {
  loaded ??= request("/api/primitives");
  return loaded;
}

/** @type {Promise<ManualEntry[]> | null} */
let loaded = null;

/** @param {string[]} rest */
export async function manualPage([wanted = ""]) {
  const all = await primitives();
  const list = el("div", { class: "manual-list" });
  const found = el("p", { class: "muted", role: "status", id: "found" });
  const families = [...new Set(all.map((it) => it.family))];
  const family = el("select", { id: "family", change: () => choose() }, el("option", { value: "" }, "all"), ...families.map((name) => el("option", { value: name }, name)));
  const search = el("input", { type: "search", id: "search", placeholder: "name or words", value: wanted, input: () => choose() });
  const entries = new Map(all.map((it) => [it.name, entry(it)]));
  const choose = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const shown = all.filter((it) => (family.value === "" || it.family === family.value) && words.every((word) => `${it.signature} ${it.family} ${it.docs}`.toLowerCase().includes(word)));
    // Names come before words in the text.
    const named = (/** @type {ManualEntry} */ it) => words.some((word) => it.name.includes(word));
    const order = [...shown.filter(named), ...shown.filter((it) => !named(it))];
    fill(found, `${count(shown.length, "primitive")}${shown.length === all.length ? "" : ` of ${all.length}`}`);
    fill(list, ...order.map((it) => entries.get(it.name)));
  };
  choose();
  return el("div", {}, el("h1", {}, "Primitives"), el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search), el("label", {}, "Family ", family)), found, list);
}

/** @param {ManualEntry} it */
function entry(it) {
  return el("section", { class: "pair manual", id: `primitive-${it.name}` }, el("div", {}, el("h2", {}, signature(it)), el("span", { class: "badge" }, it.family), ...documentation(it.docs)),
    el("div", {}, ...it.examples.map(example)));
}

/**
 * Shows a signature as code, with the name emphasised.
 * @param {ManualEntry} it
 */
export function signature(it) {
  const rest = it.signature.startsWith(it.name) ? it.signature.slice(it.name.length) : ` ${it.signature}`;
  return el("code", { class: "signature" }, el("strong", { class: "tok-primitive" }, it.name), rest);
}

/**
 * Shows documentation: paragraphs, and lines that begin with a dash as a list.
 * @param {string} docs
 */
export function documentation(docs) {
  return docs.split(/\n\s*\n/).filter((part) => part.trim() !== "").map((part) => {
    const lines = part.split("\n");
    const items = lines.filter((line) => line.startsWith("- "));
    return items.length === lines.length ? el("ul", {}, ...items.map((line) => el("li", {}, ...prose(line.slice(2))))) : el("p", {}, ...prose(part));
  });
}

/** Size of the pictures of examples in pixels. */
const EXAMPLE_SIZE = 56;

/** @param {ManualExample} it */
export function example(it) {
  const line = el("div", { class: "example-text" }, el("code", {}, it.text));
  if (it.parts.length === 0) return el("div", { class: "example" }, line);
  const frame = commonFrame(it.parts.filter((part) => typeof part !== "string"));
  const parts = it.parts.map((part) => (typeof part === "string" ? el("code", {}, part) : drawing(part, EXAMPLE_SIZE, frame)));
  return el("div", { class: "example" }, el("div", { class: "example-picture" }, ...parts), line);
}
