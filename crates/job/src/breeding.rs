//! Breeding for many tasks at once.
//!
//! [`Breeding::run`] works in rounds. In a round every unsolved task takes one step. Between rounds, programs that
//! solved a task are passed to all other tasks, which try them and can graft parts of them. Results depend only on fuel
//! and on earlier rounds, not on the number of threads or machines: [`Rounds`] says where the steps are taken.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use batt_lang::{Program, parse, print};
use batt_search::breed::{Breeder, Brood, Individual, Operator, Tally};
use batt_search::{Allowance, Puzzle};
use batt_trace::{Lane, Spot, Trace};
use batt_value::ContentHash;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::pool::Pool;
use crate::profile::on_lane;

/// The programs to breed from, and the limits.
pub struct Setup<'s> {
    pub breeder: Breeder<'s>,
    /// Tried on every task, which breeds from the best of them. Parts of all of them can be grafted.
    pub known: &'s [Program],
    /// For each task, programs to breed from whatever their score.
    pub own: &'s [Vec<Program>],
    /// Fuel for each task; `None` if only time limits it.
    pub fuel: Option<u64>,
    /// Records where the time goes.
    pub trace: Option<&'s Trace>,
}

/// The result of breeding for a task so far. It is plain data, so it can come from another machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BroodReport {
    /// Fuel that counts against the limit.
    pub fuel: u64,
    /// Fuel that does not.
    pub overhead_fuel: u64,
    /// Number of candidates tried.
    pub tried: u64,
    /// The best score of a starting program, in millionths.
    pub start_score: u32,
    /// The best score so far.
    pub score: u32,
    /// The first program that is right on all pairs.
    pub solution: Option<String>,
    /// The best program, if it beats the starting programs.
    pub found: Option<BredProgram>,
    /// The ancestors of the best program that were made for this task.
    pub lineage: Vec<BredProgram>,
    /// `[tried, better, solved]` for each operator.
    pub tallies: Vec<(u64, u64, u64)>,
}

/// A program that was bred, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BredProgram {
    pub program: String,
    pub operator: String,
    /// Hashes of the programs that it was made from.
    pub parents: Vec<String>,
}

impl BredProgram {
    fn new(individual: &Individual) -> BredProgram {
        BredProgram {
            program: print(&individual.program),
            operator: individual.operator(),
            parents: individual.parents.iter().map(ToString::to_string).collect(),
        }
    }

    fn parents(&self) -> impl Iterator<Item = ContentHash> {
        self.parents.iter().filter_map(|parent| ContentHash::parse(parent))
    }
}

impl BroodReport {
    /// Returns the solution.
    pub fn solution(&self) -> Option<Program> {
        parse(self.solution.as_ref()?).programs.into_iter().next()
    }

    /// Returns the counts of each operator.
    pub fn tallies(&self) -> [Tally; Operator::ALL.len()] {
        let mut tallies = [Tally::default(); Operator::ALL.len()];
        for (tally, (tried, better, solved)) in tallies.iter_mut().zip(&self.tallies) {
            *tally = Tally { tried: *tried, better: *better, solved: *solved };
        }
        tallies
    }
}

/// Breeding for one task. Its state depends only on the task, the programs that it started from, and the programs that it
/// was given in each round.
pub struct TaskBreeding {
    brood: Brood,
    /// Ancestors of the best program, by hash, because they may no longer be in the population.
    lineage: BTreeMap<[u8; 32], BredProgram>,
}

impl TaskBreeding {
    /// Starts with the known programs and the task's own. Returns `None` if it is stopped.
    pub fn start(
        breeder: &Breeder<'_>,
        puzzle: &Puzzle,
        known: &[Program],
        own: &[Program],
        stop: &AtomicBool,
    ) -> Option<TaskBreeding> {
        let brood = breeder.start(puzzle, known, own, stop)?;
        let mut breeding = TaskBreeding { brood, lineage: BTreeMap::new() };
        breeding.follow_lineage();
        Some(breeding)
    }

    /// Tries new solutions of other tasks, then takes one step. `donors` are all programs known so far.
    pub fn round(
        &mut self,
        breeder: &Breeder<'_>,
        puzzle: &Puzzle,
        new: &[Program],
        donors: &[Program],
        allowance: Allowance<'_>,
    ) {
        let Allowance { fuel, stop, lane } = allowance;
        breeder.try_programs(puzzle, &mut self.brood, new, fuel, stop);
        lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
        breeder.advance(puzzle, &mut self.brood, donors, allowance);
        self.follow_lineage();
    }

    fn follow_lineage(&mut self) {
        let best = self.brood.best_bred().or(self.brood.best());
        let mut next: Vec<ContentHash> = best.map(|best| best.parents.clone()).unwrap_or_default();
        let mut lineage = BTreeMap::new();
        while let Some(hash) = next.pop() {
            let known = self.brood.find(hash).map(BredProgram::new);
            let known = known.or_else(|| self.lineage.get(hash.bytes()).cloned());
            if let Some(known) = known.filter(|_| !lineage.contains_key(hash.bytes())) {
                next.extend(known.parents());
                lineage.insert(*hash.bytes(), known);
            }
        }
        self.lineage = lineage;
    }

    pub fn report(&self) -> BroodReport {
        let brood = &self.brood;
        BroodReport {
            fuel: brood.fuel,
            overhead_fuel: brood.overhead_fuel,
            tried: brood.tried,
            start_score: brood.start_score,
            score: brood.best().map_or(0, |best| best.trial.score),
            solution: brood.solution.as_ref().map(|solution| print(&solution.program)),
            found: brood.best_bred().map(BredProgram::new),
            lineage: self.lineage.values().cloned().collect(),
            tallies: brood.tallies.iter().map(|tally| (tally.tried, tally.better, tally.solved)).collect(),
        }
    }
}

/// Follows the progress of a search.
pub trait Observer: Sync {
    /// Called when a task has taken a step, from any thread.
    fn step(&self, task: usize, report: &BroodReport);

    /// Called at the end of a round. `open` is the number of tasks that took part, `better` lists those that improved,
    /// in ascending order.
    fn round(&self, number: usize, open: usize, better: &[usize]);
}

/// Called with the report of a task, from any thread.
pub type Each<'e> = &'e (dyn Fn(usize, BroodReport) + Sync);

/// Takes the steps of a round.
pub trait Rounds {
    /// Gives these tasks their first programs.
    fn start(&mut self, tasks: &[usize], each: Each<'_>);

    /// Takes one step for these tasks. `new` are the solutions that were found since the round before.
    fn round(&mut self, tasks: &[usize], new: &[Program], each: Each<'_>);
}

/// Takes the steps on the threads of a pool.
pub struct PoolRounds<'r> {
    pub pool: &'r Pool,
    pub puzzles: &'r [Puzzle],
    pub setup: &'r Setup<'r>,
    pub stop: &'r AtomicBool,
    pub proceed: &'r (dyn Fn() -> bool + Sync),
    /// `None` until the task has started.
    broods: Vec<Mutex<Option<TaskBreeding>>>,
    donors: Vec<Program>,
}

impl<'r> PoolRounds<'r> {
    pub fn new(
        pool: &'r Pool,
        puzzles: &'r [Puzzle],
        setup: &'r Setup<'r>,
        stop: &'r AtomicBool,
        proceed: &'r (dyn Fn() -> bool + Sync),
    ) -> PoolRounds<'r> {
        if let Some(trace) = setup.trace {
            trace.start_workers(pool.threads());
        }
        let broods = puzzles.iter().map(|_| Mutex::default()).collect();
        PoolRounds { pool, puzzles, setup, stop, proceed, broods, donors: setup.known.to_vec() }
    }

    fn on_pool(&self, tasks: &[usize], work: impl Fn(&Puzzle, usize, Option<&Lane>) + Sync) {
        let trace = self.setup.trace;
        let one = |task: &usize| {
            if (self.proceed)() {
                let puzzle = &self.puzzles[*task];
                on_lane(trace, puzzle.task(), |lane| work(puzzle, *task, lane));
            }
        };
        let _waiting = trace.map(|trace| trace.enter(Spot::IDLE));
        self.pool.install(|| tasks.par_iter().with_max_len(1).for_each(one));
    }

    fn brood(&self, task: usize) -> std::sync::MutexGuard<'_, Option<TaskBreeding>> {
        self.broods[task].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rounds for PoolRounds<'_> {
    fn start(&mut self, tasks: &[usize], each: Each<'_>) {
        let Setup { breeder, known, own, .. } = self.setup;
        self.on_pool(tasks, |puzzle, task, lane| {
            let own = own.get(task).map_or(&[][..], |own| own);
            let Some(started) = TaskBreeding::start(breeder, puzzle, known, own, self.stop) else { return };
            lane.into_iter().for_each(|lane| lane.mark(Spot::PICK));
            each(task, started.report());
            *self.brood(task) = Some(started);
        });
    }

    fn round(&mut self, tasks: &[usize], new: &[Program], each: Each<'_>) {
        self.donors.extend(new.iter().cloned());
        let Setup { breeder, fuel, .. } = self.setup;
        self.on_pool(tasks, |puzzle, task, lane| {
            let mut brood = self.brood(task);
            let Some(brood) = &mut *brood else { return };
            let allowance = Allowance { fuel: fuel.unwrap_or(u64::MAX), stop: self.stop, lane };
            brood.round(breeder, puzzle, new, &self.donors, allowance);
            each(task, brood.report());
        });
    }
}

/// The reports of all tasks.
pub struct Breeding {
    /// `None` until the task has started.
    reports: Vec<Mutex<Option<BroodReport>>>,
}

impl Breeding {
    pub fn new(n_tasks: usize) -> Breeding {
        Breeding { reports: (0..n_tasks).map(|_| Mutex::default()).collect() }
    }

    fn with_report<T>(&self, task: usize, read: impl FnOnce(&BroodReport) -> T) -> Option<T> {
        self.reports[task].lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(read)
    }

    /// Breeds until every task is solved or out of fuel, or `stop` is set. Skips tasks for which `skip` is true.
    pub fn run(
        &self,
        rounds: &mut dyn Rounds,
        setup: &Setup<'_>,
        skip: &[bool],
        stop: &AtomicBool,
        observer: &dyn Observer,
    ) {
        let each = |task: usize, report: BroodReport| {
            observer.step(task, &report);
            *self.reports[task].lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
        };
        let tasks = 0..self.reports.len();
        let started: Vec<usize> = tasks.clone().filter(|task| skip.get(*task) != Some(&true)).collect();
        rounds.start(&started, &each);
        let fuel = setup.fuel.unwrap_or(u64::MAX);
        let mut shared: Vec<bool> = vec![false; self.reports.len()];
        let mut number = 0;
        loop {
            let new = self.new_solutions(&mut shared);
            let open = |task: &usize| {
                self.with_report(*task, |report| report.solution.is_none() && report.fuel < fuel)
                    == Some(true)
            };
            let open: Vec<usize> = tasks.clone().filter(open).collect();
            if open.is_empty() || stop.load(Ordering::Relaxed) {
                return;
            }
            let before: Vec<u32> = open.iter().map(|task| self.score(*task)).collect();
            rounds.round(&open, &new, &each);
            let better = open.iter().zip(before).filter(|(task, before)| self.score(**task) > *before);
            let _filing = setup.trace.map(|trace| trace.enter(Spot::WRITE));
            number += 1;
            observer.round(number, open.len(), &better.map(|(task, _)| *task).collect::<Vec<_>>());
        }
    }

    fn score(&self, task: usize) -> u32 {
        self.with_report(task, |report| report.score).unwrap_or(0)
    }

    /// Returns the solutions that were not shared with the other tasks yet, in the order of the tasks.
    fn new_solutions(&self, shared: &mut [bool]) -> Vec<Program> {
        let mut new = Vec::new();
        for (task, shared) in shared.iter_mut().enumerate().filter(|(_, shared)| !**shared) {
            if let Some(program) = self.with_report(task, BroodReport::solution).flatten() {
                *shared = true;
                new.push(program);
            }
        }
        new
    }
}
