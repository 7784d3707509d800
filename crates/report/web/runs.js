// The runs of this machine: started, watched, named, compared and deleted.

import { count, el, fill, grouped, prose, section, time } from "./dom.js";
import { ask, askText, date, request, withToken } from "./server.js";

/** @typedef {"waiting" | "running" | "paused" | "finished" | "stopped" | "failed" | "interrupted"} LiveState */
/** @typedef {{ name: string, title: string, started: number | null, kind: string, data: string, all_pairs: boolean, here: boolean, state: LiveState, done: number, total: number, solved: number, tried: number, seconds: number, record: number | null, error: string | null, warning: string | null }} LiveRun */
/** @typedef {import("./sets.js").LiveSet} LiveSet */
/** @typedef {(path: string, body?: unknown, method?: string) => Promise<boolean>} Attempt Sends a request, and shows its error. */

/** @returns {Promise<{ element: HTMLElement, stop: () => void }>} */
export async function runsPage() {
  /** @type {LiveSet[]} */
  const sets = await request("/api/data");
  const message = el("p", { role: "status", class: "muted", id: "message" });
  /** @type {Attempt} */
  const attempt = (path, body, method) => request(path, body, method === undefined ? {} : { method }).then(() => { fill(message); return true; }, (error) => { fill(message, ...prose(error.message)); return false; });
  const here = el("div", { class: "run-list", id: "here" });
  const elsewhere = el("div", { class: "run-list", id: "elsewhere" });
  const none = el("p", { class: "muted" }, "No runs yet. Start one above.");
  const lost = el("p", { class: "note", role: "alert", id: "lost", hidden: true }, "The server does not answer. Restart it with the same --port and --runs to continue here, or open the address that it prints.");
  const comparison = el("p", { class: "comparison", role: "status", id: "comparison" });
  /** @type {Map<string, RunCard>} */
  const cards = new Map();
  /** Names of the runs to compare. @type {string[]} */
  let chosen = [];
  const choose = (/** @type {string} */ name, /** @type {boolean} */ on) => {
    // A third run replaces the second. The older run comes first.
    chosen = (on ? [...chosen.slice(0, 1), name] : chosen.filter((it) => it !== name)).sort((a, b) => (cards.get(a)?.at ?? 0) - (cards.get(b)?.at ?? 0));
    for (const [name, card] of cards) card.compare.checked = chosen.includes(name);
    const titles = chosen.map((name) => cards.get(name)?.title ?? name);
    fill(comparison, chosen.length === 1 ? `Choose a run to compare with ${titles[0]}.` : null,
      chosen.length === 2 ? el("a", { class: "primary", href: `${withToken(`/runs/${chosen[0]}/compare/${chosen[1]}`)}#/compare` }, `Compare ${titles[0]} with ${titles[1]}`) : null);
  };
  const update = (/** @type {LiveRun[]} */ runs) => {
    const names = new Set(runs.map((run) => run.name));
    for (const [name, { box }] of cards) {
      if (names.has(name)) continue;
      box.remove();
      cards.delete(name);
      if (chosen.includes(name)) choose(name, false);
    }
    runs.forEach((run) => {
      const card = cards.get(run.name) ?? runCard(run.name, attempt, choose);
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
    none.hidden = runs.some((run) => run.here);
  };
  const source = new EventSource(withToken("/api/events"));
  source.addEventListener("message", (event) => { lost.hidden = true; update(JSON.parse(event.data)); });
  // The browser reconnects by itself, but not after it was refused once.
  source.addEventListener("error", () => { lost.hidden = false; });
  const element = el("div", {}, el("h1", {}, "Runs"), lost, newRun(sets, attempt), message,
    section("Started here", none, comparison, here),
    section("Started by other commands", el("p", { class: "muted" }, ...prose("Records that other commands (`--record FILE`) write to the folder of runs, or to a folder given with `batt serve --follow FOLDER`.")), elsewhere));
  return { element, stop: () => source.close() };
}

/**
 * Creates the form that starts a run.
 * @param {LiveSet[]} sets
 * @param {Attempt} attempt
 */
function newRun(sets, attempt) {
  const kind = el("select", { id: "kind" }, el("option", { value: "run" }, "run programs"), el("option", { value: "solve" }, "solve tasks"),
    el("option", { value: "search breed" }, "search: breed programs"), el("option", { value: "search enumerate" }, "search: enumerate programs"));
  const data = el("select", { id: "data-set" }, ...sets.filter((set) => set.installed && set.error === null).map((set) => el("option", { value: set.name, selected: set.name === "demo" }, `${set.name}, ${count(set.tasks, "task")}`)));
  const programs = el("textarea", { id: "programs", rows: 2, placeholder: "optional; by default a run uses the built-in programs, a solve none, a search those of the store", spellcheck: "false" });
  const all = el("input", { type: "checkbox", id: "all-pairs" });
  const seconds = el("input", { type: "number", id: "seconds", min: 0.001, max: 86400, step: "any", placeholder: "60 for a run, otherwise 1" });
  const start = () => {
    const [job, mode = null] = kind.value.split(" ");
    void attempt("/api/runs", { kind: job, mode, data: data.value, programs: programs.value || null, all_pairs: all.checked, seconds: seconds.value === "" ? null : Number(seconds.value) });
  };
  return section("New run", el("div", { class: "form pair" }, el("label", {}, "Job ", kind), el("label", {}, "Data ", data), el("label", {}, "Seconds for each task ", seconds),
    el("label", {}, all, " every program on every task"), el("label", { class: "wide" }, "Programs ", programs), el("button", { type: "button", id: "start", class: "primary", click: start }, "Start")));
}

/** Style classes of the states. @type {Record<LiveState, string>} */
const LIVE_STATES = { waiting: "", running: "", paused: "near_miss", finished: "solved", stopped: "", failed: "failed", interrupted: "near_miss" };

/** @typedef {{ box: HTMLElement, compare: HTMLInputElement, title: string, at: number, show: (now: LiveRun) => void }} RunCard */

/**
 * Creates the card of a run. It is updated in place, so that a focused button keeps the focus.
 * @param {string} name
 * @param {Attempt} attempt
 * @param {(name: string, on: boolean) => void} choose
 * @returns {RunCard}
 */
function runCard(name, attempt, choose) {
  const [title, badge, when, about, counts, error] = [el("span"), el("span"), el("span"), el("span"), el("p", { class: "small counts" }), el("p", { class: "note", hidden: true })];
  const bar = el("progress");
  const compare = el("input", { type: "checkbox", change: () => choose(name, compare.checked) });
  const compareLabel = el("label", { class: "small", hidden: true }, compare, " compare");
  const button = (/** @type {string} */ label, /** @type {() => unknown} */ click) => el("button", { type: "button", hidden: true, click }, label);
  const send = (/** @type {string} */ verb) => () => attempt(`/api/runs/${name}/${verb}`, {});
  const [pause, stop, resume] = [button("Pause", send("pause")), button("Stop", send("stop")), button("Resume", send("resume"))];
  const rename = button("Rename", async () => {
    const text = await askText("Name of the run", "Rename", card.title);
    if (text !== null && text !== card.title) await attempt(`/api/runs/${name}/rename`, { title: text });
  });
  const remove = button("Delete", async () => {
    if (await ask(`Delete ${card.title} and its files? This cannot be undone.`, "Delete")) await attempt(`/api/runs/${name}`, undefined, "DELETE");
  });
  const report = el("a", { hidden: true, class: "primary" }, "Report");
  const box = el("div", { class: "pair run", "data-run": name }, el("div", { class: "run-head" }, el("h3", {}, title, " ", badge), compareLabel), el("p", { class: "small" }, when, about), bar, counts, error,
    el("p", { class: "buttons" }, report, pause, stop, resume, rename, remove));
  const show = (/** @type {LiveRun} */ now) => {
    const busy = now.state === "running" || now.state === "waiting";
    // The title of a run of another process is a path.
    card.title = now.here ? now.title : now.title.replace(/^.*[/\\]/, "");
    box.setAttribute("data-state", now.state);
    title.textContent = card.title;
    title.title = now.title;
    badge.textContent = now.state;
    badge.className = `badge ${LIVE_STATES[now.state]}`;
    const at = now.started ?? now.record;
    card.at = at ?? 0;
    fill(when, ...(at === null ? [] : [now.started === null ? "recorded " : "", date(at), " · "]));
    about.textContent = `${now.kind}, ${now.data}${now.all_pairs ? ", every program on every task" : ""}`;
    bar.max = Math.max(1, now.total);
    bar.value = now.done;
    bar.hidden = !busy && now.done === now.total;
    bar.setAttribute("aria-label", `Progress of ${card.title}`);
    const rest = [now.tried > 0 ? `${grouped(now.tried)} candidates` : null, now.seconds > 0 ? time(now.seconds * 1e9) : null].filter((it) => it);
    counts.textContent = [`${grouped(now.done)} of ${count(now.total, "task")} done, ${grouped(now.solved)} ${now.kind === "run" ? "right" : "with an answer"}`, ...rest].join(" · ");
    fill(error, ...prose(now.error ?? now.warning ?? ""));
    error.hidden = now.error === null && now.warning === null;
    pause.hidden = !now.here || !busy;
    stop.hidden = !now.here || !(busy || now.state === "paused");
    resume.hidden = !now.here || busy || now.state === "finished";
    rename.hidden = !now.here;
    remove.hidden = !now.here || busy;
    compareLabel.hidden = now.record === null;
    for (const it of [pause, stop, resume, rename, remove]) it.setAttribute("aria-label", `${it.textContent} ${card.title}`);
    report.hidden = now.record === null;
    report.href = withToken(`/runs/${now.name}/report`);
    report.setAttribute("aria-label", `Report of ${card.title}`);
    compare.setAttribute("aria-label", `compare ${card.title}`);
  };
  /** @type {RunCard} */
  const card = { box, compare, title: name, at: 0, show };
  return card;
}
