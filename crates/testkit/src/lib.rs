//! What the tests of several rooms share.

mod fuzz;
mod spec;

use arcbatt::dsl::Cx;
use arcbatt::exec::{self, Outcome, Sample};
use arcbatt::lang::Program;
use arcbatt::value::Arena;

pub use fuzz::fuzz_program;
pub use spec::check_spec;

/// A way to run one program on one sample with so much fuel.
pub type Backend = for<'a> fn(&Program, Sample<'a>, &'a Arena, u64) -> Outcome<'a>;

/// All backends; each must pass every specification.
pub const BACKENDS: &[(&str, Backend)] =
    &[("reference", |program, sample, arena, fuel| exec::run(program, sample, Cx::new(arena, fuel, None)))];
