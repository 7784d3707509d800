//! arcbatt: runs batteries of small DSL programs over ARC tasks.
//!
//! This is the hallway: front doors see only this crate. Each room is a module here under its own name, and what
//! takes several rooms at once ([`battery`], [`solve`], [`breed`], [`enumerate`],
//! [`verify`], [`explain`], [`document`], [`found`], [`profile`],
//! [`library`], [`conformance`], [`sheet`]) stands beside them.

use std::sync::atomic::AtomicBool;

pub use batt_dsl as dsl;
pub use batt_exec as exec;
pub use batt_lang as lang;
pub use batt_plan as plan;
pub use batt_record as record;
pub use batt_report as report;
pub use batt_score as score;
pub use batt_search as search;
pub use batt_store as store;
pub use batt_task as task;
pub use batt_trace as trace;
pub use batt_value as value;
pub use due::Due;

mod due;
pub mod battery;
pub mod solve;
pub mod breed;
pub mod enumerate;
pub mod palette;
pub mod sheet;
pub mod verify;
pub mod explain;
pub mod document;
mod astray;
pub mod found;
pub mod profile;
pub mod library;
pub mod page;
pub mod conformance;

/// The programs for the built-in data set.
pub const DEMO_PROGRAMS: &str = include_str!("../../../programs/demo.py");

/// The wall-clock backstop, kept by a front door: a flag that ends what runs, and a way to start the time again.
#[derive(Clone, Copy)]
pub struct Stop<'s> {
    flag: Option<&'s AtomicBool>,
    restart: &'s dyn Fn(),
}

impl<'s> Stop<'s> {
    pub const NEVER: Stop<'static> = Stop { flag: None, restart: &|| {} };

    pub fn new(flag: &'s AtomicBool, restart: &'s dyn Fn()) -> Stop<'s> {
        Stop { flag: Some(flag), restart }
    }

    pub fn flag(self) -> Option<&'s AtomicBool> {
        self.flag
    }

    /// The next piece of work gets its time from now on.
    pub fn restart(self) {
        (self.restart)();
    }
}
