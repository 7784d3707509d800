//! Arithmetic on numbers and pairs.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use crate::Cx;
use crate::registry::family;

family! {
    /// Arithmetic on integers and on pairs of integers. If one argument is an integer and the other a pair,
    /// the integer is used for both components. Other values behave as with Python's operators: `add` joins
    /// tuples.
    arith: add, subtract, multiply, divide, invert, double, halve, increment, decrement, crement, sign,
    even, positive, greater, maximum, minimum, toivec, tojvec,
}

/// Adds two numbers or pairs.
///
/// ```arc
/// add(2, 3) = 5
/// add((1, 2), 10) = (11, 12)
/// add(((1, 2), 3), ((4, 5), 6)) = ((1, 2, 4, 5), 9)
/// ```
#[primitive(cost = PerCell)]
fn add(cx: &mut Cx, a: Num, b: Num) -> Total<Num> {
    componentwise(cx, a, b, Cx::add)
}

/// Subtracts `b` from `a`; both are numbers or pairs.
///
/// ```arc
/// subtract(2, 3) = -1
/// subtract((1, 2), (3, 3)) = (-2, -1)
/// ```
#[primitive(cost = PerCell)]
fn subtract(cx: &mut Cx, a: Num, b: Num) -> Total<Num> {
    componentwise(cx, a, b, Cx::sub)
}

/// Multiplies two numbers or pairs, component by component.
///
/// ```arc
/// multiply(2, 3) = 6
/// multiply((1, 2), (3, 4)) = (3, 8)
/// ```
#[primitive(cost = PerCell)]
fn multiply(cx: &mut Cx, a: Num, b: Num) -> Total<Num> {
    componentwise(cx, a, b, Cx::mul)
}

/// Divides `a` by `b`, rounding down; both are numbers or pairs.
///
/// ```arc
/// divide(7, 2) = 3
/// divide(-7, (2, 3)) = (-4, -3)
/// divide(1, 0) ! Range
/// ```
#[primitive(cost = PerCell)]
fn divide(cx: &mut Cx, a: Num, b: Num) -> Partial<Num> {
    componentwise(cx, a, b, Cx::floor_div)
}

/// Negates a number or pair.
///
/// ```arc
/// invert(3) = -3
/// invert((1, -2)) = (-1, 2)
/// ```
#[primitive(cost = PerCell)]
fn invert(cx: &mut Cx, n: Num) -> Total<Num> {
    each_int(cx, n, |n| n.checked_neg())
}

/// Doubles a number or pair.
///
/// ```arc
/// double(4) = 8
/// double((1, 2)) = (2, 4)
/// ```
#[primitive(cost = PerCell)]
fn double(cx: &mut Cx, n: Num) -> Total<Num> {
    each(cx, n, |cx, n| cx.mul(n, Value::Int(2)))
}

/// Halves a number or pair, rounding down.
///
/// ```arc
/// halve(5) = 2
/// halve((-1, 4)) = (-1, 2)
/// ```
#[primitive(cost = PerCell)]
fn halve(cx: &mut Cx, n: Num) -> Total<Num> {
    each_int(cx, n, |n| Some(n.div_euclid(2)))
}

/// Adds one to a number, or to both components of a pair.
///
/// ```arc
/// increment(1) = 2
/// increment((0, 5)) = (1, 6)
/// ```
#[primitive(cost = PerCell)]
fn increment(cx: &mut Cx, x: Num) -> Total<Num> {
    each_int(cx, x, |x| x.checked_add(1))
}

/// Subtracts one from a number, or from both components of a pair.
///
/// ```arc
/// decrement(1) = 0
/// decrement((0, 5)) = (-1, 4)
/// ```
#[primitive(cost = PerCell)]
fn decrement(cx: &mut Cx, x: Num) -> Total<Num> {
    each_int(cx, x, |x| x.checked_sub(1))
}

/// Moves a number, or both components of a pair, one step away from zero; zero stays zero.
///
/// ```arc
/// crement(3) = 4
/// crement((-2, 0)) = (-3, 0)
/// ```
#[primitive(cost = PerCell)]
fn crement(cx: &mut Cx, x: Num) -> Total<Num> {
    each_int(cx, x, |x| x.checked_add(x.signum()))
}

/// Returns the sign of a number, or of both components of a pair: `-1`, `0` or `1`.
///
/// ```arc
/// sign(-7) = -1
/// sign((0, 3)) = (0, 1)
/// ```
#[primitive(cost = PerCell)]
fn sign(cx: &mut Cx, x: Num) -> Total<Num> {
    each_int(cx, x, |x| Some(x.signum()))
}

/// Returns whether an integer is even.
///
/// ```arc
/// even(4) = True
/// even(-3) = False
/// ```
#[primitive(cost = Constant)]
fn even(cx: &mut Cx, n: Int) -> Total<Bool> {
    Ok((cx.int(n)? % 2 == 0).into())
}

/// Returns whether an integer is greater than zero.
///
/// ```arc
/// positive(1) = True
/// positive(0) = False
/// ```
#[primitive(cost = Constant)]
fn positive(cx: &mut Cx, x: Int) -> Total<Bool> {
    Ok((cx.int(x)? > 0).into())
}

/// Returns whether `a` is greater than `b`.
///
/// Sets compare as in Python: a set is greater than its proper subsets.
///
/// ```arc
/// greater(2, 1) = True
/// greater((1, 2), (1, 3)) = False
/// greater({1, 2}, {3}) = False
/// ```
#[primitive(cost = PerCell)]
fn greater(cx: &mut Cx, a: Int, b: Int) -> Total<Bool> {
    Ok(cx.less(b, a)?.into())
}

/// Returns the largest member, or 0 if the container is empty.
///
/// ```arc
/// maximum({3, 1, 2}) = 3
/// maximum({}) = 0
/// ```
#[primitive(cost = PerCell)]
fn maximum(cx: &mut Cx, container: Container<Int>) -> Total<Int> {
    match cx.len(container)? {
        0 => Ok(Value::Int(0)),
        _ => cx.max(cx.iter(container)?),
    }
}

/// Returns the smallest member, or 0 if the container is empty.
///
/// ```arc
/// minimum((3, 1, 2)) = 1
/// minimum(()) = 0
/// ```
#[primitive(cost = PerCell)]
fn minimum(cx: &mut Cx, container: Container<Int>) -> Total<Int> {
    match cx.len(container)? {
        0 => Ok(Value::Int(0)),
        _ => cx.min(cx.iter(container)?),
    }
}

/// Returns the pair `(i, 0)`, which points `i` rows down.
///
/// ```arc
/// toivec(3) = (3, 0)
/// ```
#[primitive(cost = PerCell)]
fn toivec(cx: &mut Cx, i: Int) -> Total<Pair> {
    cx.tuple(&[i, Value::Int(0)])
}

/// Returns the pair `(0, j)`, which points `j` columns to the right.
///
/// ```arc
/// tojvec(3) = (0, 3)
/// ```
#[primitive(cost = PerCell)]
fn tojvec(cx: &mut Cx, j: Int) -> Total<Pair> {
    cx.tuple(&[Value::Int(0), j])
}

/// Calls `op` on two integers, or on the first two components of anything else.
fn componentwise<'a>(
    cx: &Cx<'a>,
    a: Value<'a>,
    b: Value<'a>,
    op: impl Fn(&Cx<'a>, Value<'a>, Value<'a>) -> Result<Value<'a>, Fail>,
) -> Result<Value<'a>, Fail> {
    match (a.as_int(), b.as_int()) {
        (Some(_), Some(_)) => op(cx, a, b),
        (Some(_), None) if b.is_tuple() => {
            let items = [op(cx, a, cx.at(b, 0)?)?, op(cx, a, cx.at(b, 1)?)?];
            cx.tuple(&items)
        }
        (None, _) if a.is_tuple() && b.is_tuple() => {
            let items = [op(cx, cx.at(a, 0)?, cx.at(b, 0)?)?, op(cx, cx.at(a, 1)?, cx.at(b, 1)?)?];
            cx.tuple(&items)
        }
        // As in the reference, `op` decides what it accepts as second operand.
        _ => {
            let items = [op(cx, cx.at(a, 0)?, b)?, op(cx, cx.at(a, 1)?, b)?];
            cx.tuple(&items)
        }
    }
}

/// Calls `op` on an integer, or on the first two components of anything else.
fn each<'a>(
    cx: &Cx<'a>,
    n: Value<'a>,
    op: impl Fn(&Cx<'a>, Value<'a>) -> Result<Value<'a>, Fail>,
) -> Result<Value<'a>, Fail> {
    if n.as_int().is_some() {
        return op(cx, n);
    }
    let items = [op(cx, cx.at(n, 0)?)?, op(cx, cx.at(n, 1)?)?];
    cx.tuple(&items)
}

fn each_int<'a>(cx: &Cx<'a>, n: Value<'a>, op: impl Fn(i64) -> Option<i64>) -> Result<Value<'a>, Fail> {
    each(cx, n, |cx, n| op(cx.int(n)?).map(Value::Int).ok_or(Fail::Overflow))
}
