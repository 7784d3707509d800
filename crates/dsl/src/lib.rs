//! Every primitive of the language, declared once.
//!
//! A primitive is one annotated function in `family/`; its name, types, docs, example, cost and aliases are read
//! off it (see [`batt_dsl_macros::primitive`]), and its body is the specification: it says on any Python value
//! what arc-dsl says, over the protocols of [`Cx`]. The parser, the checker, the manual, the search and the
//! profiler read the [`registry`].
//!
//! This room knows nothing of program text, plans, tasks or threads.

mod sig;
mod constant;
mod cx;
mod python;
pub mod lesson;
mod family;
mod registry;

pub use constant::{Constant, ConstantFamily, ConstantValue, constant, constants};
pub use cx::{Cx, Limits};
pub use registry::{
    Body, Entry, Family, Kernel, Primitive, Registry, Table, registry, symbol, traced, version,
};
pub use sig::{Cost, Infer, Kinds, Ty};
