//! Learners that read a rule off demonstration pairs.
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

pub use catalogue::{Candidate, catalogue};
pub use context::{Context, Frame, Inside, Matrix, Parts, Placement, Post, Region};
pub use demos::Demos;
pub use image::{Image, MAX_SIDE};
pub use learner::{Learner, Property, Steps, Vocabulary};
pub use rule::Rule;
pub use spec::Spec;
pub use work::Work;
