// The types of the JSON document inside the page, as `batt report` writes it.

/** @typedef {string | number[][] | null} Cells Rows of digits separated by bars, or lists. */
/** @typedef {number | [string, number, string | null, Cells]} PairResult Fuel of a right answer; otherwise verdict, fuel, reason, answer. */
/** @typedef {{ program: number, own: boolean, pairs: PairResult[] }} ProgramResult */
/** @typedef {{ program: number, line?: number, reason: string }} FirstWrongLine The first wrong line, and how it was determined. */
/** @typedef {{ operator: string, parents?: string[], words?: string }} Made How a program was found; parents are hashes. */
/** @typedef {{ answer: Cells, right: boolean | null, differ: number | null, program: number | null, sure: number | null, votes: number | null }} Attempt */
/** @typedef {"solved" | "near_miss" | "wrong" | "failed" | "open" | "empty"} State */
/**
 * @typedef {{ id: string, state: State, verdict: string, shown: number, differ: number | null, time: number | null,
 *   fuel: number, tried: number | null, train: [Cells, Cells][], test: [Cells, Cells][], attempts: [Attempt, Attempt][], programs: ProgramResult[],
 *   more: number, first_wrong_line: FirstWrongLine | null }} Task
 */
/** @typedef {{ name: string, hash: string, text: string, ran: number, solves: number[], made: Made | null, lines: [number, number, number, number, number][] }} Program */
/** @typedef {{ rule: string, label: string, numerator: number | null, denominator: number | null }} Score */
/** @typedef {{ low: number, middle: number, high: number }} Projected */
/** @typedef {[string, number, Block[]]} Block A box of the flame graph: name, time including all parts, parts. */
/**
 * @typedef {{ wall: number, lanes: string[], order: number[], workers: number, functions: [string, string, string, boolean][],
 *   main: [number, number][], waits: [number, number][], windows: [number, number][],
 *   tasks: [string, number, number, number, [number, number][]][], disturbed: number[], disturbed_main: number, disturbed_wall: number, disturbance: [number, number, number],
 *   devices: [number, number, number][] }} Schedule
 */
/** @typedef {{ what: string, name: string, kind: "category" | "function" | "primitive", category: string, time: number, share: number, twice: Projected, at_most: Projected }} Lever Something that could be faster; savings of wall time. */
/** @typedef {{ disturbed: boolean, share: number | null, preemptions: number | null, warning: string | null }} Noise How much other work disturbed the recording. */
/** @typedef {{ name: string, time: number, share: number, range: [number, number], functions: { name: string, phase: string, time: number, stamps: number }[] }} Category */
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
 *   share: number, range: [number, number], priority: string, priority_range: [string, string] }} PrimitiveRow
 */
/** @typedef {{ name: string, time: number, share: number, fixed: number | null, per_task: number | null, how: string, projected: Projected }} PhaseRow */
/**
 * @typedef {{ task: string, time: number, times: number, cold: boolean, function: string, share: number,
 *   apportioned: boolean, cells: number, fuel: number, limits: string[], disturbed: number | null, sure: boolean }} Outlier
 */
/** @typedef {{ tasks: number, total: number, mean: number, median: number, max: number }} Sums */
/**
 * @typedef {{ validity: { valid: boolean, reasons: string[], search: boolean, programs: number, right: number, excused: number,
 *     unaccounted: number, recorder: number, noise: Noise },
 *   framework: { wall: number, lanes: number, lane_time: number, busy: number, categories: Category[],
 *     device_categories: Category[], devices: Device[], advice: { sentences: { text: string, sure: boolean }[] }, machines: Machine[], driver: { lane_time: number, busy: number } | null },
 *   dsl: { base: number, primitives: number, deep: boolean, rows: PrimitiveRow[], tied: string[] },
 *   phases: { wall: number, tasks: number, rows: PhaseRow[], warnings: string[], fixed: Projected, per_task: Projected, remedy: string | null,
 *     projection: { to_tasks: number, from_tasks: number, busy: Projected, wall: Projected, parallel: number } },
 *   outliers: { rule: string, threshold: number, all: Sums, without: Sums, outliers: Outlier[] },
 *   budget: { budget_ns: number, wall: number, cold_start: number, warm: boolean, cold_from: string, candidates: number | null, sentence: string, assumptions: string[],
 *     rows: { name: string, runs_cold: number, runs_warm: number, candidates: number | null }[] },
 *   levers: Result<{ wall: number, workers: number, error: number, others: number, tied: string[], levers: Lever[] }>, flame: Block, schedule: Schedule }} Cost
 */
/** @typedef {{ most: [number, string][], nodes: [string, number, number[]][] }} Graph */
/**
 * @template T
 * @typedef {{ Ok: T } | { Err: string }} Result
 */
/**
 * @typedef {{ name: string, subject: "run" | "solve" | "search" | "submission", search: string | null, valid: boolean, stamp: string,
 *   right: { all: boolean, programs: number, on_demos: number, on_tests: number, on_all: number, left?: number },
 *   wrong: [number, string][],
 *   setup: { version: string, dsl: string, data: { name: string, hash: string, tasks: number },
 *     options: { fuel?: number, fuel_per_task?: number, budget?: number, seed?: number, all_pairs?: boolean, store?: string } },
 *   environment: { threads: number, sharing: boolean, kernels: boolean, seconds: number, started?: string, command?: string, program_files?: string[],
 *     machine: { os: string, arch: string, cores: number } },
 *   plan: { programs: number, calls: number, distinct: number, shared: number, folded: number, per_task: number },
 *   scores: Score[], verdicts: { verdict: string, count: number }[], curve: [number, number, number][], graph: Result<Graph>,
 *   tasks: Task[], programs: Program[],
 *   ancestors: [string, string, string, Made | null][], cost: Result<Cost> }} Run
 */
/** @typedef {{ name: string, before: number, after: number, ratio: number | null, interval: [number, number] | null, more_work: number | null, slower: number | null, verdict: "faster" | "slower" | "same" | "cannot_tell" }} Change */
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

/**
 * Returns the line that says whether figures can be trusted, without the warning about noise.
 * @param {Run} run
 */
export function stampText(run) {
  return run.stamp.replace(/^INVALID: /, "").replace(/^disturbed: .*\n/, "").replace(/^INVALID: /, "");
}

/** Labels of the states, as counts show them. @type {Record<State, string>} */
export const STATES = {
  solved: "solved",
  near_miss: "near miss",
  wrong: "wrong",
  failed: "failed",
  empty: "no program",
  open: "solution unknown",
};

/** Returns whether a task has a known solution that was not found. @param {Task} task */
export function isUnsolved(task) {
  return task.state !== "solved" && task.state !== "open";
}

/** The states, those to look at first. @type {State[]} */
export const FAILURES_FIRST = ["near_miss", "wrong", "failed", "empty", "open", "solved"];

/**
 * Returns the states that occur, with the number of tasks.
 * @param {Run} run
 * @returns {[State, number][]}
 */
export function stateCounts(run) {
  const names = /** @type {State[]} */ (Object.keys(STATES));
  const counts = names.map((state) => /** @type {[State, number]} */ ([state, run.tasks.filter((task) => task.state === state).length]));
  return counts.filter(([, n]) => n > 0);
}

/**
 * Formats a probability in whole percent.
 * @param {number} sure
 */
export function sureText(sure) {
  return `${Math.round(sure * 100)} %`;
}

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
