//! The distribution of the durations of single calls, on a logarithmic scale.

/// A logarithmic histogram of durations. An octave has eight steps, so a quantile is accurate to 12 %.
/// Durations below 16 ns are exact.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    counts: Vec<u32>,
}

/// The number of steps per octave, as a power of two.
const STEP_BITS: u32 = 3;

impl Histogram {
    /// The step of the longest possible duration.
    const LAST: usize = step(u64::MAX) as usize;

    #[inline]
    pub fn add(&mut self, nanoseconds: u64, times: u32) {
        self.add_step(step(nanoseconds), times);
    }

    pub fn merge(&mut self, other: &Histogram) {
        other.steps().for_each(|(step, count)| self.add_step(step, count));
    }

    /// Adds `count` durations of a step, as returned by [`steps`](Histogram::steps).
    #[inline]
    pub fn add_step(&mut self, step: u32, count: u32) {
        let step = (step as usize).min(Histogram::LAST);
        if step >= self.counts.len() {
            self.grow(step);
        }
        self.counts[step] = self.counts[step].saturating_add(count);
    }

    /// Allocates steps up to 0.1 ms, then up to 10 s, then all, so that it is rarely called.
    #[cold]
    fn grow(&mut self, step: usize) {
        self.counts.resize((step + 1).next_multiple_of(128), 0);
    }

    /// Returns the non-empty steps with their counts.
    pub fn steps(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(step, n)| (step as u32, *n))
    }

    pub fn len(&self) -> u64 {
        self.counts.iter().map(|n| u64::from(*n)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the quantile for a share between 0 and 1, as the middle of its step.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let len = self.len();
        let rank = ((len as f64 * share).ceil() as u64).clamp(1, len.max(1));
        let mut count = 0;
        for (step, n) in self.steps() {
            count += u64::from(n);
            if count >= rank {
                let (low, high) = (start(step), start(step + 1));
                return Some(low + (high - low) / 2);
            }
        }
        None
    }
}

/// Returns the step of a duration: one step per nanosecond below 16 ns, then eight per octave.
const fn step(nanoseconds: u64) -> u32 {
    if nanoseconds < 2 << STEP_BITS {
        return nanoseconds as u32;
    }
    let octave = nanoseconds.ilog2();
    let within = (nanoseconds >> (octave - STEP_BITS)) as u32 & ((1 << STEP_BITS) - 1);
    ((octave - STEP_BITS + 1) << STEP_BITS) + within
}

/// Returns the shortest duration of a step.
fn start(step: u32) -> u64 {
    if step < 2 << STEP_BITS {
        return step.into();
    }
    let octave = (step >> STEP_BITS) + STEP_BITS - 1;
    let within = u64::from(step & ((1 << STEP_BITS) - 1) | 1 << STEP_BITS);
    if octave >= 64 { u64::MAX } else { within << (octave - STEP_BITS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_is_within_its_step() {
        for ns in (0..5_000).chain([1 << 20, (1 << 33) + 12345, u64::MAX / 2, u64::MAX]) {
            assert!(start(step(ns)) <= ns && (ns < start(step(ns) + 1) || ns == u64::MAX), "{ns}");
        }
    }

    #[test]
    fn quantiles_are_accurate_to_an_eighth() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|ns| histogram.add(ns * 100, 1));
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000.0)] {
            let found = histogram.quantile(share).unwrap() as f64;
            assert!((found / exact - 1.0).abs() < 0.125, "{found}");
        }
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
