//! Compares answers with expected grids.
//!
//! There are three entry points, each in its own file:
//!
//! - [`judge`]: is an answer right, and if not, in which way is it wrong? Returns a [`Verdict`]; a [`Tally`]
//!   counts them.
//! - [`Target::grade`]: how close is it, on a scale from 0 (the input itself) to 1 (the right answer only)?
//! - [`Scores::open`]: the score of a submission under the three [rules](Rule) in use.
//!
//! Selection sees demonstration pairs only: [`Demos`] measures how well a program fits them, and [`rank`]
//! orders candidates by that. The outputs of test pairs are read in one file, `rules.rs`, by [`Scores::open`]
//! and [`test_verdicts`]. Call them only after all choices are made.
//!
//! Nothing here fails, prints or reads the clock. Scores are exact fractions ([`Ratio`]), not floats.

mod answer;
mod behaviour;
mod exact;
mod ratio;
mod graded;
mod select;
mod rules;

pub use answer::Answer;
pub use behaviour::behaviour;
pub use exact::{Tally, Verdict, all_right, judge};
pub use graded::{Closeness, Graded, Target};
pub use ratio::Ratio;
pub use rules::{OutputScore, Rule, Scores, TaskScore, Totals, test_verdicts};
pub use select::{Candidate, Demos, Fit, rank};
