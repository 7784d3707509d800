//! Runs programs under limits.
//!
//! [`Prepared::run`] runs a plan over the samples of a task. [`run`], the reference backend, runs one program on one
//! sample; the tests compare the two. A failure is an outcome, never an error: a program can contain anything, and
//! nothing that it contains can hang, crash or fill the machine.
//!
//! This crate knows nothing of program text, files, tasks or scores. It does not read the clock: a deadline is a flag
//! that the caller sets.

mod backend;
pub mod kernel;
mod outcome;

pub use backend::cpu::{End, Failed, Input, Job, Options, Picture, Prepared, Run, Scratch, spot};
pub use backend::reference::{Sample, run};
pub use backend::{bugs, caught};
pub use outcome::{Failure, Outcome};
