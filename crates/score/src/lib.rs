//! Answers against expected grids.
//!
//! There are three doors, one a file:
//!
//! - [`judge`]: is an answer right, and if not, in which way? A [`Verdict`], counted by kind in a [`Tally`].
//! - [`Target::grade`]: how close is it, on a scale on which the input itself has 0 and only the right answer 1?
//! - [`Scores::open`]: what is a submission worth under the three [rules](Rule) in use?
//!
//! Selection sees demonstration pairs only: [`Demos`] says how well a program fits them, and [`rank`] orders
//! candidates by that. The outputs of test pairs are opened in one place, `rules.rs`, by [`Scores::open`] and
//! [`test_verdicts`]; call them when nothing is left to choose.
//!
//! Nothing here fails, prints or reads the clock, and nothing is a float: a score is a [`Ratio`].

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
