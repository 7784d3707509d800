//! The time and the work of devices.

use std::fmt;

use batt_base::number::{grouped, percent};
use batt_record::Device;
use batt_trace::Spot;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::Measured;
use crate::table::Table;

/// A device. Threads do not wait for it, so its time is not part of theirs.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct DeviceRow {
    /// Name of the device.
    pub name: String,
    /// Name and version of its driver.
    pub driver_name: String,
    /// Kind of device, such as `gpu` or `cpu`.
    pub kind: String,
    /// Time from its start to its end.
    pub lane_time: Measured,
    /// Time in which it received data.
    pub upload: Measured,
    /// Time in which it computed.
    pub kernel: Measured,
    /// Time in which it sent data.
    pub download: Measured,
    /// Time of its driver in which it did nothing.
    pub driver: Measured,
    /// Time in which it waited for a batch.
    pub idle: Measured,
    /// Share of its time with a batch, from 0 to 1.
    pub share: f64,
    /// Number of batches.
    pub batches: u64,
    /// Number of jobs that it was asked for.
    pub asked: u64,
    /// Jobs whose answer was used.
    pub answered: u64,
    /// Jobs that it passed on to the threads.
    pub passed: u64,
    /// Jobs that a thread computed because the answer had not come yet.
    pub late: u64,
    /// Number of jobs from which on a batch is faster on the device. Null if no batch is, or if not measured.
    pub break_even: Option<u64>,
    /// True if it was lost before the end.
    pub lost: bool,
    /// Reason for which it was lost. Null if it stayed or if the reason is unknown.
    pub reason: Option<String>,
}

impl DeviceRow {
    pub(crate) fn new(facts: &Facts<'_>, place: usize) -> DeviceRow {
        let lane = facts.device_lane(place);
        let time = |spot: Spot| {
            let booked = lane.iter().flat_map(|lane| &lane.between);
            let mine = booked.filter(|it| facts.function(it.0).name == spot.info().name);
            Measured(mine.map(|(_, ns, _)| ns).sum())
        };
        let (lane_time, idle) = (lane.map_or(0, |lane| lane.end - lane.start), time(Spot::IDLE));
        let device = &facts.profile.devices[place];
        let Device { batches, asked, answered, passed, late, break_even, .. } = *device;
        DeviceRow {
            name: device.name.clone(),
            driver_name: device.driver.clone(),
            kind: device.kind.clone(),
            lane_time: Measured(lane_time),
            upload: time(Spot::UPLOAD),
            kernel: time(Spot::KERNEL),
            download: time(Spot::DOWNLOAD),
            driver: time(Spot::DRIVER),
            idle,
            share: (lane_time - idle.0) as f64 / lane_time.max(1) as f64,
            batches,
            asked,
            answered,
            passed,
            late,
            break_even,
            lost: !device.stayed,
            reason: device.reason.clone(),
        }
    }

    /// Returns whether it was lost, in words.
    fn fate(&self) -> String {
        match (&self.reason, self.lost) {
            (Some(reason), true) => format!("lost: {reason}"),
            (None, true) => "lost".to_owned(),
            (_, false) => String::new(),
        }
    }
}

/// Writes a table of the time of devices, and one of their work.
pub(crate) fn write_devices(f: &mut fmt::Formatter<'_>, rows: &[DeviceRow]) -> fmt::Result {
    let head = ["device", "upload", "kernel", "download", "driver", "idle", "share"];
    let mut times = Table::new(&head, head.len());
    let head = ["device", "batches", "jobs", "answered", "passed on", "late", "break-even", ""];
    let mut work = Table::new(&head, head.len() - 1);
    for row in rows {
        let figures = [row.upload, row.kernel, row.download, row.driver, row.idle];
        let figures = figures.iter().map(Measured::to_string);
        times.row(std::iter::once(row.name.clone()).chain(figures).chain([percent(row.share)]));
        let counts = [row.batches, row.asked, row.answered, row.passed, row.late].map(grouped);
        let break_even = row.break_even.map_or(String::new(), |n| format!("{} jobs", grouped(n)));
        let rest = [break_even, row.fate()];
        work.row(std::iter::once(row.name.clone()).chain(counts).chain(rest));
    }
    write!(f, "\n{times}\n{work}")?;
    writeln!(
        f,
        "share is of the time in which the device was there; threads compute jobs that are passed on or late"
    )
}

/// Returns a limit of projections from a record with devices, in words.
pub(crate) fn same_devices(facts: &Facts<'_>) -> Option<String> {
    let names: Vec<&str> = facts.profile.devices.iter().map(|device| device.name.as_str()).collect();
    let devices = if names.len() == 1 { "device" } else { "devices" };
    (!names.is_empty()).then(|| format!("the projection assumes the same {devices}: {}", names.join(", ")))
}
