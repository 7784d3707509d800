//! Logic and conditions.

use batt_dsl_macros::primitive;
use batt_value::order;

use crate::Cx;
use crate::registry::family;

family! {
    /// Logic and conditions. As in Python, zero, `None` and empty containers are false, everything else is
    /// true, and `both` and `either` return one of their arguments.
    logic: identity, flip, equality, both, either, branch,
}

/// Returns its argument.
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

/// Returns whether two values are equal.
///
/// `True` equals `1`.
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

/// Logical and: returns `a` if it is false, otherwise `b`.
///
/// ```arc
/// both(True, False) = False
/// both(2, 3) = 3
/// ```
#[primitive(cost = Constant)]
fn both(cx: &mut Cx, a: Bool, b: Bool) -> Total<Bool> {
    Ok(if a.truth() { b } else { a })
}

/// Logical or: returns `a` if it is true, otherwise `b`.
///
/// ```arc
/// either(False, True) = True
/// either(0, {}) = {}
/// ```
#[primitive(cost = Constant)]
fn either(cx: &mut Cx, a: Bool, b: Bool) -> Total<Bool> {
    Ok(if a.truth() { a } else { b })
}

/// Returns `a` if the condition is true, otherwise `b`.
///
/// Both arguments are always computed.
///
/// ```arc
/// branch(True, 1, 2) = 1
/// branch((), 1, 2) = 2
/// ```
#[primitive(cost = Constant, alias(c_branch), keyword(if_value = a, else_value = b))]
fn branch(cx: &mut Cx, condition: Bool, a: A, b: A) -> Total<A> {
    Ok(if condition.truth() { a } else { b })
}
