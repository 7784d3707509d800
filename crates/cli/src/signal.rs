//! Ctrl-C and a request to end (SIGTERM): a command that has something to save is told so, and ends by itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
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

/// Tells a thread that watches others to end, also when what it watches panics.
pub(crate) struct Ender<'e> {
    over: &'e AtomicBool,
    watcher: Thread,
}

impl<'e> Ender<'e> {
    /// The watcher looks at `over` whenever it wakes up.
    pub(crate) fn new(over: &'e AtomicBool, watcher: Thread) -> Ender<'e> {
        Ender { over, watcher }
    }
}

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}
