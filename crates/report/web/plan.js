// The merged programs: how much they share, and the graph if it is small.

import { count, el, empty, figure, grouped, hue, percent, prose, section, svg, table } from "./dom.js";
import { ok, reason } from "./data.js";

/** @typedef {import("./data.js").Run} Run */
/** @typedef {import("./data.js").Graph} Graph */

/** @param {Run} run */
export function planView(run) {
  const { plan } = run;
  const graph = ok(run.graph);
  const facts = /** @type {[string, number][]} */ ([
    ["programs", plan.programs], ["calls, each counted for every program", plan.calls], ["distinct calls", plan.distinct],
    ["shared by several programs", plan.shared], ["folded: need no input", plan.folded], ["once per task: need only the demonstrations", plan.per_task]]);
  const saved = plan.calls > 0 ? 1 - plan.distinct / plan.calls : 0;
  return el("div", {}, el("h1", {}, "Plan"),
    el("p", { class: "lead" }, `Merging saves ${percent(saved)} of the calls.`),
    table("The merged programs", ["", " count"], facts.map(([label, n]) => [label, figure(`plan ${label}`, n, grouped(n))])),
    graph === null ? empty(...prose(`There is no graph: ${reason(run.graph)}.`)) : el("div", {}, ...parts(graph)));
}

/** @param {Graph} graph */
function* parts(graph) {
  if (graph.most.length > 0) {
    yield section("Most shared", table("Calls that most programs need", [" programs", "call"], graph.most.map(([n, text]) => [grouped(n), el("code", {}, text)])));
  }
  yield section("Graph", graph.nodes.length === 0
    ? empty(...prose("The graph is too large to show here; `batt plan FILE… --svg` draws all of it.")) : planDrawing(graph));
}

/**
 * Draws nodes in layers, inputs on the left.
 * @param {Graph} graph
 */
function planDrawing(graph) {
  const depth = graph.nodes.map(() => 0);
  graph.nodes.forEach(([, , inputs], i) => {
    inputs.forEach((input) => { depth[i] = Math.max(depth[i], depth[input] + 1); });
  });
  /** @type {number[][]} */
  const layers = [];
  depth.forEach((layer, i) => (layers[layer] ??= []).push(i));
  const [wide, high] = [150, 26];
  /** @type {[number, number][]} */
  const at = [];
  layers.forEach((nodes, x) => {
    // Place a node near its inputs.
    const heights = nodes.map((i) => {
      const inputs = graph.nodes[i][2].filter((input) => at[input]);
      return /** @type {[number, number]} */ ([inputs.length ? inputs.reduce((sum, input) => sum + at[input][1], 0) / inputs.length : 0, i]);
    });
    heights.sort((a, b) => a[0] - b[0] || a[1] - b[1]).forEach(([, i], y) => { at[i] = [x * wide + 8, y * high + 8]; });
  });
  const size = [layers.length * wide + 16, Math.max(...layers.map((nodes) => nodes.length)) * high + 16];
  const edges = graph.nodes.flatMap(([, , inputs], i) => inputs.map((input) => {
    const [[x1, y1], [x2, y2]] = [at[input], at[i]];
    return svg("path", { class: "edge", "data-from": input, "data-to": i, d: `M${x1 + 110} ${y1 + 10}C${x1 + 130} ${y1 + 10} ${x2 - 20} ${y2 + 10} ${x2} ${y2 + 10}` });
  }));
  const picture = svg("svg", { width: size[0], height: size[1], class: "graph", role: "group", "aria-label": `The plan: ${count(graph.nodes.length, "node")}` });
  const status = el("p", { class: "muted", role: "status" }, "Select a node to see what it depends on and what depends on it.");
  const choose = (/** @type {number} */ i) => {
    const [need, used] = [reach(graph, i, true), reach(graph, i, false)];
    const near = (/** @type {number} */ j) => j === i || need.has(j) || used.has(j);
    picture.querySelectorAll("[data-node]").forEach((node) => node.classList.toggle("faint", !near(Number(node.getAttribute("data-node")))));
    edges.forEach((edge) => edge.classList.toggle("faint", !(near(Number(edge.getAttribute("data-from"))) && near(Number(edge.getAttribute("data-to"))))));
    status.textContent = `${graph.nodes[i][0]}: ${count(graph.nodes[i][1], "program")} need it; it depends on ${count(need.size, "node")}, and ${count(used.size, "node")} depend on it.`;
  };
  const nodes = graph.nodes.map(([name, uses], i) => {
    const label = name.length > 15 ? `${name.slice(0, 14)}…` : name;
    return svg("g", { "data-node": i, tabindex: 0, role: "button", "aria-label": `${name}, ${count(uses, "program")}`, transform: `translate(${at[i][0]} ${at[i][1]})`,
      click: () => choose(i), keydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(i); } } },
      svg("title", {}, `${name}: ${count(uses, "program")}`),
      svg("rect", { width: 110, height: 20, rx: 4, fill: `hsl(${hue(name)} 60% 80%)`, "stroke-width": Math.min(4, 0.5 + Math.log2(1 + uses) / 2), class: "node" }),
      svg("text", { x: 6, y: 14 }, label));
  });
  picture.append(...edges, ...nodes);
  return el("div", {}, status, el("div", { class: "scroll graphbox", tabindex: 0, role: "region", "aria-label": "Graph of the plan" }, picture));
}

/**
 * Returns the nodes that a node depends on, or those that depend on it.
 * @param {Graph} graph
 * @param {number} from
 * @param {boolean} down
 */
function reach(graph, from, down) {
  /** @type {Set<number>} */
  const reached = new Set();
  const todo = [from];
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    const at = i;
    const next = down ? graph.nodes[at][2] : graph.nodes.flatMap(([, , inputs], j) => (inputs.includes(at) ? [j] : []));
    next.filter((j) => !reached.has(j)).forEach((j) => { reached.add(j); todo.push(j); });
  }
  return reached;
}
