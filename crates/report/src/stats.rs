//! Statistics, reproducible because the seed is fixed.

use batt_base::Rng;

/// Returns the median, or `None` of nothing.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns a quantile by linear interpolation.
pub(crate) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len().checked_sub(1)? as f64);
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

/// Returns the median absolute deviation from the median.
pub(crate) fn mad(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    median(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>())
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Draws samples with replacement from a fixed seed, so that a record always gives the same interval.
pub(crate) struct Resampler(Rng);

impl Resampler {
    pub(crate) fn new() -> Resampler {
        Resampler(Rng::from_seed(0x5eed))
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.0.next_u64() % from.len() as u64) as usize]
    }
}

/// Fits a straight line by least squares. Returns intercept and slope, or `None` if all x are equal.
pub(crate) fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mean_x = mean(&points.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let mean_y = mean(&points.iter().map(|(_, y)| *y).collect::<Vec<_>>())?;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread == 0.0 {
        return None;
    }
    let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    Some((mean_y - slope * mean_x, slope))
}
