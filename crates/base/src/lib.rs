//! Small utilities that every layer uses. They know nothing about ARC.
//!
//! - [`write_atomic`] and [`TempFile`] write files that are never seen half-written.
//! - [`Rng`] generates the same random numbers on every machine.
//! - [`time`] and [`size`] parse and print durations and amounts of memory.
//! - [`number`] prints counts and percentages.
//! - [`with_enough_stack`] makes deep recursion safe on threads with a small stack.

mod atomic;
pub mod number;
mod random;
pub mod size;
mod stack;
pub mod time;

pub use atomic::{FileLock, TempFile, remove_stale, resolve, write_atomic, write_atomic_with};
pub use random::Rng;
pub use stack::with_enough_stack;
