//! Learners that read a rule off demonstration pairs.
//!
//! A [`Learner`] is given [`Demos`] and finds [`Rule`]s that are right on every pair, the simplest first. A rule
//! [applies](Rule::apply) to further inputs, [explains](Rule::explain) itself in words and knows its
//! [cost](Rule::cost). A [`Context`] turns pairs into other pairs (other colours, parts, a box, a matrix, a view), so
//! that any learner may work inside; a [`Spec`] is a learner in its contexts, and the [`catalogue`] lists those worth
//! trying on a task. Learning is deterministic and metered by [`Work`].
//!
//! Behind most learners is one decision tree whose rows carry all actions that are right for them (`tree.rs`).
//!
//! This room knows values; it knows nothing of programs, files or tasks.

mod image;
mod work;
mod feature;
mod log;
mod tree;
mod rows;
mod object;
mod view;
mod relation;
mod piece;
mod size;
mod cells;
mod demos;
mod rule;
mod found;
mod learner;
mod context;
mod spec;
mod catalogue;

pub use catalogue::{Candidate, Stage, catalogue, contexts, stage_of_catalogue};
pub use context::{Context, Frame, Inside, Matrix, Parts, Placement, Post, Region};
pub use demos::Demos;
pub use image::{Image, MAX_SIDE};
pub use learner::{Learner, Property, Steps, Vocabulary};
pub use rule::Rule;
pub use spec::Spec;
pub use view::n_views;
pub use work::Work;
