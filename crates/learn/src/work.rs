//! The meter of a learner.
//!
//! A learner that needs `n` units finds the same rules with any limit of at least `n`; with less it stops and finds
//! none.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts work in units of about fifty nanoseconds, the same on every machine, up to a limit.
#[derive(Debug)]
pub struct Work<'w> {
    limit: u64,
    used: Cell<u64>,
    stopped: Cell<bool>,
    flag: Option<&'w AtomicBool>,
}

/// The work is used up, or the stop flag is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfWork;

impl<'w> Work<'w> {
    pub fn new(limit: u64) -> Work<'w> {
        Work { limit, used: Cell::new(0), stopped: Cell::new(false), flag: None }
    }

    /// Also stops when `flag` is set.
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

    /// Counts `amount`, or fails if less is left.
    pub(crate) fn spend(&self, amount: usize) -> Result<(), OutOfWork> {
        let used = self.used.get().saturating_add(amount as u64);
        if used > self.limit {
            self.used.set(self.limit);
            self.stopped.set(true);
        }
        if self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.stopped.set(true);
        }
        if self.stopped.get() {
            return Err(OutOfWork);
        }
        self.used.set(used);
        Ok(())
    }
}
