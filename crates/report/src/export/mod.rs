//! Exports for existing viewers. Each contains every nanosecond of every lane once, except that a Chrome
//! timeline without events shows whole tasks only.

mod chrome;
mod csv;
mod firefox;
mod flame;
mod speedscope;
mod stacks;

pub(crate) use flame::Frame;

use std::io::Write;
use std::path::Path;

use crate::facts::{Facts, ReportError};

/// The file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Folded stacks, one per line.
    Folded,
    /// A flame graph.
    Svg,
    Speedscope,
    /// The Trace Event Format.
    Chrome,
    /// Firefox's processed profile.
    Firefox,
    /// A row for each task and function.
    Csv,
}

/// Writes the file. With `events`, a Chrome timeline contains all of them.
pub fn write(
    facts: &Facts<'_>,
    format: Format,
    events: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    match format {
        Format::Folded => Ok(out.write_all(stacks::folded(facts).as_bytes())?),
        Format::Svg => flame::write(facts, out),
        Format::Speedscope => speedscope::write(facts, out),
        Format::Chrome => chrome::write(facts, events, out),
        Format::Firefox => firefox::write(facts, out),
        Format::Csv => csv::write(facts, out),
    }
}
