//! The values that programs compute with.
//!
//! Values are those of CPython: integers, booleans, `None`, tuples, frozen sets and functions. Inside a run a
//! value is a [`Value`]: 16 bytes, `Copy`, pointing into an [`Arena`]. Outside a run it is an [`Owned`]: an
//! immutable shared buffer with its hash.
//!
//! Common values have compact forms (a grid of small integers, a set of cells as bit planes), which the arena
//! chooses when it makes a value. Each value has exactly one form. The form affects speed only.
//!
//! This crate does not know primitives, programs or tasks.

mod fail;
mod fingerprint;
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
pub use fingerprint::{fingerprint, mix};
pub use func::{Closure, Op, Symbol};
pub use grid::{Grid, Row};
pub use json::{from_json, to_json};
pub use owned::{ContentHash, Owned, encode};
pub use patch::{Cell, Pair, Patch};
pub use text::{Name, TextError, parse, parse_prefix};
pub use value::{Bool, Items, Kind, Set, Tuple, Value};
