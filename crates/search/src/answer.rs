//! The results of a search for one task.

use std::collections::BTreeMap;

use batt_task::Grid;

use crate::{Mechanism, SearchPhase, Words};

/// A program that is right on all demonstration pairs.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The text of the program.
    pub program: String,
    /// The kind of learner or search that found it. Answers of one mechanism that agree count once.
    pub mechanism: Mechanism,
    /// The description of the rule in words.
    pub words: Words,
    /// How complicated the program is.
    pub cost: f64,
    /// True if colours or directions are written into the program.
    pub fixed: bool,
    /// Its output for each test input; `None` where it fails.
    pub outputs: Vec<Option<Grid>>,
    /// The result of checking it. Only leading answers are checked.
    pub checks: Option<Checks>,
    /// The result of the leave-one-out tests. Only the leading answers are tested.
    pub folds: Option<Folds>,
}

/// The result of running the program of an answer on the task and on changed copies of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Run within the usual limits, the program gives the outputs of the answer.
    pub reproducible: bool,
    /// Learned on the transposed task, the program gives the transposed outputs.
    pub transposed: bool,
    /// Learned on the recoloured task, the program gives the recoloured outputs.
    pub recolored: bool,
}

/// The result of the leave-one-out tests: a program is learned without one demonstration pair and tested on
/// that pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Folds {
    /// The number of pairs on which it is right.
    pub right: u32,
    /// The number of pairs that were left out in turn.
    pub of: u32,
}

impl Answer {
    /// Returns whether it may become an attempt. It may not if it is not reproducible, or if it is a learned
    /// rule that fails on both the transposed and the recoloured task. Unchecked answers are eligible.
    pub fn is_eligible(&self) -> bool {
        self.checks
            .is_none_or(|checks| checks.reproducible && (self.fixed || checks.transposed || checks.recolored))
    }
}

/// The progress of the search for one task.
#[derive(Clone, Default, Debug)]
pub struct Progress {
    /// The next phase.
    pub phase: SearchPhase,
    /// The fuel used so far.
    pub fuel: u64,
    /// The number of candidates tried.
    pub tried: u64,
    /// True if nothing is left to try.
    pub ended: bool,
    /// The answers, in the order in which they were found.
    pub answers: Vec<Answer>,
}

/// The most different answers of one mechanism that are kept.
const MAX_PER_MECHANISM: usize = 4;

impl Progress {
    /// Adds an answer, unless it has no output or its program is already there.
    pub(crate) fn push(&mut self, answer: Answer) {
        let has_output = answer.outputs.iter().any(Option::is_some);
        if has_output && self.answers.iter().all(|other| other.program != answer.program) {
            self.answers.push(answer);
        }
    }

    /// Keeps the answers with the lowest cost of every mechanism, and of those with equal outputs only the
    /// first.
    pub(crate) fn prune(&mut self) {
        let mut order: Vec<usize> = (0..self.answers.len()).collect();
        order.sort_by(|&a, &b| self.answers[a].cost.total_cmp(&self.answers[b].cost));
        let mut keep = vec![false; self.answers.len()];
        let mut kept: BTreeMap<Mechanism, Vec<&[Option<Grid>]>> = BTreeMap::new();
        for i in order {
            let answer = &self.answers[i];
            let outputs = kept.entry(answer.mechanism).or_default();
            if outputs.len() < MAX_PER_MECHANISM && !outputs.contains(&&answer.outputs[..]) {
                outputs.push(&answer.outputs);
                keep[i] = true;
            }
        }
        let mut keep = keep.into_iter();
        self.answers.retain(|_| keep.next().unwrap_or(false));
    }
}
