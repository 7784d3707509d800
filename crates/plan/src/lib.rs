//! Merges many programs into one shared graph.
//!
//! [`Plan::merge`] makes one node of equal calls with equal arguments, also across programs and for function
//! values. Each program keeps the list of nodes it needs, in its own order. It pays fuel for all of them,
//! even if a node was computed for another program.
//!
//! This crate does not know program text, tasks or how a plan is run.

mod plan;
mod intern;
mod verify;
mod print;
mod expression;

pub use plan::{Counts, Entry, Needs, Node, NodeId, Plan, ProgramId};
pub use print::PlanTextError;
