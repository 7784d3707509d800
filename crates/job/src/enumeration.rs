//! Enumeration for many tasks at once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Limits;
use batt_exec::devices::Devices;
use batt_lang::{Program, parse};
use batt_search::breed::{Trial, Trials};
use batt_search::{Allowance, NEVER_STOP, Puzzle, enumerate, program_name, simplify};
use batt_trace::{Lane, Spot, Trace};
use rayon::prelude::*;

use crate::pool::Pool;
use crate::profile::on_lane;

/// The result of enumerating programs for a task.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The best score of a known program, in millionths; set in the first round only. Solved tasks are skipped.
    pub before: u32,
    /// Fuel used.
    pub fuel: u64,
    /// Number of candidates tried.
    pub tried: u64,
    /// The simplest program that is right on all demonstration pairs, with its result there.
    pub solution: Option<(Program, Trial)>,
    /// More fuel would not find more.
    pub(crate) ended: bool,
}

impl Enumeration {
    /// Returns whether more fuel would not find more.
    pub fn is_ended(&self) -> bool {
        self.ended
    }
}

/// Fuel for each task in the first round (about 12 ms), if only time limits the search.
const FIRST_ROUND: u64 = 1_000_000;
/// Factor by which the fuel grows from round to round. Every round starts over, so the earlier rounds together take a
/// third of the time of the last one.
const GROWTH: u64 = 4;
/// Tasks per thread between two reports of results.
const TASKS_A_THREAD: usize = 2;

/// The fuel of each round.
pub(crate) struct Growth {
    fuel: u64,
    first: bool,
}

impl Growth {
    pub(crate) fn new(limit: Option<u64>) -> Growth {
        Growth { fuel: limit.unwrap_or(FIRST_ROUND), first: true }
    }

    pub(crate) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Whether this is the first round, in which known programs run.
    pub(crate) fn is_first(&self) -> bool {
        self.first
    }

    pub(crate) fn grow(&mut self) {
        *self = Growth { fuel: self.fuel.saturating_mul(GROWTH), first: false };
    }
}

/// The limits of a search.
#[derive(Clone, Copy)]
pub struct Effort<'e> {
    /// Fuel for each task. If `None`, only time limits the search, which works in rounds with growing fuel over all
    /// unsolved tasks.
    pub fuel: Option<u64>,
    /// Ends the search once it is set. Results of the current tasks are kept; the others are skipped.
    pub stop: &'e AtomicBool,
    /// Waits while the job is paused. Returns false if no further task should begin.
    pub proceed: &'e (dyn Fn() -> bool + Sync),
    /// Records where the time goes.
    pub trace: Option<&'e Trace>,
    /// Devices that help.
    pub devices: Option<&'e Devices>,
}

/// Searches programs for the tasks. Known programs run first, under the standard limits. `each` is called with the
/// results, in the order of the tasks and on the calling thread.
pub fn run<'p>(
    pool: &Pool,
    puzzles: impl IntoIterator<Item = (usize, &'p Puzzle)>,
    known: &[Program],
    effort: &Effort<'_>,
    mut each: impl FnMut(usize, Enumeration),
) {
    let Effort { fuel, stop, trace, proceed, devices } = *effort;
    if let Some(trace) = trace {
        trace.start_workers(pool.threads());
    }
    let mut open: Vec<(usize, &Puzzle)> = puzzles.into_iter().collect();
    let mut growth = Growth::new(fuel);
    loop {
        let known = if growth.is_first() { known } else { &[] };
        let round = Round { pool, known, fuel: growth.fuel(), stop, proceed, trace, devices };
        let mut done = BTreeSet::new();
        round.run(&open, |task, enumeration| {
            if enumeration.ended || enumeration.solution.is_some() {
                done.insert(task);
            }
            each(task, enumeration);
        });
        open.retain(|(task, _)| !done.contains(task));
        if fuel.is_some() || open.is_empty() || stop.load(Ordering::Relaxed) {
            return;
        }
        growth.grow();
    }
}

/// One round over all open tasks.
struct Round<'r> {
    pool: &'r Pool,
    /// Programs to run first.
    known: &'r [Program],
    /// Fuel for each task.
    fuel: u64,
    stop: &'r AtomicBool,
    proceed: &'r (dyn Fn() -> bool + Sync),
    trace: Option<&'r Trace>,
    devices: Option<&'r Devices>,
}

impl Round<'_> {
    fn run(&self, puzzles: &[(usize, &Puzzle)], mut each: impl FnMut(usize, Enumeration)) {
        let Round { pool, trace, .. } = *self;
        for chunk in puzzles.chunks(pool.threads() * TASKS_A_THREAD) {
            let one = |(task, puzzle): &(usize, &Puzzle)| {
                Some((*task, on_lane(trace, puzzle.task(), |lane| self.search(puzzle, lane))?))
            };
            let found: Vec<_> = {
                let _waiting = trace.map(|trace| trace.enter(Spot::IDLE));
                pool.install(|| chunk.par_iter().with_max_len(1).filter_map(one).collect())
            };
            let _filing = trace.map(|trace| trace.enter(Spot::WRITE));
            found.into_iter().for_each(|(task, enumeration)| each(task, enumeration));
        }
    }

    fn search(&self, puzzle: &Puzzle, lane: Option<&Lane>) -> Option<Enumeration> {
        match (self.proceed)() {
            true => {
                let allowance = Allowance { fuel: self.fuel, stop: self.stop, lane };
                search_one(puzzle, self.known, allowance, self.devices)
            }
            false => None,
        }
    }
}

/// Searches programs for one task; `None` if it is stopped before it begins.
pub(crate) fn search_one(
    puzzle: &Puzzle,
    known: &[Program],
    allowance: Allowance<'_>,
    devices: Option<&Devices>,
) -> Option<Enumeration> {
    let Allowance { fuel, stop, lane } = allowance;
    let stopped = || stop.load(Ordering::Relaxed);
    if stopped() {
        return None;
    }
    let mut trials = Trials::new(puzzle, Limits::STANDARD, lane).helped_by(devices);
    let known = trials.run(known, stop)?;
    let before = known.iter().map(|trial| trial.score).max().unwrap_or(0);
    if known.iter().any(Trial::solves) {
        return Some(Enumeration { before, fuel: 0, tried: 0, solution: None, ended: true });
    }
    let found = enumerate(puzzle, &program_name(puzzle.id()), allowance, devices);
    let mut used = found.counts.fuel;
    // Each of the two readings of a task has half of the fuel and goes deeper while half of that is left. If less
    // than a quarter was used, the search ran out of operations or memory, not of fuel.
    let ended = used < fuel / 4 && !stopped();
    let mut answers = found.answers;
    answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut solution = None;
    for program in answers.iter().flat_map(|answer| parse(&answer.program).programs) {
        let trial = *trials.run([&program], &NEVER_STOP)?.first()?;
        if trial.solves() {
            let simple = simplify(&program, &mut trials, stop);
            used += trial.fuel + simple.fuel;
            solution = Some(simple.program.unwrap_or((program, trial)));
            break;
        }
    }
    Some(Enumeration { before, fuel: used, tried: found.counts.candidates, solution, ended })
}
