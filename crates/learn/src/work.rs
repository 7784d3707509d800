//! The meter of a learner.
//!
//! A learner that found everything it looks for with `n` units finds the same with any limit from `n` on, and with
//! less it is stopped; nothing in between.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts work in units of about fifty nanoseconds, the same on every machine, and says when it is used up.
#[derive(Debug)]
pub struct Work<'w> {
    limit: u64,
    used: Cell<u64>,
    stopped: Cell<bool>,
    flag: Option<&'w AtomicBool>,
}

impl<'w> Work<'w> {
    pub fn new(limit: u64) -> Work<'w> {
        Work { limit, used: Cell::new(0), stopped: Cell::new(false), flag: None }
    }

    /// Also ends when `flag` is set.
    pub fn with_stop(limit: u64, flag: Option<&'w AtomicBool>) -> Work<'w> {
        Work { flag, ..Work::new(limit) }
    }

    /// Work done so far, never above the limit.
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    /// Whether a learner was stopped.
    pub fn is_exhausted(&self) -> bool {
        self.stopped.get()
    }

    /// Counts `amount`. `None`: there is not that much left, and whoever learns gives up.
    pub(crate) fn spend(&self, amount: usize) -> Option<()> {
        let used = self.used.get().saturating_add(amount as u64);
        if used > self.limit {
            self.used.set(self.limit);
            self.stopped.set(true);
        }
        if self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.stopped.set(true);
        }
        if self.stopped.get() {
            return None;
        }
        self.used.set(used);
        Some(())
    }
}
