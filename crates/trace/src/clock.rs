//! Clocks: the real one, and a manual one for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counts ticks since its creation; [`ns`](Clock::ns) converts them to nanoseconds.
///
/// Libraries that read the CPU's time-stamp counter spend tens of milliseconds on calibration. A whole run
/// may be that short, so this is our own code.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    /// The CPU's time-stamp counter.
    Counter {
        start: u64,
        rate: Rate,
    },
    /// The system's monotonic clock.
    System(Instant),
    Manual(Arc<Manual>),
}

impl Clock {
    /// Creates a clock that reads the CPU's time-stamp counter if the system itself relies on it, else the
    /// system's clock.
    pub fn real() -> Clock {
        match counter::is_trusted() {
            true => {
                let rate = Rate::measure();
                Clock(Source::Counter { start: counter::read(), rate })
            }
            false => Clock(Source::System(Instant::now())),
        }
    }

    /// Creates a clock for tests, which moves only when it is advanced.
    pub fn manual() -> (Clock, ManualClock) {
        let manual = Arc::new(Manual::default());
        (Clock(Source::Manual(Arc::clone(&manual))), ManualClock(manual))
    }

    /// Returns the time in ticks.
    #[inline]
    pub fn now(&self) -> u64 {
        match &self.0 {
            Source::Counter { start, .. } => counter::read().wrapping_sub(*start),
            Source::System(start) => start.elapsed().as_nanos() as u64,
            Source::Manual(manual) => manual.time.load(Ordering::Relaxed),
        }
    }

    /// Returns the CPU time of the current thread in nanoseconds, or `None` if the system does not tell.
    pub(crate) fn cpu_time(&self) -> Option<u64> {
        match &self.0 {
            Source::Manual(manual) => {
                Some(manual.time.load(Ordering::Relaxed) - manual.suspended.load(Ordering::Relaxed))
            }
            Source::Counter { .. } | Source::System(_) => thread_cpu_time(),
        }
    }

    pub(crate) fn is_manual(&self) -> bool {
        matches!(self.0, Source::Manual(_))
    }

    /// Converts ticks to nanoseconds.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        match &self.0 {
            Source::Counter { rate, .. } => rate.ns(ticks),
            Source::System(_) | Source::Manual(_) => ticks,
        }
    }

    /// Converts nanoseconds to ticks.
    pub(crate) fn ticks(&self, ns: u64) -> u64 {
        match &self.0 {
            Source::Counter { rate, .. } => rate.ticks(ns),
            Source::System(_) | Source::Manual(_) => ns,
        }
    }
}

#[cfg(target_os = "linux")]
fn thread_cpu_time() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn thread_cpu_time() -> Option<u64> {
    None
}

/// Advances a manual clock.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Manual>);

#[derive(Debug, Default)]
struct Manual {
    time: AtomicU64,
    /// The part of the time in which no thread ran.
    suspended: AtomicU64,
}

impl ManualClock {
    pub fn advance(&self, nanoseconds: u64) {
        self.0.time.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Advances the time while no thread runs, as if other programs had all CPUs.
    pub fn suspend(&self, nanoseconds: u64) {
        self.0.time.fetch_add(nanoseconds, Ordering::Relaxed);
        self.0.suspended.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

/// The length of a tick in nanoseconds, times 2³².
#[derive(Clone, Copy, Debug)]
struct Rate(u64);

impl Rate {
    const SHIFT: u32 = 32;
    /// The time to measure the counter, in nanoseconds. A reading of both clocks is off by some 10 ns.
    const MEASURED_NS: u64 = 100_000;

    /// Measures the rate of the counter against the system's clock.
    fn measure() -> Rate {
        let start = Instant::now();
        let (counter, time) = read_both(start);
        loop {
            let (counter_now, now) = read_both(start);
            let (ticks, ns) = (counter_now.saturating_sub(counter), now - time);
            if ns >= Rate::MEASURED_NS {
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

/// Reads the counter and the nanoseconds since `start` at the same moment. The fastest of several tries
/// counts, because another thread may interrupt one.
fn read_both(start: Instant) -> (u64, u64) {
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
    /// Linux uses the counter only if its rate is constant and the same on all cores.
    pub(super) fn is_trusted() -> bool {
        const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        std::fs::read_to_string(SOURCE).is_ok_and(|source| source.trim() == "tsc")
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "reading the counter takes a CPU instruction")]
    pub(super) fn read() -> u64 {
        // SAFETY: Every x86-64 CPU has this instruction, and it does not access memory.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod counter {
    pub(super) fn is_trusted() -> bool {
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
    fn the_real_clock_agrees_with_the_system_clock() {
        let clock = Clock::real();
        let (start, ticks) = (Instant::now(), clock.now());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (ours, system) = (clock.ns(clock.now()) - clock.ns(ticks), start.elapsed().as_nanos() as u64);
        // The system's readings enclose ours even if the thread is suspended, so only a wrong rate fails.
        assert!(ours >= 19_000_000 && ours <= system + system / 100, "{ours} of {system}");
    }

    #[test]
    fn ticks_and_nanoseconds_convert_both_ways() {
        let clock = Clock::real();
        for ns in [0, 1, 999, 1_000_000, 86_400_000_000_000] {
            assert!(clock.ns(clock.ticks(ns)).abs_diff(ns) <= 1 + ns / 1_000_000);
        }
    }
}
