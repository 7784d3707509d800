//! The families of primitives, in the order of the manual: the most used first.

mod places;

mod object;
mod paint;
mod geometry;
mod assemble;
mod color;
mod container;
mod function;
mod shape;
mod line;
mod measure;
mod arith;
mod logic;
mod rank;
mod extend;
mod samples;
mod learn;

use crate::registry::Family;

pub(crate) static ALL: &[&Family] = &[
    &object::FAMILY,
    &paint::FAMILY,
    &geometry::FAMILY,
    &assemble::FAMILY,
    &color::FAMILY,
    &container::FAMILY,
    &function::FAMILY,
    &shape::FAMILY,
    &line::FAMILY,
    &measure::FAMILY,
    &arith::FAMILY,
    &logic::FAMILY,
    &rank::FAMILY,
    &extend::FAMILY,
    &samples::FAMILY,
    &learn::FAMILY,
];
