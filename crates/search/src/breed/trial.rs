//! Runs programs on the demonstration inputs of a task and scores their answers.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Limits;
use batt_exec::devices::Devices;
use batt_exec::{Input, Job, Options, Prepared, Run, Scratch};
use batt_lang::Program;
use batt_plan::{Plan, ProgramId};
use batt_score::{Demos, Verdict, behaviour};
use batt_trace::{Lane, Spot};
use batt_value::{Arena, ContentHash};
use rustc_hash::FxHashMap;

use crate::Puzzle;
use crate::check::picture;

/// The result of a program on the demonstration pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The number of pairs on which it is right.
    pub right: u32,
    /// The number of pairs on which its answer has the right shape.
    pub right_shape: u32,
    /// The number of pairs.
    pub pairs: u32,
    /// The graded score, in millionths.
    pub score: u32,
    /// The fuel used on all inputs together.
    pub fuel: u64,
    /// The fuel used on the most expensive input.
    pub max_fuel: u64,
    /// A hash of the answers.
    pub behaviour: ContentHash,
}

impl Trial {
    /// Returns whether the program is right on all pairs.
    pub fn solves(&self) -> bool {
        self.pairs > 0 && self.right == self.pairs
    }
}

/// Runs programs on one task, and remembers the scores of answers.
pub struct Trials<'t> {
    demos: Demos,
    job: Job<'t>,
    limits: Limits,
    scratch: Scratch,
    lane: Option<&'t Lane>,
    devices: Option<&'t Devices>,
    /// The trials of answers that were scored before, by behaviour. Most mutants give the same answers as
    /// another one.
    scored: FxHashMap<ContentHash, Trial>,
}

impl<'t> Trials<'t> {
    /// Prepares trials on a puzzle. `lane` records where the time goes.
    pub fn new(puzzle: &'t Puzzle, limits: Limits, lane: Option<&'t Lane>) -> Trials<'t> {
        let task = puzzle.task();
        let pairs = task.train.iter();
        let samples =
            pairs.clone().filter_map(|pair| Some((picture(&pair.input), picture(pair.output.as_ref()?))));
        let inputs = pairs.map(|pair| Input { input: picture(&pair.input), must_give: None });
        let job = Job { samples: samples.collect(), inputs: inputs.collect(), programs: Vec::new() };
        let (demos, scratch) = (Demos::new(task), Scratch::new(limits));
        Trials { demos, job, limits, scratch, lane, devices: None, scored: FxHashMap::default() }
    }

    /// Lets devices help. They do not change the results.
    pub fn helped_by(self, devices: Option<&'t Devices>) -> Trials<'t> {
        Trials { devices, ..self }
    }

    /// Sets the fuel that a program may use on an input.
    pub(crate) fn set_fuel_limit(&mut self, fuel: u64) {
        self.limits.fuel = fuel;
    }

    pub(crate) fn lane(&self) -> Option<&'t Lane> {
        self.lane
    }

    pub(crate) fn n_inputs(&self) -> u64 {
        self.job.inputs.len() as u64
    }

    /// Merges and runs programs, and returns the trial of each, or `None` if `stop` was set before the end.
    pub fn run<'p>(
        &mut self,
        programs: impl IntoIterator<Item = &'p Program>,
        stop: &AtomicBool,
    ) -> Option<Vec<Trial>> {
        let runs = self.answers(programs, stop)?;
        let trials = runs.iter().map(|runs| self.trial(runs)).collect();
        self.mark(Spot::SCORE);
        Some(trials)
    }

    /// Returns the answers of each program to all inputs.
    fn answers<'p>(
        &mut self,
        programs: impl IntoIterator<Item = &'p Program>,
        stop: &AtomicBool,
    ) -> Option<Vec<Vec<Run>>> {
        let options =
            Options { limits: self.limits, all_demos: true, sharing: true, kernels: true, stop: Some(stop) };
        let plan = Plan::merge(programs);
        let arena = Arena::new(self.limits.caps);
        self.mark(Spot::MERGE);
        // Finding the nodes that devices know takes time, so it is done only if the batch can be large enough.
        let most_jobs = plan.nodes().len() * self.job.inputs.len();
        let devices = self.devices.filter(|devices| devices.help_plans() && devices.may_take(most_jobs));
        let prepared = Prepared::new(&plan, &arena, &options).helped_by(devices, self.limits.caps);
        self.job.programs = (0..plan.programs().len() as u32).map(ProgramId).collect();
        self.mark(Spot::FOLD);
        let runs = prepared.run_traced(&self.job, &options, &mut self.scratch, self.lane);
        (!stop.load(Ordering::Relaxed)).then_some(runs)
    }

    fn trial(&mut self, runs: &[Run]) -> Trial {
        let behaviour = behaviour(runs);
        let scored = self.scored.entry(behaviour).or_insert_with(|| scored(&self.demos, runs, behaviour));
        let fuel = || runs.iter().map(|run| run.fuel);
        Trial { fuel: fuel().sum(), max_fuel: fuel().max().unwrap_or(0), ..*scored }
    }

    /// Books the time since the last stamp to `spot`, if there is a lane.
    pub(crate) fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }
}

/// Returns the trial of answers, without the fuel they used.
fn scored(demos: &Demos, runs: &[Run], behaviour: ContentHash) -> Trial {
    let fit = demos.fit(runs.iter().map(Into::into));
    let right_shape = |verdict: &&Verdict| matches!(verdict, Verdict::Right | Verdict::Wrong);
    Trial {
        right: fit.right() as u32,
        right_shape: fit.verdicts.iter().filter(right_shape).count() as u32,
        pairs: runs.len() as u32,
        score: fit.score(),
        fuel: 0,
        max_fuel: 0,
        behaviour,
    }
}
