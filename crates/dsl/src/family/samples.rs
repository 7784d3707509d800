//! Functions of the demonstration pairs.
#![allow(non_snake_case, reason = "the parameter is called S in programs, too")]

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::geometry::apply_symmetry;
use crate::Cx;
use crate::registry::family;

family! {
    /// Compare the inputs and outputs of the demonstration pairs `S`, a tuple of `(input, output)`. The
    /// results are the same for every input of a task.
    samples: c_iz, c_iz_n, c_zo, c_zo_n, a_mr, dedupe_pair_tuple,
}

/// Returns what a function finds in some input but in no output, such as the colours that disappear.
///
/// The results are in the order in which they are found, without duplicates. The call equals
/// `difference(x, y)`, where `x` is `dedupe(mapply(function, apply(first, S)))` and `y` is the same with
/// `second`.
///
/// ```arc
/// c_iz((([3 1], [1 1]), ([2 1], [1 0])), merge) = (3, 2)
/// c_iz((), merge) = ()
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn c_iz(cx: &mut Cx, S: Samples, function: Func<Grid, Container<A>>) -> Partial<Tuple<A>> {
    let (inputs, outputs) = collect_from_pairs(cx, S, function)?;
    only_in(cx, inputs, outputs)
}

/// Returns the result of `pick` on `c_iz(S, function)`, such as one of the colours that disappear.
///
/// ```arc
/// c_iz_n((([3 1], [1 1]), ([2 1], [1 0])), merge, last) = 2
/// c_iz_n((([1], [1]),), merge, first) ! Empty
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn c_iz_n(
    cx: &mut Cx,
    S: Samples,
    function: Func<Grid, Container<A>>,
    pick: Func<Tuple<A>, B>,
) -> Partial<B> {
    let found = c_iz(cx, S, function)?;
    cx.call(pick, &[found])
}

/// Returns what a function finds in some output but in no input, such as the colours that appear.
///
/// The results are in the order in which they are found, without duplicates. The call equals
/// `difference(y, x)`, where `x` is `dedupe(mapply(function, apply(first, S)))` and `y` is the same with
/// `second`.
///
/// ```arc
/// c_zo((([3 1], [1 1]), ([2 1], [1 0])), merge) = (0,)
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn c_zo(cx: &mut Cx, S: Samples, function: Func<Grid, Container<A>>) -> Partial<Tuple<A>> {
    let (inputs, outputs) = collect_from_pairs(cx, S, function)?;
    only_in(cx, outputs, inputs)
}

/// Returns the result of `pick` on `c_zo(S, function)`, such as one of the colours that appear.
///
/// ```arc
/// c_zo_n((([3 1], [1 1]), ([2 1], [1 0])), merge, first) = 0
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn c_zo_n(
    cx: &mut Cx,
    S: Samples,
    function: Func<Grid, Container<A>>,
    pick: Func<Tuple<A>, B>,
) -> Partial<B> {
    let found = c_zo(cx, S, function)?;
    cx.call(pick, &[found])
}

/// Returns the first code of `mir_rot`, from 0 to 7, that turns every input into its output.
///
/// ```arc
/// a_mr((([1 2 | 3 4], [3 4 | 1 2]),)) = 0
/// a_mr((([1 2], [2 1]), ([3 | 4], [3 | 4]))) = 2
/// a_mr((([1 2], [1 2]), ([3 | 4], [3 | 4]))) = 7
/// a_mr((([1 2], [5 5]),)) ! Empty
/// a_mr(()) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn a_mr(cx: &mut Cx, S: Samples) -> Partial<Choice8> {
    let samples = cx.iter(S)?.map(|sample| cx.two(sample)).collect::<Result<Vec<_>, _>>()?;
    if samples.is_empty() {
        return Err(Fail::Empty);
    }
    for code in 0..8 {
        let mut all = true;
        for &[input, output] in &samples {
            if !order::equal(apply_symmetry(cx, input, code)?, output) {
                all = false;
                break;
            }
        }
        if all {
            return Ok(Value::Int(code));
        }
    }
    Err(Fail::Empty)
}

/// Returns the demonstration pairs whose output differs from their input.
///
/// ```arc
/// dedupe_pair_tuple((([1], [1]), ([1], [2]))) = (([1], [2]),)
/// ```
#[primitive(cost = PerCell)]
fn dedupe_pair_tuple(cx: &mut Cx, S: Samples) -> Total<Samples> {
    let mut kept = Vec::new();
    for sample in cx.iter(S)? {
        let [input, output] = cx.two(sample)?;
        if !order::equal(input, output) {
            kept.push(cx.tuple(&[input, output])?);
        }
    }
    cx.tuple(&kept)
}

/// Returns the members of the function's results on all inputs, and on all outputs.
fn collect_from_pairs<'a>(
    cx: &mut Cx<'a>,
    samples: Value<'a>,
    function: Value<'a>,
) -> Result<(Vec<Value<'a>>, Vec<Value<'a>>), Fail> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for sample in cx.iter(samples)? {
        let [input, output] = cx.two(sample)?;
        let found = cx.collect(function, input)?;
        inputs.extend(cx.iter(found)?);
        let found = cx.collect(function, output)?;
        outputs.extend(cx.iter(found)?);
    }
    Ok((inputs, outputs))
}

/// Returns the items that are not in `others`, without duplicates, in order.
fn only_in<'a>(cx: &Cx<'a>, items: Vec<Value<'a>>, others: Vec<Value<'a>>) -> Result<Value<'a>, Fail> {
    let items = cx.tuple(&cx.deduped(&items))?;
    cx.without(items, cx.tuple(&others)?)
}
