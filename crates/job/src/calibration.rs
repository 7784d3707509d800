//! Measures from which batch size on a device is faster than the CPU, and keeps the result for later jobs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use batt_base::write_atomic;
use batt_device::opencl::Device;
use batt_device::{Answerer, DeviceError};
use batt_exec::devices::{Calibration, Point};
use batt_search::{OperationInfo, WINDOW_JOBS, Workload};
use batt_task::{Grid, demo};
use batt_value::{Arena, Caps};
use serde::{Deserialize, Serialize};

use crate::devices::device_folder;
use crate::document::machine;

/// The calibrations of a user, for all machines that share the folder.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CalibrationFile {
    /// Version of the file.
    version: u32,
    devices: Vec<Entry>,
}

const VERSION: u32 = 1;

/// The calibration of one device. It is valid for the same machine and driver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Entry {
    machine: String,
    name: String,
    driver: String,
    /// Jobs, nanoseconds on the CPU, nanoseconds with the device.
    points: Vec<(u64, f64, f64)>,
    /// Nanoseconds that the CPU needs to use one answer.
    #[serde(default)]
    replay_job_ns: Option<f64>,
}

impl Entry {
    fn is_of(&self, device: &Device) -> bool {
        (&*self.machine, &*self.name, &*self.driver) == (&*this_machine(), device.name(), device.driver())
    }

    fn calibration(&self) -> Calibration {
        let point = |&(jobs, cpu_ns, device_ns): &(u64, f64, f64)| Point { jobs, cpu_ns, device_ns };
        let points = self.points.iter().map(point).collect();
        Calibration { points, replay_job_ns: self.replay_job_ns }
    }
}

/// Describes the machine, as far as it matters for the speed of its CPU.
fn this_machine() -> String {
    let machine = machine();
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("", |(_, model)| model);
    format!("{} {} {} {model}", machine.os, machine.arch, machine.cores)
}

impl CalibrationFile {
    /// Returns the path of the user's file.
    pub fn user_path() -> Option<PathBuf> {
        Some(device_folder()?.join("calibration.json"))
    }

    /// Reads the user's file. A missing, damaged or outdated file is like none: a calibration can be made again.
    pub fn read_user() -> CalibrationFile {
        CalibrationFile::user_path().map(|path| CalibrationFile::read(&path)).unwrap_or_default()
    }

    pub fn read(path: &Path) -> CalibrationFile {
        let read = || serde_json::from_slice::<CalibrationFile>(&std::fs::read(path).ok()?).ok();
        read().filter(|file| file.version == VERSION).unwrap_or_default()
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let file = CalibrationFile { version: VERSION, devices: self.devices.clone() };
        write_atomic(path, serde_json::to_string_pretty(&file)?.as_bytes())
    }

    /// Returns the calibration of a device on this machine.
    pub fn of(&self, device: &Device) -> Option<Calibration> {
        self.devices.iter().find(|entry| entry.is_of(device)).map(Entry::calibration)
    }

    /// Returns whether a device of this machine was faster than the CPU in batches of the size that a search asks for.
    pub fn any_pays(&self) -> bool {
        let machine = this_machine();
        let pays = |entry: &Entry| useful_break_even(&entry.calibration()).is_some();
        self.devices.iter().any(|entry| entry.machine == machine && pays(entry))
    }

    /// Replaces the calibration of a device.
    pub fn set(&mut self, device: &Device, calibration: &Calibration) {
        self.devices.retain(|entry| !entry.is_of(device));
        let point = |point: &Point| (point.jobs, point.cpu_ns, point.device_ns);
        self.devices.push(Entry {
            machine: this_machine(),
            name: device.name().to_owned(),
            driver: device.driver().to_owned(),
            points: calibration.points.iter().map(point).collect(),
            replay_job_ns: calibration.replay_job_ns,
        });
    }
}

/// Returns the smallest batch for which a device is faster than the CPU; `None` if it is larger than the batches of a
/// search, so that the device would never be asked.
pub fn useful_break_even(calibration: &Calibration) -> Option<u64> {
    calibration.fit()?.break_even().filter(|jobs| *jobs <= WINDOW_JOBS as u64)
}

/// The sizes of batches that are measured.
pub const BATCH_SIZES: [usize; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// Each size is measured this often, and the fastest counts.
const REPEATS: usize = 3;
/// The time for one size, in seconds, after which it is not measured again, and larger sizes are not measured.
const ENOUGH_SECONDS: f64 = 1.0;

/// The pictures that measurements use: those of the built-in tasks.
pub fn measured_grids() -> Vec<Grid> {
    let tasks = demo::tasks();
    let pairs = tasks.iter().flat_map(|task| task.train.iter().chain(&task.test));
    pairs.map(|pair| pair.input.clone()).collect()
}

/// Measures an operation, or a mix of all, in batches of growing size. The time with the device includes both
/// transfers and reading the answers. Returns no points if devices do not know the operation.
pub fn calibrate(
    answerer: &mut dyn Answerer,
    operation: Option<&OperationInfo>,
) -> Result<Calibration, DeviceError> {
    let grids = measured_grids();
    let mut calibration = Calibration::default();
    for jobs in BATCH_SIZES {
        let arena = Arena::new(Caps::STANDARD);
        let Some(work) = Workload::new(&arena, &grids, operation, jobs) else { break };
        let (mut cpu, mut device, mut replay) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for _ in 0..REPEATS {
            let start = Instant::now();
            let expected = work.compute();
            cpu = cpu.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let answers = answerer.answer(work.batch())?;
            let answered = start.elapsed().as_secs_f64();
            let given = work.read(&answers);
            let read = start.elapsed().as_secs_f64();
            (device, replay) = (device.min(read), replay.min(read - answered));
            if given != expected {
                let reason = format!("wrong values of {}", operation.map_or("the operations", |it| &it.text));
                return Err(DeviceError::Nonsense { reason });
            }
            if device > ENOUGH_SECONDS {
                break;
            }
        }
        calibration.replay_job_ns = Some(replay * 1e9 / jobs as f64);
        calibration.points.push(Point { jobs: jobs as u64, cpu_ns: cpu * 1e9, device_ns: device * 1e9 });
        if device > ENOUGH_SECONDS {
            break;
        }
    }
    Ok(calibration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_needs_larger_batches_than_a_search_asks_for_is_of_no_use() {
        let calibration = |batch_ns: f64| {
            let point = |jobs: u64| Point {
                jobs,
                cpu_ns: 1000.0 * jobs as f64,
                device_ns: batch_ns + 100.0 * jobs as f64,
            };
            Calibration { points: [1, 100, 100_000].map(point).to_vec(), replay_job_ns: None }
        };
        assert_eq!(useful_break_even(&calibration(900_000.0)), Some(1001));
        let late = calibration(900.0 * WINDOW_JOBS as f64 + 900.0);
        assert!(late.fit().unwrap().break_even().is_some());
        assert_eq!(useful_break_even(&late), None);
    }
}
