//! Ctrl-C and a request to end (SIGTERM): a command that has something to save is told so, and ends by itself.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on the first request is only noted ([`stopped`]); the second ends the process at once.
pub(crate) fn note() -> anyhow::Result<()> {
    let handler = || {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// Whether the user wants the command to end.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}
