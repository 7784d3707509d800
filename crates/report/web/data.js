// The types of the JSON document inside the page, as `batt report` writes it.

/** @typedef {string | number[][] | null} Cells Rows of digits separated by bars, or lists. */
/** @typedef {number | [string, number, string | null, Cells]} PairResult Fuel of a right answer; otherwise verdict, fuel, reason, answer. */
/** @typedef {{ program: number, own: boolean, pairs: PairResult[] }} ProgramResult */
/** @typedef {{ program: number, line?: number, reason: string }} FirstWrongLine The first wrong line, and how it was determined. */
/** @typedef {{ operator: string, parents: string[] }} Made How a search made a program; parents are hashes. */
/** @typedef {"solved" | "near_miss" | "wrong" | "failed" | "open" | "empty"} State */
/**
 * @typedef {{ id: string, state: State, verdict: string, shown: number, differ: number | null, time: number | null,
 *   fuel: number, train: [Cells, Cells][], test: [Cells, Cells][], attempts: [Cells, Cells][], programs: ProgramResult[],
 *   more: number, first_wrong_line: FirstWrongLine | null }} Task
 */
/** @typedef {{ name: string, hash: string, text: string, ran: number, solves: number[], made: Made | null, lines: [number, number, number, number, number][] }} Program */
/** @typedef {{ rule: string, label: string, numerator: number | null, denominator: number | null }} Score */
/** @typedef {{ low: number, middle: number, high: number }} Projected */
/** @typedef {[string, number, Block[]]} Block A box of the flame graph: name, time including all parts, parts. */
/**
 * @typedef {{ wall: number, lanes: string[], order: number[], workers: number, functions: [string, string, string, boolean][],
 *   main: [number, number][], waits: [number, number][], windows: [number, number][],
 *   tasks: [string, number, number, number, [number, number][]][], devices: [number, number, number][] }} Schedule
 */
/** @typedef {{ name: string, time: number, share: number, functions: { name: string, phase: string, time: number, stamps: number }[] }} Category */
/**
 * @typedef {{ name: string, cores: number, tasks: number, lane_time: number, busy: number, idle: number, network: number,
 *   clock_offset: number, clock_error: number | null, lost: boolean }} Machine
 */
/**
 * @typedef {{ name: string, lane_time: number, upload: number, kernel: number, download: number, driver: number, idle: number,
 *   share: number, batches: number, asked: number, answered: number, passed: number, late: number, break_even: number | null,
 *   lost: boolean, reason: string | null }} Device
 */
/**
 * @typedef {{ name: string, family: string, hits: number, calls: number, fails: number, tasks: number,
 *   measured: number, apportioned: number, fuel: number, median: number | null, p99: number | null,
 *   share: number, priority: string }} PrimitiveRow
 */
/** @typedef {{ name: string, time: number, share: number, fixed: number | null, per_task: number | null, how: string, projected: Projected }} PhaseRow */
/**
 * @typedef {{ task: string, time: number, times: number, cold: boolean, function: string, share: number,
 *   apportioned: boolean, cells: number, fuel: number, limits: string[] }} Outlier
 */
/** @typedef {{ tasks: number, total: number, mean: number, median: number, max: number }} Sums */
/**
 * @typedef {{ validity: { valid: boolean, reasons: string[], search: boolean, programs: number, right: number, excused: number,
 *     unaccounted: number, recorder: number },
 *   framework: { wall: number, lanes: number, lane_time: number, busy: number, categories: Category[],
 *     device_categories: Category[], devices: Device[], machines: Machine[], driver: { lane_time: number, busy: number } | null },
 *   dsl: { base: number, primitives: number, deep: boolean, rows: PrimitiveRow[] },
 *   phases: { wall: number, tasks: number, rows: PhaseRow[], warnings: string[],
 *     projection: { to_tasks: number, from_tasks: number, busy: Projected, wall: Projected, parallel: number } },
 *   outliers: { rule: string, threshold: number, all: Sums, without: Sums, outliers: Outlier[] },
 *   budget: { budget_ns: number, wall: number, cold_start: number, warm: boolean, cold_from: string, candidates: number | null,
 *     rows: { name: string, runs_cold: number, runs_warm: number, candidates: number | null }[] },
 *   flame: Block, schedule: Schedule }} Cost
 */
/** @typedef {{ most: [number, string][], nodes: [string, number, number[]][] }} Graph */
/**
 * @template T
 * @typedef {{ Ok: T } | { Err: string }} Result
 */
/**
 * @typedef {{ name: string, search: string | null, valid: boolean, stamp: string,
 *   right: { all: boolean, programs: number, on_demos: number, on_tests: number, on_all: number, left?: number },
 *   wrong: [number, string][],
 *   setup: { version: string, dsl: string, data: { name: string, hash: string, tasks: number },
 *     options: { fuel?: number, fuel_per_task?: number, seed?: number, all_pairs?: boolean } },
 *   environment: { threads: number, sharing: boolean, kernels: boolean, machine: { os: string, arch: string, cores: number } },
 *   plan: { programs: number, calls: number, distinct: number, shared: number, folded: number, per_task: number },
 *   scores: Score[], verdicts: { verdict: string, count: number }[], curve: [number, number, number][], graph: Result<Graph>,
 *   tasks: Task[], programs: Program[],
 *   ancestors: [string, string, string, Made | null][], cost: Result<Cost> }} Run
 */
/** @typedef {{ name: string, before: number, after: number, ratio: number | null, interval: [number, number] | null, more_work: number | null, slower: number | null }} Change */
/** @typedef {{ repeats: [number, number], notes: string[], wall: Change, busy: Change, functions: Change[] }} Compare */
/** @typedef {{ name: string, colors: string[], inks: string[], line: string }} Look */
/** @typedef {{ token: string, follow: string | null, names: string[], sets: (string | null)[] }} Server The server that shows the page. */
/** @typedef {{ schema: number, looks: Look[], runs: Run[], compare: Result<Compare> | null, server: Server | null }} Report */

/** Reads the document inside the page. @returns {Report} */
export function load() {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null");
}

/**
 * Returns the value of a result, or null if there is none.
 * @template T
 * @param {Result<T>} result
 * @returns {T | null}
 */
export function ok(result) {
  return "Ok" in result ? result.Ok : null;
}

/**
 * Returns the reason why a result has no value.
 * @param {Result<unknown>} result
 */
export function reason(result) {
  return "Err" in result ? result.Err : "";
}

/** Labels of the states. @type {Record<State, string>} */
export const STATES = {
  solved: "solved",
  near_miss: "near miss",
  wrong: "wrong",
  failed: "failed",
  open: "solution unknown",
  empty: "no program",
};

/**
 * Formats a score in percent, rounded down, so that only a full score is 100 %.
 * @param {Score} score
 */
export function scoreText(score) {
  if (score.numerator === null || score.denominator === null) return "no solutions known";
  if (score.denominator === 0) return "0.00 %";
  return `${(Math.floor((score.numerator / score.denominator) * 1e4 + 1e-9) / 100).toFixed(2)} %`;
}

/**
 * Returns the solved tasks with the times at which they ended, in order.
 * @param {Run} run
 * @param {Cost} cost
 * @returns {[number, string][]}
 */
export function anytime(run, cost) {
  const solved = new Set(run.tasks.filter((task) => task.state === "solved").map((task) => task.id));
  const ends = cost.schedule.tasks.filter((slot) => solved.has(slot[0]));
  return ends.map((slot) => /** @type {[number, string]} */ ([slot[3], slot[0]])).sort((a, b) => a[0] - b[0]);
}
