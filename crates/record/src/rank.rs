//! Ranks the programs of a task.

use batt_score::Verdict;

use crate::{Outcome, Pair, Rows, Task};

impl Task {
    /// Returns the programs of the task, the best first: by the number of right pairs, then by closeness,
    /// then the task's own program, then in their order.
    pub fn ranked(&self) -> Vec<&Outcome> {
        let mut outcomes: Vec<&Outcome> = self.programs.iter().collect();
        outcomes.sort_by_cached_key(|outcome| self.rank(outcome));
        outcomes
    }

    fn rank(&self, outcome: &Outcome) -> (usize, usize, bool, u32) {
        let wrong = outcome.pairs().filter(|pair| !pair.is_right() && !pair.is_unjudged()).count();
        let cells_off = |(index, pair): (usize, &Pair)| match (self.expected(index), &pair.answer) {
            _ if pair.is_right() => 0,
            (Some(expected), Some(answer)) => differing_cells(expected, answer).unwrap_or(INCOMPARABLE),
            _ => INCOMPARABLE,
        };
        (wrong, outcome.pairs().enumerate().map(cells_off).sum(), !outcome.own, outcome.program)
    }

    /// Returns the output of a pair, if known. Test pairs count after demonstration pairs.
    pub fn expected(&self, pair: usize) -> Option<&Rows> {
        self.train.iter().chain(&self.test).nth(pair)?.output.as_ref()
    }
}

/// More cells than a grid has: the distance of an answer that cannot be compared.
const INCOMPARABLE: usize = 1000;

impl Outcome {
    /// Returns the demonstration pairs, then the test pairs.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.train.iter().chain(&self.test)
    }

    /// Whether the program is right on all pairs whose output is known, and on at least one.
    pub fn is_right(&self) -> bool {
        self.pairs().any(Pair::is_right) && self.pairs().all(|pair| pair.is_right() || pair.is_unjudged())
    }
}

impl Pair {
    pub fn is_right(&self) -> bool {
        self.verdict == Verdict::Right.name()
    }

    /// Whether the expected output is unknown.
    pub fn is_unjudged(&self) -> bool {
        self.verdict == Verdict::Unjudged.name()
    }
}

/// Returns the number of cells that differ, or `None` if the shapes do.
pub fn differing_cells(expected: &Rows, answer: &Rows) -> Option<usize> {
    let shape = |rows: &Rows| rows.iter().map(Vec::len).collect::<Vec<_>>();
    let cells = expected.iter().flatten().zip(answer.iter().flatten());
    (shape(expected) == shape(answer)).then(|| cells.filter(|(a, b)| a != b).count())
}
