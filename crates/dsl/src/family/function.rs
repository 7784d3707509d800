//! Combining functions, and calling them on the members of containers.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Op, Value};

use crate::Cx;
use crate::registry::family;

family! {
    /// Combine functions, and call them on the members of containers. Functions are values. As in Python, an
    /// argument that is not a function, or takes another number of arguments, fails only when it is called.
    /// On an empty container it is never called.
    function: compose, chain, matcher, rbind, lbind, power, fork, apply, rapply, mapply, papply, mpapply, prapply,
    sfilter, mfilter, extract, order, argmax, argmin, valmax, valmin,
}

/// Returns the function that calls `inner`, then `outer` on the result.
///
/// ```arc
/// compose(double, increment) = compose(double, increment)
/// apply(compose(double, increment), (1, 2)) = (4, 6)
/// ```
#[primitive(cost = Closure)]
fn compose(cx: &mut Cx, outer: Func<B, C>, inner: Func<A, B>) -> Total<Func<A, C>> {
    cx.arena.closure(Op::Compose, &[outer, inner])
}

/// Returns the function that calls `f`, then `g`, then `h`, each on the previous result.
///
/// ```arc
/// chain(double, increment, halve) = chain(double, increment, halve)
/// apply(chain(double, increment, halve), (4, 9)) = (6, 10)
/// ```
#[primitive(cost = Closure)]
fn chain(cx: &mut Cx, h: Func<C, D>, g: Func<B, C>, f: Func<A, B>) -> Total<Func<A, D>> {
    cx.arena.closure(Op::Chain, &[h, g, f])
}

/// Returns the function that tests whether the result of `function` equals `target`.
///
/// ```arc
/// matcher(size, 2) = matcher(size, 2)
/// sfilter(((1,), (2, 3)), matcher(size, 2)) = [2 3]
/// ```
#[primitive(cost = Closure)]
fn matcher(cx: &mut Cx, function: Func<A, B>, target: B) -> Total<Func<A, Bool>> {
    cx.arena.closure(Op::Matcher, &[function, target])
}

/// Fixes the last argument of a function.
///
/// A function of two arguments becomes a function of one, a function of three becomes a function of two. Any
/// other function is treated as a function of four arguments.
///
/// ```arc
/// rbind(subtract, 1) = rbind(subtract, 1)
/// apply(rbind(subtract, 1), (5, 6)) = (4, 5)
/// apply(rbind(double, 1), (5, 6)) ! Kind
/// rbind(7, 1) ! Kind
/// ```
#[primitive(cost = Closure, infer = BindLast)]
fn rbind(cx: &mut Cx, function: Func<A, B, C>, fixed: B) -> Total<Func<A, C>> {
    cx.arena.closure(Op::Rbind, &[function, fixed])
}

/// Fixes the first argument of a function.
///
/// A function of two arguments becomes a function of one, a function of three becomes a function of two. Any
/// other function is treated as a function of four arguments.
///
/// ```arc
/// lbind(subtract, 1) = lbind(subtract, 1)
/// apply(lbind(subtract, 1), (5, 6)) = (-4, -5)
/// ```
#[primitive(cost = Closure, infer = BindFirst)]
fn lbind(cx: &mut Cx, function: Func<A, B, C>, fixed: A) -> Total<Func<B, C>> {
    cx.arena.closure(Op::Lbind, &[function, fixed])
}

/// Returns the function that calls `function` `n` times in a row; `n` is at least 1.
///
/// ```arc
/// power(double, 1) = double
/// power(double, 3) = compose(double, compose(double, double))
/// power(double, 0) ! Range
/// power(double, 1000) ! TooLarge
/// ```
#[primitive(cost = PerCell, infer = SameAsFirst)]
fn power(cx: &mut Cx, function: Func<A, A>, n: Int) -> Partial<Func<A, A>> {
    let n = cx.int(n)?;
    if n < 1 {
        return Err(Fail::Range);
    }
    if n > MAX_POWER {
        return Err(Fail::TooLarge);
    }
    (1..n).try_fold(function, |power, _| cx.arena.closure(Op::Compose, &[function, power]))
}

/// Returns the function that calls `a` and `b` on its argument, and `outer` on their results.
///
/// ```arc
/// fork(add, double, halve) = fork(add, double, halve)
/// apply(fork(add, double, halve), (4, 10)) = (10, 25)
/// ```
#[primitive(cost = Closure)]
fn fork(cx: &mut Cx, outer: Func<B, C, D>, a: Func<A, B>, b: Func<A, C>) -> Total<Func<A, D>> {
    cx.arena.closure(Op::Fork, &[outer, a, b])
}

/// Calls a function on every member of a container.
///
/// The results are in the same kind of container.
///
/// ```arc
/// apply(double, (1, 2, 2)) = (2, 4, 4)
/// apply(halve, {2, 3, 4}) = {1, 2}
/// apply(7, ()) = ()
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(apply_t, apply_f))]
fn apply(cx: &mut Cx, function: Func<A, B>, container: Container<A>) -> Partial<Container<B>> {
    applied(cx, function, container)
}

/// Calls every function of a container on one value.
///
/// The results are in the same kind of container.
///
/// ```arc
/// rapply((double, halve, double), 4) = (8, 2, 8)
/// rapply({double, increment}, 1) = {2}
/// ```
#[primitive(cost = PerCall, alias(rapply_t, rapply_f))]
fn rapply(cx: &mut Cx, functions: Container<Func<A, B>>, value: A) -> Partial<Container<B>> {
    let results = cx.iter(functions)?.map(|function| cx.collect(function, value));
    let results = results.collect::<Result<Vec<_>, _>>()?;
    cx.like(functions, &results)
}

/// Calls a function on every member and merges the results: `apply`, then `merge`.
///
/// ```arc
/// mapply(totuple, ({2, 1}, {3})) = (1, 2, 3)
/// mapply(initset, {1, 2}) = {1, 2}
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(mapply_t, mapply_f))]
fn mapply(cx: &mut Cx, function: Func<A, Container<B>>, container: Container<A>) -> Partial<Container<B>> {
    let results = applied(cx, function, container)?;
    cx.merged(results)
}

/// Calls a function on the members of two tuples, paired by position.
///
/// The result is as long as the shorter tuple.
///
/// ```arc
/// papply(add, (1, 2), (10, 20)) = (11, 22)
/// papply(add, (1, 2), (10,)) = (11,)
/// ```
#[primitive(cost = PerCall)]
fn papply(cx: &mut Cx, function: Func<A, B, C>, a: Tuple<A>, b: Tuple<B>) -> Partial<Tuple<C>> {
    apply_pairwise(cx, function, a, b)
}

/// Calls a function on the members of two tuples, paired by position, and merges the results.
///
/// This is `papply`, then `merge`.
///
/// ```arc
/// mpapply(repeat, (7, 8), (2, 1)) = (7, 7, 8)
/// mpapply(add, (7,), (8,)) ! Kind
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn mpapply(cx: &mut Cx, function: Func<A, B, Container<C>>, a: Tuple<A>, b: Tuple<B>) -> Partial<Tuple<C>> {
    let results = apply_pairwise(cx, function, a, b)?;
    cx.merged(results)
}

/// Returns the set of the results of a function on every member of `a` with every member of `b`.
///
/// ```arc
/// prapply(add, {0, 1}, (10, 20)) = {10, 11, 20, 21}
/// prapply(add, 7, ()) = {}
/// ```
#[primitive(cost = PerCall)]
fn prapply(cx: &mut Cx, function: Func<A, B, C>, a: Container<A>, b: Container<B>) -> Partial<Set<C>> {
    let n_b = cx.len(b)?;
    if n_b == 0 {
        // As in Python, `a` is not read.
        return Ok(Value::EMPTY_SET);
    }
    let n = cx.len(a)?.saturating_mul(n_b);
    cx.arena.admit(n)?;
    let mut results = Vec::new();
    for j in cx.iter(b)? {
        for i in cx.iter(a)? {
            results.push(collect2(cx, function, i, j)?);
        }
    }
    cx.set(&results)
}

/// Keeps the members for which the condition is true.
///
/// The result is the same kind of container.
///
/// ```arc
/// sfilter((1, 2, 3, 4), even) = (2, 4)
/// sfilter({-1, 0, 1}, positive) = {1}
/// ```
#[primitive(cost = PerCall, infer = SameAsFirst, alias(sfilter_t, sfilter_f))]
fn sfilter(cx: &mut Cx, container: Container<A>, condition: Func<A, Bool>) -> Partial<Container<A>> {
    filtered(cx, container, condition)
}

/// Merges the members for which the function is true: `sfilter`, then `merge`.
///
/// ```arc
/// mfilter({{1, 2}, {3}}, matcher(size, 2)) = {1, 2}
/// mfilter(((1, 2), (), (2,)), size) = (1, 2, 2)
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(mfilter_t, mfilter_f))]
fn mfilter(
    cx: &mut Cx,
    container: Container<Container<A>>,
    function: Func<Container<A>, Bool>,
) -> Partial<Container<A>> {
    let kept = filtered(cx, container, function)?;
    cx.merged(kept)
}

/// Returns the first member for which the condition is true.
///
/// The condition is not called on later members.
///
/// ```arc
/// extract((1, 4, 6), even) = 4
/// extract((1, 4, ()), even) = 4
/// extract((1, 3), even) ! Empty
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn extract(cx: &mut Cx, container: Container<A>, condition: Func<A, Bool>) -> Partial<A> {
    for item in cx.iter(container)? {
        if cx.call(condition, &[item])?.truth() {
            return Ok(item);
        }
    }
    Err(Fail::Empty)
}

/// Sorts members in ascending order of a function.
///
/// The result is a tuple, and members with equal keys keep their order. As in Python, `None` in place of the
/// function compares the members themselves.
///
/// ```arc
/// order({-2, 0, 1}, invert) = (1, 0, -2)
/// order(((1, 2), (0,), (3, 4)), size) = ((0,), (1, 2), (3, 4))
/// order((3, 1, 2), None) = (1, 2, 3)
/// order((1, ()), identity) ! Kind
/// ```
#[primitive(cost = PerCall, order_sensitive)]
fn order(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>) -> Partial<Tuple<A>> {
    let items = cx.members(container)?;
    let keys = cx.keys(compfunc, &items)?;
    let items: Vec<_> = cx.sorted(&keys)?.into_iter().map(|place| items[place]).collect();
    cx.tuple(&items)
}

/// Returns the member with the largest result of a function; of several, the first.
///
/// Sets compare as in Python: only a proper superset is greater. `None` in place of the function compares the
/// members themselves.
///
/// ```arc
/// argmax(((1, 2), (3,), (4, 5)), size) = (1, 2)
/// argmax((), size) ! Empty
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(argmax_t, argmax_f))]
fn argmax(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>) -> Partial<A> {
    greatest(cx, container, compfunc)?.ok_or(Fail::Empty)
}

/// Returns the member with the smallest result of a function; of several, the first.
///
/// Sets compare as in Python: only a proper subset is smaller. `None` in place of the function compares the
/// members themselves.
///
/// ```arc
/// argmin({{1, 2}, {3}, {4}}, size) = {3}
/// argmin((), size) ! Empty
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(argmin_t, argmin_f))]
fn argmin(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>) -> Partial<A> {
    least(cx, container, compfunc)?.ok_or(Fail::Empty)
}

/// Returns the largest result of a function on the members; for an empty container, its result on 0.
///
/// ```arc
/// valmax(((1, 2), (3,)), size) = 2
/// valmax({}, increment) = 1
/// valmax({}, size) ! Kind
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(valmax_t, valmax_f))]
fn valmax(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>) -> Partial<B> {
    let item = greatest(cx, container, compfunc)?.unwrap_or(Value::Int(0));
    cx.call(compfunc, &[item])
}

/// Returns the smallest result of a function on the members; for an empty container, its result on 0.
///
/// ```arc
/// valmin(((1, 2), (3,)), size) = 1
/// valmin((), invert) = 0
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(valmin_t, valmin_f))]
fn valmin(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>) -> Partial<B> {
    let item = least(cx, container, compfunc)?.unwrap_or(Value::Int(0));
    cx.call(compfunc, &[item])
}

/// Limit of `power`. The calls nest as deep as the exponent, and CPython stops at 1,000 frames.
const MAX_POWER: i64 = 900;

fn applied<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Result<Value<'a>, Fail> {
    let results = cx.iter(container)?.map(|item| cx.collect(function, item));
    let results = results.collect::<Result<Vec<_>, _>>()?;
    cx.like(container, &results)
}

fn filtered<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut kept = Vec::new();
    for item in cx.iter(container)? {
        if cx.call(condition, &[item])?.truth() {
            kept.push(item);
        }
    }
    cx.like(container, &kept)
}

/// `tuple(function(i, j) for i, j in zip(a, b))`
fn apply_pairwise<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<Value<'a>, Fail> {
    let pairs = cx.iter(a)?.zip(cx.iter(b)?);
    let results = pairs.map(|(i, j)| collect2(cx, function, i, j)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&results)
}

/// Calls a function of two arguments and charges for keeping the result.
fn collect2<'a>(cx: &mut Cx<'a>, function: Value<'a>, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
    let result = cx.call(function, &[a, b])?;
    cx.charge(result.weight().into())?;
    Ok(result)
}

fn greatest<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Result<Option<Value<'a>>, Fail> {
    best(cx, container, key, |cx, new, old| cx.less(old, new))
}

fn least<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Result<Option<Value<'a>>, Fail> {
    best(cx, container, key, |cx, new, old| cx.less(new, old))
}

/// Returns the first member whose key no later key beats, or `None` for an empty container.
fn best<'a>(
    cx: &mut Cx<'a>,
    container: Value<'a>,
    key: Value<'a>,
    beats: impl Fn(&Cx<'a>, Value<'a>, Value<'a>) -> Result<bool, Fail>,
) -> Result<Option<Value<'a>>, Fail> {
    let mut best = None;
    for item in cx.iter(container)? {
        let new = cx.key(key, item)?;
        match best {
            Some((_, old)) if !beats(cx, new, old)? => {}
            _ => best = Some((item, new)),
        }
    }
    Ok(best.map(|(item, _)| item))
}
