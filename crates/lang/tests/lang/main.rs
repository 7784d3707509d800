//! The language, text in and text out.

mod check;
mod programs;
mod problems;
mod printing;
mod properties;
mod reference;
