// Predicts the wall time if functions were faster: the arithmetic of `batt profile what-if`, for the sliders.

/** @typedef {import("./data.js").Schedule} Schedule */
/** @typedef {import("./data.js").Lever} Lever */
/** @typedef {{ wall: number, error: number, low: number, middle: number, high: number }} Answer The wall time of the record, the error of the replay, and the predicted wall time. */

/** Largest error of the replay with which it can still predict. */
export const MAX_ERROR = 0.03;

/**
 * Returns the factor of each function. A lever for a function counts more than one for its category.
 * @param {Schedule} schedule
 * @param {[Lever, number][]} changes
 */
export function factorsOf(schedule, changes) {
  const whole = changes.filter(([lever]) => lever.kind === "category" && lever.name === "primitives");
  const categories = changes.filter(([lever]) => lever.kind === "category" && lever.name !== "primitives");
  const functions = changes.filter(([lever]) => lever.kind !== "category");
  return schedule.functions.map(([name, category, , primitive]) => {
    const own = functions.find(([lever]) => lever.name === name && (lever.kind === "primitive") === primitive);
    const change = own ?? categories.find(([lever]) => lever.name === category) ?? (primitive ? whole[0] : undefined);
    return change?.[1] ?? 1;
  });
}

/**
 * Returns how long the run would take if functions were faster by the given factors.
 * @param {Schedule} schedule
 * @param {number[]} factors
 * @returns {Answer}
 */
export function whatIf(schedule, factors) {
  /** Time of the functions that change, and the part of it that may be disturbance. */
  const changed = { time: 0, disturbed: 0 };
  /** @param {[number, number][]} costs @param {number} disturbed @returns {{ saved: number, share: number }} the saving, and the share of it that may be disturbance */
  const saving = (costs, disturbed) => {
    const faster = costs.filter(([id]) => factors[id] !== 1);
    const time = faster.reduce((sum, [, ns]) => sum + ns, 0);
    changed.time += time;
    changed.disturbed += Math.min(disturbed, time);
    return { saved: faster.reduce((sum, [id, ns]) => sum + ns * (1 - 1 / factors[id]), 0), share: Math.min(disturbed, time) / Math.max(1, time) };
  };
  const savings = [saving(schedule.main, schedule.disturbed_main), ...schedule.tasks.map((slot, i) => saving(slot[4], schedule.disturbed[i] ?? 0))];
  // Of the whole disturbance, functions have their share.
  const part = changed.disturbed > 0 ? stolen(schedule, changed) / changed.disturbed : 1;
  const [main, ...tasks] = savings.map(({ saved, share }) => [saved, saved * (1 - part * share)]);
  const waited = schedule.windows.reduce((sum, [from, to]) => sum + (to - from), 0);
  const sum = (/** @type {number[]} */ less) => less.reduce((sum, ns) => sum + ns, 0);
  // The total time of the tasks. With one worker all savings count.
  const schedules = (/** @type {number[]} */ less) => schedule.workers === 1 ? waited - sum(less) : replay(schedule, less);
  const unchanged = schedules(tasks.map(() => 0));
  const replayed = schedule.wall + unchanged - waited;
  const [all, least] = [0, 1].map((part) => schedule.wall - main[part] + schedules(tasks.map((it) => it[part])) - unchanged);
  const off = main[0] + sum(tasks.map(([saved]) => saved)) === 0 ? 0 : Math.abs(replayed - schedule.wall);
  return { wall: schedule.wall, error: replayed / Math.max(1, schedule.wall) - 1,
    low: Math.max(0, Math.min(all, least) - off - schedule.disturbed_wall), middle: all, high: Math.max(all, least) + off };
}

/**
 * Returns how much of the disturbance may have hit functions. Threads are stopped at random, so functions are hit in
 * proportion to their time; the number of hits varies by its square root.
 * @param {Schedule} schedule
 * @param {{ time: number, disturbed: number }} changed
 */
function stolen({ disturbance: [busy, all, stops] }, changed) {
  if (stops === 0) return changed.disturbed;
  const share = Math.min(1, changed.time / Math.max(1, busy));
  return Math.min(changed.disturbed, all * share + ((4 * all) / stops) * (Math.sqrt(stops * share) + 1));
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
