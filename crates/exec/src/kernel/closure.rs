//! Kernels that make functions from functions.

use batt_dsl::Cx;
use batt_value::{Op, Value};

use super::QuickAnswer;

register! {
    Q2: compose, matcher, rbind, lbind;
}

fn compose<'a>(cx: &mut Cx<'a>, outer: Value<'a>, inner: Value<'a>) -> QuickAnswer<'a> {
    make_closure(cx, Op::Compose, outer, inner)
}

fn matcher<'a>(cx: &mut Cx<'a>, function: Value<'a>, target: Value<'a>) -> QuickAnswer<'a> {
    make_closure(cx, Op::Matcher, function, target)
}

fn rbind<'a>(cx: &mut Cx<'a>, function: Value<'a>, fixed: Value<'a>) -> QuickAnswer<'a> {
    make_closure(cx, Op::Rbind, function, fixed)
}

fn lbind<'a>(cx: &mut Cx<'a>, function: Value<'a>, fixed: Value<'a>) -> QuickAnswer<'a> {
    make_closure(cx, Op::Lbind, function, fixed)
}

/// Makes a closure, which costs the same for all captured values.
fn make_closure<'a>(cx: &mut Cx<'a>, op: Op, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    let closure = cx.arena.closure(op, &[a, b]).ok()?;
    cx.spend(4)?;
    Some(closure)
}
