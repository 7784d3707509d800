//! Tests of parsing, checking, formatting and printing: text in, text out.

mod aliases;
mod check;
mod every_line;
mod formatting;
mod lint;
mod programs;
mod problems;
mod printing;
mod properties;
mod reference;
