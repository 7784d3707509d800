//! The recorder: where the time of a run goes.
//!
//! The door is [`Trace`]: it has a [`Lane`] for each thread, and [`Trace::finish`] gives what they saw. A lane is
//! written to with chained stamps: each closes the interval since the stamp before it and books it to exactly one
//! [`Spot`]. So for every lane the sum over all spots, idle and unaccounted ones included, is the wall time, by
//! construction. Inclusive times exist nowhere.
//!
//! Two levels: by default one stamp for each computed node, while calls through function values are counted and
//! their fuel is noted; with [`Level::Deep`] a stamp for each call. Both can keep [events](Event) besides sums.
//!
//! This room knows nothing of programs or files. It is the only one with a clock.

mod totals;
mod clock;
mod histogram;
mod lane;
mod data;
mod spot;
mod trace;

pub use clock::{Clock, Hand};
pub use data::{Inner, NodeRuns, NodeSum, SpotSum, TaskData, Tasks};
pub use histogram::Histogram;
pub use lane::{Call, Lane, Open, Span};
pub use spot::{Category, Phase, Spot, SpotInfo, spots};
pub use totals::Event;
pub use trace::{Costs, LaneData, Level, MainSpan, Sink, Trace, TraceData};
