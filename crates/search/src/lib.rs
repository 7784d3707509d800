//! Finds programs for tasks.
//!
//! [`Searcher::advance`] takes a [`Puzzle`], which is a task without its test outputs, and carries out the
//! next [phase](SearchPhase) of its [`Progress`]: known programs and cheap learners first, then more
//! expensive ones, then all learners in all contexts. A program that is right on all demonstration pairs
//! becomes an [`Answer`], with its description in words, its cost and its outputs for the test inputs.
//! [`Progress::attempts`] chooses two attempts for each test output and estimates their confidence.
//!
//! Other entry points are [`enumerate()`], [`breed`] and [`simplify()`].
//!
//! Learners are called directly, because that is faster. Before a program can become an attempt, it is run as
//! `batt run` would run it, and it counts only if the outputs are the same.
//!
//! This crate runs programs through plan, exec and score. It does not print and does not read the clock:
//! callers pass a fuel limit and a stop flag.

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
pub use check::is_reproducible;
pub use choose::{Attempt, Attempts};
pub use confidence::SURE;
pub use enumerate::{
    Counts, Enumerated, OperationCheck, OperationInfo, View, WINDOW_JOBS, Workload, check_operations,
    enumerate, enumerated_operations,
};
pub use phase::{SearchPhase, UnknownPhase};
pub use puzzle::Puzzle;
pub use simplify::{Simplified, simplify};
pub use step::{FUEL_PER_WORK, Known, Propose, Searcher, program_name};

/// Limits of one step of a search.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// The most fuel in all, including earlier steps.
    pub fuel: u64,
    /// Ends the step early when it is set.
    pub stop: &'a AtomicBool,
    /// Records where the time goes.
    pub lane: Option<&'a Lane>,
}

/// A stop flag that is never set. A stop ends the search for candidates, but those found by then are verified
/// with this flag, because they would be lost otherwise. Fuel limits how long that takes.
pub static NEVER_STOP: AtomicBool = AtomicBool::new(false);
