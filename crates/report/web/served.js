// Links from a report to the other pages of the server that shows it.

import { el } from "./dom.js";

/** @typedef {import("./data.js").Report} Report */

/**
 * Adds a link to the runs to the navigation and, on the page of a task, one to the editor.
 * @param {Report} report
 * @param {number} chosen index of the shown run
 * @param {string} part
 * @param {string} id
 * @param {{ nav: HTMLElement, main: HTMLElement }} page
 */
export function servedLinks({ server, runs }, chosen, part, id, { nav, main }) {
  if (!server) return;
  const home = `/?token=${encodeURIComponent(server.token)}`;
  nav.prepend(el("a", { href: home }, "‹ Runs"));
  const [set, task] = [server.sets[chosen] ?? null, runs[chosen].tasks.find((it) => it.id === id)];
  if (part !== "task" || set === null || task === undefined) return;
  const best = task.programs[0];
  const address = ["editor", set, id, ...(best === undefined ? [] : [server.names[chosen], String(best.program)])];
  main.querySelector("h1")?.after(el("p", { class: "to-editor" }, el("a", { href: `${home}#/${address.map(encodeURIComponent).join("/")}` }, "Open in the editor")));
}
