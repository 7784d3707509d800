//! What was found for a task.

use std::collections::BTreeMap;

use batt_task::Grid;

use crate::{Mechanism, SearchPhase, Words};

/// A program that is right on all demonstration pairs.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its text.
    pub program: String,
    /// How it was found: agreement within one mechanism counts once.
    pub mechanism: Mechanism,
    /// The rule in words.
    pub words: Words,
    /// How complicated it is.
    pub cost: f64,
    /// Colours or directions are written into it.
    pub fixed: bool,
    /// What it says of each test input.
    pub outputs: Vec<Option<Grid>>,
    /// What came of looking into it; only those that lead are looked into.
    pub checks: Option<Checks>,
    /// Learned without one pair, is it right on that pair?
    pub folds: Option<Folds>,
}

/// Whether a program holds what it promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// The program, run within the usual limits, says what the learner said.
    pub same: bool,
    /// Learned on the transposed task it gives the transposed answers.
    pub turned: bool,
    /// Learned on the task in other colours it gives the answers in these.
    pub recolored: bool,
}

/// On how many pairs that were left out it is right, of how many that were tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Folds {
    pub right: u32,
    pub of: u32,
}

impl Answer {
    /// Whether it may be handed in: not if it cannot be run again, nor if it was learned and holds neither on the
    /// transposed nor on the recoloured task.
    pub fn stands(&self) -> bool {
        self.checks.is_none_or(|checks| checks.same && (self.fixed || checks.turned || checks.recolored))
    }
}

/// How far the search for one task is.
#[derive(Clone, Default, Debug)]
pub struct Progress {
    /// The next phase.
    pub phase: SearchPhase,
    /// Used so far.
    pub fuel: u64,
    /// Candidates that were tried.
    pub tried: u64,
    /// Nothing is left to try.
    pub ended: bool,
    /// In the order in which they were found.
    pub answers: Vec<Answer>,
}

/// So many different answers of one mechanism are heard.
const PER_MECHANISM: usize = 4;

impl Progress {
    /// Takes in an answer that says something and is not there yet.
    pub(crate) fn push(&mut self, answer: Answer) {
        let said = answer.outputs.iter().any(Option::is_some);
        if said && self.answers.iter().all(|other| other.program != answer.program) {
            self.answers.push(answer);
        }
    }

    /// Keeps the cheapest answers of every mechanism, each only once.
    pub(crate) fn prune(&mut self) {
        let mut order: Vec<usize> = (0..self.answers.len()).collect();
        order.sort_by(|&a, &b| self.answers[a].cost.total_cmp(&self.answers[b].cost));
        let mut keep = vec![false; self.answers.len()];
        let mut heard: BTreeMap<Mechanism, Vec<&[Option<Grid>]>> = BTreeMap::new();
        for i in order {
            let answer = &self.answers[i];
            let own = heard.entry(answer.mechanism).or_default();
            if own.len() < PER_MECHANISM && !own.contains(&&answer.outputs[..]) {
                own.push(&answer.outputs);
                keep[i] = true;
            }
        }
        let mut keep = keep.into_iter();
        self.answers.retain(|_| keep.next().unwrap_or(false));
    }
}
