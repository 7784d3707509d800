//! The search from the task, for many tasks at once.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Limits;
use batt_lang::{Program, parse};
use batt_search::breed::{Trial, Trials};
use batt_search::{NEVER, Puzzle, enumerate_traced, name, simplify};
use batt_trace::{Lane, Spot, Trace};
use rayon::prelude::*;

use crate::battery::Pool;
use crate::profile::on_lane;

/// What was found for a task.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Used.
    pub fuel: u64,
    /// Candidates that were tried.
    pub tried: u64,
    /// The simplest program that is right on all demonstration pairs, and what it comes to there.
    pub solution: Option<(Program, Trial)>,
}

/// How many tasks each thread takes before what was found is handed over.
const TASKS_A_THREAD: usize = 2;

/// Searches programs for the tasks, with so much fuel for each. `each` is told what was found, in the order of the tasks
/// and on the thread of the caller, `trace` where the time goes. When `stop` is set, what was found for the tasks at hand by
/// then counts, and those that had not begun are left out.
pub fn run<'p>(
    pool: &Pool,
    puzzles: impl IntoIterator<Item = (usize, &'p Puzzle)>,
    fuel: Option<u64>,
    stop: &AtomicBool,
    trace: Option<&Trace>,
    mut each: impl FnMut(usize, Enumeration),
) {
    if let Some(trace) = trace {
        trace.start_workers(pool.threads());
    }
    let puzzles: Vec<(usize, &Puzzle)> = puzzles.into_iter().collect();
    for chunk in puzzles.chunks(pool.threads() * TASKS_A_THREAD) {
        let one = |(task, puzzle): &(usize, &Puzzle)| {
            let found = on_lane(trace, puzzle.task(), |lane| search(puzzle, fuel, stop, lane));
            Some((*task, found?))
        };
        let found: Vec<_> = {
            let _waiting = trace.map(|trace| trace.enter(Spot::IDLE));
            pool.install(|| chunk.par_iter().with_max_len(1).filter_map(one).collect())
        };
        let _filing = trace.map(|trace| trace.enter(Spot::WRITE));
        found.into_iter().for_each(|(task, enumeration)| each(task, enumeration));
    }
}

fn search(puzzle: &Puzzle, fuel: Option<u64>, stop: &AtomicBool, lane: Option<&Lane>) -> Option<Enumeration> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let found = enumerate_traced(puzzle, &name(puzzle.id()), fuel.unwrap_or(u64::MAX), stop, lane);
    let mut fuel = found.counts.fuel;
    let mut answers = found.answers;
    answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut trials = Trials::new(puzzle, Limits::STANDARD, lane);
    let mut solution = None;
    for program in answers.iter().flat_map(|answer| parse(&answer.program).programs) {
        let trial = *trials.run([&program], &NEVER)?.first()?;
        if trial.solves() {
            let simple = simplify(&program, &mut trials, &NEVER);
            fuel += trial.fuel + simple.fuel;
            solution = Some(simple.program.unwrap_or((program, trial)));
            break;
        }
    }
    Some(Enumeration { fuel, tried: found.counts.candidates, solution })
}
