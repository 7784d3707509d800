//! A record in words and figures.
//!
//! The door is [`Facts`]: a record whose profile has been checked (for every lane the parts sum to the wall time, to
//! the nanosecond), with the time of every node split over the functions that worked in it. Each [`view`] answers one
//! question from facts alone, as text and as data; each [`export`] is a file that an existing viewer opens; [`html`]
//! is all of it as one page.
//!
//! Three kinds of figures are three types: [`Measured`] by stamps, [`Apportioned`] by fuel, [`Projected`] by
//! arithmetic. They are not added up without saying so. Times of calls with other calls inside are nowhere.

mod figure;
mod facts;
mod stats;
mod table;
mod validity;
pub mod export;
pub mod html;
pub mod view;

pub use facts::{Facts, FunctionTime, ReportError, Selection};
pub use figure::{Apportioned, Measured, Projected};
pub use validity::Validity;
