//! Finds programs for tasks.
//!
//! The door is [`Searcher::advance`]: it takes a [`Puzzle`], a task whose test outputs are left out, and brings its
//! [`Progress`] one step further: known programs and cheap learners first, then dearer ones, then everything inside
//! every context. What fits all demonstration pairs becomes an [`Answer`], a program with its words, its cost and what
//! it says of the test inputs. [`Progress::attempts`] chooses two for each test input and says how sure they are.
//!
//! Learners are asked directly, for that is faster; before a program is handed in it is run as `batt run` would run it,
//! and it counts only if it says the same.
//!
//! This is a tenant of the house, not a room: it walks plan, exec and score. It does not print and does not read the
//! clock; it is handed fuel and a flag.

mod answer;
pub mod breed;
mod check;
mod choose;
mod confidence;
mod enumerate;
mod phase;
mod puzzle;
mod simplify;
mod step;

use std::sync::atomic::AtomicBool;

use batt_trace::Lane;

pub use answer::{Answer, Checks, Folds, Progress};
pub use batt_learn::{Mechanism, Words};
pub use choose::{Attempt, Attempts};
pub use confidence::SURE;
pub use enumerate::{Counts, Enumerated, View, enumerate, enumerate_traced};
pub use phase::{SearchPhase, UnknownPhase};
pub use puzzle::Puzzle;
pub use simplify::{Simplified, simplify};
pub use step::{FUEL_PER_WORK, Known, Searcher, name};

/// Limits of one step of a search.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// In all, including earlier steps.
    pub fuel: u64,
    /// Ends the step early when it is set.
    pub stop: &'a AtomicBool,
    /// Records where the time goes.
    pub lane: Option<&'a Lane>,
}

/// A flag that is never set. A stop ends the search for candidates. Those found by then are verified under this flag,
/// or they would be lost; fuel bounds how long that takes.
pub static NEVER: AtomicBool = AtomicBool::new(false);
