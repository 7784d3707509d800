//! What time is it?

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counts ticks since it was made; [`ns`](Clock::ns) says how long they are.
///
/// Own code, for the libraries that read the processor's counter take tens of milliseconds to find out how fast it runs,
/// as long as a whole run may take.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    /// The processor's counter.
    Counter {
        start: u64,
        rate: Rate,
    },
    /// The system's monotonic clock.
    System(Instant),
    Hand(Arc<AtomicU64>),
}

impl Clock {
    /// The processor's counter where the system itself goes by it, else the system's clock.
    pub fn real() -> Clock {
        match counter::trusted() {
            true => {
                let rate = Rate::measure();
                Clock(Source::Counter { start: counter::read(), rate })
            }
            false => Clock(Source::System(Instant::now())),
        }
    }

    /// A clock for tests: it stands still until it is wound on.
    pub fn hand() -> (Clock, Hand) {
        let time = Arc::new(AtomicU64::new(0));
        (Clock(Source::Hand(Arc::clone(&time))), Hand(time))
    }

    /// In ticks.
    #[inline]
    pub fn now(&self) -> u64 {
        match &self.0 {
            Source::Counter { start, .. } => counter::read().wrapping_sub(*start),
            Source::System(start) => start.elapsed().as_nanos() as u64,
            Source::Hand(time) => time.load(Ordering::Relaxed),
        }
    }

    /// So many ticks in nanoseconds.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        match &self.0 {
            Source::Counter { rate, .. } => rate.ns(ticks),
            Source::System(_) | Source::Hand(_) => ticks,
        }
    }

    /// So many nanoseconds in ticks.
    pub(crate) fn ticks(&self, ns: u64) -> u64 {
        match &self.0 {
            Source::Counter { rate, .. } => rate.ticks(ns),
            Source::System(_) | Source::Hand(_) => ns,
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

/// How long a tick is: in nanoseconds, times 2³².
#[derive(Clone, Copy, Debug)]
struct Rate(u64);

impl Rate {
    const SHIFT: u32 = 32;
    /// How long the counter is watched; a reading of both clocks is off by some tens of nanoseconds.
    const WATCHED: u64 = 100_000;

    /// Watches the counter beside the system's clock.
    fn measure() -> Rate {
        let start = Instant::now();
        let (counter, time) = both(start);
        loop {
            let (counter_now, now) = both(start);
            let (ticks, ns) = (counter_now.saturating_sub(counter), now - time);
            if ns >= Rate::WATCHED {
                return Rate(((u128::from(ns) << Rate::SHIFT) / u128::from(ticks.max(1))) as u64);
            }
        }
    }

    #[inline]
    fn ns(self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.0)) >> Rate::SHIFT) as u64
    }

    fn ticks(self, ns: u64) -> u64 {
        ((u128::from(ns) << Rate::SHIFT) / u128::from(self.0.max(1))) as u64
    }
}

/// The counter and the nanoseconds since `start` at the same moment: of some tries the one that was over fastest, for
/// another thread may get in between.
fn both(start: Instant) -> (u64, u64) {
    let once = |_| {
        let before = counter::read();
        let time = start.elapsed().as_nanos() as u64;
        let after = counter::read();
        (after.wrapping_sub(before), before, time)
    };
    let (took, before, time) = (0..5).map(once).min().unwrap_or_default();
    (before.wrapping_add(took / 2), time)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod counter {
    /// Linux goes by the counter only if it runs evenly and alike on all cores.
    pub(super) fn trusted() -> bool {
        const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        std::fs::read_to_string(SOURCE).is_ok_and(|source| source.trim() == "tsc")
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the counter is read by an instruction")]
    pub(super) fn read() -> u64 {
        // SAFETY: Every x86-64 processor has the instruction, and it touches no memory.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod counter {
    pub(super) fn trusted() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_clock_agrees_with_the_systems() {
        let clock = Clock::real();
        let (start, ticks) = (Instant::now(), clock.now());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (seen, whole) = (clock.ns(clock.now()) - clock.ns(ticks), start.elapsed().as_nanos() as u64);
        // The system's reading encloses ours, however long the thread is kept waiting; a wrong rate would show.
        assert!(seen >= 19_000_000 && seen <= whole + whole / 100, "{seen} of {whole}");
    }

    #[test]
    fn ticks_and_nanoseconds_are_two_names_of_a_time() {
        let clock = Clock::real();
        for ns in [0, 1, 999, 1_000_000, 86_400_000_000_000] {
            assert!(clock.ns(clock.ticks(ns)).abs_diff(ns) <= 1 + ns / 1_000_000);
        }
    }
}
