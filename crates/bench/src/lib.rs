//! Measures batt, alone and beside the reference.
//!
//! The door is [`measure`]: programs and tasks to [`Figures`]. Every answer is checked, because a wrong run is not a
//! benchmark. With a [`Reference`], a checkout of arc-dsl in CPython, the rounds alternate: ours, theirs, ours,
//! theirs, so that what else the machine does hits both. [`hot`] holds the calls whose instructions
//! `cargo xtask instructions` counts.
//!
//! This crate serves the builders. It is no room: it may read the clock.

mod breed;
mod enumerate;
pub mod hot;
mod machine;
mod profile;
mod reference;
mod spread;
mod work;

pub use breed::{BreedFigures, Recovery, Share, Throughput, measure_breed};
pub use enumerate::{EnumerateFigures, measure_enumerate};
pub use machine::{Machine, peak_memory};
pub use profile::{Logging, Prediction, ProfileBenchError, ProfileFigures, measure_profile};
pub use reference::{Reference, ReferenceError};
pub use spread::Spread;
pub use work::{BenchError, Comparison, Figures, HEAVY, LoadFailed, PASSES, Ratio, Row, Setup, measure};
