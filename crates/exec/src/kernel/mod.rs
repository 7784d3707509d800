//! Faster ways to do what the bodies in `dsl` say, for the forms of values that programs mostly hold.
//!
//! A kernel answers for arguments it knows and passes on the others. It gives the same value, the same failure and
//! the same bill as the body (`tests/kernels.rs` compares them). Without this folder everything still works, slower.

/// The kernels of a file: `serve! { K1: first, last; K2: add, box = outline }`.
macro_rules! serve {
    ($($kind:ident: $($name:ident $(= $function:ident)?),* $(,)?);* $(;)?) => {
        pub(super) const KERNELS: &[(&str, batt_dsl::Kernel)] = &[
            $($((
                stringify!($name),
                batt_dsl::Kernel::$kind(serve!(@function $name $($function)?)),
            )),*),*
        ];
    };
    (@function $name:ident) => { $name };
    (@function $name:ident $function:ident) => { $function };
}

mod closure;
mod column;
mod container;
mod function;
mod grid;
mod measure;
mod object;
mod paint;
mod patch;
mod scalar;

use std::sync::LazyLock;

use batt_dsl::{Entry, Kernel, Table, registry};

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
        function::KERNELS,
        grid::KERNELS,
        paint::KERNELS,
        patch::KERNELS,
        object::KERNELS,
        measure::KERNELS,
    ];
    kernels.concat().into_iter()
}
