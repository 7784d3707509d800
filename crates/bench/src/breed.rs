//! Measures breeding: the damaged programs it repairs, its throughput and where its time goes.
//!
//! Everything runs on one thread. A program that solves its task is damaged so that it no longer does: the
//! mutation of that name changes one constant, one function or one argument. Breeding starts from the damaged
//! program alone. It may graft from all other programs, but not from the undamaged one.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arcbatt::verify::task_of;
use batt_base::Rng;
use batt_dsl::Limits;
use batt_job::battery::Unwatched;
use batt_job::{Measurer, Pool, PoolError, profile};
use batt_lang::{self as lang, Program};
use batt_search::breed::{Breeder, Brood, Capacity, Mutator, Operator, Sources, Trials, palette};
use batt_search::{Allowance, Puzzle};
use batt_task::{Dataset, Task};
use batt_trace::{Category, Clock, Level, Trace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Spread;
use crate::machine::StopWatch;

/// Damaged programs that breeding repairs, and its speed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct BreedFigures {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Fuel for each damaged program.
    pub fuel_per_task: u64,
    /// Damaged programs, for each kind of damage.
    pub recovery: Vec<Recovery>,
    pub throughput: Throughput,
}

/// Programs damaged in one way.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Recovery {
    /// The kind of damage: `constant`, `function` or `argument`.
    pub damage: &'static str,
    /// Programs that could be damaged in this way.
    pub damaged: usize,
    /// Programs for which one that is right on all demonstration pairs was found.
    pub recovered: usize,
    /// Recovered programs that are right on all test pairs too.
    pub right_on_tests: usize,
    /// Processor time of the recovered programs. Null if none was.
    pub time: Option<Spread>,
    /// Candidates tried for the recovered programs.
    pub candidates: u64,
}

/// How fast candidates are made, run and compared, each on all demonstration inputs.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Throughput {
    /// Candidates tried.
    pub candidates: u64,
    /// Processor time in seconds; wall time if the system does not report it.
    pub seconds: f64,
    /// Candidates per second.
    pub per_second: f64,
    /// Calls of all candidates on all inputs, per second. Most are shared and computed once.
    pub calls_per_second: f64,
    /// Shares of the time by category, largest first, from a separate recorded run.
    pub shares: Vec<Share>,
}

/// The share of a category.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Share {
    /// Name of the category.
    pub category: &'static str,
    /// Share of the time, from 0 to 1.
    pub share: f64,
}

const SEED: u64 = 0;
/// About a second of processor time.
const FUEL: u64 = 80_000_000;
/// Fuel for each task when throughput is measured.
const FUEL_THROUGHPUT: u64 = 4_000_000;
const BREEDER: Breeder<'_> =
    Breeder { seed: SEED, capacity: Capacity { elites: 256, tried: 1 << 20 }, devices: None };

/// Measures breeding on the programs that are named after a task and solve it.
pub fn measure_breed(dataset: &Dataset, programs: &[u8]) -> Result<BreedFigures, PoolError> {
    let pool = Pool::new(1)?;
    let programs = lang::parse_bytes(programs).programs;
    let cases: Vec<Case<'_>> = (0..programs.len()).filter_map(|i| Case::new(dataset, &programs, i)).collect();
    let kinds = [Operator::Constant, Operator::Function, Operator::Argument];
    let recovery = kinds.map(|kind| recovery(&cases, kind, &pool)).into();
    Ok(BreedFigures { seed: SEED, fuel_per_task: FUEL, recovery, throughput: throughput(&cases) })
}

/// A program and its task.
struct Case<'c> {
    task: &'c Task,
    puzzle: Puzzle,
    program: &'c Program,
    /// All other programs.
    donors: Vec<Program>,
}

impl<'c> Case<'c> {
    fn new(dataset: &'c Dataset, programs: &'c [Program], place: usize) -> Option<Case<'c>> {
        let program = &programs[place];
        let task = task_of(program.name(), dataset)?;
        let donors = programs.iter().enumerate().filter(|(other, _)| *other != place);
        let donors = donors.map(|(_, donor)| donor.clone()).collect();
        let case = Case { task, puzzle: Puzzle::new(task), program, donors };
        case.solves(program).then_some(case)
    }

    fn solves(&self, program: &Program) -> bool {
        let mut trials = Trials::new(&self.puzzle, Limits::STANDARD, None);
        let trials = trials.run([program], &AtomicBool::new(false));
        trials.is_some_and(|trials| trials.iter().all(|trial| trial.solves()))
    }

    /// Whether a program is right on the test pairs. Called only after breeding has ended.
    fn right_on_tests(&self, program: &Program, pool: &Pool) -> bool {
        let programs = std::slice::from_ref(program);
        let measurer = Measurer { pool, limits: Limits::STANDARD };
        let results = measurer.measure(programs, self.task, &Unwatched);
        results.into_iter().flatten().filter_map(|result| result.test).all(|test| test.right == test.pairs)
    }

    /// Returns the program with one change after which it no longer solves the task. `None` if no such change
    /// is found: a few programs have nothing of that kind to change, or no change of it makes a difference.
    fn damaged(&self, kind: Operator) -> Option<Program> {
        const DRAWS: usize = 200;
        let mut rng = Rng::of(SEED, &format!("{} {}", kind.name(), self.task.id), 0);
        let mut mutator = Mutator::default();
        let palette = palette(self.task);
        let sources = Sources { donors: &[], palette: &palette };
        let mut parent = mutator.parent(self.program)?;
        let mut draw = || parent.apply(kind, sources, &mut rng);
        (0..DRAWS).filter_map(|_| draw()).find(|damaged| !self.solves(damaged))
    }

    /// Breeds from a program until the task is solved or the fuel is used up.
    fn breed(&self, parent: Program, fuel: u64, trace: Option<&Trace>) -> Option<Brood> {
        let stop = AtomicBool::new(false);
        let mut brood = BREEDER.start(&self.puzzle, &[], &[parent], &stop)?;
        let lane = trace.map(Trace::main);
        while brood.solution.is_none() && brood.fuel < fuel {
            let allowance = Allowance { fuel, stop: &stop, lane: lane.as_deref() };
            BREEDER.advance(&self.puzzle, &mut brood, &self.donors, allowance);
        }
        Some(brood)
    }
}

/// Damages every program in one way and breeds from it.
fn recovery(cases: &[Case<'_>], kind: Operator, pool: &Pool) -> Recovery {
    let mut figures = Recovery {
        damage: kind.name(),
        damaged: 0,
        recovered: 0,
        right_on_tests: 0,
        time: None,
        candidates: 0,
    };
    let mut times: Vec<Duration> = Vec::new();
    for case in cases {
        let Some(damaged) = case.damaged(kind) else { continue };
        figures.damaged += 1;
        let watch = StopWatch::start();
        let Some(brood) = case.breed(damaged, FUEL, None) else { continue };
        let Some(solution) = &brood.solution else { continue };
        times.push(watch.elapsed());
        figures.recovered += 1;
        figures.right_on_tests += usize::from(case.right_on_tests(&solution.program, pool));
        figures.candidates += brood.tried;
    }
    figures.time = Spread::of(&times);
    figures
}

/// Breeds from every damaged program with little fuel: once for the time, once with a recorder.
fn throughput(cases: &[Case<'_>]) -> Throughput {
    let damaged = |case: &Case<'_>| case.damaged(Operator::Function);
    let damaged: Vec<(&Case<'_>, Program)> =
        cases.iter().filter_map(|case| Some((case, damaged(case)?))).collect();
    let breed = |trace: Option<&Trace>| {
        let broods = damaged.iter().filter_map(|(case, program)| {
            let inputs = case.task.train.len() as u64;
            let brood = case.breed(program.clone(), FUEL_THROUGHPUT, trace)?;
            let calls = program.nodes().iter().filter(|node| node.is_call()).count() as u64;
            Some((brood.tried, brood.tried * calls * inputs))
        });
        broods.fold((0, 0), |(tried, calls), (more, more_calls)| (tried + more, calls + more_calls))
    };
    let watch = StopWatch::start();
    let (candidates, calls) = breed(None);
    let seconds = watch.elapsed().as_secs_f64();
    let trace = profile::trace(Clock::real(), Level::Nodes, None);
    breed(Some(&trace));
    Throughput {
        candidates,
        seconds,
        per_second: candidates as f64 / seconds,
        calls_per_second: calls as f64 / seconds,
        shares: shares(&trace),
    }
}

/// Returns the share of each category in a recorded run.
pub(crate) fn shares(trace: &Trace) -> Vec<Share> {
    let share = |(category, share): (Category, f64)| Share { category: category.name(), share };
    trace.finish().shares().into_iter().map(share).collect()
}
