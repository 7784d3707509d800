//! Many programs merged into one shared graph (what the old system calls *card* making a *batt*).
//!
//! The door is [`Plan::merge`]. Equal calls on equal arguments are one node, whichever programs they come from and
//! function values included. A program keeps the list of the nodes it needs, in its own order: that is what it is
//! billed for, whether a node was computed for it or for somebody else.
//!
//! This room knows nothing of text, tasks or how a plan is run.

mod plan;
mod intern;
mod verify;
mod print;
mod expression;

pub use plan::{Counts, Entry, Needs, Node, NodeId, Plan, ProgramId};
pub use print::PlanTextError;
