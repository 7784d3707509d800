//! Decides when files are saved, so that saving takes only a small part of the time.

use std::time::{Duration, Instant};

/// Decides when files are saved again.
pub(crate) struct SaveTimer {
    next: Instant,
    every: Duration,
}

impl SaveTimer {
    /// Saving takes at most one part in this many of the time.
    const SHARE: u32 = 50;

    /// Saves at most once in `every`, the first time after that long.
    pub(crate) fn new(now: Instant, every: Duration) -> SaveTimer {
        SaveTimer { next: now + every, every }
    }

    pub(crate) fn is_now(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Records that the files were saved, from `begun` to `now`.
    pub(crate) fn done(&mut self, begun: Instant, now: Instant) {
        self.every = self.every.max((now - begun) * SaveTimer::SHARE);
        self.next = now + self.every;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_takes_a_small_part_of_the_time() {
        let at = |start: Instant, seconds: u64| start + Duration::from_secs(seconds);
        let start = Instant::now();
        let mut due = SaveTimer::new(start, Duration::from_secs(5));
        assert!(!due.is_now(at(start, 4)) && due.is_now(at(start, 5)));
        due.done(at(start, 5), at(start, 7));
        assert!(!due.is_now(at(start, 106)) && due.is_now(at(start, 107)));
        // A save that was slow once may be slow again.
        due.done(at(start, 107), at(start, 107));
        assert!(!due.is_now(at(start, 206)) && due.is_now(at(start, 207)));
    }
}
