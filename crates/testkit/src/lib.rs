//! Test helpers that several crates share: the backends, the specification runner, the fuzz target, the
//! OpenCL devices and the report of skipped tests.

mod fuzz;
pub mod opencl;
mod skip;
mod spec;

use batt_dsl::{Cx, Limits, symbol};
use batt_exec::{
    self, End, Failed, Failure, Input, Job, Options, Outcome, Picture, Prepared, Run, Sample, Scratch,
};
use batt_lang::{NodeId, Program};
use batt_plan::{Plan, ProgramId};
use batt_value::{Arena, Value};

pub use fuzz::fuzz_program;
pub use skip::{print, skipped};
pub use spec::check_spec;

/// Runs one program on one sample with a limit of fuel.
pub type Backend = for<'a> fn(&Program, Sample<'a>, &'a Arena, u64) -> Outcome<'a>;

/// All backends; each must pass every specification.
pub const BACKENDS: &[(&str, Backend)] = &[
    ("reference", |program, sample, arena, fuel| batt_exec::run(program, sample, Cx::new(arena, fuel, None))),
    ("cpu", |program, sample, arena, fuel| cpu(program, sample, arena, fuel, true)),
    ("cpu without kernels", |program, sample, arena, fuel| cpu(program, sample, arena, fuel, false)),
];

/// Runs a program as the only one of a plan.
fn cpu<'a>(program: &Program, sample: Sample<'a>, arena: &'a Arena, fuel: u64, kernels: bool) -> Outcome<'a> {
    let Value::Grid(grid) = sample.input else { panic!("expected a grid as input, got {}", sample.input) };
    let limits = Limits { fuel, ..Limits::STANDARD };
    let options = Options { limits, all_demos: true, sharing: true, kernels, stop: None };
    let plan = Plan::merge([program]);
    let folded = Arena::new(limits.caps);
    let prepared = Prepared::new(&plan, &folded, &options);
    let input = Input { input: Picture { width: grid.width(), cells: grid.cells() }, must_give: None };
    let job = Job { samples: Vec::new(), inputs: vec![input], programs: vec![ProgramId(0)] };
    let Run { end, fuel } = prepared.run(&job, &options, &mut Scratch::new(limits)).remove(0).remove(0);
    let value = match end {
        End::Grid { width, cells } => arena.grid(width, &cells),
        End::Other(owned) => owned.load(arena, &symbol),
        End::Failed(Failed { fail, node, primitive }) => {
            let failure = Failure { fail, node: NodeId(node), primitive };
            return Outcome { result: Err(failure), fuel, values: Vec::new() };
        }
        End::Skipped => unreachable!("a program is skipped only after it failed on an earlier input"),
    };
    Outcome { result: Ok(value.expect("an answer fits in memory")), fuel, values: Vec::new() }
}
