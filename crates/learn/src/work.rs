//! The meter of a learner.

use std::cell::Cell;

/// Counts work in units of about ten nanoseconds, the same on every machine, and says when it is used up.
#[derive(Debug)]
pub struct Work {
    limit: u64,
    used: Cell<u64>,
}

impl Work {
    pub fn new(limit: u64) -> Work {
        Work { limit, used: Cell::new(0) }
    }

    /// Work done so far, never above the limit.
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    /// Whether a learner was stopped.
    pub fn is_exhausted(&self) -> bool {
        self.used.get() == self.limit
    }

    /// Counts `amount`. `None`: there is not that much left, and whoever learns gives up.
    pub(crate) fn spend(&self, amount: usize) -> Option<()> {
        let used = self.used.get().saturating_add(amount as u64);
        if used >= self.limit {
            self.used.set(self.limit);
            return None;
        }
        self.used.set(used);
        Some(())
    }
}
