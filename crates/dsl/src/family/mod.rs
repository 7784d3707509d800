//! The families of primitives, in the order of the manual.

mod places;

mod arith;
mod logic;
mod container;
mod function;
mod geometry;
mod color;
mod shape;
mod paint;
mod object;
mod measure;
mod line;
mod assemble;
mod extend;
mod rank;
mod samples;
mod learn;

use crate::registry::Family;

pub(crate) static ALL: &[&Family] = &[
    &arith::FAMILY,
    &logic::FAMILY,
    &container::FAMILY,
    &function::FAMILY,
    &geometry::FAMILY,
    &color::FAMILY,
    &shape::FAMILY,
    &paint::FAMILY,
    &object::FAMILY,
    &measure::FAMILY,
    &line::FAMILY,
    &assemble::FAMILY,
    &extend::FAMILY,
    &rank::FAMILY,
    &samples::FAMILY,
    &learn::FAMILY,
];
