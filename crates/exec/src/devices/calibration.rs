//! From which batch size on a device is faster than the CPU, computed from measurements.

/// The times of one batch on the CPU and on a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The number of jobs in the batch.
    pub jobs: u64,
    /// The time on one CPU core, in nanoseconds.
    pub cpu_ns: f64,
    /// The time with the device, transfers included, in nanoseconds.
    pub device_ns: f64,
}

/// The measurements of a device.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Calibration {
    pub points: Vec<Point>,
    /// The time that the CPU needs to use one answer, in nanoseconds, if it was measured.
    pub replay_job_ns: Option<f64>,
}

/// Costs that explain the measurements: a device takes `device_batch_ns + jobs × device_job_ns`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    pub cpu_job_ns: f64,
    pub device_batch_ns: f64,
    pub device_job_ns: f64,
}

impl Calibration {
    /// Fits the costs; `None` without points of two sizes.
    ///
    /// The cost of a job comes from the largest batches, where noise and fixed costs matter least. The cost of a
    /// batch is the median of the remaining times.
    pub fn fit(&self) -> Option<Fit> {
        let mut points: Vec<&Point> = self.points.iter().filter(|point| point.jobs > 0).collect();
        points.sort_by(|a, b| a.jobs.cmp(&b.jobs).then(a.device_ns.total_cmp(&b.device_ns)));
        let (first, last) = (points.first()?, points.last()?);
        if first.jobs == last.jobs {
            return None;
        }
        let cpu_job_ns = last.cpu_ns / last.jobs as f64;
        let device_job_ns = ((last.device_ns - first.device_ns) / (last.jobs - first.jobs) as f64).max(0.0);
        let mut rest: Vec<f64> = points
            .iter()
            .map(|point| (point.device_ns - point.jobs as f64 * device_job_ns).max(0.0))
            .collect();
        rest.sort_by(f64::total_cmp);
        let device_batch_ns = rest[rest.len() / 2];
        Some(Fit { cpu_job_ns, device_batch_ns, device_job_ns })
    }
}

impl Fit {
    /// Returns the smallest batch for which the device is faster than one CPU core; `None` if it never is.
    pub fn break_even(&self) -> Option<u64> {
        let gain = self.cpu_job_ns - self.device_job_ns;
        (gain > 0.0).then(|| (self.device_batch_ns / gain).floor() as u64 + 1)
    }

    /// Returns how many times as fast as one CPU core the device answers a batch.
    pub fn speedup(&self, jobs: u64) -> f64 {
        let jobs = jobs as f64;
        jobs * self.cpu_job_ns / (self.device_batch_ns + jobs * self.device_job_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(device: impl Fn(u64) -> f64) -> Calibration {
        let point = |jobs: u64| Point { jobs, cpu_ns: 1000.0 * jobs as f64, device_ns: device(jobs) };
        let points = [1, 10, 100, 1_000, 10_000, 100_000].map(point).to_vec();
        Calibration { points, replay_job_ns: None }
    }

    #[test]
    fn a_fast_device_pays_from_a_batch_size_on() {
        let fit = calibration(|jobs| 100_000.0 + 25.0 * jobs as f64).fit().unwrap();
        assert_eq!(fit.cpu_job_ns, 1000.0);
        assert!((fit.device_job_ns - 25.0).abs() < 0.01 && (fit.device_batch_ns - 100_000.0).abs() < 10.0);
        assert_eq!(fit.break_even(), Some(103));
        assert!(fit.speedup(103) > 1.0 && fit.speedup(102) < 1.0);
        assert!(fit.speedup(100_000) > 35.0);
    }

    #[test]
    fn a_slow_device_never_pays() {
        let fit = calibration(|jobs| 50_000.0 + 6_000.0 * jobs as f64).fit().unwrap();
        assert_eq!(fit.break_even(), None);
    }

    #[test]
    fn an_outlier_in_one_point_matters_little() {
        let noisy = |jobs: u64| 100_000.0 + 25.0 * jobs as f64 + if jobs == 100 { 3e6 } else { 0.0 };
        let even = calibration(noisy).fit().unwrap().break_even().unwrap();
        assert!((90..120).contains(&even), "{even}");
    }

    #[test]
    fn no_fit_without_two_sizes() {
        assert_eq!(Calibration::default().fit(), None);
        let point = Point { jobs: 10, cpu_ns: 1.0, device_ns: 1.0 };
        assert_eq!(Calibration { points: vec![point, point], replay_job_ns: None }.fit(), None);
    }
}
