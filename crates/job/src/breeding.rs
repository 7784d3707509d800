//! Breeding for many tasks at once.
//!
//! [`Breeding::run`] goes round by round. In each, every task that is not solved yet takes a step on its own; between
//! rounds, what solved a task goes to all others, which try it and may graft from it. What a task comes to depends on
//! its fuel and on the rounds before, so it is the same on any number of threads.

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

/// Tasks, and what is bred for each.
pub struct Breeding {
    puzzles: Vec<Puzzle>,
    /// Nothing until a task has been looked at.
    broods: Vec<Mutex<Option<Brood>>>,
}

/// What to breed from, and how far.
pub struct Stock<'s> {
    pub breeder: Breeder,
    /// Tried on every task; the best of each are bred from. All are grafted from.
    pub known: &'s [Program],
    /// For each task those that are bred from whatever they are worth.
    pub own: &'s [Vec<Program>],
    /// For each task whether it is left alone.
    pub settled: &'s [bool],
    /// For each task; `None` if only time limits it.
    pub fuel: Option<u64>,
    /// Told where the time goes.
    pub trace: Option<&'s Trace>,
}

/// Told how it goes.
pub trait Keeper: Sync {
    /// A task has taken a step; called from any thread.
    fn step(&self, task: usize, brood: &Brood);

    /// Waits while the job is paused. False: no further step is to begin.
    fn proceed(&self) -> bool;

    /// A round is over. `open`: the tasks that took part; `better`: those that have something better than before it, in
    /// their order.
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

    /// What is bred for a task; nothing if nobody has looked at it.
    pub fn look<T>(&self, task: usize, look: impl FnOnce(&Brood) -> T) -> Option<T> {
        self.brood(task).as_ref().map(look)
    }

    fn brood(&self, task: usize) -> std::sync::MutexGuard<'_, Option<Brood>> {
        self.broods[task].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breeds until every task is solved or out of fuel, or `stop` is set.
    pub fn run(&self, pool: &Pool, stock: &Stock<'_>, stop: &AtomicBool, keeper: &dyn Keeper) {
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(trace) = stock.trace {
            trace.start_workers(pool.threads());
        }
        self.start(pool, stock, stop, keeper);
        let fuel = stock.fuel.unwrap_or(u64::MAX);
        let mut donors: Vec<Program> = stock.known.to_vec();
        let mut given: Vec<bool> = vec![false; self.puzzles.len()];
        let mut rounds = 0;
        loop {
            let news = self.solutions(&mut given);
            donors.extend(news.iter().cloned());
            let open = |task: &usize| {
                self.look(*task, |brood| brood.solution.is_none() && brood.fuel < fuel) == Some(true)
            };
            let open: Vec<usize> = (0..self.puzzles.len()).filter(open).collect();
            if open.is_empty() || stopped() {
                return;
            }
            let before: Vec<u32> = open.iter().map(|task| self.score(*task)).collect();
            let step = |task: &usize| {
                let mut brood = self.brood(*task);
                let (Some(brood), true) = (&mut *brood, keeper.proceed()) else { return };
                let puzzle = &self.puzzles[*task];
                on_lane(stock.trace, puzzle.task(), |lane| {
                    stock.breeder.welcome(puzzle, brood, &news, fuel, stop);
                    lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
                    stock.breeder.advance(puzzle, brood, &donors, Allowance { fuel, stop, lane });
                    keeper.step(*task, brood);
                });
            };
            {
                let _waiting = stock.trace.map(|trace| trace.enter(Spot::IDLE));
                pool.install(|| open.par_iter().with_max_len(1).for_each(step));
            }
            let better = open.iter().zip(before).filter(|(task, before)| self.score(**task) > *before);
            let _filing = stock.trace.map(|trace| trace.enter(Spot::WRITE));
            rounds += 1;
            keeper.round(rounds, open.len(), &better.map(|(task, _)| *task).collect::<Vec<_>>());
        }
    }

    /// Gives every task its first programs, unless it is left alone.
    fn start(&self, pool: &Pool, stock: &Stock<'_>, stop: &AtomicBool, keeper: &dyn Keeper) {
        let start = |(task, puzzle): (usize, &Puzzle)| {
            if stock.settled.get(task) == Some(&true) {
                return;
            }
            let own = stock.own.get(task).map_or(&[][..], |own| own);
            on_lane(stock.trace, puzzle.task(), |lane| {
                let Some(brood) = stock.breeder.start(puzzle, stock.known, own, stop) else { return };
                lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
                keeper.step(task, &brood);
                *self.brood(task) = Some(brood);
            });
        };
        let _waiting = stock.trace.map(|trace| trace.enter(Spot::IDLE));
        pool.install(|| self.puzzles.par_iter().enumerate().with_max_len(1).for_each(start));
    }

    fn score(&self, task: usize) -> u32 {
        self.look(task, |brood| brood.best().map_or(0, |best| best.trial.score)).unwrap_or(0)
    }

    /// What solves tasks and has not been told to the others, in the order of the tasks.
    fn solutions(&self, given: &mut [bool]) -> Vec<Program> {
        let mut news = Vec::new();
        for (task, given) in given.iter_mut().enumerate().filter(|(_, given)| !**given) {
            let solution = self.look(task, |brood| brood.solution.as_ref().map(|it| it.program.clone()));
            if let Some(program) = solution.flatten() {
                *given = true;
                news.push(program);
            }
        }
        news
    }
}
