//! Small things that every layer needs and that know nothing about ARC.
//!
//! - [`write_atomic`] and [`TempFile`] write files that nobody ever sees half-written.
//! - [`Rng`] gives the same random numbers on every machine.
//! - [`time`] and [`size`] parse and print durations and amounts of memory.
//! - [`number`] prints counts and shares.

mod atomic;
pub mod number;
mod random;
pub mod size;
pub mod time;

pub use atomic::{FileLock, TempFile, remove_stale, resolve, write_atomic, write_atomic_with};
pub use random::Rng;
