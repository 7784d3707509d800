//! Exact fractions.

use std::cmp::Ordering;
use std::fmt;

/// An exact fraction from 0 to 1, in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };
    pub const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    /// Returns `part / whole`. A part larger than the whole gives 1; a whole of 0 gives 0.
    pub fn new(part: u64, whole: u64) -> Ratio {
        if whole == 0 {
            return Ratio::ZERO;
        }
        let part = part.min(whole);
        let divisor = gcd(part, whole);
        Ratio { numerator: part / divisor, denominator: whole / divisor }
    }

    pub fn numerator(self) -> u64 {
        self.numerator
    }

    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Returns the fraction in units of 1/`scale`, rounded down. Only exactly 1 gives `scale`.
    pub fn parts(self, scale: u32) -> u32 {
        (u128::from(self.numerator) * u128::from(scale) / u128::from(self.denominator)) as u32
    }

    /// Returns the fraction in millionths, rounded down. Use it to sort, add up and store scores.
    pub fn millionths(self) -> u32 {
        self.parts(1_000_000)
    }

    /// Returns the percentage with two decimals, rounded down and without a sign: `95.91`. Only exactly 1 is
    /// `100.00`.
    pub fn percent(self) -> String {
        let parts = self.parts(10_000);
        format!("{}.{:02}", parts / 100, parts % 100)
    }

    /// Returns the mean, or `None` of nothing. See [`Ratio::weighted_mean`].
    pub fn mean(ratios: &[Ratio]) -> Option<Ratio> {
        Ratio::weighted_mean(&ratios.iter().map(|ratio| (1, *ratio)).collect::<Vec<_>>())
    }

    /// Returns the mean of weighted ratios, or `None` if the weights are 0. The result is exact while the
    /// common denominator fits in 64 bits; beyond that each term is rounded down to a millionth.
    pub fn weighted_mean(terms: &[(u32, Ratio)]) -> Option<Ratio> {
        let weights: u64 = terms.iter().map(|(weight, _)| u64::from(*weight)).sum();
        if weights == 0 {
            return None;
        }
        // The least common multiple does not depend on the order of the terms, so neither does the result.
        let common = terms.iter().try_fold(1_u64, |common, (_, ratio)| lcm(common, ratio.denominator));
        if let Some((common, whole)) = common.and_then(|it| Some((it, it.checked_mul(weights)?))) {
            // Each term is at most its weight in units of `common`, so the sum is at most `whole`.
            let term =
                |(weight, it): &(u32, Ratio)| u64::from(*weight) * (common / it.denominator * it.numerator);
            return Some(Ratio::new(terms.iter().map(term).sum(), whole));
        }
        let term = |(weight, ratio): &(u32, Ratio)| u128::from(*weight) * u128::from(ratio.millionths());
        let sum: u128 = terms.iter().map(term).sum();
        // The sum is at most a million times the weights, so the quotient is in millionths.
        Some(Ratio::new((sum / u128::from(weights)) as u64, 1_000_000))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        let cross = |a: &Ratio, b: &Ratio| u128::from(a.numerator) * u128::from(b.denominator);
        cross(self, other).cmp(&cross(other, self))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    /// Prints four decimals, rounded down: `0.9591`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts(10_000);
        write!(f, "{}.{:04}", parts / 10_000, parts % 10_000)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / gcd(a, b)).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_exact() {
        assert_eq!(Ratio::new(2, 4), Ratio::new(1, 2));
        assert_eq!(Ratio::new(0, 0), Ratio::ZERO);
        assert_eq!(Ratio::new(7, 7), Ratio::ONE);
        assert!(Ratio::new(1, 3) < Ratio::new(334, 1000));
        assert!(Ratio::new(u64::MAX - 1, u64::MAX) < Ratio::ONE);
        assert_eq!(Ratio::new(u64::MAX - 1, u64::MAX).percent(), "99.99");
        assert_eq!(Ratio::new(399, 416).percent(), "95.91");
        assert_eq!(Ratio::ONE.percent(), "100.00");
        assert_eq!(Ratio::new(2, 3).to_string(), "0.6666");
    }

    #[test]
    fn means_are_exact_where_they_can_be() {
        assert_eq!(Ratio::mean(&[]), None);
        assert_eq!(Ratio::mean(&[Ratio::new(1, 2), Ratio::new(1, 3), Ratio::ONE]), Some(Ratio::new(11, 18)));
        // The common denominator of these does not fit in 64 bits.
        let many: Vec<_> = (1..=100).map(|n| Ratio::new(n - 1, n)).collect();
        let mean = Ratio::mean(&many).unwrap();
        assert!(mean < Ratio::ONE && mean > Ratio::new(94, 100), "{mean}");
        assert_eq!(Ratio::mean(&many.iter().rev().copied().collect::<Vec<_>>()), Some(mean));
    }
}
