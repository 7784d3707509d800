//! The recorder: measures where the time of a run goes.
//!
//! A [`Trace`] has a [`Lane`] for each thread and a [`DeviceLane`] for each device, and [`Trace::finish`]
//! returns their data. A lane takes stamps:
//! each stamp books the time since the previous one to exactly one [`Spot`]. So the sum over all spots of a
//! lane, including idle and unaccounted, is the wall time by construction. All times are self times.
//!
//! There are two levels. By default each computed node takes one stamp, and calls through function values are
//! counted with their fuel. With [`Level::Deep`] each call takes a stamp. Both can record [events](Event).
//!
//! This crate does not know programs or files.

mod totals;
mod clock;
mod histogram;
mod lane;
mod data;
mod device;
mod spot;
mod thread;
mod trace;

pub use clock::{Clock, ManualClock};
pub use data::{InnerCalls, NodeRuns, NodeSum, SpotSum, TaskData, Tasks};
pub use device::DeviceLane;
pub use histogram::Histogram;
pub use lane::{Call, Lane, Open, Span};
pub use spot::{Category, Phase, Spot, SpotInfo, spots};
pub use thread::ThreadUse;
pub use totals::Event;
pub use trace::{Costs, LaneData, LaneKind, Level, MainSpan, Sink, Trace, TraceData};
