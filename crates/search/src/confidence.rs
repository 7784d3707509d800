//! Confidence: how often attempts with similar properties are right.

use crate::Folds;

/// The confidence, in thousandths, above which more search is rarely worth its fuel.
pub const SURE: u32 = 950;

/// The upper bounds of the score classes. A score is cost − 0.5 · votes.
const UPPER_BOUNDS: [f64; 6] = [1.0, 3.0, 5.0, 6.5, 8.0, f64::INFINITY];

/// The number of right first attempts in a thousand, by score class and by the leave-one-out tests: right on
/// all pairs, on some, on none. Measured on the first 200 ARC-AGI-1 training tasks (`docs/solving.md`).
const FIRST: [[u32; 3]; 6] =
    [[980, 910, 600], [970, 820, 500], [950, 730, 450], [800, 700, 330], [650, 350, 300], [300, 200, 120]];

/// The number of right second attempts in a thousand, by score class.
const SECOND: [u32; 6] = [150, 150, 120, 100, 60, 50];

/// Returns the confidence of an attempt in thousandths. Rank 0 is the first attempt.
pub(crate) fn confidence(rank: usize, score: f64, folds: Option<Folds>) -> u32 {
    let class = UPPER_BOUNDS.iter().position(|bound| score < *bound).unwrap_or(UPPER_BOUNDS.len() - 1);
    if rank > 0 {
        return SECOND[class];
    }
    // With a single pair there is no leave-one-out test; count that as "right on some".
    let fold = match folds {
        Some(Folds { right, of }) if right == of && of > 0 => 0,
        Some(Folds { right: 0, of: 1.. }) => 2,
        _ => 1,
    };
    FIRST[class][fold]
}
