//! Truth and choice.

use batt_dsl_macros::primitive;
use batt_value::order;

use crate::Cx;
use crate::registry::family;

family! {
    /// Truth is Python's: zero, None and empty containers are false, and `both` and `either` answer with one of
    /// their arguments.
    logic: identity, flip, equality, both, either, branch,
}

/// The argument itself.
///
/// ```arc
/// identity(7) = 7
/// ```
#[primitive(cost = Constant, infer = SameAsFirst)]
fn identity(cx: &mut Cx, x: A) -> Total<A> {
    Ok(x)
}

/// Logical not.
///
/// ```arc
/// flip(True) = False
/// flip({}) = True
/// ```
#[primitive(cost = Constant)]
fn flip(cx: &mut Cx, b: Bool) -> Total<Bool> {
    Ok((!b.truth()).into())
}

/// Whether two values are equal. `True` equals `1`.
///
/// ```arc
/// equality((1, 2), (1, 2)) = True
/// equality({1}, (1,)) = False
/// equality(True, 1) = True
/// ```
#[primitive(cost = PerCell)]
fn equality(cx: &mut Cx, a: Any, b: Any) -> Total<Bool> {
    Ok(order::equal(a, b).into())
}

/// Logical and: `a` if it is false, else `b`.
///
/// ```arc
/// both(True, False) = False
/// both(2, 3) = 3
/// ```
#[primitive(cost = Constant)]
fn both(cx: &mut Cx, a: Bool, b: Bool) -> Total<Bool> {
    Ok(if a.truth() { b } else { a })
}

/// Logical or: `a` if it is true, else `b`.
///
/// ```arc
/// either(False, True) = True
/// either(0, {}) = {}
/// ```
#[primitive(cost = Constant)]
fn either(cx: &mut Cx, a: Bool, b: Bool) -> Total<Bool> {
    Ok(if a.truth() { a } else { b })
}

/// `a` if the condition is true, else `b`. Both are computed in any case.
///
/// ```arc
/// branch(True, 1, 2) = 1
/// branch((), 1, 2) = 2
/// ```
#[primitive(cost = Constant, alias(c_branch), keyword(if_value = a, else_value = b))]
fn branch(cx: &mut Cx, condition: Bool, a: A, b: A) -> Total<A> {
    Ok(if condition.truth() { a } else { b })
}
