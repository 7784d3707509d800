//! Ctrl-C and a request to end (SIGTERM): a command that has something to save is told so, and ends by itself.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context;

/// When the first request came.
static STOPPED: OnceLock<Instant> = OnceLock::new();

/// One request may come twice, from the terminal and from the command around this one.
const SAME: Duration = Duration::from_secs(1);

/// From now on the first request is only noted ([`stopped`]); another one ends the process at once.
pub(crate) fn note() -> anyhow::Result<()> {
    let handler = || {
        if STOPPED.get_or_init(Instant::now).elapsed() > SAME {
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// Whether the user wants the command to end.
pub(crate) fn stopped() -> bool {
    STOPPED.get().is_some()
}
