//! The families of primitives, in the order of the manual.

mod arith;
mod logic;

use crate::registry::Family;

pub(crate) static ALL: &[&Family] = &[&arith::FAMILY, &logic::FAMILY];
