//! Printing to the terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arcbatt::base::time;
use indicatif::{ProgressBar, ProgressStyle};

use schemars::JsonSchema;
use serde::Serialize;

use crate::color::Colors;
use crate::schema::Document;

/// The version of every JSON document that a command prints.
const SCHEMA: u32 = 1;

/// Set once, before the command starts.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Turns on `--quiet`.
pub(crate) fn set_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether to print only results and errors: no progress, warnings or notes.
pub(crate) fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Returns buffered standard output. Colour codes are removed unless it is a terminal that shows colours.
pub(crate) fn stdout() -> impl Write {
    io::BufWriter::new(anstream::AutoStream::auto(io::stdout()))
}

/// Returns whether standard output shows colours.
pub(crate) fn colored() -> bool {
    Colors::of_stdout() != Colors::None
}

pub(crate) fn terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns the number of characters per line; 100 if standard output is not a terminal.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(100, |(terminal_size::Width(width), _)| usize::from(width))
}

/// Prints an error on standard error.
pub(crate) fn error(text: &str) {
    print_message("\x1b[1;31m", "error", text);
}

/// Prints a warning on standard error; the command continues.
pub(crate) fn warning(text: &str) {
    if !quiet() {
        print_message("\x1b[1;33m", "warning", text);
    }
}

/// Prints a line on standard error that separates two runs.
pub(crate) fn separator(text: &str) {
    if !quiet() {
        let (bold, reset) = if colored_errors() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let rest = "─".repeat(width().min(100).saturating_sub(text.chars().count() + 4));
        let _ = writeln!(io::stderr(), "\n── {bold}{text}{reset} {rest}\n");
    }
}

/// Prints on standard error what the command does now.
pub(crate) fn status(text: &str) {
    if !quiet() {
        let (dim, reset) = if colored_errors() { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
        let _ = writeln!(io::stderr(), "{dim}{text}{reset}");
    }
}

/// Writes a note on the results.
pub(crate) fn note(out: &mut impl Write, text: impl Display) -> io::Result<()> {
    if quiet() { Ok(()) } else { writeln!(out, "note: {text}") }
}

/// Reports a file that was written.
pub(crate) fn wrote(out: &mut impl Write, file: impl Display) -> io::Result<()> {
    if quiet() { Ok(()) } else { writeln!(out, "wrote {file}") }
}

/// Returns a line on standard error that shows the current step, if that is a terminal.
pub(crate) fn spinner() -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{elapsed} {msg}").ok()?;
    let shown = io::stderr().is_terminal() && !quiet();
    let spinner = shown.then(|| ProgressBar::new_spinner().with_style(style))?;
    // Ten updates per second are too few to disturb a benchmark.
    spinner.enable_steady_tick(Duration::from_millis(100));
    Some(spinner)
}

/// Runs one phase of a command and logs how long it took.
pub(crate) fn phase<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    tracing::info!(phase = name, took = %time::brief(start.elapsed()), "finished phase");
    result
}

fn colored_errors() -> bool {
    Colors::of_stderr() != Colors::None
}

fn print_message(color: &str, severity: &str, text: &str) {
    let (color, reset) = if colored_errors() { (color, "\x1b[0m") } else { ("", "") };
    // If standard error is closed, there is nowhere to report that.
    let _ = writeln!(io::stderr(), "{color}{severity}{reset}: {text}");
}

/// Cuts a line to the width of the terminal.
pub(crate) fn shortened(line: &str) -> String {
    let width = width();
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// A printed document: the schema version, then its fields.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Versioned<T> {
    /// Version of the document, 1.
    schema: u32,
    #[serde(flatten)]
    document: T,
}

/// Prints a document on standard output. Only documents listed in `schema.rs` can be printed.
pub(crate) fn json(document: impl Document) -> anyhow::Result<()> {
    let mut out = stdout();
    serde_json::to_writer(&mut out, &Versioned { schema: SCHEMA, document })?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Returns whether the reader closed the pipe, as `head` does. That is not an error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
