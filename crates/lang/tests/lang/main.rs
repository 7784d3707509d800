//! The language, text in and text out.

mod aliases;
mod check;
mod formatting;
mod lint;
mod programs;
mod problems;
mod printing;
mod properties;
mod reference;
