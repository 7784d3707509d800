//! Measures the speed of batt, alone and beside arc-dsl in CPython.
//!
//! The entry point is [`measure`], which times programs on tasks and returns [`Figures`]. Every answer is
//! checked, because a wrong run is not a benchmark. With a [`Reference`], a checkout of arc-dsl in CPython,
//! the rounds alternate, so that other load on the machine affects both sides. [`hot`] holds the calls whose
//! instructions `cargo xtask instructions` counts.
//!
//! This crate is for developers of batt. Unlike most crates it may read the clock.

mod breed;
mod enumerate;
pub mod hot;
mod machine;
mod profile;
mod reference;
mod spread;
mod whole;
mod work;

pub use breed::{BreedFigures, Recovery, Share, Throughput, measure_breed};
pub use enumerate::{DeviceFigures, EnumerateFigures, measure_enumerate};
pub use machine::{Machine, peak_memory};
pub use profile::{Logging, Prediction, ProfileBenchError, ProfileFigures, measure_profile};
pub use reference::{Reference, ReferenceError};
pub use spread::Spread;
pub use whole::{WholeError, WholeFigures, WholeReference, WholeRow, WholeSetup, measure_whole};
pub use work::{BenchError, Comparison, Figures, HEAVY, LoadFailed, PASSES, Ratio, Row, Setup, measure};
