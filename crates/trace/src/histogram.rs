//! How long single calls took, on a scale of equal ratios.

/// Counts of durations. A step is an eighth of an octave or less, so a quantile is right to 12 %; durations below 16
/// are exact.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    counts: Vec<u32>,
}

/// Steps to an octave, as a power of two.
const BITS: u32 = 3;

impl Histogram {
    /// The step of the longest duration there is.
    const LAST: usize = step(u64::MAX) as usize;

    #[inline]
    pub fn add(&mut self, nanoseconds: u64, times: u32) {
        self.add_step(step(nanoseconds), times);
    }

    pub fn merge(&mut self, other: &Histogram) {
        other.steps().for_each(|(step, count)| self.add_step(step, count));
    }

    /// Adds `count` durations of a step, as [`steps`](Histogram::steps) lists them.
    #[inline]
    pub fn add_step(&mut self, step: u32, count: u32) {
        let step = (step as usize).min(Histogram::LAST);
        if step >= self.counts.len() {
            self.make_room(step);
        }
        self.counts[step] = self.counts[step].saturating_add(count);
    }

    /// Room up to a tenth of a millisecond, then up to ten seconds, then for all, so that it seldom has to be made.
    #[cold]
    fn make_room(&mut self, step: usize) {
        self.counts.resize((step + 1).next_multiple_of(128), 0);
    }

    /// The steps that have something, with how much.
    pub fn steps(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(step, n)| (step as u32, *n))
    }

    pub fn len(&self) -> u64 {
        self.counts.iter().map(|n| u64::from(*n)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The duration below which a share of the others lies; the middle of its step.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let len = self.len();
        let place = ((len as f64 * share).ceil() as u64).clamp(1, len.max(1));
        let mut seen = 0;
        for (step, n) in self.steps() {
            seen += u64::from(n);
            if seen >= place {
                let (low, high) = (start(step), start(step + 1));
                return Some(low + (high - low) / 2);
            }
        }
        None
    }
}

/// Below 16 a step for each nanosecond, then eight an octave.
const fn step(nanoseconds: u64) -> u32 {
    if nanoseconds < 2 << BITS {
        return nanoseconds as u32;
    }
    let octave = nanoseconds.ilog2();
    let within = (nanoseconds >> (octave - BITS)) as u32 & ((1 << BITS) - 1);
    ((octave - BITS + 1) << BITS) + within
}

/// The shortest duration of a step.
fn start(step: u32) -> u64 {
    if step < 2 << BITS {
        return step.into();
    }
    let octave = (step >> BITS) + BITS - 1;
    let within = u64::from(step & ((1 << BITS) - 1) | 1 << BITS);
    if octave >= 64 { u64::MAX } else { within << (octave - BITS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_lies_in_its_step() {
        for ns in (0..5_000).chain([1 << 20, (1 << 33) + 12345, u64::MAX / 2, u64::MAX]) {
            assert!(start(step(ns)) <= ns && (ns < start(step(ns) + 1) || ns == u64::MAX), "{ns}");
        }
    }

    #[test]
    fn quantiles_are_right_to_an_eighth() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|ns| histogram.add(ns * 100, 1));
        for (share, right) in [(0.5, 50_000.0), (0.99, 99_000.0)] {
            let found = histogram.quantile(share).unwrap() as f64;
            assert!((found / right - 1.0).abs() < 0.125, "{found}");
        }
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
