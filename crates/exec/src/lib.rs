//! Runs programs under limits.
//!
//! The door of this room is [`run`]: one program on one sample, in the reference backend. A failure is an
//! [`Outcome`], never an error: a program can contain anything, and nothing that it contains can hang, crash or
//! fill the machine.
//!
//! This room knows nothing of program text, files, tasks or scores, and does not read the clock: a deadline is a
//! flag that somebody else sets.

mod backend;
pub mod kernel;
mod outcome;

pub use backend::reference::{Sample, run};
pub use outcome::{Failure, Outcome};
