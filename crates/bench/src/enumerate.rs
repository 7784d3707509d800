//! Measures enumeration alone: the tasks it solves, its throughput and where its time goes.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use batt_exec::devices::{Devices, Helper};
use batt_job::profile;
use batt_search::{Allowance, Counts, Enumerated, Progress, Puzzle, enumerate, program_name};
use batt_task::{Dataset, Grid, Task};
use batt_trace::{Clock, Level, Trace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::breed::{Share, shares};
use crate::machine::StopWatch;

/// Tasks that enumeration solves on its own, and its speed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct EnumerateFigures {
    /// Number of tasks.
    pub tasks: usize,
    /// Fuel for each task.
    pub fuel_per_task: u64,
    /// Test outputs whose solution is known.
    pub outputs: usize,
    /// Outputs that two attempts get right.
    pub right: usize,
    /// Outputs that some found program gets right.
    pub with_right_candidate: usize,
    /// Processor time in seconds; wall time if the system does not report it.
    pub seconds: f64,
    /// Candidates tried. Each ran on all inputs up to the first on which it failed.
    pub candidates: u64,
    /// Candidates with values that no earlier one had.
    pub new: u64,
    /// Calls of a primitive on one input. Nested calls do not count.
    pub calls: u64,
    /// Shares of the time by category, largest first, from a separate recorded run.
    pub shares: Vec<Share>,
    /// The same search with a device. Absent without `--device`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceFigures>,
}

/// The search with a device whose answers are always in time, because the search waits for them. Waiting takes no
/// processor time, so this is the search with a device that takes no time.
#[derive(Debug, JsonSchema, Serialize)]
pub struct DeviceFigures {
    /// Name of the device.
    pub name: String,
    /// Processor time of the searching thread in seconds.
    pub seconds: f64,
    /// Jobs that the device was asked for. A job is one operation on one input.
    pub asked: u64,
    /// Jobs that it answered.
    pub answered: u64,
    /// Answers that the search used.
    pub used: u64,
}

/// About half a second of processor time.
const FUEL: u64 = 50_000_000;

/// Enumerates programs for all tasks on one thread: once for the time, once with a recorder. The error says why the
/// device was lost.
pub fn measure_enumerate(dataset: &Dataset, device: Option<Helper>) -> Result<EnumerateFigures, String> {
    let tasks = &dataset.tasks;
    // First, because it can fail.
    let device = device.map(|device| with_device(tasks, device)).transpose()?;
    let watch = StopWatch::start();
    let found: Vec<Enumerated> = tasks.iter().map(|task| search(task, None, None)).collect();
    let seconds = watch.elapsed().as_secs_f64();
    let mut sum = Counts::default();
    let (mut outputs, mut right, mut with_right_candidate) = (0, 0, 0);
    for (task, found) in tasks.iter().zip(found) {
        sum.add(found.counts);
        let progress = Progress { answers: found.answers, ..Progress::default() };
        let expected: Vec<&Grid> = task.test.iter().filter_map(|pair| pair.output.as_ref()).collect();
        outputs += expected.len();
        right += count(&expected, |k, grid| {
            progress.attempts(expected.len())[k].attempts.iter().any(|it| it.grid == *grid)
        });
        with_right_candidate += count(&expected, |k, grid| {
            progress.answers.iter().any(|it| it.outputs[k].as_ref() == Some(grid))
        });
    }
    let trace = profile::trace(Clock::real(), Level::Nodes, None);
    tasks.iter().for_each(|task| drop(search(task, Some(&trace), None)));
    Ok(EnumerateFigures {
        tasks: tasks.len(),
        fuel_per_task: FUEL,
        outputs,
        right,
        with_right_candidate,
        seconds,
        candidates: sum.candidates,
        new: sum.kept,
        calls: sum.calls,
        shares: shares(&trace),
        device,
    })
}

fn with_device(tasks: &[Task], device: Helper) -> Result<DeviceFigures, String> {
    let name = device.name.clone();
    let devices = Devices::start(vec![device]).patient();
    let (end, ended) = channel::<()>();
    let seconds = std::thread::scope(|scope| {
        // Without it, the search would wait forever for a device that hangs.
        let devices = &devices;
        scope.spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                devices.tick();
            }
        });
        let watch = StopWatch::start();
        tasks.iter().for_each(|task| drop(search(task, None, Some(devices))));
        drop(end);
        watch.elapsed().as_secs_f64()
    });
    let report = devices.reports().into_iter().next().unwrap_or_default();
    match report.lost {
        // The rest of the search was computed on the CPU, so the time says nothing.
        Some(reason) => Err(format!("the device {name} was lost during the measurement: {reason}")),
        None => Ok(DeviceFigures {
            name,
            seconds,
            asked: report.jobs,
            answered: report.answered,
            used: report.used,
        }),
    }
}

/// How often the device is looked at.
const TICK: Duration = Duration::from_millis(100);

fn search(task: &Task, trace: Option<&Trace>, devices: Option<&Devices>) -> Enumerated {
    let (puzzle, stop) = (Puzzle::new(task), AtomicBool::new(false));
    let lane = trace.map(Trace::main);
    let allowance = Allowance { fuel: FUEL, stop: &stop, lane: lane.as_deref() };
    enumerate(&puzzle, &program_name(&task.id), allowance, devices)
}

/// Returns the number of expected outputs for which `holds` is true.
fn count(expected: &[&Grid], holds: impl Fn(usize, &Grid) -> bool) -> usize {
    expected.iter().enumerate().filter(|(k, grid)| holds(*k, grid)).count()
}

#[cfg(test)]
mod tests {
    use batt_device::{Answerer, Answers, Batch, DeviceError};

    use super::*;

    struct Failing;

    impl Answerer for Failing {
        fn answer(&mut self, _: &Batch) -> Result<Answers, DeviceError> {
            Err(DeviceError::OutOfMemory)
        }
    }

    #[test]
    fn a_lost_device_is_not_measured() {
        let open = || Ok(Box::new(Failing) as Box<dyn Answerer>);
        let device = Helper { name: "fake".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
        let error = with_device(&batt_task::demo::tasks()[..1], device).unwrap_err();
        assert!(
            error.contains("fake was lost during the measurement: the device is out of memory"),
            "{error}"
        );
    }
}
