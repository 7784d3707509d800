//! The logarithm of small whole numbers, the same to the last bit on every machine.
//!
//! `f64::ln` may differ between platforms, and with it the choice between two tests; this one only adds, multiplies
//! and divides, which IEEE 754 fixes.

use std::sync::LazyLock;

/// The natural logarithm; 0 for 0, whose contribution to an entropy is none.
pub(crate) fn ln(n: u32) -> f64 {
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| (0..1 << 15).map(series).collect());
    TABLE.get(n as usize).copied().unwrap_or_else(|| series(n))
}

/// `n = m · 2^e` with `m` in [1, 2); `ln m` from the series of the inverse hyperbolic tangent.
fn series(n: u32) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let exponent = n.ilog2();
    let m = f64::from(n) / f64::from(1u32 << exponent);
    let t = (m - 1.0) / (m + 1.0);
    let (square, mut power, mut sum) = (t * t, t, 0.0);
    for k in 0..24 {
        sum += power / f64::from(2 * k + 1);
        power *= square;
    }
    2.0 * sum + f64::from(exponent) * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    #[test]
    fn agrees_with_std() {
        for n in [1u32, 2, 3, 7, 10, 999, 4096, 40_000, 1_000_003] {
            assert!((super::ln(n) - f64::from(n).ln()).abs() < 1e-12, "{n}");
        }
    }
}
