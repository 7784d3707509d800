//! Files for existing viewers. Every nanosecond of every lane is in each of them, once; only a timeline without events
//! shows tasks as a whole and nothing of what is in them.

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

/// What kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Brendan Gregg's stacks, one a line.
    Folded,
    /// A flame graph.
    Svg,
    Speedscope,
    /// The Trace Event Format.
    Chrome,
    /// Firefox's processed profile.
    Firefox,
    /// A line for each task and function.
    Csv,
}

/// Writes the file. Where there are `events`, a timeline tells all of them.
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
