// The local page: runs on this machine, the store, data sets, the manual, and an editor.

import { count, el, fill, grouped, prose, section, table, time } from "./dom.js";
import { picture } from "./grid.js";
import { settings } from "./settings.js";

/** @typedef {"waiting" | "running" | "paused" | "finished" | "stopped" | "failed" | "interrupted"} LiveState */
/** @typedef {{ name: string, title: string, kind: string, data: string, all_pairs: boolean, here: boolean, state: LiveState, done: number, total: number, solved: number, tried: number, seconds: number, record: number | null, error: string | null, warning: string | null }} LiveRun */
/** @typedef {{ program: string, label: string, task: string, task_name: string, right: number, pairs: number, score: number, fuel: number }} StoredResult */
/** @typedef {{ path: string, stats: { programs: number, imported: number, written: number, found: number, results: number, tasks: number, solved: number } | null, tasks: { hash: string, name: string, programs: number, best: StoredResult }[] }} StoreOverview */
/** @typedef {{ hash: string, names: string[], text: string, signature: string, calls: number, from: string, places: StoredResult[], lineage: { depth: number, hash: string, label: string | null, from: string, again: boolean }[] }} ProgramDetails */
/** @typedef {{ name: string, about: string, tasks: number, installed: boolean }} LiveSet */
/** @typedef {{ name: string, family: string, signature: string, docs: string, examples: string[] }} Manual */
/** @typedef {{ severity: string, start: number, end: number, line: number, column: number, message: string, label: string, help: string | null }} LiveProblem */
/** @typedef {{ programs: string[], problems: LiveProblem[], title: string | null, picture: string | null }} Checked */

/** @type {{ token: string, looks: import("./data.js").Look[] }} */
const given = JSON.parse(document.getElementById("data")?.textContent ?? "null");
const livePage = /** @type {HTMLElement} */ (document.getElementById("main"));
const liveNav = /** @type {HTMLElement} */ (document.getElementById("nav"));

/**
 * Sends a request to the server. An error response becomes an Error with the server's message.
 * @param {string} path
 * @param {unknown} [body]
 */
async function request(path, body) {
  const headers = { "x-arcbatt-token": given.token, "content-type": "application/json" };
  const response = await fetch(path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

/** Returns a link that contains the token. @param {string} path */
function withToken(path) {
  return `${path}?token=${encodeURIComponent(given.token)}`;
}

/** The stream of updates of the shown runs. @type {EventSource | null} */
let updates = null;
let shownPart = 0;

async function runsPage() {
  /** @type {LiveSet[]} */
  const sets = await request("/api/data");
  const message = el("p", { role: "status", class: "muted", id: "message" });
  const attempt = (/** @type {string} */ path, /** @type {unknown} */ body) => request(path, body).then(() => fill(message), (error) => fill(message, ...prose(error.message)));
  const kind = el("select", { id: "kind" }, el("option", { value: "run" }, "run programs"), el("option", { value: "solve" }, "solve tasks"),
    el("option", { value: "search breed" }, "search: breed programs"), el("option", { value: "search enumerate" }, "search: enumerate programs"));
  const data = el("select", { id: "data-set" }, ...sets.filter((set) => set.installed).map((set) => el("option", { value: set.name }, `${set.name}, ${count(set.tasks, "task")}`)));
  const programs = el("textarea", { id: "programs", rows: 2, placeholder: "optional; by default a run uses the built-in programs, a solve none, a search those of the store", spellcheck: "false" });
  const all = el("input", { type: "checkbox", id: "all-pairs" });
  const seconds = el("input", { type: "number", id: "seconds", min: 0.001, max: 86400, step: "any", placeholder: "60 for a run, otherwise 1" });
  const start = el("button", { type: "button", id: "start", click: () => attempt("/api/runs", { kind: kind.value.split(" ")[0], mode: kind.value.split(" ")[1] ?? null, data: data.value, programs: programs.value || null, all_pairs: all.checked, seconds: seconds.value === "" ? null : Number(seconds.value) }) }, "Start");
  const here = el("div", { class: "pairs", id: "here" });
  const elsewhere = el("div", { class: "pairs", id: "elsewhere" });
  const none = el("p", { class: "muted" }, "None yet.");
  const lost = el("p", { class: "note", role: "alert", id: "lost", hidden: true }, "The server does not answer. Restart it with the same --port and --runs to continue here, or open the address that it prints.");
  /** @type {Map<string, { box: HTMLElement, show: (now: LiveRun) => void }>} */
  const cards = new Map();
  const update = (/** @type {LiveRun[]} */ runs) => {
    const names = new Set(runs.map((run) => run.name));
    for (const [name, { box }] of cards) {
      if (!names.has(name)) { box.remove(); cards.delete(name); }
    }
    runs.forEach((run) => {
      const card = cards.get(run.name) ?? liveCard(attempt);
      cards.set(run.name, card);
      card.show(run);
    });
    // The order changes only when runs are added or removed.
    const order = (/** @type {HTMLElement} */ list, /** @type {boolean} */ own) => {
      const boxes = runs.filter((run) => run.here === own).flatMap((run) => cards.get(run.name)?.box ?? []);
      if (boxes.length !== list.children.length || boxes.some((box, i) => list.children[i] !== box)) list.replaceChildren(...boxes);
    };
    order(here, true);
    order(elsewhere, false);
    none.hidden = runs.length > 0;
  };
  const source = new EventSource(withToken("/api/events"));
  source.addEventListener("message", (event) => { lost.hidden = true; update(JSON.parse(event.data)); });
  // The browser reconnects by itself, but not after it was refused once.
  source.addEventListener("error", () => { lost.hidden = false; });
  updates = source;
  return el("div", {}, el("h1", {}, "Runs"), lost,
    section("New run", el("div", { class: "form" }, el("label", {}, "Job ", kind), el("label", {}, "Data ", data), el("label", {}, "Seconds for each task ", seconds),
      el("label", {}, all, " every program on every task"), el("label", { class: "wide" }, "Programs ", programs), start), message),
    section("Started here", none, here),
    section("Started by other commands", el("p", { class: "muted" }, ...prose("Records that other commands (`--record FILE`) write to the folder of runs, or to a folder given with `batt serve --follow FOLDER`.")), elsewhere));
}

/** Style classes of the states. @type {Record<LiveState, string>} */
const LIVE_STATES = { waiting: "", running: "", paused: "near_miss", finished: "solved", stopped: "", failed: "failed", interrupted: "near_miss" };

/**
 * Creates the card of a run. It is updated in place, so that a focused button keeps the focus.
 * @param {(path: string, body: unknown) => void} attempt
 */
function liveCard(attempt) {
  const [title, badge, about, counts, error] = [el("span"), el("span"), el("p", { class: "small" }), el("p", { class: "small counts" }), el("p", { class: "note", hidden: true })];
  const bar = el("progress");
  let name = "";
  const button = (/** @type {string} */ verb, /** @type {string} */ label) => el("button", { type: "button", hidden: true, click: () => attempt(`/api/runs/${name}/${verb}`, {}) }, label);
  const [pause, stop, resume] = [button("pause", "Pause"), button("stop", "Stop"), button("resume", "Resume")];
  const report = el("a", { hidden: true }, "Report");
  const box = el("div", { class: "pair" }, el("h3", {}, title, " ", badge), about, bar, counts, error, el("p", { class: "buttons" }, pause, stop, resume, report));
  const show = (/** @type {LiveRun} */ now) => {
    name = now.name;
    const busy = now.state === "running" || now.state === "waiting";
    box.setAttribute("data-run", now.name);
    box.setAttribute("data-state", now.state);
    title.textContent = now.title.replace(/^.*[/\\]/, "");
    title.title = now.title;
    badge.textContent = now.state;
    badge.className = `badge ${LIVE_STATES[now.state]}`;
    about.textContent = `${now.kind}, ${now.data}${now.all_pairs ? ", every program on every task" : ""}`;
    bar.max = Math.max(1, now.total);
    bar.value = now.done;
    bar.setAttribute("aria-label", `Progress of ${now.title}`);
    const rest = [now.tried > 0 ? `${grouped(now.tried)} candidates` : null, now.seconds > 0 ? time(now.seconds * 1e9) : null].filter((it) => it);
    counts.textContent = [`${grouped(now.done)} of ${count(now.total, "task")} done, ${grouped(now.solved)} ${now.kind === "run" ? "right" : "with an answer"}`, ...rest].join(" · ");
    fill(error, ...prose(now.error ?? now.warning ?? ""));
    error.hidden = now.error === null && now.warning === null;
    pause.hidden = !now.here || !busy;
    stop.hidden = !now.here || !(busy || now.state === "paused");
    resume.hidden = !now.here || busy || now.state === "finished";
    report.hidden = now.record === null;
    report.href = withToken(`/runs/${now.name}/report`);
  };
  return { box, show };
}

async function storePage() {
  /** @type {StoreOverview} */
  const store = await request("/api/store");
  const head = [el("h1", {}, "Store"), el("p", { class: "muted" }, store.path)];
  if (store.stats === null) return el("div", {}, ...head, el("p", { class: "note" }, ...prose("There is no store yet. `batt search` and `batt programs import` create one.")));
  const { programs, imported, written, found, tasks, solved } = store.stats;
  const list = el("div");
  const search = el("input", { type: "search", id: "store-search", placeholder: "name or text", input: () => void choose() });
  let requests = 0;
  const choose = async () => {
    const number = ++requests;
    /** @type {{ hash: string, label: string, calls: number, from: string }[]} */
    const found = await request(`/api/store/programs?text=${encodeURIComponent(search.value)}`);
    if (number !== requests) return;
    fill(list, table(`${count(found.length, "program")}${found.length === 500 ? ": the first 500, search for others" : ""}`, ["program", " calls", "from"],
      found.map((it) => [el("a", { href: `#/store/program/${it.hash}` }, it.label), grouped(it.calls), it.from])));
  };
  await choose();
  return el("div", {}, ...head,
    el("p", {}, `${count(programs, "program")}: ${grouped(imported)} imported, ${grouped(written)} written, ${grouped(found)} found. ${grouped(solved)} of ${count(tasks, "task")} solved on demonstrations.`),
    section("Tasks", table("The best program for each task, by its demonstration pairs", ["task", "best program", " pairs right", " closeness", " programs"],
      store.tasks.map((it) => [el("a", { href: `#/store/task/${it.hash}` }, it.name), el("a", { href: `#/store/program/${it.best.program}` }, it.best.label), `${it.best.right} of ${it.best.pairs}`, closeness(it.best.score), grouped(it.programs)]))),
    section("Programs", el("div", { class: "tools", role: "search" }, el("label", {}, "Search ", search)), list));
}

/** @param {number} millionths */
function closeness(millionths) {
  return `${(millionths / 1e4).toFixed(1)} %`;
}

/** @param {string} hash */
async function storeTaskPage(hash) {
  /** @type {StoredResult[]} */
  const places = await request(`/api/store/tasks/${encodeURIComponent(hash)}`);
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/store" }, "Store")), el("h1", {}, places[0]?.task_name ?? "No such task"),
    table("Programs on this task, the best first", ["program", " pairs right", " closeness", " fuel"],
      places.map((it) => [el("a", { href: `#/store/program/${it.program}` }, it.label), `${it.right} of ${it.pairs}`, closeness(it.score), grouped(it.fuel)])));
}

/** @param {string} hash */
async function storeProgramPage(hash) {
  /** @type {ProgramDetails} */
  const details = await request(`/api/store/programs/${encodeURIComponent(hash)}`);
  // The rows are a tree in depth-first order; a parent is one level deeper than its child.
  const root = el("ul", { class: "tree", id: "lineage" });
  /** @type {HTMLElement[]} */
  const lists = [root];
  details.lineage.forEach((it) => {
    const label = it.label === null ? el("span", {}, el("code", {}, it.hash.slice(0, 12)), el("span", { class: "muted" }, " is no longer stored")) : el("a", { href: `#/store/program/${it.hash}` }, it.label);
    const below = el("ul");
    lists.length = it.depth + 1;
    lists[it.depth].append(el("li", {}, label, el("span", { class: "muted" }, ` ${it.from}${it.again ? ", see above" : ""}`), below));
    lists.push(below);
  });
  root.querySelectorAll("ul:empty").forEach((it) => it.remove());
  return el("div", {}, el("p", { class: "crumbs" }, el("a", { href: "#/store" }, "Store")), el("h1", {}, details.names[0] ?? details.hash.slice(0, 12)),
    el("p", { class: "muted" }, `${details.signature} · ${count(details.calls, "call")} · ${details.from} · `, el("code", {}, details.hash.slice(0, 16))),
    section("Source", el("pre", { class: "text", tabindex: 0 }, details.text)),
    section("Results", table("Results on tasks, by demonstration pairs", ["task", " pairs right", " closeness", " fuel"],
      details.places.map((it) => [el("a", { href: `#/store/task/${it.task}` }, it.task_name), `${it.right} of ${it.pairs}`, closeness(it.score), grouped(it.fuel)]))),
    section("Lineage", root));
}

/** @param {string} rest */
function storeParts(rest) {
  const [kind, hash] = rest.split("/");
  return kind === "task" ? storeTaskPage(hash) : kind === "program" ? storeProgramPage(hash) : storePage();
}

async function dataPage() {
  /** @type {LiveSet[]} */
  const sets = await request("/api/data");
  const tasks = el("div");
  const open = async (/** @type {string} */ name) => {
    /** @type {string[]} */
    const ids = await request(`/api/data/${name}`);
    fill(tasks, section(`${name}: ${count(ids.length, "task")}`, el("ul", { class: "chips" }, ...ids.slice(0, 1000).map((id) => el("li", {}, el("button", { type: "button", click: () => show(name, id) }, id))))), picked);
  };
  const picked = el("div", { class: "pairs" });
  const show = async (/** @type {string} */ name, /** @type {string} */ id) => {
    /** @type {{ train: { input: number[][], output: number[][] | null }[], test: { input: number[][], output: number[][] | null }[] }} */
    const task = await request(`/api/data/${name}/${encodeURIComponent(id)}`);
    const pair = (/** @type {string} */ part) => (/** @type {{ input: number[][], output: number[][] | null }} */ it, /** @type {number} */ i) =>
      el("div", { class: "pair" }, el("h3", {}, `${id}, ${part} ${i + 1}`), el("div", { class: "grids" }, picture(it.input, 160, "input"), picture(it.output, 160, "output")));
    fill(picked, ...task.train.map(pair("demonstration")), ...task.test.map(pair("test")));
    picked.scrollIntoView();
  };
  return el("div", {}, el("h1", {}, "Data sets"), table("Sets by name", ["name", "description", " tasks", "installed"],
    sets.map((set) => [set.installed ? el("button", { type: "button", click: () => open(set.name) }, set.name) : set.name, set.about, grouped(set.tasks), set.installed ? "yes" : el("span", {}, "no: ", el("code", {}, `batt data install ${set.name}`))])), tasks);
}

async function manualPage() {
  /** @type {Manual[]} */
  const all = await request("/api/primitives");
  const list = el("div", { class: "pairs" });
  const search = el("input", { type: "search", placeholder: "name or words", input: () => choose() });
  const choose = () => {
    const text = search.value.toLowerCase();
    const shown = all.filter((it) => `${it.name} ${it.family} ${it.docs}`.toLowerCase().includes(text));
    fill(list, ...shown.map((it) => el("div", { class: "pair manual" }, el("h2", {}, el("code", {}, it.signature)), el("p", {}, ...prose(it.docs)), ...it.examples.map((example) => el("div", {}, el("code", {}, example))), el("p", { class: "small" }, it.family))));
  };
  choose();
  return el("div", {}, el("h1", {}, "Primitives"), el("div", { class: "tools" }, el("label", {}, "Search ", search)), list);
}

const EXAMPLE = "def solve_kaleidoscope(I):\n    x1 = vmirror(I)\n    x2 = hconcat(x1, I)\n    x3 = hmirror(x2)\n    O = vconcat(x2, x3)\n    return O\n";

async function editorPage() {
  /** @type {LiveSet[]} */
  const sets = (await request("/api/data")).filter((/** @type {LiveSet} */ set) => set.installed);
  const text = el("textarea", { id: "text", rows: 18, spellcheck: "false", "aria-label": "Program" });
  text.value = EXAMPLE;
  const marks = el("pre", { class: "marks", "aria-hidden": "true" });
  const problems = el("ul", { id: "problems" });
  const image = el("div", { id: "picture" });
  const data = el("select", { "aria-label": "Data set" }, ...sets.map((set) => el("option", { value: set.name }, set.name)));
  const task = el("input", { id: "task", placeholder: "task id", "aria-label": "Task", value: "" });
  let requests = 0;
  const check = async () => {
    const number = ++requests;
    /** @type {Checked} */
    const answer = await request("/api/check", { text: text.value, data: data.value, task: task.value || null });
    // Only the answer to the last request counts, because typing may be faster than checking.
    if (number !== requests) return;
    underline(marks, text.value, answer.problems);
    fill(problems, ...answer.problems.map((it) => el("li", { class: it.severity }, ...prose(`${it.line}:${it.column} ${it.severity}: ${it.message}${it.label ? ` — ${it.label}` : ""}${it.help ? ` (${it.help})` : ""}`))),
      answer.problems.length === 0 ? el("li", {}, `${count(answer.programs.length, "program")}, no problems`) : null);
    fill(image, answer.title === null ? null : el("p", {}, ...prose(answer.title)), answer.picture === null ? null : el("img", { alt: answer.title ?? "", src: `data:image/svg+xml;base64,${answer.picture}` }));
  };
  const recheck = () => check().catch((error) => fill(problems, el("li", { class: "error" }, ...prose(error.message))));
  text.addEventListener("input", recheck);
  text.addEventListener("scroll", () => { marks.scrollTop = text.scrollTop; marks.scrollLeft = text.scrollLeft; });
  data.addEventListener("change", recheck);
  task.addEventListener("input", recheck);
  recheck();
  return el("div", {}, el("h1", {}, "Editor"), el("div", { class: "tools" }, el("label", {}, "Data ", data), el("label", {}, "Task ", task)),
    el("div", { class: "columns" }, el("div", {}, el("div", { class: "editor" }, marks, text), el("div", { role: "status" }, problems)), image));
}

/**
 * Repeats the editor's text behind it, with problems underlined. Positions are in bytes.
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

/** @type {[string, string, (rest: string) => Promise<HTMLElement>][]} */
const LIVE_PARTS = [["", "Runs", runsPage], ["store", "Store", storeParts], ["data", "Data sets", dataPage], ["manual", "Primitives", manualPage], ["editor", "Editor", editorPage]];

async function liveRender() {
  const number = ++shownPart;
  updates?.close();
  updates = null;
  const [, id = "", ...rest] = location.hash.split("/");
  const [, label, make] = LIVE_PARTS.find(([part]) => part === id) ?? LIVE_PARTS[0];
  fill(liveNav, ...LIVE_PARTS.map(([part, text]) => el("a", { href: `#/${part}`, "aria-current": text === label ? "page" : null }, text)));
  document.title = `${label} · arcbatt`;
  const page = await make(rest.join("/")).catch((error) => el("p", { class: "note" }, ...prose(error.message)));
  if (number === shownPart) fill(livePage, page);
}

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") livePage.focus();
  else void liveRender();
});
settings(given.looks, () => void liveRender());
void liveRender();
