//! Exact comparison: is an answer right, and if not, in which way is it wrong?

use batt_task::Grid;
use batt_value::Fail;

use crate::Answer;

/// The result of one program, or one attempt, on one pair. The kinds are kept apart, so that a timeout is
/// never taken for a wrong answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Exactly the expected grid.
    Right,
    /// The shape of the expected grid, and at least one cell that differs.
    Wrong,
    /// A grid of another shape.
    WrongShape,
    /// A value, but not a rectangle of small integers.
    NotAGrid,
    /// No value. Out of fuel and deadline passed are kinds of failure.
    Failed(Fail),
    /// Not run on this pair.
    Skipped,
    /// A grid, but the expected one is unknown.
    Unjudged,
}

impl Verdict {
    /// All verdicts, in the order of reports.
    pub const ALL: [Verdict; 14] = [
        Verdict::Right,
        Verdict::Wrong,
        Verdict::WrongShape,
        Verdict::NotAGrid,
        Verdict::Failed(Fail::Kind),
        Verdict::Failed(Fail::Empty),
        Verdict::Failed(Fail::Range),
        Verdict::Failed(Fail::Overflow),
        Verdict::Failed(Fail::TooLarge),
        Verdict::Failed(Fail::Fuel),
        Verdict::Failed(Fail::Deadline),
        Verdict::Failed(Fail::Bug),
        Verdict::Skipped,
        Verdict::Unjudged,
    ];

    /// Returns the one-word name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Right => "ok",
            Verdict::Wrong => "wrong",
            Verdict::WrongShape => "wrong_shape",
            Verdict::NotAGrid => "not_a_grid",
            Verdict::Failed(Fail::Kind) => "kind",
            Verdict::Failed(Fail::Empty) => "empty",
            Verdict::Failed(Fail::Range) => "range",
            Verdict::Failed(Fail::Overflow) => "overflow",
            Verdict::Failed(Fail::TooLarge) => "too_large",
            Verdict::Failed(Fail::Fuel) => "fuel",
            Verdict::Failed(Fail::Deadline) => "deadline",
            Verdict::Failed(Fail::Bug) => "bug",
            Verdict::Skipped => "skipped",
            Verdict::Unjudged => "unjudged",
        }
    }

    /// Returns a description for people.
    pub fn describe(self) -> &'static str {
        match self {
            Verdict::Right => "ok",
            Verdict::Wrong => "wrong",
            Verdict::WrongShape => "wrong shape",
            Verdict::NotAGrid => "not a grid",
            Verdict::Failed(fail) => fail.describe(),
            Verdict::Skipped => "skipped",
            Verdict::Unjudged => "no solution to compare with",
        }
    }

    pub fn is_right(self) -> bool {
        self == Verdict::Right
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.describe())
    }
}

/// Compares an answer with the expected grid, if that is known. Equality is Python's: a cell `True` is a 1.
pub fn judge<'a>(answer: impl Into<Answer<'a>>, expected: Option<&Grid>) -> Verdict {
    let answer = answer.into();
    match answer {
        Answer::Failed(fail) => return Verdict::Failed(fail),
        Answer::Skipped => return Verdict::Skipped,
        _ => {}
    }
    match (answer.rectangle(), expected) {
        (None, _) => Verdict::NotAGrid,
        (Some(_), None) => Verdict::Unjudged,
        (Some(got), Some(expected)) => {
            if (got.height(), got.width) != (expected.height(), expected.width()) {
                Verdict::WrongShape
            } else if *got.cells == *expected.cells() {
                Verdict::Right
            } else {
                Verdict::Wrong
            }
        }
    }
}

/// Whether there are verdicts and all of them are right.
pub fn all_right(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.is_right())
}

/// Counts of verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    counts: [u64; Verdict::ALL.len()],
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        self.counts[place(verdict)] += 1;
    }

    pub fn count(&self, verdict: Verdict) -> u64 {
        self.counts[place(verdict)]
    }

    /// Returns the number of failures of all kinds.
    pub fn failed(&self) -> u64 {
        Fail::ALL.into_iter().map(|fail| self.count(Verdict::Failed(fail))).sum()
    }

    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Iterates over the verdicts that were given, with their counts, in the order of [`Verdict::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, u64)> {
        Verdict::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
    }
}

impl Extend<Verdict> for Tally {
    fn extend<I: IntoIterator<Item = Verdict>>(&mut self, verdicts: I) {
        verdicts.into_iter().for_each(|verdict| self.add(verdict));
    }
}

impl FromIterator<Verdict> for Tally {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Tally {
        let mut tally = Tally::default();
        tally.extend(verdicts);
        tally
    }
}

impl std::fmt::Display for Tally {
    /// Prints `12 ok, 3 wrong shape, 1 out of fuel`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.total() == 0 {
            return f.write_str("nothing");
        }
        for (i, (verdict, count)) in self.iter().enumerate() {
            write!(f, "{}{count} {verdict}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// Returns the verdict's index in [`Verdict::ALL`].
fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Right => 0,
        Verdict::Wrong => 1,
        Verdict::WrongShape => 2,
        Verdict::NotAGrid => 3,
        Verdict::Failed(fail) => 4 + fail as usize,
        Verdict::Skipped => 12,
        Verdict::Unjudged => 13,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_distinct_indices_and_names() {
        for (i, verdict) in Verdict::ALL.into_iter().enumerate() {
            assert_eq!(place(verdict), i, "{verdict}");
        }
        let names: std::collections::BTreeSet<_> =
            Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
        assert_eq!(names.len(), Verdict::ALL.len());
        assert!(Fail::ALL.iter().all(|fail| Verdict::ALL.contains(&Verdict::Failed(*fail))));
    }
}
