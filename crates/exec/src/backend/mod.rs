//! Ways to run. The reference backend is the oracle of all others.

pub(crate) mod cpu;
pub(crate) mod reference;

use batt_dsl::Cx;
use batt_lang::Op;
use batt_value::{Fail, Value};

/// What a node computes from its arguments. Inputs are not computed.
fn node<'a>(op: &Op, args: &[Value<'a>], cx: &mut Cx<'a>) -> Result<Value<'a>, Fail> {
    match op {
        Op::Input | Op::Samples => Err(Fail::Bug),
        Op::Const(literal) => literal.value(cx.arena),
        Op::Prim(symbol) => Ok(Value::Prim(symbol)),
        Op::Call(symbol) => cx.call(Value::Prim(symbol), args),
        Op::Apply => match args {
            [function, args @ ..] => cx.call(*function, args),
            [] => Err(Fail::Bug),
        },
        Op::Tuple => {
            // A tuple of rows copies them, so what they weigh is paid before.
            cx.charge(1 + args.iter().map(|arg| u64::from(arg.weight())).sum::<u64>())?;
            cx.arena.tuple(args)
        }
    }
}
