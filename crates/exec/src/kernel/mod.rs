//! Faster ways to do what the bodies in `dsl` say, for the forms of values that programs mostly hold.
//!
//! A kernel answers for arguments it knows and passes on the others. It gives the same value, the same
//! failure and the same bill as the body (`tests/kernels.rs` compares them). Without this folder everything
//! still works, slower.

/// The kernels of a file: `serve! { K1: first, last; P2: add, box = outline }`. Kinds are those of
/// [`Kernel`], and `P1` and `P2` for kernels of primitives that cost their cells, which are paid when the
/// value is there (see [`paid1`]).
macro_rules! serve {
    ($($kind:ident: $($name:ident $(= $function:ident)?),* $(,)?);* $(;)?) => {
        pub(super) const KERNELS: &[(&str, batt_dsl::Kernel)] = &[
            $($((stringify!($name), serve!(@kernel $kind $name $($function)?))),*),*
        ];
    };
    (@kernel $kind:ident $name:ident $function:ident) => { serve!(@kernel $kind $function) };
    (@kernel P1 $function:ident) => {{
        fn quick<'a>(cx: &mut Cx<'a>, a: Value<'a>) -> Option<Value<'a>> {
            super::paid1(cx, a, $function)
        }
        batt_dsl::Kernel::Q1(quick)
    }};
    (@kernel P2 $function:ident) => {{
        fn quick<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
            super::paid2(cx, a, b, $function)
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

/// The bodies, with kernels where there are some.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let mut table = registry().table().to_vec();
        for (name, kernel) in kernels() {
            let symbol = batt_dsl::symbol(name).unwrap_or_else(|| panic!("no primitive is called {name}"));
            table[usize::from(symbol.id)].kernel = Some(kernel);
        }
        table
    });
    &TABLE
}

/// All kernels with the primitives they serve.
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

/// The value of a kernel, paid for: 1 + the weight of the argument + its own. A failure is left to the body,
/// and so is a price that cannot be paid.
#[inline(always)]
fn paid1<'a>(
    cx: &mut Cx<'a>,
    a: Value<'a>,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>) -> Option<Result<Value<'a>, Fail>>,
) -> Option<Value<'a>> {
    let value = kernel(cx, a)?.ok()?;
    cx.spend(1 + u64::from(a.weight()) + u64::from(value.weight()))?;
    Some(value)
}

/// [`paid1`] for two arguments.
#[inline(always)]
fn paid2<'a>(
    cx: &mut Cx<'a>,
    a: Value<'a>,
    b: Value<'a>,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Option<Result<Value<'a>, Fail>>,
) -> Option<Value<'a>> {
    let value = kernel(cx, a, b)?.ok()?;
    cx.spend(1 + u64::from(a.weight()) + u64::from(b.weight()) + u64::from(value.weight()))?;
    Some(value)
}
