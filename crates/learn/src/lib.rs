//! Learners: from demonstration pairs to rules.
//!
//! A [`Learner`] finds [`Rule`]s that are right on every pair of [`Demos`], the simplest first. A rule
//! [applies](Rule::apply) to further inputs, describes itself in [words](Rule::words), can often be
//! [written out](Rule::code) with the primitives of the language, and has a [cost](Rule::cost). A [`Context`] turns pairs
//! into other pairs (other colours, parts, a box, a matrix, a view), so that any learner can work inside. A [`Spec`] is a
//! learner in its contexts, and the [`catalogue`] lists those worth trying on a task. Learning is deterministic and
//! metered by [`Work`].
//!
//! Most learners grow one decision tree (`tree.rs`), whose rows list all actions that are right for them.
//!
//! Everything that programs name has a [`Name`]: learners by their primitives, options and views by constants.
//!
//! This crate knows values. It does not know how programs are read or run, nor files or tasks.

mod words;
mod name;
mod option;
mod work;
mod code;
mod image;
mod feature;
mod log;
mod tree;
mod rows;
mod paint;
mod object;
mod piece;
mod scalar;
mod size;
mod view;
mod cell;
mod rule;
mod demos;
mod found;
mod learner;
mod context;
mod spec;
mod mechanism;
mod catalogue;

pub use catalogue::{Candidate, Stage, catalogue, stage_of_catalogue};
pub use code::{Code, Expr, Precision};
pub use context::{Context, Finish, Frame, Inside, Matrix, Parts, Placement, Region};
pub use demos::Demos;
pub use image::{Image, MAX_SIDE};
pub use learner::{Completion, Criterion, Learner, Property, Repetition, Steps, Vocabulary};
pub use mechanism::Mechanism;
pub use name::Name;
pub use option::{OptionDoc, constants, options_of};
pub use rule::Rule;
pub use spec::Spec;
pub use view::ViewId;
pub use words::{Words, scramble_words};
pub use work::{OutOfWork, Work};
