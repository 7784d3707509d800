//! The effect of a faster or slower device on the work of the threads.
//!
//! Threads do not wait for a device: they compute a job themselves if its answer is late. So a device changes the
//! wall time only through the number of jobs that it answers in time, each of which saves a thread the difference
//! between computing the job and using the answer.

use std::fmt;

use batt_base::number::grouped;
use batt_base::time::brief_ns;
use batt_record::Device;
use batt_record::profile::Task;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError};
use crate::figure::Projected;
use crate::view::scale::{brief_number, estimate};
use crate::view::what_if::Speedup;

/// The effect of a what-if on the jobs of a device.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct DeviceWhatIf {
    /// Name of the device.
    pub name: String,
    /// How many times faster; below 1 is slower, and at 0 it answers nothing.
    pub factor: f64,
    /// Recorded number of jobs whose answer was used.
    pub answered: u64,
    /// Recorded number of jobs whose answer was late.
    pub late: u64,
    /// Number of jobs that it would answer in time. The interval spans two assumptions: that every answer comes
    /// sooner by the factor, and that more answers come in the same time.
    pub answered_then: Projected,
    /// Time that a thread saves with an answer, in nanoseconds.
    pub saving_per_job: f64,
    #[serde(skip)]
    place: usize,
}

/// The wall time at the two ends of what the named devices can do.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema, Serialize)]
pub struct DeviceLimits {
    /// Without the devices.
    pub without: Projected,
    /// If no answer were late.
    pub in_time: Projected,
}

/// Returns the name of the device that a what-if is about, such as `T4` in `device:T4`.
pub(crate) fn device_name(name: &str) -> Option<&str> {
    name.strip_prefix("device:").map(str::trim)
}

impl DeviceWhatIf {
    /// Returns the devices that a what-if is about. A part of the name is enough.
    pub(crate) fn find(facts: &Facts<'_>, what: &Speedup) -> Result<Vec<DeviceWhatIf>, ReportError> {
        let devices = &facts.profile.devices;
        let fail = |text: String| Err(ReportError::Question(text));
        let name = &what.name;
        let bare = device_name(name).unwrap_or(name);
        let wanted = bare.to_lowercase();
        if devices.is_empty() {
            return fail(format!("the record has no devices, so `{name}` cannot be changed"));
        }
        let is_meant = |device: &Device| !wanted.is_empty() && device.name.to_lowercase().contains(&wanted);
        let meant = devices.iter().enumerate().filter(|(_, device)| is_meant(device));
        let meant = meant.map(|(place, device)| DeviceWhatIf::new(place, device, what.factor));
        let meant = meant.collect::<Result<Vec<_>, _>>()?;
        if meant.is_empty() {
            let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
            return fail(format!("no device is called `{bare}`; the record has {}", names.join(", ")));
        }
        Ok(meant)
    }

    fn new(place: usize, device: &Device, factor: f64) -> Result<DeviceWhatIf, ReportError> {
        let Some((cpu, replay)) = device.cpu_ns_per_job.zip(device.replay_ns_per_job) else {
            return Err(ReportError::Question(format!(
                "the record does not tell what an answer of {} saves, so it cannot predict anything",
                device.name
            )));
        };
        Ok(DeviceWhatIf {
            name: device.name.clone(),
            factor,
            answered: device.answered,
            late: device.late,
            answered_then: answered(device, factor),
            saving_per_job: cpu - replay,
            place,
        })
    }

    /// Returns the same device with another factor.
    pub(crate) fn with_factor(&self, facts: &Facts<'_>, factor: f64) -> DeviceWhatIf {
        let answered_then = answered(&facts.profile.devices[self.place], factor);
        DeviceWhatIf { factor, answered_then, ..self.clone() }
    }

    pub(crate) fn is_same_device(&self, other: &DeviceWhatIf) -> bool {
        self.place == other.place
    }

    /// Returns the time that threads save, from the smallest to the largest estimate. It is negative if a thread has
    /// to compute more jobs.
    fn savings(&self) -> [f64; 3] {
        let Projected { low, middle, high } = self.answered_then;
        let mut savings = [low, middle, high].map(|n| (n - self.answered as f64) * self.saving_per_job);
        savings.sort_by(f64::total_cmp);
        savings
    }
}

/// Projects the number of jobs that the device answers in time. The two assumptions agree if nothing changes, if it
/// answers nothing, and if it answers at once.
fn answered(device: &Device, factor: f64) -> Projected {
    let (answered, late) = (device.answered as f64, device.late as f64);
    let all = answered + late;
    let (sooner, more) = match factor {
        0.0 => (0.0, 0.0),
        f64::INFINITY => (all, all),
        factor => ((all - late / factor).max(0.0), (answered * factor).min(all)),
    };
    Projected { low: sooner.min(more), middle: (sooner + more) / 2.0, high: sooner.max(more) }
}

/// Returns the time saved in each task of the profile: the smallest, the middle and the largest estimate. The saving
/// of a device is split over the tasks of its machine in proportion to the time that they ran beside it.
pub(crate) fn savings(facts: &Facts<'_>, devices: &[DeviceWhatIf]) -> [Vec<f64>; 3] {
    let tasks = &facts.profile.tasks;
    let mut saved = [(); 3].map(|()| vec![0.0; tasks.len()]);
    for device in devices {
        let Some(lane) = facts.device_lane(device.place) else { continue };
        let beside = |task: &Task| {
            let is_near = facts.profile.lanes[task.lane as usize].machine == lane.machine;
            let ns = task.end.min(lane.end).saturating_sub(task.start.max(lane.start));
            if is_near { ns as f64 } else { 0.0 }
        };
        let weights: Vec<f64> = tasks.iter().map(beside).collect();
        let total: f64 = weights.iter().sum();
        for (saved, saving) in saved.iter_mut().zip(device.savings()) {
            // A task cannot save more than all its time.
            let share = if total > 0.0 { (saving / total).min(1.0) } else { 0.0 };
            saved.iter_mut().zip(&weights).for_each(|(saved, weight)| *saved += weight * share);
        }
    }
    saved
}

impl fmt::Display for DeviceWhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceWhatIf { name, answered, late, .. } = self;
        write!(f, "{name}: {} jobs answered, {} late → ", grouped(*answered), grouped(*late))?;
        write!(f, "{} answered; ", estimate(&self.answered_then, brief_number))?;
        writeln!(f, "an answer saves {} of a thread", brief_ns(self.saving_per_job))
    }
}

impl fmt::Display for DeviceLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceLimits { without, in_time } = self;
        writeln!(f, "limits: {without} if nothing were answered, {in_time} if no answer were late")?;
        writeln!(
            f,
            "threads do not wait for devices; ranges are from answers that come sooner to more answers in the same time"
        )
    }
}
