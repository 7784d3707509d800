//! arcbatt: runs batteries of small DSL programs over ARC tasks.
//!
//! This is the hallway: front doors see only this crate. Each room is a module here under its own name, and what
//! takes several rooms at once ([`verify`], [`conformance`]) stands beside them.

pub use batt_dsl as dsl;
pub use batt_exec as exec;
pub use batt_lang as lang;
pub use batt_task as task;
pub use batt_value as value;

pub mod conformance;
pub mod verify;
