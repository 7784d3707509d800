//! arc-dsl in CPython, as a process that runs one round when asked.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

/// The Python script that imports the checkout and times the programs.
const DRIVER: &str = include_str!("reference.py");

#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error("{} is not a checkout of arc-dsl: it has no {file}", .folder.display())]
    NoCheckout { folder: PathBuf, file: &'static str },
    #[error("cannot start {python} (name another one with the variable PYTHON): {error}")]
    Start { python: String, error: io::Error },
    #[error("{python} ended before it answered; its own messages are above")]
    Ended { python: String },
    #[error("cannot read the answer of {python}: {error}")]
    Answer { python: String, error: serde_json::Error },
}

/// A CPython process. Dropping this ends it.
pub struct Reference {
    python: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The answers of the untimed check that precedes the first round.
#[derive(Deserialize)]
pub(crate) struct Checked {
    pub(crate) version: String,
    /// For each program, whether it returns a value on every input.
    pub(crate) runs: Vec<bool>,
    /// For each program, whether it is right on every pair with a known output.
    pub(crate) right: Vec<bool>,
}

/// The times of one round in CPython.
pub(crate) struct Round {
    /// For each program, the time on all its pairs.
    pub(crate) times: Vec<Duration>,
    /// For each program, the time from the start of the round to its end.
    pub(crate) clock: Vec<Duration>,
}

impl Reference {
    /// Starts `python` on the checkout in `folder`.
    pub fn start(python: &str, folder: &Path) -> Result<Reference, ReferenceError> {
        check_checkout(folder)?;
        let mut command = Command::new(python);
        command.args(["-c", DRIVER]).arg(folder);
        // Leave no __pycache__ in the user's checkout.
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        let start = |error| ReferenceError::Start { python: python.to_owned(), error };
        let mut child = command.spawn().map_err(start)?;
        let no_pipe = || start(io::Error::other("its standard input and output are not pipes"));
        let input = child.stdin.take().ok_or_else(no_pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(no_pipe)?);
        Ok(Reference { python: python.to_owned(), child, input: Some(input), output })
    }

    /// Sends the work (JSON without line breaks) and waits for the untimed check.
    pub(crate) fn check(&mut self, work: &str) -> Result<Checked, ReferenceError> {
        let line = self.ask(work)?;
        self.read(&line)
    }

    /// Times the programs with these indices into the work, in this order.
    pub(crate) fn round(&mut self, programs: &[usize]) -> Result<Round, ReferenceError> {
        #[derive(Deserialize)]
        struct Nanoseconds {
            times: Vec<u64>,
            clock: Vec<u64>,
        }
        let line = self.ask(&format!("{programs:?}"))?;
        let Nanoseconds { times, clock } = self.read(&line)?;
        let durations = |ns: Vec<u64>| ns.into_iter().map(Duration::from_nanos).collect();
        Ok(Round { times: durations(times), clock: durations(clock) })
    }

    /// Sends a line and returns the line that answers it.
    fn ask(&mut self, line: &str) -> Result<String, ReferenceError> {
        let mut answer = String::new();
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match sent.and_then(|()| self.output.read_line(&mut answer)) {
            Ok(bytes) if bytes > 0 => Ok(answer),
            _ => Err(ReferenceError::Ended { python: self.python.clone() }),
        }
    }

    fn read<'t, T: Deserialize<'t>>(&self, line: &'t str) -> Result<T, ReferenceError> {
        serde_json::from_str(line)
            .map_err(|error| ReferenceError::Answer { python: self.python.clone(), error })
    }
}

/// Checks that a folder is a checkout of arc-dsl.
pub(crate) fn check_checkout(folder: &Path) -> Result<(), ReferenceError> {
    match ["dsl.py", "constants.py"].into_iter().find(|file| !folder.join(file).is_file()) {
        Some(file) => Err(ReferenceError::NoCheckout { folder: folder.to_owned(), file }),
        None => Ok(()),
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // The end of its input ends the script, unless it is in the middle of a round.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
