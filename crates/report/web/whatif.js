// Predicts the wall time if functions were faster: the arithmetic of `batt profile what-if`, for the sliders.

/** @typedef {import("./data.js").Schedule} Schedule */
/** @typedef {{ wall: number, replayed: number, error: number, predicted: number, off: number }} Answer */

/** Largest error of the replay with which it can still predict. */
export const MAX_ERROR = 0.03;

/**
 * Returns how long the run would take if functions were faster by the given factors.
 * @param {Schedule} schedule
 * @param {Map<string, number>} speedups by the names of functions
 * @returns {Answer}
 */
export function whatIf(schedule, speedups) {
  const factors = schedule.functions.map(([name]) => speedups.get(name) ?? 1);
  const saved = (/** @type {[number, number]} */ [id, ns]) => ns * (1 - 1 / factors[id]);
  const add = (/** @type {number} */ sum, /** @type {[number, number]} */ cost) => sum + saved(cost);
  const main = schedule.main.reduce(add, 0);
  const tasks = schedule.tasks.map((slot) => slot[4].reduce(add, 0));
  const waited = schedule.windows.reduce((sum, [from, to]) => sum + (to - from), 0);
  const sum = (/** @type {number[]} */ less) => less.reduce((sum, ns) => sum + ns, 0);
  // The total time of the tasks. With one worker all savings count.
  const schedules = (/** @type {number[]} */ less) => schedule.workers === 1 ? waited - sum(less) : replay(schedule, less);
  const unchanged = schedules(tasks.map(() => 0));
  const replayed = schedule.wall + unchanged - waited;
  const predicted = schedule.wall - main + schedules(tasks) - unchanged;
  const off = main + sum(tasks) === 0 ? 0 : Math.abs(replayed - schedule.wall);
  return { wall: schedule.wall, replayed, error: replayed / Math.max(1, schedule.wall) - 1, predicted, off };
}

/**
 * Returns how long tasks would run in all: they begin in the recorded order, each on the first free worker,
 * after the same pause as in the record.
 * @param {Schedule} schedule
 * @param {number[]} less
 */
function replay(schedule, less) {
  const n = schedule.lanes.length;
  const used = new Set(schedule.tasks.map((slot) => slot[1]));
  const lanes = Array.from({ length: n }, (_, lane) => lane).filter((lane) => lane > 0 && used.has(lane));
  let total = 0;
  for (const [from, to] of schedule.windows) {
    const ended = Array(n).fill(from);
    const free = Array(n).fill(from);
    let [last, lastReplayed] = [from, from];
    schedule.tasks.forEach(([, lane, start, end], i) => {
      if (start < from || start >= to) return;
      const pause = start - ended[lane];
      ended[lane] = end;
      const next = lanes.reduce((best, it) => (free[it] < free[best] ? it : best), lanes[0] ?? 0);
      free[next] += pause + Math.max(0, end - start - less[i]);
      last = Math.max(last, end);
      lastReplayed = Math.max(lastReplayed, free[next]);
    });
    total += lastReplayed - from + (to - last);
  }
  return total;
}

/**
 * Returns the number of runs of one process that fit into the budget, as `batt profile budget` counts them.
 * @param {{ budget_ns: number, cold_start: number, warm: boolean }} budget
 * @param {number} wall
 */
export function runsIn({ budget_ns, cold_start, warm }, wall) {
  const run = Math.max(1, wall);
  const [first, next] = warm ? [run + cold_start, run] : [run, Math.max(1, run - cold_start)];
  return budget_ns < first ? 0 : 1 + Math.floor((budget_ns - first) / next);
}
