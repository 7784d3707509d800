//! How sure an attempt is: how often attempts like it are right.

use crate::Folds;

/// Above this, in thousandths, more search is seldom worth its fuel.
pub const SURE: u32 = 950;

/// The upper ends of the classes of scores (cost − 0.5 · votes).
const ENDS: [f64; 6] = [1.0, 3.0, 5.0, 6.5, 8.0, f64::INFINITY];

/// How many of a thousand first attempts are right, by their score, and by what happens when a pair is left out:
/// right on all, on some, on none. `docs/solving.md` says how this was measured.
const FIRST: [[u32; 3]; 6] =
    [[990, 970, 900], [980, 950, 850], [950, 900, 600], [850, 650, 300], [600, 300, 100], [300, 100, 50]];

/// Second attempts.
const SECOND: [u32; 6] = [200, 150, 100, 80, 50, 30];

/// In thousandths; `place` 0 is the first attempt.
pub(crate) fn confidence(place: usize, score: f64, folds: Option<Folds>) -> u32 {
    let class = ENDS.iter().position(|end| score < *end).unwrap_or(ENDS.len() - 1);
    if place > 0 {
        return SECOND[class];
    }
    let fold = match folds {
        Some(Folds { right, of }) if right == of => 0,
        Some(Folds { right: 0, .. }) => 2,
        _ => 1,
    };
    FIRST[class][fold]
}
