//! Turns a record into views, exports and an HTML page.
//!
//! The entry point is [`Facts`]: a record whose profile has been checked (for every lane the parts add up to
//! the wall time, to the nanosecond), with the time of every node split over the functions that worked in it.
//! Each [`view`] answers one question from facts alone, as text and as data. Each [`export`] is a file for an
//! existing viewer. [`html`] is all of it as one page.
//!
//! The three kinds of figures are three types: [`Measured`] by the clock, [`Apportioned`] by fuel,
//! [`Projected`] by arithmetic. All times are self times, without nested calls.

mod figure;
mod facts;
mod noise;
mod simulation;
mod stats;
mod table;
mod validity;
pub mod export;
pub mod html;
pub mod view;

pub use facts::{Facts, FunctionTime, ReportError, Selection};
pub use figure::{Apportioned, Measured, Projected};
pub use noise::{LaneNoise, Noise, Range, disturbance, disturbance_warning};
pub use validity::Validity;
