//! Ctrl-C and SIGTERM: commands with files to save end by themselves after the first signal.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context;

/// When the first signal came.
static STOPPED: OnceLock<Instant> = OnceLock::new();

/// One request can arrive as two signals, from the terminal and from a wrapper command.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Installs the handler, once for all runs of `--watch`. The first signal only sets [`stopped`]; a second one ends the
/// process at once.
pub(crate) fn install_handler() -> anyhow::Result<()> {
    let handler = || {
        if STOPPED.get_or_init(Instant::now).elapsed() > SAME_REQUEST {
            std::process::exit(1);
        }
    };
    match ctrlc::set_handler(handler) {
        Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        installed => installed.context("cannot listen for Ctrl-C"),
    }
}

/// Ends the process at the first signal, with exit code 0: for commands that work until Ctrl-C and have nothing to save.
pub(crate) fn exit_on_signal() -> anyhow::Result<()> {
    ctrlc::set_handler(|| std::process::exit(0)).context("cannot listen for Ctrl-C")
}

/// Returns whether the user asked the command to end.
pub(crate) fn stopped() -> bool {
    STOPPED.get().is_some()
}
