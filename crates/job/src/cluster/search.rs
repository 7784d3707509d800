//! Searching on a cluster.

use std::collections::{BTreeMap, VecDeque};

use batt_dsl::Limits;
use batt_lang::{Program, parse};
use batt_search::breed::{Trial, Trials};
use batt_search::{NEVER_STOP, Puzzle};

use crate::breeding::{BroodReport, Each, Rounds, Setup};
use crate::cluster::driver::{Driver, Verify, Work};
use crate::cluster::piece::{Piece, PieceResult, PieceWork, shipped};
use crate::enumeration::{Enumeration, Growth};
use crate::error::JobError;

/// Enumerates programs for the tasks, as [`enumeration::run`](crate::enumeration::run) does on a pool. Calls `each` in the
/// order of the tasks.
pub(crate) fn distribute_enumeration(
    driver: &mut Driver<'_>,
    puzzles: &[Puzzle],
    open: Vec<usize>,
    fuel: Option<u64>,
    stopped: &dyn Fn() -> bool,
    mut each: impl FnMut(usize, Enumeration),
) -> Result<(), JobError> {
    let (mut open, mut growth) = (open, Growth::new(fuel));
    loop {
        let mut done = Vec::new();
        let mut work = EnumerateWork {
            checker: EnumerationChecker { puzzles },
            waiting: open.iter().copied().collect(),
            order: open.iter().copied().collect(),
            fuel: growth.fuel(),
            known: growth.is_first(),
            arrived: BTreeMap::new(),
            each: |task: usize, enumeration: Enumeration| {
                if enumeration.is_ended() || enumeration.solution.is_some() {
                    done.push(task);
                }
                each(task, enumeration);
            },
        };
        let ended = driver.run(&mut work);
        // After a stop, results whose predecessors are missing count too.
        for (task, enumeration) in std::mem::take(&mut work.arrived) {
            (work.each)(task, enumeration);
        }
        ended?;
        open.retain(|task| !done.contains(task));
        if fuel.is_some() || open.is_empty() || stopped() {
            return Ok(());
        }
        growth.grow();
    }
}

struct EnumerateWork<'e, F> {
    checker: EnumerationChecker<'e>,
    waiting: VecDeque<usize>,
    /// The tasks whose results were not reported yet.
    order: VecDeque<usize>,
    fuel: u64,
    known: bool,
    arrived: BTreeMap<usize, Enumeration>,
    each: F,
}

impl<F: FnMut(usize, Enumeration)> Work for EnumerateWork<'_, F> {
    fn next(&mut self, _: &str, _: &dyn Fn(&str) -> bool) -> Option<(usize, Piece)> {
        let task = self.waiting.pop_front()?;
        let work = PieceWork::Enumerate { fuel: self.fuel, known: self.known };
        Some((task, Piece::new(self.checker.puzzles[task].task(), work)))
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn verifier(&self) -> &dyn Verify {
        &self.checker
    }

    fn take(&mut self, task: usize, _: &str, result: PieceResult) {
        let PieceResult::Enumerate { before, fuel, tried, solution, ended } = result else { return };
        let solution = solution.and_then(|text| trial(&self.checker.puzzles[task], &text));
        self.arrived.insert(task, Enumeration { before, fuel, tried, solution, ended });
        while let Some(first) = self.order.front().copied()
            && let Some(enumeration) = self.arrived.remove(&first)
        {
            self.order.pop_front();
            (self.each)(first, enumeration);
        }
    }
}

struct EnumerationChecker<'c> {
    puzzles: &'c [Puzzle],
}

impl Verify for EnumerationChecker<'_> {
    fn verify(&self, task: usize, result: &PieceResult) -> Result<(), String> {
        let PieceResult::Enumerate { solution, .. } = result else {
            return Err("an answer of another kind".to_owned());
        };
        let puzzle = &self.puzzles[task];
        match solution.as_ref().map(|text| trial(puzzle, text)) {
            None => Ok(()),
            Some(Some((_, trial))) if trial.solves() => Ok(()),
            Some(_) => Err(format!("a program for {} does not solve it", puzzle.id())),
        }
    }
}

/// Runs a program on the demonstration pairs.
fn trial(puzzle: &Puzzle, text: &str) -> Option<(Program, Trial)> {
    let program = parse(text).programs.into_iter().next()?;
    let mut trials = Trials::new(puzzle, Limits::STANDARD, None);
    let trial = *trials.run([&program], &NEVER_STOP)?.first()?;
    Some((program, trial))
}

/// Takes the steps of breeding on a cluster. Populations stay on the machines; a machine that takes over a task repeats its
/// rounds.
pub(crate) struct ClusterRounds<'r, 'd> {
    driver: &'r mut Driver<'d>,
    puzzles: &'r [Puzzle],
    setup: &'r Setup<'r>,
    /// The new solutions of each round.
    rounds: Vec<Vec<String>>,
    /// The machine that has the population of each task.
    homes: Vec<Option<String>>,
    /// The first error of the driver.
    pub(crate) failed: Option<JobError>,
}

impl<'r, 'd> ClusterRounds<'r, 'd> {
    pub(crate) fn new(
        driver: &'r mut Driver<'d>,
        puzzles: &'r [Puzzle],
        setup: &'r Setup<'r>,
    ) -> ClusterRounds<'r, 'd> {
        let homes = vec![None; puzzles.len()];
        ClusterRounds { driver, puzzles, setup, rounds: Vec::new(), homes, failed: None }
    }

    fn run(&mut self, tasks: &[usize], each: Each<'_>) {
        let mut work = BreedWork {
            checker: BreedChecker { puzzles: self.puzzles },
            setup: self.setup,
            rounds: &self.rounds,
            waiting: tasks.to_vec(),
            homes: &mut self.homes,
            each,
        };
        if let Err(error) = self.driver.run(&mut work) {
            self.failed.get_or_insert(error);
            self.driver.give_up();
        }
    }
}

impl Rounds for ClusterRounds<'_, '_> {
    fn start(&mut self, tasks: &[usize], each: Each<'_>) {
        self.run(tasks, each);
    }

    fn round(&mut self, tasks: &[usize], new: &[Program], each: Each<'_>) {
        self.rounds.push(new.iter().map(|program| shipped(program, None)).collect());
        self.run(tasks, each);
    }
}

struct BreedWork<'b> {
    checker: BreedChecker<'b>,
    setup: &'b Setup<'b>,
    rounds: &'b [Vec<String>],
    waiting: Vec<usize>,
    homes: &'b mut [Option<String>],
    each: Each<'b>,
}

impl Work for BreedWork<'_> {
    fn next(&mut self, machine: &str, is_healthy: &dyn Fn(&str) -> bool) -> Option<(usize, Piece)> {
        let home = |task: &usize| self.homes[*task].as_deref();
        let here = self.waiting.iter().position(|task| home(task) == Some(machine));
        let homeless = || self.waiting.iter().position(|task| home(task).is_none_or(|it| !is_healthy(it)));
        let task = self.waiting.remove(here.or_else(homeless)?);
        let own = self.setup.own.get(task).map_or(&[][..], |own| own);
        let work = PieceWork::Breed {
            fuel: self.setup.fuel,
            own: own.iter().map(|program| shipped(program, None)).collect(),
            rounds: self.rounds.to_vec(),
        };
        Some((task, Piece::new(self.checker.puzzles[task].task(), work)))
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn verifier(&self) -> &dyn Verify {
        &self.checker
    }

    fn take(&mut self, task: usize, machine: &str, result: PieceResult) {
        let PieceResult::Breed(report) = result else { return };
        self.homes[task] = Some(machine.to_owned());
        (self.each)(task, *report);
    }

    /// Another machine would have to repeat all rounds.
    fn may_duplicate(&self) -> bool {
        false
    }
}

struct BreedChecker<'c> {
    puzzles: &'c [Puzzle],
}

impl Verify for BreedChecker<'_> {
    fn verify(&self, task: usize, result: &PieceResult) -> Result<(), String> {
        let PieceResult::Breed(report) = result else { return Err("an answer of another kind".to_owned()) };
        let puzzle = &self.puzzles[task];
        let BroodReport { found, solution, score, .. } = &**report;
        let solves = |text: &String| trial(puzzle, text).is_some_and(|(_, trial)| trial.solves());
        if solution.as_ref().is_some_and(|text| !solves(text)) {
            return Err(format!("a program for {} does not solve it", puzzle.id()));
        }
        let scored = |text: &String| trial(puzzle, text).map(|(_, trial)| trial.score) == Some(*score);
        if found.as_ref().is_some_and(|found| !scored(&found.program)) {
            return Err(format!("a program for {} has another score", puzzle.id()));
        }
        Ok(())
    }
}
