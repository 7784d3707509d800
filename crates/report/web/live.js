// The local page: shows the part that the address names.

import { el, fill, prose } from "./dom.js";
import { settings } from "./settings.js";
import { given } from "./server.js";
import { runsPage } from "./runs.js";
import { storeParts } from "./store.js";
import { dataPage } from "./sets.js";
import { manualPage } from "./manual.js";
import { editorPage } from "./editor.js";

/** @typedef {{ element: HTMLElement, stop?: () => void }} LivePart */

const livePage = /** @type {HTMLElement} */ (document.getElementById("main"));
const liveNav = /** @type {HTMLElement} */ (document.getElementById("nav"));

/** @type {[string, string, (rest: string[]) => Promise<HTMLElement | LivePart>][]} */
const LIVE_PARTS = [["", "Runs", runsPage], ["editor", "Editor", editorPage], ["data", "Data sets", dataPage], ["store", "Store", storeParts], ["manual", "Primitives", manualPage]];

/** The shown part. @type {LivePart | null} */
let shownPart = null;
let renders = 0;

async function liveRender() {
  const number = ++renders;
  const [, id = "", ...rest] = location.hash.split("/").map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const [, label, make] = LIVE_PARTS.find(([part]) => part === id) ?? LIVE_PARTS[0];
  fill(liveNav, ...LIVE_PARTS.map(([part, text]) => el("a", { href: `#/${part}`, "aria-current": text === label ? "page" : null }, text)));
  const made = await make(rest).catch((error) => el("div", {}, el("h1", {}, label), el("p", { class: "note" }, ...prose(error.message))));
  const part = made instanceof HTMLElement ? { element: made } : made;
  if (number !== renders) return part.stop?.();
  shownPart?.stop?.();
  shownPart = part;
  fill(livePage, part.element);
  const title = livePage.querySelector("h1")?.textContent ?? label;
  document.title = `${title === label ? label : `${title} · ${label}`} · arcbatt`;
}

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") livePage.focus();
  else void liveRender();
});
window.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea, .cm-editor");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = livePage.querySelector("input[type=search]");
  if (search instanceof HTMLElement) { event.preventDefault(); search.focus(); }
});
settings(given.looks, () => void liveRender());
void liveRender();
