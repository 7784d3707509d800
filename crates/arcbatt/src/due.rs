//! When a file that grows is written again: now and then, and only for a small part of the time.

use std::time::{Duration, Instant};

/// Whoever asks has the clock.
pub struct Due {
    next: Instant,
    every: Duration,
}

impl Due {
    /// What part of the time the writing may take.
    const SHARE: u32 = 50;

    /// For the first time after `every`, and not more often than that.
    pub fn new(now: Instant, every: Duration) -> Due {
        Due { next: now + every, every }
    }

    pub fn is_now(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// It was written, from `begun` to `now`.
    pub fn done(&mut self, begun: Instant, now: Instant) {
        self.every = self.every.max((now - begun) * Due::SHARE);
        self.next = now + self.every;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_takes_a_small_part_of_the_time() {
        let at = |start: Instant, seconds: u64| start + Duration::from_secs(seconds);
        let start = Instant::now();
        let mut due = Due::new(start, Duration::from_secs(5));
        assert!(!due.is_now(at(start, 4)) && due.is_now(at(start, 5)));
        due.done(at(start, 5), at(start, 7));
        assert!(!due.is_now(at(start, 106)) && due.is_now(at(start, 107)));
        // What was slow once may be slow again.
        due.done(at(start, 107), at(start, 107));
        assert!(!due.is_now(at(start, 206)) && due.is_now(at(start, 207)));
    }
}
