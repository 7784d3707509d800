//! The values that programs compute with.
//!
//! A value is what CPython would hold: an integer, a boolean, `None`, a tuple, a frozen set or a function.
//! Inside a run it is a [`Value`]: 16 bytes, `Copy`, pointing into an [`Arena`]. Outside a run it is an
//! [`Owned`]: an immutable shared buffer that carries its hash.
//!
//! Common shapes have compact forms (a grid of small integers, a set of cells as bit planes), chosen by the
//! arena when a value is made. Each value has exactly one form, which shows in nothing but speed.
//!
//! This room knows nothing of primitives, programs or tasks.

mod fail;
mod func;
mod grid;
mod patch;
mod value;
mod arena;
mod bitmap;
mod column;
pub mod order;
mod owned;
mod text;
mod json;

pub use arena::{Arena, Caps, Planes};
pub use bitmap::Bitmap;
pub use column::Column;
pub use fail::Fail;
pub use func::{Closure, Op, Symbol};
pub use grid::{Grid, Row};
pub use json::{from_json, to_json};
pub use owned::{ContentHash, Owned, encode};
pub use patch::{Cell, Pair, Patch};
pub use text::{Name, TextError, parse, parse_prefix};
pub use value::{Bool, Items, Kind, Set, Tuple, Value};
