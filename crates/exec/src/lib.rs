//! Runs programs under limits.
//!
//! [`Prepared::run`] runs a plan on the samples of a task. [`run`], the reference backend, runs one program
//! on one sample; the tests compare the two. A failing program is an outcome, not an error: no program can
//! hang, crash or exhaust the machine.
//!
//! This crate does not know program text, files, tasks or scores. It does not read the clock: a deadline is a
//! flag that the caller sets.

mod backend;
pub mod devices;
pub mod kernel;
mod outcome;

pub use backend::cpu::{End, Failed, Input, Job, Options, Picture, Prepared, Run, Scratch, spot};
pub use backend::reference::{Sample, run};
pub use backend::{bugs, catch_panic};
pub use outcome::{Failure, Outcome};
