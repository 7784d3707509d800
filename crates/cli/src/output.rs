//! Everything that reaches the terminal goes through here.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arcbatt::base::time;
use indicatif::{ProgressBar, ProgressStyle};

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::Document;

/// The version of every JSON document that a command prints.
const SCHEMA: u32 = 1;

/// Set once, before the command starts.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Turns on `--quiet`.
pub(crate) fn set_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether to print results and errors only: no progress, warnings or notes.
pub(crate) fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Standard output, buffered; colour codes are dropped where they are not wanted.
pub(crate) fn stdout() -> impl Write {
    io::BufWriter::new(anstream::AutoStream::auto(io::stdout()))
}

/// Whether standard output shows colours: a terminal, and no `NO_COLOR`.
pub(crate) fn colored() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

pub(crate) fn terminal() -> bool {
    io::stdout().is_terminal()
}

/// How many characters a line takes; in a pipe as many as most people see at once.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(100, |(terminal_size::Width(width), _)| usize::from(width))
}

/// What went wrong, on standard error.
pub(crate) fn error(text: &str) {
    say("\x1b[1;31m", "error", text);
}

/// Prints something the user should know on standard error; the command continues.
pub(crate) fn warning(text: &str) {
    if !quiet() {
        say("\x1b[1;33m", "warning", text);
    }
}

/// Writes a remark on the results below them.
pub(crate) fn note(out: &mut impl Write, text: impl Display) -> io::Result<()> {
    if quiet() { Ok(()) } else { writeln!(out, "note: {text}") }
}

/// Reports a file that was written.
pub(crate) fn wrote(out: &mut impl Write, file: impl Display) -> io::Result<()> {
    if quiet() { Ok(()) } else { writeln!(out, "wrote {file}") }
}

/// Returns a line on standard error that shows the current step; none in a pipe.
pub(crate) fn spinner() -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{elapsed} {msg}").ok()?;
    let shown = io::stderr().is_terminal() && !quiet();
    let spinner = shown.then(|| ProgressBar::new_spinner().with_style(style))?;
    // Ten times a second is too rare to disturb what is measured.
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

fn say(color: &str, word: &str, text: &str) {
    let plain = anstream::AutoStream::choice(&io::stderr()) == anstream::ColorChoice::Never;
    let (color, reset) = if plain { ("", "") } else { (color, "\x1b[0m") };
    // Nothing is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "{color}{word}{reset}: {text}");
}

/// A line cut to the width of the terminal.
pub(crate) fn shortened(line: &str) -> String {
    let width = width();
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// A document as a command prints it: with the schema's version in front.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Versioned<T> {
    /// Version of the document, 1.
    schema: u32,
    #[serde(flatten)]
    document: T,
}

/// Prints a document on standard output. Only documents of the table in `schema.rs` can be printed.
pub(crate) fn json(document: impl Document) -> anyhow::Result<()> {
    let mut out = stdout();
    serde_json::to_writer(&mut out, &Versioned { schema: SCHEMA, document })?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Whether somebody closed the pipe that we write to, as `head` does. That is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
