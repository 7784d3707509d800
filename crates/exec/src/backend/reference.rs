//! One program, one sample, node after node.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use batt_dsl::Cx;
use batt_lang::{Literal, Node, NodeId, Op, Program};
use batt_value::{Arena, Fail, Value};

use crate::{Failure, Outcome};

/// What a program sees.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// `I`
    pub input: Value<'a>,
    /// `S`: the demonstration pairs; empty where there are none.
    pub samples: Value<'a>,
}

/// Runs `program` on `sample` with `fuel`. Values live in `arena`, whose caps hold for each of them. `stop`, once
/// set, ends the run with [`Fail::Deadline`].
///
/// Nodes run in the program's own order: arguments before calls, left to right. What the result does not need
/// is not in the program any more.
pub fn run<'a>(
    program: &Program,
    sample: Sample<'a>,
    arena: &'a Arena,
    fuel: u64,
    stop: Option<&'a AtomicBool>,
) -> Outcome<'a> {
    let mut cx = Cx::new(arena, fuel, stop);
    let mut values = Vec::with_capacity(program.nodes().len());
    for (i, node) in program.nodes().iter().enumerate() {
        // A panic is our bug: it becomes this node's failure and spares the rest of the batch.
        let value = catch_unwind(AssertUnwindSafe(|| compute(node, sample, &mut cx, &values)));
        match value.unwrap_or(Err(Fail::Bug)) {
            Ok(value) => values.push(value),
            Err(fail) => {
                let failure = Failure { fail, node: NodeId(i as u32), primitive: cx.failed() };
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
    let args = node.args.iter().map(|arg| values[arg.index()]).collect::<Vec<_>>();
    match &node.op {
        Op::Input => Ok(sample.input),
        Op::Samples => Ok(sample.samples),
        Op::Const(literal) => constant(literal, cx.arena),
        Op::Prim(symbol) => Ok(Value::Prim(symbol)),
        Op::Call(symbol) => cx.call(Value::Prim(symbol), &args),
        Op::Apply => cx.call(args[0], &args[1..]),
        Op::Tuple => {
            cx.charge(1 + args.len() as u64)?;
            cx.arena.tuple(&args)
        }
    }
}

fn constant<'a>(literal: &Literal, arena: &'a Arena) -> Result<Value<'a>, Fail> {
    Ok(match literal {
        Literal::None => Value::None,
        Literal::Bool(bool) => (*bool).into(),
        Literal::Int(int) => Value::Int(*int),
        Literal::Tuple(items) => {
            let items = items.iter().map(|item| constant(item, arena)).collect::<Result<Vec<_>, _>>()?;
            arena.tuple(&items)?
        }
    })
}
