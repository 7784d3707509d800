//! Every primitive of the language, declared once.
//!
//! A primitive is one annotated function in `family/`. The attribute [`batt_dsl_macros::primitive`] derives
//! its name, types, docs, examples, cost and aliases. Its body is the specification: on every Python value it
//! gives the result of arc-dsl, using the Python protocols of [`Cx`]. Parser, checker, manual, search and
//! profiler read the [`registry`].
//!
//! This crate does not know program text, plans, tasks or threads.

mod arc_dsl;
mod sig;
mod constant;
mod cx;
mod python;
pub mod lesson;
mod family;
mod registry;
pub mod template;

pub use arc_dsl::is_arc_dsl;
pub use constant::{
    Constant, ConstantFamily, ConstantValue, constant, constants, learn_constant, plain_constants,
};
pub use cx::{Cx, Limits};
pub use registry::{
    Body, Entry, Family, Kernel, Primitive, Registry, Table, registry, symbol, traced, version,
};
pub use sig::{Cost, Infer, Kinds, Ty};
