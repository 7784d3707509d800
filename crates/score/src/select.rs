//! Selects the answers to submit by the demonstration pairs alone.

use std::cmp::Reverse;
use std::collections::HashMap;

use batt_task::{Grid, Task};

use crate::{Answer, Graded, Target, Verdict, all_right, judge};

/// The demonstration pairs of a task, prepared for comparison with answers.
#[derive(Clone, Debug)]
pub struct Demos {
    targets: Vec<Option<Target>>,
}

impl Demos {
    pub fn new(task: &Task) -> Demos {
        let target = |pair: &batt_task::Pair| Some(Target::new(&pair.input, pair.output.as_ref()?));
        Demos { targets: task.train.iter().map(target).collect() }
    }

    /// Returns how well a program fits, given its answers in the order of the pairs. Pairs beyond the last
    /// answer count as skipped.
    pub fn fit<'a>(&self, answers: impl IntoIterator<Item = Answer<'a>>) -> Fit {
        let answers = answers.into_iter().chain(std::iter::repeat(Answer::Skipped));
        let mut fit = Fit { verdicts: Vec::with_capacity(self.targets.len()), grades: Vec::new() };
        for (target, answer) in self.targets.iter().zip(answers) {
            fit.verdicts.push(judge(answer, target.as_ref().map(Target::expected)));
            fit.grades.extend(target.as_ref().map(|target| target.grade(answer)));
        }
        fit
    }
}

/// How well a program fits the demonstration pairs of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    pub verdicts: Vec<Verdict>,
    /// One for each pair whose output is known, usually all.
    pub grades: Vec<Graded>,
}

impl Fit {
    /// Whether the program is right on every pair.
    pub fn solves(&self) -> bool {
        all_right(&self.verdicts)
    }

    /// Returns the number of pairs on which the program is right.
    pub fn right(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.is_right()).count()
    }

    /// Returns the mean of the graded scores in millionths, each rounded down. It is a million only if all
    /// are right.
    pub fn score(&self) -> u32 {
        let sum: u64 = self.grades.iter().map(|graded| u64::from(graded.score().millionths())).sum();
        // The mean of numbers up to a million fits in 32 bits.
        sum.checked_div(self.grades.len() as u64).unwrap_or(0) as u32
    }
}

/// An answer to one test input, with the figures by which it is ranked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub grid: Grid,
    /// Number of demonstration pairs on which its program is right.
    pub right: usize,
    /// Graded score of the program on the demonstration pairs, in millionths.
    pub score: u32,
    /// Size of the program; all candidates use the same unit.
    pub size: usize,
}

impl Candidate {
    /// Returns `None` if the answer cannot be submitted.
    pub fn new<'a>(answer: impl Into<Answer<'a>>, fit: &Fit, size: usize) -> Option<Candidate> {
        let grid = answer.into().grid()?;
        Some(Candidate { grid, right: fit.right(), score: fit.score(), size })
    }
}

/// Returns the distinct grids among the candidates for one test input, the best first. They are ranked by the
/// number of right demonstration pairs, then closeness, then the number of programs with the same fit that
/// agree, then program size, then order. [`batt_task::submission::Draft::answer`] takes this list.
pub fn rank<'c>(candidates: impl IntoIterator<Item = &'c Candidate>) -> Vec<&'c Grid> {
    struct Group<'c> {
        grid: &'c Grid,
        fit: (usize, u32),
        votes: usize,
        size: usize,
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places = HashMap::new();
    for candidate in candidates {
        let Candidate { grid, right, score, size } = candidate;
        let fit = (*right, *score);
        let place = *places.entry(grid).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) if group.fit == fit => {
                group.votes += 1;
                group.size = group.size.min(*size);
            }
            // A program that fits worse does not vote.
            Some(group) if group.fit > fit => {}
            Some(group) => (group.fit, group.votes, group.size) = (fit, 1, *size),
            None => groups.push(Group { grid, fit, votes: 1, size: *size }),
        }
    }
    // The sort is stable: ties stay in the order of their first candidates.
    groups.sort_by_key(|group| (Reverse(group.fit), Reverse(group.votes), group.size));
    groups.into_iter().map(|group| group.grid).collect()
}
