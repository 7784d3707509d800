//! Programs on the demonstration inputs of a task: merged, run and compared.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Limits;
use batt_exec::{Input, Job, Options, Prepared, Run, Scratch};
use batt_lang::Program;
use batt_plan::{Plan, ProgramId};
use batt_score::{Demos, Verdict, behaviour};
use batt_trace::{Lane, Spot};
use batt_value::{Arena, ContentHash};
use rustc_hash::FxHashMap;

use crate::Puzzle;
use crate::check::picture;

/// What a program came to on the demonstration pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The pairs it is right on.
    pub right: u32,
    /// The pairs on which its answer has the right shape.
    pub shaped: u32,
    /// Of so many.
    pub pairs: u32,
    /// The graded score in millionths.
    pub score: u32,
    /// The bill for all inputs together.
    pub fuel: u64,
    /// The bill for the dearest input.
    pub dearest: u64,
    /// A hash of the answers.
    pub behaviour: ContentHash,
}

impl Trial {
    pub fn solves(&self) -> bool {
        self.pairs > 0 && self.right == self.pairs
    }
}

/// Tries programs on one task.
pub struct Trials<'t> {
    demos: Demos,
    job: Job<'t>,
    limits: Limits,
    scratch: Scratch,
    lane: Option<&'t Lane>,
    /// What came of answers that were compared before: most mutants answer like one of their siblings.
    seen: FxHashMap<ContentHash, Trial>,
}

impl<'t> Trials<'t> {
    /// `lane` is told where the time goes.
    pub fn new(puzzle: &'t Puzzle, limits: Limits, lane: Option<&'t Lane>) -> Trials<'t> {
        let task = puzzle.task();
        let pairs = task.train.iter();
        let samples =
            pairs.clone().filter_map(|pair| Some((picture(&pair.input), picture(pair.output.as_ref()?))));
        let inputs = pairs.map(|pair| Input { input: picture(&pair.input), must_give: None });
        let job = Job { samples: samples.collect(), inputs: inputs.collect(), programs: Vec::new() };
        let (demos, scratch) = (Demos::new(task), Scratch::new(limits));
        Trials { demos, job, limits, scratch, lane, seen: FxHashMap::default() }
    }

    /// From now on a program may use so much fuel on an input.
    pub(crate) fn limit(&mut self, fuel: u64) {
        self.limits.fuel = fuel;
    }

    pub(crate) fn lane(&self) -> Option<&'t Lane> {
        self.lane
    }

    pub(crate) fn n_inputs(&self) -> u64 {
        self.job.inputs.len() as u64
    }

    /// What each program came to; `None` if `stop` was set before the end.
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

    /// The answers of each program to all inputs.
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
        let prepared = Prepared::new(&plan, &arena, &options);
        self.job.programs = (0..plan.programs().len() as u32).map(ProgramId).collect();
        self.mark(Spot::FOLD);
        let runs = prepared.run_traced(&self.job, &options, &mut self.scratch, self.lane);
        (!stop.load(Ordering::Relaxed)).then_some(runs)
    }

    fn trial(&mut self, runs: &[Run]) -> Trial {
        let behaviour = behaviour(runs);
        let compared = self.seen.entry(behaviour).or_insert_with(|| compared(&self.demos, runs, behaviour));
        let fuel = || runs.iter().map(|run| run.fuel);
        Trial { fuel: fuel().sum(), dearest: fuel().max().unwrap_or(0), ..*compared }
    }

    /// The time since the last stamp was `spot`'s, if anybody wants to know.
    pub(crate) fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }
}

/// How close the answers are, whatever they cost.
fn compared(demos: &Demos, runs: &[Run], behaviour: ContentHash) -> Trial {
    let fit = demos.fit(runs.iter().map(Into::into));
    let shaped = |verdict: &&Verdict| matches!(verdict, Verdict::Right | Verdict::Wrong);
    Trial {
        right: fit.right() as u32,
        shaped: fit.verdicts.iter().filter(shaped).count() as u32,
        pairs: runs.len() as u32,
        score: fit.score(),
        fuel: 0,
        dearest: 0,
        behaviour,
    }
}
