// The editor: a program, the value of every line as a picture beside it, and a verdict for each pair.

import { count, el, fill, grouped, prose } from "./dom.js";
import { drawing, oneScale } from "./drawing.js";
import { paint, picture } from "./grid.js";
import { address, ask, askText, given, Refused, request } from "./server.js";
import { gallery } from "./sets.js";
import { documentation, example, primitives, signature } from "./manual.js";
import { CodeMirror } from "./vendor/codemirror.js";

/** @typedef {import("./drawing.js").Drawing} Drawing */
/** @typedef {import("./manual.js").ManualEntry} ManualEntry */
/** @typedef {import("./sets.js").LiveSet} LiveSet */
/** @typedef {import("./sets.js").LiveTask} LiveTask */
/** @typedef {{ severity: string, start: number, end: number, line: number, column: number, message: string, label: string, help: string | null }} LiveProblem */
/** @typedef {Drawing & { line: number, name: string | null }} LineValue */
/** @typedef {{ part: "train" | "test", verdict: "right" | "wrong" | "failed" | "unknown", note: string | null, fuel: number, answer: number[][] | null }} PairVerdict */
/**
 * @typedef {{ problems: LiveProblem[], programs: string[], program: string | null, task: string | null, note: string | null, lines: LineValue[],
 *   failure: { line: number, text: string } | null, pairs: PairVerdict[], late: boolean }} Checked
 */
/** @typedef {{ name: string, value: string | null }} LiveConstant */
/** @typedef {{ text: string, clean: string, set: string, task: string, file: { name: string, hash: string } | null }} Draft The text, the same when it was opened or saved, and what it belongs to. */

/** Milliseconds without a key before a text is checked. */
const DEBOUNCE = 10;

const EXAMPLE = `def solve_kaleidoscope(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hmirror(x2)
    O = vconcat(x2, x3)
    return O
`;

/** The text that is kept while other parts are shown, and over a reload of the page. */
const draft = {
  /** @returns {Draft} */
  load() {
    try {
      const saved = JSON.parse(sessionStorage.getItem("arcbatt draft") ?? "null");
      if (saved !== null) return saved;
    } catch { /* Begin with the example. */ }
    return { text: EXAMPLE, clean: EXAMPLE, set: "demo", task: "kaleidoscope", file: null };
  },
  /** @param {Draft} now */
  save(now) { try { sessionStorage.setItem("arcbatt draft", JSON.stringify(now)); } catch { /* Not kept. */ } },
};

/** @param {string} id */
function skeleton(id) {
  return `def solve_${id.replace(/\W/g, "_")}(I):\n    x1 = identity(I)\n    return x1\n`;
}

/**
 * @param {string[]} rest data set and task, and optionally the run and the index of a program to open
 * @returns {Promise<{ element: HTMLElement, stop: () => void }>}
 */
export async function editorPage([set = "", id = "", run = "", index = ""]) {
  const [entries, constants, sets] = await Promise.all([primitives(), /** @type {Promise<LiveConstant[]>} */ (request("/api/constants")), /** @type {Promise<LiveSet[]>} */ (request("/api/data"))]);
  const now = draft.load();
  const isClean = () => now.text === now.clean;
  if (run !== "" && (isClean() || (await ask("The editor has a program with unsaved changes. Replace it?", "Replace")))) {
    const { text } = await request(`/api/runs/${encodeURIComponent(run)}/programs/${encodeURIComponent(index)}`);
    Object.assign(now, { text: withLineEnd(text), clean: withLineEnd(text), file: null });
  } else if (id !== "" && run === "" && isClean() && id !== now.task) {
    const text = skeleton(id);
    Object.assign(now, { text, clean: text, file: null });
  }
  if (id !== "") Object.assign(now, { set, task: id });
  // A reload must not open the program of the run again.
  history.replaceState(null, "", address("editor", now.set, now.task));
  draft.save(now);

  const status = el("p", { class: "small", role: "status", id: "checked" });
  const problems = el("ul", { id: "problems" });
  const message = el("p", { class: "small", role: "status", id: "saved" });
  const atCursor = el("div", { id: "at-cursor", class: "at-cursor" });
  const host = el("div", { class: "editor-host" });
  const panel = pairPanel((pair) => { chosen = pair; void check(); });
  const taskButton = el("button", { type: "button", id: "task", class: "task-button", click: () => void pick() }, now.task);
  const size = el("select", { id: "picture-size", change: () => { pictureSize = Number(size.value); view.dispatch(values()); } },
    ...[[48, "small"], [92, "medium"], [160, "large"], [0, "none"]].map(([value, label]) => el("option", { value, selected: value === pictureSize }, label)));
  /** @type {LiveTask | null} */
  let task = null;
  let chosen = 0;
  /** @type {Checked | null} */
  let checked = null;
  let changedAt = performance.now();
  let timer = 0;
  /** @type {AbortController | null} */
  let pending = null;

  const frame = () => {
    const input = task === null ? null : [...task.train, ...task.test][chosen]?.input;
    return input ? { height: input.length, width: input[0]?.length ?? 0 } : null;
  };
  const values = () => ({ effects: setValues.of({ lines: checked?.lines ?? [], frame: frame(), keep: checked !== null && isBroken(checked), size: pictureSize }) });
  const showCursor = () => {
    const value = valueAt(view.state);
    fill(atCursor, el("h2", {}, value === null ? "Value of this line" : `${value.name ?? "result"}: ${value.about}`),
      value === null ? el("p", { class: "muted small" }, "Put the cursor on a line to see its value here.") : drawing(value, 300, frame()));
  };
  const check = async () => {
    pending?.abort();
    const own = new AbortController();
    pending = own;
    const doc = view.state.doc;
    const body = { text: doc.toString(), data: now.set, task: now.task, program: functionAt(view.state), pair: chosen };
    /** @type {Checked} */
    let answer;
    try {
      answer = await request("/api/check", body, { signal: own.signal });
    } catch (error) {
      if (own.signal.aborted) return;
      fill(status, ...prose(error instanceof Refused ? error.message : "The server does not answer. Restart it to continue."));
      return;
    }
    if (own.signal.aborted || doc !== view.state.doc) return;
    checked = answer;
    // One update for both, because each may change the layout.
    view.dispatch(values(), CodeMirror.setDiagnostics(view.state, diagnostics(view.state.doc, answer)));
    panel.show(task, chosen, answer);
    fill(problems, ...answer.problems.map((it) => el("li", { class: it.severity }, el("button", { type: "button", class: "link", click: () => jump(it.line) }, `line ${it.line}`), " ", ...prose(inWords(it)))),
      answer.failure === null ? null : el("li", { class: "error" }, ...prose(answer.failure.text)));
    showCursor();
    requestAnimationFrame(() => {
      const latency = performance.now() - changedAt;
      host.setAttribute("data-latency", latency.toFixed(1));
      fill(status, ...summary(answer), el("span", { class: "muted" }, ` · checked in ${Math.round(latency)} ms`));
    });
  };
  const jump = (/** @type {number} */ line) => {
    view.dispatch({ selection: { anchor: view.state.doc.line(Math.min(line, view.state.doc.lines)).from }, scrollIntoView: true });
    view.focus();
  };
  const show = (/** @type {string} */ text) => {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  };
  const changed = (/** @type {any} */ update) => {
    if (update.docChanged) {
      now.text = update.state.doc.toString();
      draft.save(now);
      changedAt = performance.now();
      clearTimeout(timer);
      timer = window.setTimeout(() => void check(), DEBOUNCE);
    }
    if (update.selectionSet || update.docChanged) {
      showCursor();
      // Another function is shown when the cursor enters it.
      if (!update.docChanged && checked !== null && functionAt(update.state) !== checked.program) void check();
    }
    file.textContent = `${now.file?.name ?? "not saved in a file"}${isClean() ? "" : " *"}`;
  };
  const openTask = async () => {
    task = await request(`/api/data/${encodeURIComponent(now.set)}/${encodeURIComponent(now.task)}`).catch((error) => { fill(message, ...prose(error.message)); return null; });
    chosen = 0;
    const first = task?.train[0] ?? task?.test[0];
    fill(taskButton, first === undefined ? null : picture(first.input, 32, "input"), first === undefined ? null : picture(first.output ?? null, 32, "output"), el("span", {}, now.task, el("span", { class: "small" }, now.set)), el("span", { class: "muted" }, "change…"));
    taskButton.setAttribute("aria-label", `Task ${now.task} of ${now.set}: change`);
    panel.show(task, chosen, null);
    draft.save(now);
    history.replaceState(null, "", address("editor", now.set, now.task));
    changedAt = performance.now();
    await check();
  };
  const pick = async () => {
    const picked = await pickTask(sets, now.set);
    if (picked === null) return;
    Object.assign(now, picked);
    if (isClean() && now.file === null) {
      now.clean = skeleton(now.task);
      show(now.clean);
    }
    await openTask();
  };
  const attempt = (/** @type {() => Promise<unknown>} */ work) => () => work().catch((error) => fill(message, ...prose(error.message)));
  const mayReplace = async () => isClean() || ask("The program has unsaved changes. Replace it?", "Replace");

  const format = attempt(async () => {
    /** @type {{ text: string | null, problems: LiveProblem[] }} */
    const { text, problems } = await request("/api/format", { text: now.text });
    fill(message, text === null ? `Not formatted: line ${problems[0]?.line}: ${problems[0]?.message}` : text === now.text ? "Nothing to format." : "Formatted.");
    if (text !== null && text !== now.text) {
      const at = Math.min(view.state.selection.main.head, text.length);
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: at } });
    }
  });
  const saveFile = attempt(async () => {
    await programFiles();
    const name = now.file?.name ?? (await askText("Name of the file", "Save", `${functionAt(view.state) ?? "program"}.py`));
    if (name === null) return;
    const text = now.text;
    const path = `/api/files/${encodeURIComponent(name)}`;
    const put = (/** @type {string | null} */ replaces) => request(path, { text, replaces }, { method: "PUT" });
    const saved = await put(now.file?.hash ?? null).catch(async (error) => {
      if (!(error instanceof Refused) || error.status !== 409) throw error;
      const old = await request(path).catch(() => { throw error; });
      if (!(await ask(`${error.message} Replace it?`, "Replace"))) throw error;
      return put(old.hash);
    });
    Object.assign(now, { clean: text, file: { name, hash: saved.hash } });
    draft.save(now);
    fill(message, `Saved as ${saved.path}`);
    file.textContent = name;
  });
  const saveInStore = attempt(async () => {
    /** @type {{ added: string[], known: string[], path: string }} */
    const { added, known, path } = await request("/api/store/programs", { text: now.text, data: now.set, task: now.task });
    fill(message, [added.length > 0 ? `Added ${added.join(", ")} to ${path}.` : null, known.length > 0 ? `The store had ${known.join(", ")} already.` : null].filter((it) => it).join(" "));
  });
  const openFile = attempt(async () => {
    const name = await pickFile();
    if (name === null || !(await mayReplace())) return;
    /** @type {{ text: string, hash: string }} */
    const { text, hash } = await request(`/api/files/${encodeURIComponent(name)}`);
    // The editor has one kind of line end.
    now.clean = text.replace(/\r\n?/g, "\n");
    now.file = { name, hash };
    show(now.clean);
    fill(message, `Opened ${name}`);
  });
  const begin = attempt(async () => {
    if (!(await mayReplace())) return;
    now.clean = skeleton(now.task);
    now.file = null;
    show(now.clean);
    view.focus();
  });

  const file = el("span", { class: "small muted", id: "file" });
  const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => unknown} */ click, /** @type {string | null} */ kind = null) => el("button", { type: "button", id, class: kind, click }, label);
  const element = el("div", { class: "editor-page" }, el("h1", {}, "Editor"),
    el("div", { class: "tools editor-tools" }, taskButton, button("new", "New", begin), button("open", "Open…", openFile), button("format", "Format", format),
      button("save", "Save file", saveFile, "primary"), button("save-store", "Save in store", saveInStore), el("label", {}, "Pictures ", size), file),
    message,
    el("div", { class: "editor-columns" }, el("div", { class: "editor-main" }, host, status, problems, el("p", { class: "small" }, ...prose("`Ctrl`-`Space` completes, `Ctrl`-`S` saves, `Shift`-`Alt`-`F` formats, `Esc` then `Tab` leaves the text."))),
      el("div", { class: "editor-side" }, panel.element, atCursor)));
  const view = new CodeMirror.EditorView({
    parent: host,
    // The first line of the function has a value to show.
    state: CodeMirror.EditorState.create({ doc: now.text, selection: { anchor: firstLine(now.text) }, extensions: extensions(entries, constants, changed, { saveFile, format }) }),
  });
  showCursor();
  changed({});
  void openTask();
  return { element, stop: () => { pending?.abort(); clearTimeout(timer); view.destroy(); } };
}

/** Size of the pictures beside the lines in pixels; 0 for none. */
let pictureSize = 92;

/** Returns the end of the first line after `def` that is not a comment. @param {string} text */
function firstLine(text) {
  const found = /^def .*\n(?:\s*#.*\n)*.*/m.exec(text);
  return found === null ? 0 : found.index + found[0].length;
}

/** @param {string} text */
function withLineEnd(text) {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Returns whether the last good pictures are kept. @param {Checked} answer */
function isBroken(answer) {
  return answer.failure !== null || answer.late || answer.note !== null || answer.problems.some((it) => it.severity === "error");
}

/** @param {LiveProblem} it */
function inWords(it) {
  return `${it.severity}: ${it.message}${it.label ? ` — ${it.label}` : ""}${it.help ? ` (${it.help})` : ""}`;
}

/**
 * Describes the result of a check in a few words.
 * @param {Checked} answer
 */
function summary(answer) {
  const errors = answer.problems.filter((it) => it.severity === "error").length;
  const right = answer.pairs.filter((it) => it.verdict === "right").length;
  if (answer.note !== null) return prose(answer.note);
  if (errors > 0) return [el("strong", { class: "bad" }, count(errors, "error"))];
  if (answer.pairs.length === 0) return ["Write a function to begin."];
  const text = answer.late ? "Stopped after 2 seconds" : `Right on ${right} of ${count(answer.pairs.length, "pair")}`;
  return [el("strong", { class: right === answer.pairs.length ? "good" : "bad" }, text)];
}

/** Returns the name of the function that has the cursor, or else of the first. @param {any} state */
function functionAt(state) {
  const line = state.doc.lineAt(state.selection.main.head).number;
  /** @type {string | null} */
  let first = null;
  let name = null;
  for (let i = 1; i <= state.doc.lines; i++) {
    const found = /^def\s+(\w+)/.exec(state.doc.line(i).text)?.[1] ?? null;
    first ??= found;
    if (i <= line) name = found ?? name;
  }
  return name ?? first;
}

/**
 * Converts problems to the editor's form. The server counts bytes, the editor UTF-16 units.
 * @param {any} doc
 * @param {Checked} answer
 */
function diagnostics(doc, answer) {
  const text = doc.toString();
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const unit = (/** @type {number} */ byte) => (bytes.length === text.length ? byte : decoder.decode(bytes.subarray(0, byte)).length);
  const found = answer.problems.map((it) => {
    const from = Math.min(unit(it.start), text.length);
    const to = Math.min(Math.max(unit(it.end), from + 1), text.length);
    return { from, to: Math.max(from, to), severity: it.severity, message: `${it.message}${it.label ? `: ${it.label}` : ""}${it.help ? `\n${it.help}` : ""}` };
  });
  if (answer.failure !== null && answer.failure.line <= doc.lines) {
    const line = doc.line(answer.failure.line);
    found.push({ from: line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0), to: line.to, severity: "error", message: answer.failure.text });
  }
  return found.sort((a, b) => a.from - b.from);
}

/** @typedef {{ lines: LineValue[], frame: import("./drawing.js").Frame | null, keep: boolean, size: number }} Values */

/** Replaces the pictures beside the lines. */
const setValues = CodeMirror.StateEffect.define();

/** A picture beside a line. */
class ValueWidget extends CodeMirror.WidgetType {
  /**
   * @param {LineValue} value
   * @param {import("./drawing.js").Frame | null} frame
   * @param {number} size
   * @param {boolean} stale whether it is from before an error
   */
  constructor(value, frame, size, stale) {
    super();
    Object.assign(this, { value, frame, size, stale });
    // Pictures that stay the same are not drawn again.
    this.key = JSON.stringify([value, frame, size, stale, paint.look.name, paint.digits]);
  }
  /** @param {ValueWidget} other */
  eq(other) { return other.key === this.key; }
  toDOM() {
    const { value, frame, size, stale } = /** @type {any} */ (this);
    const title = `${value.name ?? "result"}: ${value.about}${stale ? " (before the last change)" : ""}`;
    return el("span", { class: `value ${value.kind}${stale ? " stale" : ""}`, title, "data-line": value.line }, drawing(value, size, frame),
      ["text", "words", "number"].includes(value.kind) ? null : el("span", { class: "value-about" }, value.about));
  }
  ignoreEvent() { return false; }
}

/** The pictures beside the lines. They move with the text until they are replaced. */
const valuesField = CodeMirror.StateField.define({
  create: () => CodeMirror.Decoration.none,
  update(/** @type {any} */ shown, /** @type {any} */ transaction) {
    let next = transaction.docChanged ? moved(shown, transaction) : shown;
    for (const effect of transaction.effects) if (effect.is(setValues)) next = place(next, transaction.state.doc, effect.value);
    return next;
  },
  provide: (/** @type {any} */ field) => CodeMirror.EditorView.decorations.from(field),
});

/**
 * Moves pictures with the starts of their lines, so that a new line below one does not take its picture.
 * @param {any} shown
 * @param {any} transaction
 */
function moved(shown, { changes, startState, state }) {
  /** @type {Map<number, ValueWidget>} */
  const widgets = new Map();
  for (const cursor = shown.iter(); cursor.value !== null; cursor.next()) {
    const start = changes.mapPos(startState.doc.lineAt(cursor.from).from, 1, CodeMirror.MapMode.TrackDel);
    if (start !== null) widgets.set(state.doc.lineAt(start).number, cursor.value.spec.widget);
  }
  return besideLines(widgets, state.doc);
}

/**
 * Puts values at the ends of their lines. If an error hides values, the last good ones stay.
 * @param {any} shown
 * @param {any} doc
 * @param {Values} values
 */
function place(shown, doc, { lines, frame, keep, size }) {
  if (size === 0) return CodeMirror.Decoration.none;
  /** @type {Map<number, ValueWidget>} */
  const widgets = new Map();
  if (keep) {
    for (const cursor = shown.iter(); cursor.value !== null; cursor.next()) {
      const line = doc.lineAt(cursor.from);
      const { value, frame } = cursor.value.spec.widget;
      if (belongs(value, line.text)) widgets.set(line.number, new ValueWidget(value, frame, size, true));
    }
  }
  for (const value of lines) if (value.line <= doc.lines) widgets.set(value.line, new ValueWidget(value, frame, size, false));
  return besideLines(widgets, doc);
}

/**
 * Returns whether a line still assigns, takes or returns a value.
 * @param {LineValue} value
 * @param {string} text
 */
function belongs({ name }, text) {
  const first = /^\s*(\w+)/.exec(text)?.[1];
  return first !== undefined && (name === null ? first === "return" : first === name || (first === "def" && text.includes(name)));
}

/**
 * @param {Map<number, ValueWidget>} widgets
 * @param {any} doc
 */
function besideLines(widgets, doc) {
  const sorted = [...widgets].sort(([a], [b]) => a - b);
  return CodeMirror.Decoration.set(sorted.map(([line, widget]) => CodeMirror.Decoration.widget({ widget, side: 1 }).range(doc.line(line).to)));
}

/**
 * Returns the value beside the line that has the cursor, or else beside the last line above it.
 * @param {any} state
 * @returns {LineValue | null}
 */
function valueAt(state) {
  const end = state.doc.lineAt(state.selection.main.head).to;
  let found = null;
  state.field(valuesField).between(0, end, (/** @type {number} */ _from, /** @type {number} */ _to, /** @type {any} */ it) => { found = it.spec.widget.value; });
  return found;
}

const KEYWORDS = new Set(["def", "return", "import", "from", "None", "True", "False"]);

/**
 * Returns the extensions of the editor.
 * @param {ManualEntry[]} entries
 * @param {LiveConstant[]} constants
 * @param {(update: any) => void} changed
 * @param {{ saveFile: () => void, format: () => void }} commands
 */
function extensions(entries, constants, changed, commands) {
  const cm = CodeMirror;
  const [known, named] = [new Map(entries.map((it) => [it.name, it])), new Map(constants.map((it) => [it.name, it]))];
  const language = cm.StreamLanguage.define({
    name: "arc-dsl",
    startState: () => ({ afterDef: false }),
    token(/** @type {any} */ stream, /** @type {{ afterDef: boolean }} */ state) {
      if (stream.eatSpace()) return null;
      if (stream.match(/^#.*/)) return "comment";
      if (stream.match(/^-?\d+/)) return "number";
      if (stream.match(/^("""|''').*|^(["'])(?:(?!\2).)*\2?/)) return "string";
      const word = stream.match(/^[A-Za-z_]\w*/)?.[0];
      if (word === undefined) { stream.next(); return null; }
      const defined = state.afterDef;
      state.afterDef = word === "def";
      return defined ? "definition" : KEYWORDS.has(word) ? "keyword" : known.has(word) ? "primitive" : named.has(word) ? "constant" : "variableName";
    },
    indent: (/** @type {any} */ _state, /** @type {string} */ _after, /** @type {any} */ context) => {
      // The line before a break that is being typed, or else before the line that is indented.
      const line = context.simulatedBreak === null ? context.lineAt(Math.max(0, context.lineAt(context.pos).from - 1)) : context.lineAt(context.pos, -1);
      return (/^\s*/.exec(line.text)?.[0].length ?? 0) + (/:\s*$/.test(line.text) ? 4 : 0);
    },
    languageData: { commentTokens: { line: "#" } },
    tokenTable: { primitive: cm.tags.function(cm.tags.variableName), constant: cm.tags.atom, definition: cm.tags.definition(cm.tags.variableName) },
  });
  const style = cm.HighlightStyle.define([
    { tag: cm.tags.keyword, class: "tok-keyword" }, { tag: cm.tags.comment, class: "tok-comment" }, { tag: cm.tags.string, class: "tok-comment" }, { tag: cm.tags.number, class: "tok-number" },
    { tag: cm.tags.atom, class: "tok-constant" }, { tag: cm.tags.function(cm.tags.variableName), class: "tok-primitive" }, { tag: cm.tags.definition(cm.tags.variableName), class: "tok-definition" },
  ]);
  const card = (/** @type {ManualEntry} */ it) => el("div", { class: "doc" }, el("div", {}, signature(it)), ...documentation(it.docs), ...it.examples.slice(0, 2).map(example));
  const options = [
    ...entries.map((it) => ({ label: it.name, type: "function", detail: it.signature.slice(it.name.length), info: () => card(it) })),
    ...constants.map((it) => ({ label: it.name, type: "constant", detail: it.value === null ? "option of a learner" : `= ${it.value}`, boost: it.value === null ? -50 : -1 })),
    ...[...KEYWORDS].map((label) => ({ label, type: "keyword", boost: -2 })),
  ];
  const complete = (/** @type {any} */ context) => {
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (word === null && !context.explicit) return null;
    if (context.matchBefore(/#.*/) !== null) return null;
    // Variables of the text, apart from the word that is being typed.
    const text = context.state.doc.toString();
    const names = new Set(Array.from(text.matchAll(/^\s*([A-Za-z_]\w*)\s*=|[(,]\s*([A-Z])\s*(?=[,):])/gm), (it) => it[1] ?? it[2]));
    const isWhole = (/** @type {string} */ name) => names.has(name);
    const variables = [...names].filter((name) => !known.has(name) && !named.has(name)).map((label) => ({ label, type: "variable", boost: 1 }));
    // A whole variable needs no completion, and the list must not take the Enter key then.
    if (!context.explicit && word !== null && isWhole(word.text)) return null;
    return { from: word?.from ?? context.pos, options: [...variables, ...options], validFor: (/** @type {string} */ text) => /^\w*$/.test(text) && !isWhole(text) };
  };
  const hover = cm.hoverTooltip((/** @type {any} */ view, /** @type {number} */ at) => {
    const line = view.state.doc.lineAt(at);
    for (const found of line.text.matchAll(/[A-Za-z_]\w*/g)) {
      const [from, to] = [line.from + found.index, line.from + found.index + found[0].length];
      if (at < from || at > to) continue;
      const [entry, constant] = [known.get(found[0]), named.get(found[0])];
      if (entry === undefined && constant === undefined) return null;
      return { pos: from, end: to, above: true, create: () => ({ dom: entry ? card(entry) : el("div", { class: "doc" }, el("code", {}, constant?.value === null ? `${constant.name}: an option of a learner` : `${constant?.name} = ${constant?.value}`)) }) };
    }
    return null;
  }, { hoverTime: 250 });
  const command = (/** @type {() => void} */ work) => () => { work(); return true; };
  return [
    cm.EditorView.cspNonce.of(given.nonce),
    cm.lineNumbers(), cm.highlightActiveLine(), cm.highlightActiveLineGutter(), cm.history(), cm.drawSelection(), cm.bracketMatching(), cm.closeBrackets(), cm.highlightSelectionMatches(),
    cm.indentUnit.of("    "), cm.EditorView.lineWrapping, language, cm.syntaxHighlighting(style), cm.autocompletion({ override: [complete], icons: false }), hover, valuesField,
    cm.keymap.of([{ key: "Mod-s", run: command(commands.saveFile) }, { key: "Shift-Alt-f", run: command(commands.format) },
      ...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.searchKeymap, ...cm.lintKeymap, ...cm.historyKeymap, ...cm.defaultKeymap]),
    cm.EditorView.contentAttributes.of({ "aria-label": "Program" }),
    cm.EditorView.updateListener.of(changed),
    cm.EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
    cm.EditorView.theme(THEME),
  ];
}

/**
 * Replaces the selection by typed text. Browsers would keep its look with a style attribute, which the policy does not
 * allow.
 * @param {InputEvent} event
 * @param {any} view
 */
function typeOverSelection(event, view) {
  const { from, to, empty } = view.state.selection.main;
  if (event.inputType !== "insertText" || event.data === null || empty || view.composing) return false;
  event.preventDefault();
  const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  const handled = view.state.facet(CodeMirror.EditorView.inputHandler).some((/** @type {any} */ handler) => handler(view, from, to, event.data, insert));
  if (!handled) view.dispatch(insert());
  return true;
}

/** Colours of the page, which follow light and dark. */
const THEME = {
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--card)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--link) 7%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--ink)", backgroundColor: "color-mix(in srgb, var(--link) 12%, var(--card))" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--link) 28%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--near) 18%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--good) 25%, transparent)" },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "0 4px 16px rgb(0 0 0 / 20%)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, monospace", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--card)", backgroundColor: "var(--link)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8", fontStyle: "normal" },
  ".cm-completionInfo": { padding: "0" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--card)" },
  // The component's own underlines are images, which the policy does not allow.
  ".cm-lintRange-error, .cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--near)" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeftWidth: "4px", whiteSpace: "pre-wrap" },
};

/**
 * Creates the part that shows one pair: its verdict, input, expected output and answer.
 * @param {(pair: number) => void} choose
 */
function pairPanel(choose) {
  const list = el("div", { class: "verdicts" });
  const pictures = el("div", { class: "grids" });
  const note = el("p", { class: "small", id: "verdict" });
  const element = el("section", { class: "pair" }, el("fieldset", { class: "plain" }, el("legend", {}, "Pairs"), list), pictures, note);
  /** @type {{ input: HTMLInputElement, label: HTMLElement }[]} */
  let chips = [];
  /** The last answer of each pair. It stays while the program has an error. @type {Map<number, number[][]>} */
  const answers = new Map();
  /** @type {LiveTask | null} */
  let shown = null;
  const MARKS = { right: "✓", wrong: "✗", failed: "!", unknown: "?" };
  const show = (/** @type {LiveTask | null} */ task, /** @type {number} */ chosen, /** @type {Checked | null} */ answer) => {
    const all = task === null ? [] : [...task.train, ...task.test];
    const name = (/** @type {number} */ i) => (task !== null && i < task.train.length ? `demo ${i + 1}` : `test ${i + 1 - (task?.train.length ?? 0)}`);
    if (shown !== task) {
      shown = task;
      answers.clear();
      chips = all.map((_, i) => {
        const input = el("input", { type: "radio", name: "pair", value: i, checked: i === chosen, change: () => choose(i) });
        return { input, label: el("label", { class: "verdict" }, input, el("span")) };
      });
      fill(list, ...chips.map((chip) => chip.label));
    }
    chips.forEach(({ input, label }, i) => {
      const verdict = answer?.pairs[i]?.verdict ?? null;
      input.checked = i === chosen;
      label.className = `verdict ${verdict ?? ""}`;
      fill(/** @type {Element} */ (label.lastElementChild), `${verdict === null ? "·" : MARKS[verdict]} ${name(i)}`, verdict === null ? null : el("span", { class: "visually-hidden" }, `: ${verdict}`));
    });
    const pair = all[chosen];
    const result = answer?.pairs[chosen] ?? null;
    if (result?.answer) answers.set(chosen, result.answer);
    const kept = answers.get(chosen) ?? null;
    const stale = kept !== null && !result?.answer;
    const size = Math.min(170, Math.floor((element.clientWidth || 360) / 3) - 16);
    const expected = pair?.output ?? null;
    fill(pictures, ...(pair === undefined ? [] : oneScale([{ cells: pair.input, label: "input" }, { cells: expected, label: "expected" }, { cells: kept, label: "answer", other: expected, stale }], size)));
    fill(note, ...(result === null ? ["No verdict: the program has an error, or there is none."] : prose(`${result.verdict === "unknown" ? "The expected output is unknown" : result.verdict === "right" ? "Right" : result.note ?? result.verdict} · ${grouped(result.fuel)} fuel`)));
  };
  return { element, show };
}

/**
 * Lets the user pick a task.
 * @param {LiveSet[]} sets
 * @param {string} current
 * @returns {Promise<{ set: string, task: string } | null>}
 */
function pickTask(sets, current) {
  const installed = sets.filter((set) => set.installed && set.error === null);
  const tasks = el("div", { class: "picker-tasks" });
  const select = el("select", { "aria-label": "Data set", change: () => void open() }, ...installed.map((set) => el("option", { value: set.name, selected: set.name === current }, `${set.name}, ${count(set.tasks, "task")}`)));
  const close = el("button", { type: "button", click: () => box.close() }, "Close");
  const box = el("dialog", { class: "dialog picker", "aria-label": "Pick a task" }, el("div", { class: "tools" }, el("strong", {}, "Pick a task"), select, close), tasks);
  /** @type {{ set: string, task: string } | null} */
  let picked = null;
  const open = async () => {
    const set = select.value;
    /** @type {string[]} */
    const ids = await request(`/api/data/${encodeURIComponent(set)}`);
    const { element, search } = gallery(set, ids, (id) => el("button", { type: "button", "aria-label": id, click: () => { picked = { set, task: id }; box.close(); } }));
    fill(tasks, element);
    search.focus();
  };
  document.body.append(box);
  return new Promise((resolve) => {
    box.addEventListener("close", () => { box.remove(); resolve(picked); });
    box.showModal();
    open().catch((error) => fill(tasks, el("p", { class: "note" }, error.message)));
  });
}

/** Lists the program files. It is an error if the server has no folder for them. */
async function programFiles() {
  /** @type {{ folder: string | null, files: { name: string, bytes: number, changed: number | null }[] }} */
  const { folder, files } = await request("/api/files");
  if (folder === null) throw new Error("The server has no folder for programs. Start it with `batt serve --programs FOLDER`.");
  return { folder, files };
}

/** Lets the user pick a program file. @returns {Promise<string | null>} */
async function pickFile() {
  const { folder, files } = await programFiles();
  if (files.length === 0) throw new Error(`${folder} has no file whose name ends in .py.`);
  /** @type {string | null} */
  let picked = null;
  const box = el("dialog", { class: "dialog", "aria-label": "Open a file" }, el("p", {}, el("strong", {}, "Open a file"), el("span", { class: "small" }, ` of ${folder}`)),
    el("ul", { class: "file-list" }, ...files.map((file) => el("li", {}, el("button", { type: "button", class: "link", click: () => { picked = file.name; box.close(); } }, file.name), el("span", { class: "small" }, ` ${count(file.bytes, "byte")}`)))),
    el("button", { type: "button", click: () => box.close() }, "Cancel"));
  document.body.append(box);
  return new Promise((resolve) => {
    box.addEventListener("close", () => { box.remove(); resolve(picked); });
    box.showModal();
  });
}
