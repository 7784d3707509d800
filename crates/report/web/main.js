// Shows the part of the report that the address names.

import { count, el, fill, grouped } from "./dom.js";
import { load } from "./data.js";
import { hideTip } from "./chart.js";
import { choice, settings } from "./settings.js";
import { overviewView } from "./overview.js";
import { taskView, tasksView } from "./tasks.js";
import { programView, programsView } from "./programs.js";
import { planView } from "./plan.js";
import { profileView } from "./profile.js";
import { compareView } from "./compare.js";
import { servedLinks } from "./served.js";

/** @typedef {{ element: HTMLElement, ready?: () => void, stop?: () => void, step?: (by: number) => void }} View */

let report = load();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const nav = /** @type {HTMLElement} */ (document.getElementById("nav"));

/** Index of the shown run. */
let chosen = report.runs.length - 1;
/** @type {View | null} */
let view = null;
/** Scroll position of each part. @type {Map<string, number>} */
const scrolled = new Map();
let shownAt = "";

/** @type {[string, string][]} */
const PARTS = [["", "Overview"], ["tasks", "Tasks"]];
if (report.runs.some((run) => run.subject !== "submission")) PARTS.push(["programs", "Programs"], ["plan", "Plan"], ["profile", "Profile"]);
if (report.runs.length === 2) PARTS.push(["compare", "Comparison"]);

/**
 * @param {string} part
 * @param {string} rest
 * @returns {View}
 */
function make(part, rest) {
  const run = report.runs[chosen];
  switch (part) {
    case "tasks": return tasksView(run, rest);
    case "task": return { element: taskView(run, rest) };
    case "programs": return programsView(run);
    case "program": return { element: programView(run, Number(rest)) };
    case "plan": return { element: planView(run) };
    case "profile": return { element: profileView(run) };
    case "compare": if (report.runs.length === 2) return compareView(report);
    // Without a second run there is nothing to compare.
    default: return { element: overviewView(run, chosen === 1 ? report.runs[0] : null) };
  }
}

/** @param {boolean} moved whether another part is shown, not only the appearance changed */
function render(moved) {
  const [, part = "", ...rest] = location.hash.split("/");
  let name = rest.join("/");
  try { name = decodeURIComponent(name); } catch { /* Use an invalid link as it is. */ }
  if (moved) scrolled.set(shownAt, window.scrollY);
  view?.stop?.();
  hideTip();
  view = make(part, name);
  fill(main, view.element);
  view.ready?.();
  const group = part === "task" ? "tasks" : part === "program" ? "programs" : part;
  fill(nav, ...PARTS.map(([id, label]) => el("a", { href: `#/${id}`, "aria-current": id === group ? "page" : null }, label)));
  servedLinks(report, chosen, part, name, { nav, main });
  document.title = `${main.querySelector("h1")?.textContent ?? "report"} · arcbatt`;
  if (moved) {
    shownAt = location.hash;
    window.scrollTo(0, scrolled.get(shownAt) ?? 0);
    view.ready?.();
  }
}

const runs = report.runs.length === 2
  ? choice("Run", report.runs.map((run, i) => [String(i), run.name]), String(chosen), (value) => { chosen = Number(value); render(false); }) : null;
settings(report.looks, () => render(false), runs);

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") main.focus();
  else render(true);
});
window.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !typing) {
    const search = main.querySelector("input[type=search]");
    if (search instanceof HTMLElement) { event.preventDefault(); search.focus(); }
  } else if (event.key in STEPS && !typing) {
    const by = STEPS[event.key];
    const link = main.querySelector(`[data-step="${by}"]`);
    if (link instanceof HTMLElement) link.click();
    else if (event.key === "j" || event.key === "k") view?.step?.(by);
  }
});
/** Keys that go to the next or the previous task. @type {Record<string, number>} */
const STEPS = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 };

/**
 * Updates a page from a server while its run continues.
 * @param {string} path
 * @param {string} token
 */
function follow(path, token) {
  const line = el("p", { class: "muted small", role: "status", id: "follow" });
  main.before(line);
  /** The newest record, the shown one, and whether one is being loaded. */
  const record = { newest: /** @type {number | null} */ (null), shown: /** @type {number | null} */ (null), loading: false };
  const refresh = async () => {
    if (record.loading) return;
    record.loading = true;
    while (record.shown !== record.newest) {
      const newest = record.newest;
      const answer = await fetch(`${path}/page`, { headers: { "x-arcbatt-token": token } }).catch(() => null);
      if (!answer?.ok) break;
      // Updates have only the data.
      report = { ...(await answer.json()), server: report.server };
      record.shown = newest;
      render(false);
    }
    record.loading = false;
  };
  const source = new EventSource(`${path}/events?token=${encodeURIComponent(token)}`);
  source.addEventListener("message", (event) => {
    /** @type {{ kind: string, state: string, done: number, total: number, solved: number, record: number | null }} */
    const now = JSON.parse(event.data);
    // A solve goes on with tasks that have an answer, so more tasks may have one than are done.
    const found = now.kind === "run" ? "right" : "with an answer";
    line.textContent = `${now.state}: ${grouped(now.done)} of ${count(now.total, "task")} done, ${grouped(now.solved)} ${found}`;
    // The page of a finished run is already complete.
    if (record.shown === null && now.state !== "running") record.shown = now.record;
    record.newest = now.record;
    void refresh();
  });
}
if (report.server?.follow) follow(report.server.follow, report.server.token);
if ("scrollRestoration" in history) history.scrollRestoration = "manual";
render(true);
