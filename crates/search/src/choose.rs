//! Two attempts for each test input.

use std::collections::BTreeSet;

use batt_task::Grid;

use crate::confidence::confidence;
use crate::{Answer, Mechanism, Progress};

/// The attempts at one test output, the better one first; at most two, and different.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attempts {
    pub attempts: Vec<Attempt>,
}

/// One attempt.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    pub grid: Grid,
    /// The place of the simplest program that says so among the answers.
    pub answer: usize,
    /// Mechanisms that agree.
    pub votes: usize,
    /// Its cost − 0.5 · votes.
    pub score: f64,
    /// How likely it is right, in thousandths.
    pub sure: u32,
}

impl Attempts {
    /// How likely one of them is right, in thousandths.
    pub fn sure(&self) -> u32 {
        self.attempts.iter().map(|attempt| attempt.sure).sum::<u32>().min(1000)
    }
}

/// The different grids that answers give for a test input, the best first.
pub(crate) fn ranked(answers: &[Answer], output: usize) -> Vec<Attempt> {
    struct Group<'a> {
        grid: &'a Grid,
        answer: usize,
        mechanisms: BTreeSet<Mechanism>,
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (i, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.stands()) {
        let Some(Some(grid)) = answer.outputs.get(output) else { continue };
        match groups.iter_mut().find(|group| group.grid == grid) {
            Some(group) => {
                group.mechanisms.insert(answer.mechanism);
                if answer.cost < answers[group.answer].cost {
                    group.answer = i;
                }
            }
            None => groups.push(Group { grid, answer: i, mechanisms: BTreeSet::from([answer.mechanism]) }),
        }
    }
    let attempt = |group: Group<'_>| {
        let votes = group.mechanisms.len();
        let score = answers[group.answer].cost - 0.5 * votes as f64;
        Attempt { grid: group.grid.clone(), answer: group.answer, votes, score, sure: 0 }
    };
    let mut ranked: Vec<Attempt> = groups.into_iter().map(attempt).collect();
    ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
    ranked
}

impl Progress {
    /// Two attempts for each of so many test inputs, as far as there are answers.
    pub fn attempts(&self, outputs: usize) -> Vec<Attempts> {
        let chosen = |output: usize| {
            let mut attempts = ranked(&self.answers, output);
            attempts.truncate(2);
            for (place, attempt) in attempts.iter_mut().enumerate() {
                attempt.sure = confidence(place, attempt.score, self.answers[attempt.answer].folds);
            }
            Attempts { attempts }
        };
        (0..outputs).map(chosen).collect()
    }

    /// How likely all of so many outputs are right, in thousandths.
    pub fn sure(&self, outputs: usize) -> u32 {
        self.attempts(outputs).iter().map(Attempts::sure).min().unwrap_or(0)
    }
}
