//! Chooses two attempts for each test output.

use std::collections::BTreeSet;

use batt_task::Grid;

use crate::confidence::confidence;
use crate::{Answer, Mechanism, Progress};

/// The attempts at one test output: at most two different grids, the better one first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attempts {
    pub attempts: Vec<Attempt>,
}

/// One of the two grids that a submission may give for a test output.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    pub grid: Grid,
    /// The index, in [`Progress::answers`], of the simplest program with this output.
    pub answer: usize,
    /// The number of mechanisms that agree.
    pub votes: usize,
    /// Cost − 0.5 · votes; lower is better. Chosen on the first 200 ARC-AGI-1 training tasks.
    pub score: f64,
    /// The estimated probability that it is right, in thousandths.
    pub sure: u32,
}

impl Attempts {
    /// Returns the estimated probability that one of them is right, in thousandths.
    pub fn sure(&self) -> u32 {
        self.attempts.iter().map(|attempt| attempt.sure).sum::<u32>().min(1000)
    }
}

/// Returns the different grids that the eligible answers give for a test input, the best first.
pub(crate) fn ranked(answers: &[Answer], output: usize) -> Vec<Attempt> {
    struct Group<'a> {
        grid: &'a Grid,
        answer: usize,
        mechanisms: BTreeSet<Mechanism>,
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (i, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_eligible()) {
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
    /// Chooses two attempts for each of the first `n_outputs` test outputs, or fewer if there are not enough
    /// answers.
    pub fn attempts(&self, n_outputs: usize) -> Vec<Attempts> {
        let chosen = |output: usize| {
            let mut attempts = ranked(&self.answers, output);
            attempts.truncate(2);
            for (rank, attempt) in attempts.iter_mut().enumerate() {
                attempt.sure = confidence(rank, attempt.score, self.answers[attempt.answer].folds);
            }
            Attempts { attempts }
        };
        (0..n_outputs).map(chosen).collect()
    }

    /// Returns the lowest confidence among the first `n_outputs` test outputs, in thousandths.
    pub fn sure(&self, n_outputs: usize) -> u32 {
        self.attempts(n_outputs).iter().map(Attempts::sure).min().unwrap_or(0)
    }
}
