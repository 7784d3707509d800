// The local page: runs on this machine, data sets, the manual, and an editor.

import { count, el, fill, grouped, section, table } from "./dom.js";
import { paint, picture } from "./grid.js";

/** @typedef {{ name: string, data: string, all_pairs: boolean, state: "waiting" | "running" | "finished" | "stopped" | "failed" | "interrupted", done: number, total: number, solved: number, error: string | null }} LiveRun */
/** @typedef {{ name: string, about: string, tasks: number, installed: boolean }} LiveSet */
/** @typedef {{ name: string, family: string, signature: string, docs: string, examples: string[] }} Manual */
/** @typedef {{ severity: string, start: number, end: number, line: number, column: number, message: string, label: string, help: string | null }} LiveProblem */
/** @typedef {{ programs: string[], problems: LiveProblem[], title: string | null, picture: string | null }} Checked */

/** @type {{ token: string, looks: import("./data.js").Look[] }} */
const given = JSON.parse(document.getElementById("data")?.textContent ?? "null");
paint.look = given.looks[0];
const livePage = /** @type {HTMLElement} */ (document.getElementById("main"));
const liveNav = /** @type {HTMLElement} */ (document.getElementById("nav"));

/**
 * Asks the server; an answer that is no answer is an error with its words.
 * @param {string} path
 * @param {unknown} [body]
 */
async function ask(path, body) {
  const headers = { "x-arcbatt-token": given.token, "content-type": "application/json" };
  const response = await fetch(path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

/** A link that carries the token. @param {string} path */
function keyed(path) {
  return `${path}?token=${encodeURIComponent(given.token)}`;
}

/** What follows the runs that are shown. @type {EventSource[]} */
let followed = [];
let shownPart = 0;

async function runsPage() {
  /** @type {[LiveRun[], LiveSet[]]} */
  const [runs, sets] = await Promise.all([ask("/api/runs"), ask("/api/data")]);
  const said = el("p", { role: "status", class: "muted" });
  const attempt = (/** @type {() => Promise<unknown>} */ work) => work().then(liveRender, (error) => { said.textContent = error.message; });
  const data = el("select", { id: "data-set" }, ...sets.filter((set) => set.installed).map((set) => el("option", { value: set.name }, `${set.name}, ${count(set.tasks, "task")}`)));
  const programs = el("textarea", { id: "programs", rows: 4, placeholder: "programs; left empty, the built-in ones", spellcheck: "false" });
  const all = el("input", { type: "checkbox", id: "all-pairs" });
  const start = el("button", { type: "button", id: "start", click: () => attempt(() => ask("/api/runs", { data: data.value, programs: programs.value || null, all_pairs: all.checked })) }, "Start");
  return el("div", {}, el("h1", {}, "Runs"),
    section("New run", el("div", { class: "form" }, el("label", {}, "Data ", data), el("label", { class: "wide" }, "Programs ", programs), el("label", {}, all, " every program on every task"), start), said),
    section("On this machine", runs.length === 0 ? el("p", { class: "muted" }, "None yet.") : el("div", { class: "pairs" }, ...runs.map((run) => liveCard(run, attempt)))));
}

/**
 * @param {LiveRun} run
 * @param {(work: () => Promise<unknown>) => void} attempt
 */
function liveCard(run, attempt) {
  const box = el("div", { class: "pair", "data-run": run.name });
  const show = (/** @type {LiveRun} */ now) => {
    const busy = now.state === "running" || now.state === "waiting";
    const again = now.state === "interrupted" || now.state === "stopped";
    fill(box, el("h3", {}, now.name, " ", el("span", { class: `badge ${now.state === "finished" ? "solved" : now.state === "failed" ? "failed" : ""}` }, now.state)),
      el("p", { class: "small" }, now.data, now.all_pairs ? ", every program on every task" : ""),
      el("progress", { max: Math.max(1, now.total), value: now.done, "aria-label": `Progress of ${now.name}` }),
      el("p", { class: "small" }, `${grouped(now.done)} of ${count(now.total, "task")}, ${grouped(now.solved)} solved`),
      now.error === null ? null : el("p", { class: "note" }, now.error),
      busy ? el("button", { type: "button", click: () => attempt(() => ask(`/api/runs/${now.name}/stop`, {})) }, "Stop") : null,
      again ? el("button", { type: "button", click: () => attempt(() => ask(`/api/runs/${now.name}/resume`, {})) }, "Resume") : null,
      now.state === "finished" || now.state === "stopped" ? el("a", { href: keyed(`/runs/${now.name}/report`) }, "Report") : null);
  };
  show(run);
  if (run.state === "running" || run.state === "waiting") {
    const source = new EventSource(keyed(`/api/runs/${run.name}/events`));
    source.addEventListener("message", (event) => {
      /** @type {LiveRun} */
      const now = JSON.parse(event.data);
      show(now);
      if (now.state !== "running" && now.state !== "waiting") source.close();
    });
    followed.push(source);
  }
  return box;
}

async function dataPage() {
  /** @type {LiveSet[]} */
  const sets = await ask("/api/data");
  const tasks = el("div");
  const open = async (/** @type {string} */ name) => {
    /** @type {string[]} */
    const ids = await ask(`/api/data/${name}`);
    fill(tasks, section(`${name}: ${count(ids.length, "task")}`, el("ul", { class: "chips" }, ...ids.slice(0, 1000).map((id) => el("li", {}, el("button", { type: "button", click: () => show(name, id) }, id))))), picked);
  };
  const picked = el("div", { class: "pairs" });
  const show = async (/** @type {string} */ name, /** @type {string} */ id) => {
    /** @type {{ train: { input: number[][], output: number[][] | null }[], test: { input: number[][], output: number[][] | null }[] }} */
    const task = await ask(`/api/data/${name}/${encodeURIComponent(id)}`);
    const pair = (/** @type {string} */ part) => (/** @type {{ input: number[][], output: number[][] | null }} */ it, /** @type {number} */ i) =>
      el("div", { class: "pair" }, el("h3", {}, `${id}, ${part} ${i + 1}`), el("div", { class: "grids" }, picture(it.input, 160, "input"), picture(it.output, 160, "output")));
    fill(picked, ...task.train.map(pair("demonstration")), ...task.test.map(pair("test")));
    picked.scrollIntoView();
  };
  return el("div", {}, el("h1", {}, "Data sets"), table("Sets by name", ["name", "what it is", " tasks", "here"],
    sets.map((set) => [set.installed ? el("button", { type: "button", click: () => open(set.name) }, set.name) : set.name, set.about, grouped(set.tasks), set.installed ? "yes" : `no: batt data install ${set.name}`])), tasks);
}

async function manualPage() {
  /** @type {Manual[]} */
  const all = await ask("/api/primitives");
  const list = el("div", { class: "pairs" });
  const search = el("input", { type: "search", placeholder: "name or words", input: () => choose() });
  const choose = () => {
    const text = search.value.toLowerCase();
    const shown = all.filter((it) => `${it.name} ${it.family} ${it.docs}`.toLowerCase().includes(text));
    fill(list, ...shown.map((it) => el("div", { class: "pair manual" }, el("h2", {}, el("code", {}, it.signature)), el("p", {}, it.docs), ...it.examples.map((example) => el("div", {}, el("code", {}, example))), el("p", { class: "small" }, it.family))));
  };
  choose();
  return el("div", {}, el("h1", {}, "Primitives"), el("div", { class: "tools" }, el("label", {}, "Search ", search)), list);
}

const START = "def solve_kaleidoscope(I):\n    x1 = vmirror(I)\n    x2 = hconcat(x1, I)\n    x3 = hmirror(x2)\n    O = vconcat(x2, x3)\n    return O\n";

async function editorPage() {
  /** @type {LiveSet[]} */
  const sets = (await ask("/api/data")).filter((/** @type {LiveSet} */ set) => set.installed);
  const text = el("textarea", { id: "text", rows: 18, spellcheck: "false", "aria-label": "Program" });
  text.value = START;
  const marks = el("pre", { class: "marks", "aria-hidden": "true" });
  const problems = el("ul", { id: "problems" });
  const image = el("div", { id: "picture" });
  const data = el("select", { "aria-label": "Data set" }, ...sets.map((set) => el("option", { value: set.name }, set.name)));
  const task = el("input", { id: "task", placeholder: "task id", "aria-label": "Task", value: "" });
  let asked = 0;
  const check = async () => {
    const mine = ++asked;
    /** @type {Checked} */
    const answer = await ask("/api/check", { text: text.value, data: data.value, task: task.value || null });
    // Somebody who types faster than we check sees the last answer only.
    if (mine !== asked) return;
    underline(marks, text.value, answer.problems);
    fill(problems, ...answer.problems.map((it) => el("li", { class: it.severity }, `${it.line}:${it.column} ${it.severity}: ${it.message}${it.label ? ` — ${it.label}` : ""}${it.help ? ` (${it.help})` : ""}`)),
      answer.problems.length === 0 ? el("li", {}, `${count(answer.programs.length, "program")}, no problems`) : null);
    fill(image, answer.title === null ? null : el("p", {}, answer.title), answer.picture === null ? null : el("img", { alt: answer.title ?? "", src: `data:image/svg+xml;base64,${answer.picture}` }));
  };
  const soon = () => check().catch((error) => fill(problems, el("li", { class: "error" }, error.message)));
  text.addEventListener("input", soon);
  text.addEventListener("scroll", () => { marks.scrollTop = text.scrollTop; marks.scrollLeft = text.scrollLeft; });
  data.addEventListener("change", soon);
  task.addEventListener("input", soon);
  soon();
  return el("div", {}, el("h1", {}, "Editor"), el("div", { class: "tools" }, el("label", {}, "Data ", data), el("label", {}, "Task ", task)),
    el("div", { class: "columns" }, el("div", {}, el("div", { class: "editor" }, marks, text), el("div", { role: "status" }, problems)), image));
}

/**
 * The same text behind the editor's, with what is wrong underlined. Places are bytes.
 * @param {HTMLElement} marks
 * @param {string} text
 * @param {LiveProblem[]} problems
 */
function underline(marks, text, problems) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const part = (/** @type {number} */ from, /** @type {number} */ to) => decoder.decode(bytes.subarray(from, to));
  /** @type {(string | Node)[]} */
  const parts = [];
  let at = 0;
  for (const it of [...problems].sort((a, b) => a.start - b.start)) {
    if (it.start < at) continue;
    parts.push(part(at, it.start), el("span", { class: `wrong ${it.severity}` }, part(it.start, Math.max(it.end, it.start + 1))));
    at = Math.max(it.end, it.start + 1);
  }
  fill(marks, ...parts, part(at, bytes.length));
}

/** @type {[string, string, () => Promise<HTMLElement>][]} */
const LIVE_PARTS = [["", "Runs", runsPage], ["data", "Data sets", dataPage], ["manual", "Primitives", manualPage], ["editor", "Editor", editorPage]];

async function liveRender() {
  const mine = ++shownPart;
  followed.forEach((source) => source.close());
  followed = [];
  const id = location.hash.replace(/^#\/?/, "");
  const [, label, make] = LIVE_PARTS.find(([part]) => part === id) ?? LIVE_PARTS[0];
  fill(liveNav, ...LIVE_PARTS.map(([part, text]) => el("a", { href: `#/${part}`, "aria-current": text === label ? "page" : null }, text)));
  document.title = `${label} · arcbatt`;
  const page = await make().catch((error) => el("p", { class: "note" }, error.message));
  if (mine === shownPart) fill(livePage, page);
}

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") livePage.focus();
  else void liveRender();
});
void liveRender();
