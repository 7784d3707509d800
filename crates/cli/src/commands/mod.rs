//! One file a command.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod conformance;
pub(crate) mod data;
pub(crate) mod data_generate;
pub(crate) mod dsl;
pub(crate) mod eval;
pub(crate) mod programs;
pub(crate) mod score;
