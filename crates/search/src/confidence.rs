//! How sure an attempt is: how often attempts like it are right.

use crate::Folds;

/// Above this, in thousandths, more search is seldom worth its fuel.
pub const SURE: u32 = 950;

/// The upper ends of the classes of scores (cost − 0.5 · votes).
const ENDS: [f64; 6] = [1.0, 3.0, 5.0, 6.5, 8.0, f64::INFINITY];

/// How many of a thousand first attempts are right, by their score, and by what happens when a pair is left out:
/// right on all, on some, on none. `docs/solving.md` says how this was measured.
const FIRST: [[u32; 3]; 6] =
    [[980, 910, 600], [970, 820, 500], [950, 730, 450], [800, 700, 330], [650, 350, 300], [300, 200, 120]];

/// Second attempts.
const SECOND: [u32; 6] = [150, 150, 120, 100, 60, 50];

/// In thousandths; `place` 0 is the first attempt.
pub(crate) fn confidence(place: usize, score: f64, folds: Option<Folds>) -> u32 {
    let class = ENDS.iter().position(|end| score < *end).unwrap_or(ENDS.len() - 1);
    if place > 0 {
        return SECOND[class];
    }
    // With one pair only nothing can be left out, and nothing is known.
    let fold = match folds {
        Some(Folds { right, of }) if right == of && of > 0 => 0,
        Some(Folds { right: 0, of: 1.. }) => 2,
        _ => 1,
    };
    FIRST[class][fold]
}
