//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod bench_breed;
pub(crate) mod bench_enumerate;
pub(crate) mod bench_profile;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conformance;
pub(crate) mod data;
pub(crate) mod data_generate;
pub(crate) mod dsl;
pub(crate) mod eval;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod profile;
pub(crate) mod programs;
pub(crate) mod programs_explain;
pub(crate) mod programs_resolve;
pub(crate) mod programs_store;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod solve;
