//! The reference backend: runs one program on one sample, node by node.

use batt_base::with_enough_stack;
use batt_dsl::Cx;
use batt_lang::{Node, Op, Program};
use batt_value::{Fail, Value};
use smallvec::SmallVec;

use crate::{Failure, Outcome};

/// The input of a program.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// `I`
    pub input: Value<'a>,
    /// `S`: the demonstration pairs, or an empty tuple.
    pub samples: Value<'a>,
}

/// Runs `program` on `sample`. The context has the arena with its caps, the fuel and the stop flag.
///
/// Nodes run in the program's own order: arguments before calls, left to right. The program has only nodes
/// that its result needs.
pub fn run<'a>(program: &Program, sample: Sample<'a>, cx: Cx<'a>) -> Outcome<'a> {
    with_enough_stack(|| run_nodes(program, sample, cx))
}

fn run_nodes<'a>(program: &Program, sample: Sample<'a>, mut cx: Cx<'a>) -> Outcome<'a> {
    let mut values = Vec::with_capacity(program.nodes().len());
    for (id, node) in program.iter() {
        match super::catch_panic(|| compute(node, sample, &mut cx, &values)) {
            Ok(value) => values.push(value),
            Err(fail) => {
                let failure = Failure { fail, node: id, primitive: cx.failed() };
                return Outcome { result: Err(failure), fuel: cx.used(), values };
            }
        }
    }
    Outcome { result: Ok(values[program.result().index()]), fuel: cx.used(), values }
}

fn compute<'a>(
    node: &Node,
    sample: Sample<'a>,
    cx: &mut Cx<'a>,
    values: &[Value<'a>],
) -> Result<Value<'a>, Fail> {
    let args: SmallVec<[Value<'a>; 4]> = node.args.iter().map(|arg| values[arg.index()]).collect();
    match &node.op {
        Op::Input => Ok(sample.input),
        Op::Samples => Ok(sample.samples),
        op => super::compute(op, &args, cx),
    }
}
