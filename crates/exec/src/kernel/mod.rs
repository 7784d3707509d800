//! Kernels: faster implementations of primitives for the usual forms of values.
//!
//! A kernel handles some arguments and leaves the others to the body in `dsl`. It gives the same value and
//! the same failure for the same fuel as the body (`tests/kernels.rs` compares them). Without kernels
//! everything works, only slower.

/// Lists the kernels of a file: `register! { K1: first, last; P2: add, box = outline }`. The kinds are those
/// of [`Kernel`], and `P1` and `P2` for kernels whose cost is the weight of arguments and result, which is
/// charged after the call (see [`charge1`]).
macro_rules! register {
    ($($kind:ident: $($name:ident $(= $function:ident)?),* $(,)?);* $(;)?) => {
        pub(super) const KERNELS: &[(&str, batt_dsl::Kernel)] = &[
            $($((stringify!($name), register!(@kernel $kind $name $($function)?))),*),*
        ];
    };
    (@kernel $kind:ident $name:ident $function:ident) => { register!(@kernel $kind $function) };
    (@kernel P1 $function:ident) => {{
        fn quick<'a>(cx: &mut Cx<'a>, a: Value<'a>) -> Option<Value<'a>> {
            super::charge1(cx, a, $function)
        }
        batt_dsl::Kernel::Q1(quick)
    }};
    (@kernel P2 $function:ident) => {{
        fn quick<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
            super::charge2(cx, a, b, $function)
        }
        batt_dsl::Kernel::Q2(quick)
    }};
    (@kernel $kind:ident $function:ident) => { batt_dsl::Kernel::$kind($function) };
}

mod closure;
mod column;
mod container;
mod extend;
mod function;
mod grid;
mod measure;
mod object;
mod paint;
mod patch;
mod scalar;

use std::sync::LazyLock;

use batt_dsl::{Cx, Entry, Kernel, Table, registry};
use batt_value::{Fail, Value};

/// The answer of a kernel; `None` if it does not handle these arguments.
type Answer<'a> = Option<Result<Value<'a>, Fail>>;

/// The answer of a quick kernel; `None` if it does not handle these arguments, or if the call fails.
type QuickAnswer<'a> = Option<Value<'a>>;

/// The table of primitives, with kernels where they exist.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let mut table = registry().table().to_vec();
        for (name, kernel) in kernels() {
            let symbol = batt_dsl::symbol(name).unwrap_or_else(|| panic!("there is no primitive `{name}`"));
            table[usize::from(symbol.id)].kernel = Some(kernel);
        }
        table
    });
    &TABLE
}

/// Returns all kernels with the names of their primitives.
pub fn kernels() -> impl Iterator<Item = (&'static str, Kernel)> {
    let kernels = [
        scalar::KERNELS,
        closure::KERNELS,
        container::KERNELS,
        extend::KERNELS,
        function::KERNELS,
        grid::KERNELS,
        paint::KERNELS,
        patch::KERNELS,
        object::KERNELS,
        measure::KERNELS,
    ];
    kernels.concat().into_iter()
}

/// Calls a kernel and charges 1 + the weight of the argument + the weight of the value. Failures, including a
/// lack of fuel, are left to the body.
#[inline(always)]
fn charge1<'a>(
    cx: &mut Cx<'a>,
    a: Value<'a>,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>) -> Answer<'a>,
) -> Option<Value<'a>> {
    let value = kernel(cx, a)?.ok()?;
    cx.spend(1 + u64::from(a.weight()) + u64::from(value.weight()))?;
    Some(value)
}

/// [`charge1`], for two arguments.
#[inline(always)]
fn charge2<'a>(
    cx: &mut Cx<'a>,
    a: Value<'a>,
    b: Value<'a>,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Answer<'a>,
) -> Option<Value<'a>> {
    let value = kernel(cx, a, b)?.ok()?;
    cx.spend(1 + u64::from(a.weight()) + u64::from(b.weight()) + u64::from(value.weight()))?;
    Some(value)
}
