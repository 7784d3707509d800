//! Breeding for many tasks at once.
//!
//! [`Breeding::run`] works in rounds. In a round every unsolved task takes one step. Between rounds, programs that
//! solved a task are passed to all other tasks, which try them and can graft parts of them. Results depend only on fuel
//! and on earlier rounds, not on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use batt_lang::Program;
use batt_search::breed::{Breeder, Brood};
use batt_search::{Allowance, Puzzle};
use batt_task::Task;
use batt_trace::{Spot, Trace};
use rayon::prelude::*;

use crate::pool::Pool;
use crate::profile::on_lane;

/// Tasks, and the population of programs for each.
pub struct Breeding {
    puzzles: Vec<Puzzle>,
    /// `None` until the task has started.
    broods: Vec<Mutex<Option<Brood>>>,
}

/// The programs to breed from, and the limits.
pub struct Setup<'s> {
    pub breeder: Breeder,
    /// Tried on every task, which breeds from the best of them. Parts of all of them can be grafted.
    pub known: &'s [Program],
    /// For each task, programs to breed from whatever their score.
    pub own: &'s [Vec<Program>],
    /// For each task, whether to skip it.
    pub skip: &'s [bool],
    /// Fuel for each task; `None` if only time limits it.
    pub fuel: Option<u64>,
    /// Records where the time goes.
    pub trace: Option<&'s Trace>,
}

/// Follows the progress of a search.
pub trait Observer: Sync {
    /// Called when a task has taken a step, from any thread.
    fn step(&self, task: usize, brood: &Brood);

    /// Waits while the job is paused. Returns false if no further step should begin.
    fn proceed(&self) -> bool;

    /// Called at the end of a round. `open` is the number of tasks that took part, `better` lists those that improved,
    /// in ascending order.
    fn round(&self, number: usize, open: usize, better: &[usize]);
}

impl Breeding {
    pub fn new<'t>(tasks: impl IntoIterator<Item = &'t Task>) -> Breeding {
        let puzzles: Vec<Puzzle> = tasks.into_iter().map(Puzzle::new).collect();
        let broods = puzzles.iter().map(|_| Mutex::default()).collect();
        Breeding { puzzles, broods }
    }

    pub fn puzzles(&self) -> &[Puzzle] {
        &self.puzzles
    }

    /// Calls `read` with the population of a task; returns `None` if the task has not started.
    pub fn with_brood<T>(&self, task: usize, read: impl FnOnce(&Brood) -> T) -> Option<T> {
        self.brood(task).as_ref().map(read)
    }

    fn brood(&self, task: usize) -> std::sync::MutexGuard<'_, Option<Brood>> {
        self.broods[task].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breeds until every task is solved or out of fuel, or `stop` is set.
    pub fn run(&self, pool: &Pool, setup: &Setup<'_>, stop: &AtomicBool, observer: &dyn Observer) {
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(trace) = setup.trace {
            trace.start_workers(pool.threads());
        }
        self.start(pool, setup, stop, observer);
        let fuel = setup.fuel.unwrap_or(u64::MAX);
        let mut donors: Vec<Program> = setup.known.to_vec();
        let mut shared: Vec<bool> = vec![false; self.puzzles.len()];
        let mut rounds = 0;
        loop {
            let new = self.new_solutions(&mut shared);
            donors.extend(new.iter().cloned());
            let open = |task: &usize| {
                self.with_brood(*task, |brood| brood.solution.is_none() && brood.fuel < fuel) == Some(true)
            };
            let open: Vec<usize> = (0..self.puzzles.len()).filter(open).collect();
            if open.is_empty() || stopped() {
                return;
            }
            let before: Vec<u32> = open.iter().map(|task| self.score(*task)).collect();
            let step = |task: &usize| {
                let mut brood = self.brood(*task);
                let (Some(brood), true) = (&mut *brood, observer.proceed()) else { return };
                let puzzle = &self.puzzles[*task];
                on_lane(setup.trace, puzzle.task(), |lane| {
                    setup.breeder.try_programs(puzzle, brood, &new, fuel, stop);
                    lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
                    setup.breeder.advance(puzzle, brood, &donors, Allowance { fuel, stop, lane });
                    observer.step(*task, brood);
                });
            };
            {
                let _waiting = setup.trace.map(|trace| trace.enter(Spot::IDLE));
                pool.install(|| open.par_iter().with_max_len(1).for_each(step));
            }
            let better = open.iter().zip(before).filter(|(task, before)| self.score(**task) > *before);
            let _filing = setup.trace.map(|trace| trace.enter(Spot::WRITE));
            rounds += 1;
            observer.round(rounds, open.len(), &better.map(|(task, _)| *task).collect::<Vec<_>>());
        }
    }

    /// Gives every task its first programs, unless it is skipped.
    fn start(&self, pool: &Pool, setup: &Setup<'_>, stop: &AtomicBool, observer: &dyn Observer) {
        let start = |(task, puzzle): (usize, &Puzzle)| {
            if setup.skip.get(task) == Some(&true) {
                return;
            }
            let own = setup.own.get(task).map_or(&[][..], |own| own);
            on_lane(setup.trace, puzzle.task(), |lane| {
                let Some(brood) = setup.breeder.start(puzzle, setup.known, own, stop) else { return };
                lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
                observer.step(task, &brood);
                *self.brood(task) = Some(brood);
            });
        };
        let _waiting = setup.trace.map(|trace| trace.enter(Spot::IDLE));
        pool.install(|| self.puzzles.par_iter().enumerate().with_max_len(1).for_each(start));
    }

    fn score(&self, task: usize) -> u32 {
        self.with_brood(task, |brood| brood.best().map_or(0, |best| best.trial.score)).unwrap_or(0)
    }

    /// Returns the solutions that were not shared with the other tasks yet, in the order of the tasks.
    fn new_solutions(&self, shared: &mut [bool]) -> Vec<Program> {
        let mut new = Vec::new();
        for (task, shared) in shared.iter_mut().enumerate().filter(|(_, shared)| !**shared) {
            let solution =
                self.with_brood(task, |brood| brood.solution.as_ref().map(|it| it.program.clone()));
            if let Some(program) = solution.flatten() {
                *shared = true;
                new.push(program);
            }
        }
        new
    }
}
