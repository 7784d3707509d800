//! Functions made of functions.

use batt_dsl::Cx;
use batt_value::{Op, Value};

serve! {
    Q2: compose, matcher, rbind, lbind;
}

type Known<'a> = Option<Value<'a>>;

fn compose<'a>(cx: &mut Cx<'a>, outer: Value<'a>, inner: Value<'a>) -> Known<'a> {
    of_two(cx, Op::Compose, outer, inner)
}

fn matcher<'a>(cx: &mut Cx<'a>, function: Value<'a>, target: Value<'a>) -> Known<'a> {
    of_two(cx, Op::Matcher, function, target)
}

fn rbind<'a>(cx: &mut Cx<'a>, function: Value<'a>, fixed: Value<'a>) -> Known<'a> {
    of_two(cx, Op::Rbind, function, fixed)
}

fn lbind<'a>(cx: &mut Cx<'a>, function: Value<'a>, fixed: Value<'a>) -> Known<'a> {
    of_two(cx, Op::Lbind, function, fixed)
}

/// A closure costs the same whatever it holds.
fn of_two<'a>(cx: &mut Cx<'a>, op: Op, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    let closure = cx.arena.closure(op, &[a, b]).ok()?;
    cx.spend(4)?;
    Some(closure)
}
