//! What time is it?

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds since the clock was made.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    /// The time-stamp counter where it can be trusted, else the system's monotonic clock.
    Real {
        clock: quanta::Clock,
        start: u64,
    },
    Hand(Arc<AtomicU64>),
}

impl Clock {
    pub fn real() -> Clock {
        let clock = quanta::Clock::new();
        let start = clock.raw();
        Clock(Source::Real { clock, start })
    }

    /// A clock for tests: it stands still until it is wound on.
    pub fn hand() -> (Clock, Hand) {
        let time = Arc::new(AtomicU64::new(0));
        (Clock(Source::Hand(Arc::clone(&time))), Hand(time))
    }

    #[inline]
    pub fn now(&self) -> u64 {
        match &self.0 {
            Source::Real { clock, start } => clock.delta_as_nanos(*start, clock.raw()),
            Source::Hand(time) => time.load(Ordering::Relaxed),
        }
    }
}

/// The hand of a hand-wound clock.
#[derive(Clone, Debug)]
pub struct Hand(Arc<AtomicU64>);

impl Hand {
    pub fn advance(&self, nanoseconds: u64) {
        self.0.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}
