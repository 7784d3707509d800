//! Runs programs under limits.
//!
//! The door of this room is [`Prepared::run_all`]: a plan over the samples of many tasks. Beside it stands [`run`],
//! the reference backend: one program on one sample, the oracle of the other. A failure is an outcome, never an
//! error: a program can contain anything, and nothing that it contains can hang, crash or fill the machine.
//!
//! This room knows nothing of program text, files, tasks or scores, and does not read the clock: a deadline is a
//! flag that somebody else sets.

mod backend;
pub mod kernel;
mod outcome;

pub use backend::cpu::{End, Failed, Input, Job, Options, Picture, Prepared, Run, Scratch, spot};
pub use backend::reference::{Sample, run};
pub use backend::{bugs, caught};
pub use outcome::{Failure, Outcome};
