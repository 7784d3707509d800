//! Views: each answers one question. A view is data that can be printed.

mod advice;
mod budget;
mod compare;
mod device_what_if;
mod devices;
mod dsl;
mod events;
mod framework;
mod levers;
mod lines;
mod phases;
mod scale;
mod tasks;
mod what_if;

pub use advice::{Advice, Sentence};
pub use budget::{Budget, Quota};
pub use compare::{Change, Compare, Verdict as ChangeVerdict};
pub use device_what_if::{DeviceLimits, DeviceWhatIf};
pub use devices::DeviceRow;
pub use dsl::{Dsl, Priority};
pub use events::EventSums;
pub use framework::Framework;
pub use levers::{Lever, Levers};
pub use lines::Lines;
pub(crate) use lines::ProgramRuns;
pub use phases::Phases;
pub use scale::{Plan, Scale};
pub use tasks::Tasks;
pub(crate) use what_if::costs;
pub use what_if::{Kind, Speedup, WhatIf};
