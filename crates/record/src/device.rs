//! Devices, such as GPUs, that answered jobs for the threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A device that answered batches of jobs. A job is one operation on one picture. Threads do not wait for a device:
/// they compute a job themselves if it was passed on or if its answer is late.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Device {
    /// Name of the device; unique in the list.
    pub name: String,
    /// Name and version of its driver.
    pub driver: String,
    /// Kind of device, such as `gpu` or `cpu`.
    pub kind: String,
    /// Number of batches that it answered.
    pub batches: u64,
    /// Number of jobs that it was asked for. Those that are neither answered, passed on nor late were not needed.
    pub asked: u64,
    /// Jobs whose answer was used.
    pub answered: u64,
    /// Jobs that it passed on to the threads.
    pub passed: u64,
    /// Jobs that a thread computed because the answer had not come yet.
    pub late: u64,
    /// Mean time that a thread needs to compute a job, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_job: Option<f64>,
    /// Mean time that a thread needs to use an answer, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_ns_per_job: Option<f64>,
    /// Number of jobs from which on a batch is faster on the device than on the threads. Absent if no batch is, or if
    /// not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_even: Option<u64>,
    /// False if it was lost before the end.
    pub stayed: bool,
    /// Reason for which it was lost. Absent if it stayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Device {
    /// Returns a device of which only the name is known. If another one has the same name, a number is added.
    pub fn named(name: &str, others: &[Device]) -> Device {
        let is_free = |name: &String| others.iter().all(|other| other.name != *name);
        let mut names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name} ({n})")));
        Device { name: names.find(is_free).unwrap_or_default(), stayed: true, ..Device::default() }
    }

    /// Adds the work of the same device in another part of the job.
    pub fn join(&mut self, other: &Device) {
        let weights = (self.asked as f64, other.asked as f64);
        let mean = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) if weights.0 + weights.1 > 0.0 => {
                Some((a * weights.0 + b * weights.1) / (weights.0 + weights.1))
            }
            (a, b) => a.or(b),
        };
        self.cpu_ns_per_job = mean(self.cpu_ns_per_job, other.cpu_ns_per_job);
        self.replay_ns_per_job = mean(self.replay_ns_per_job, other.replay_ns_per_job);
        self.batches += other.batches;
        self.asked += other.asked;
        self.answered += other.answered;
        self.passed += other.passed;
        self.late += other.late;
        self.break_even = self.break_even.max(other.break_even);
        self.stayed &= other.stayed;
        self.reason = self.reason.take().or_else(|| other.reason.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_the_same_name_are_numbered() {
        let mut devices = Vec::new();
        for name in ["T4", "L4", "T4", "T4"] {
            devices.push(Device::named(name, &devices));
        }
        let names: Vec<_> = devices.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, ["T4", "L4", "T4 (2)", "T4 (3)"]);
    }

    #[test]
    fn the_work_of_a_device_adds_up() {
        let mut sum =
            Device { asked: 10, answered: 8, cpu_ns_per_job: Some(100.0), ..Device::named("T4", &[]) };
        let reason = Some("out of memory".to_owned());
        sum.join(&Device {
            asked: 30,
            late: 1,
            cpu_ns_per_job: Some(200.0),
            replay_ns_per_job: Some(5.0),
            stayed: false,
            reason,
            ..sum.clone()
        });
        assert_eq!((sum.asked, sum.answered, sum.late, sum.stayed), (40, 16, 1, false));
        assert_eq!((sum.cpu_ns_per_job, sum.replay_ns_per_job), (Some(175.0), Some(5.0)));
        assert_eq!(sum.reason.as_deref(), Some("out of memory"));
    }

    #[test]
    fn absent_facts_are_not_written() {
        let text = serde_json::to_string(&Device::named("T4", &[])).unwrap();
        let expected = r#"{"name":"T4","driver":"","kind":"","batches":0,"asked":0,"answered":0,"passed":0,"late":0,"stayed":true}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), Device::named("T4", &[]));
    }
}
