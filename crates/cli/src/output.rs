//! Everything that reaches the terminal goes through here.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// The version of every JSON document that a command prints.
const SCHEMA: u32 = 1;

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

/// What went wrong, on standard error.
pub(crate) fn error(text: &str) {
    say("\x1b[1;31m", "error", text);
}

/// What the user should know although the command goes on, on standard error.
pub(crate) fn warning(text: &str) {
    say("\x1b[1;33m", "warning", text);
}

fn say(color: &str, word: &str, text: &str) {
    let plain = anstream::AutoStream::choice(&io::stderr()) == anstream::ColorChoice::Never;
    let (color, reset) = if plain { ("", "") } else { (color, "\x1b[0m") };
    // Nothing is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "{color}{word}{reset}: {text}");
}

/// `1 task`, `2 tasks`
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A document on standard output, with the schema's version in front.
pub(crate) fn json(document: impl Serialize) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Versioned<T> {
        schema: u32,
        #[serde(flatten)]
        document: T,
    }
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
