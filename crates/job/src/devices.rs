//! Devices that help with a job: which ones, and what they did.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use batt_device::opencl::{self, Device, DeviceKind};
use batt_device::{Answerer, Session};
use batt_exec::devices::{Calibration, Devices, Helper, HelperReport};
use batt_record::{self as record, Profile, Record};
use batt_task::DataFolder;
use batt_trace::Trace;
use serde::{Deserialize, Serialize};

use crate::calibration::CalibrationFile;
use crate::control::lock;
use crate::description::{Job, Mode, Step, Work};
use crate::error::JobError;

/// The devices that a job may use. They change the time that it takes, never its results.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum DeviceChoice {
    /// The devices that are faster than the CPU according to a calibration on this machine. Without a calibration, no
    /// device is looked for.
    #[default]
    Auto,
    /// Only the CPU.
    None,
    /// The devices whose names contain one of these, whatever the calibration says.
    Named(Vec<String>),
}

impl From<String> for DeviceChoice {
    fn from(text: String) -> DeviceChoice {
        match text.trim() {
            "" | "auto" => DeviceChoice::Auto,
            "none" => DeviceChoice::None,
            names => DeviceChoice::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        }
    }
}

impl From<DeviceChoice> for String {
    fn from(choice: DeviceChoice) -> String {
        choice.to_string()
    }
}

impl FromStr for DeviceChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<DeviceChoice, Self::Err> {
        Ok(DeviceChoice::from(text.to_owned()))
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::None => f.write_str("none"),
            DeviceChoice::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

/// Returns the devices of this machine whose names contain `name`, in any case, or all if it is `all`. If there is
/// none, the error lists the devices that there are.
pub fn find_devices(name: &str) -> Result<Vec<Device>, JobError> {
    find_in(&opencl::list(), name)
}

fn find_in(listing: &opencl::Listing, name: &str) -> Result<Vec<Device>, JobError> {
    let wanted = name.to_lowercase();
    let fits = |device: &&Device| wanted == "all" || device.name().to_lowercase().contains(&wanted);
    let found: Vec<Device> = listing.devices.iter().filter(fits).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = listing.devices.iter().map(Device::name).collect();
    let remedy = match names.is_empty() {
        true => "no OpenCL device was found; `batt device` tells why. Use `none` to do without".to_owned(),
        false => format!("no device is called `{name}`; there is {}", names.join(", ")),
    };
    Err(JobError::Field { field: "device", remedy })
}

/// Returns the name of a kind of device.
pub fn device_kind(device: &Device) -> &'static str {
    match device.kind() {
        DeviceKind::Cpu => "cpu",
        DeviceKind::Gpu => "gpu",
        DeviceKind::Accelerator => "accelerator",
        DeviceKind::Other => "other",
    }
}

/// Returns the folder for compiled kernels and calibrations.
pub fn device_folder() -> Option<PathBuf> {
    DataFolder::user().map(|folder| folder.path().join("devices"))
}

/// The devices that help with a running job.
pub(crate) struct Help {
    devices: Arc<Devices>,
    /// The facts about each device that do not change.
    facts: Vec<record::Device>,
    /// When the devices are looked at next.
    due: Mutex<Instant>,
}

/// How often the devices are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long a job waits at its end for devices that are busy, before it drops them.
const LAST_WAIT: Duration = Duration::from_secs(2);

impl Help {
    /// Opens the devices that a job may use, each on a thread of its own. Returns `None` if there is none.
    pub(crate) fn start(job: &Job, trace: Option<&Trace>) -> Result<Option<Help>, JobError> {
        let choice = &job.devices;
        let mut chosen: Vec<(Device, u64)> = Vec::new();
        let file = CalibrationFile::read_user();
        match choice {
            DeviceChoice::None => {}
            DeviceChoice::Auto => {
                // Loading a driver takes time, so it is done only if a device is known to pay.
                if enumerates(&job.work) && file.any_pays() {
                    let pays =
                        |device: Device| Some((device.clone(), file.of(&device)?.fit()?.break_even()?));
                    chosen.extend(opencl::list().devices.into_iter().filter_map(pays));
                }
            }
            DeviceChoice::Named(names) => {
                let listing = opencl::list();
                for name in names {
                    for device in find_in(&listing, name)? {
                        if chosen.iter().all(|(other, _)| !other.is_same(&device)) {
                            chosen.push((device, 1));
                        }
                    }
                }
            }
        }
        if chosen.is_empty() {
            return Ok(None);
        }
        let (mut facts, mut helpers) = (Vec::<record::Device>::new(), Vec::new());
        for (device, min_jobs) in chosen {
            let calibration = file.of(&device);
            let fit = calibration.as_ref().and_then(Calibration::fit);
            let fact = record::Device {
                driver: device.driver().to_owned(),
                kind: device_kind(&device).to_owned(),
                cpu_ns_per_job: fit.map(|fit| fit.cpu_job_ns),
                replay_ns_per_job: calibration.and_then(|calibration| calibration.replay_job_ns),
                break_even: fit.and_then(|fit| fit.break_even()),
                ..record::Device::named(device.name(), &facts)
            };
            let lane = trace.map(|trace| trace.device_lane(device.name()));
            let cache = device_folder();
            let open = move || {
                let session = Session::open(&device, cache.as_deref())?;
                Ok(Box::new(session) as Box<dyn Answerer>)
            };
            helpers.push(Helper { name: fact.name.clone(), min_jobs, open: Box::new(open), lane });
            facts.push(fact);
        }
        let devices = Devices::start(helpers);
        let devices = match choice {
            DeviceChoice::Named(_) => devices,
            // The nodes of plans take less time than reading their answers (docs/devices.md).
            DeviceChoice::Auto | DeviceChoice::None => devices.without_plans(),
        };
        Ok(Some(Help::new(Arc::new(devices), facts)))
    }

    /// Uses devices that the caller has started.
    pub(crate) fn given(devices: Arc<Devices>) -> Help {
        let mut facts: Vec<record::Device> = Vec::new();
        for report in devices.reports() {
            facts.push(record::Device::named(&report.name, &facts));
        }
        Help::new(devices, facts)
    }

    fn new(devices: Arc<Devices>, facts: Vec<record::Device>) -> Help {
        Help { devices, facts, due: Mutex::new(Instant::now()) }
    }

    pub(crate) fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Looks at the devices. Returns a warning for each that was lost.
    pub(crate) fn tick(&self) -> Vec<String> {
        let mut due = lock(&self.due);
        if Instant::now() < *due {
            return Vec::new();
        }
        *due = Instant::now() + TICK;
        self.devices.tick().into_iter().map(warning).collect()
    }

    /// Ends the work of the devices. Returns a warning for each that was lost.
    pub(crate) fn finish(&self) -> Vec<String> {
        let end = Instant::now() + LAST_WAIT;
        while self.devices.any_busy() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut lost = self.devices.tick();
        lost.extend(self.devices.drop_busy());
        self.devices.close();
        lost.into_iter().map(warning).collect()
    }

    /// Adds what the devices did to a record.
    pub(crate) fn add_to(&self, record: &mut Record) {
        if let Some(profile) = &mut record.profile {
            self.describe_in(profile);
        }
        record.environment.devices = self.described().collect();
    }

    /// Adds what the devices did to a profile.
    pub(crate) fn describe_in(&self, profile: &mut Profile) {
        for (number, device) in (0..).zip(self.described()) {
            profile.describe_device(number, device);
        }
    }

    fn described(&self) -> impl Iterator<Item = record::Device> {
        self.facts.iter().zip(self.devices.reports()).map(|(fact, report)| described(fact, report))
    }
}

/// Returns whether the work includes enumeration, for which devices are calibrated.
fn enumerates(work: &Work) -> bool {
    match work {
        Work::Run(_) => false,
        Work::Solve(solve) => !solve.without.contains(&Step::Enumerate),
        Work::Search(search) => search.mode == Mode::Enumerate,
    }
}

fn warning((name, reason): (String, String)) -> String {
    format!("the device {name} is not used any more: {reason}. The results are the same without it")
}

fn described(fact: &record::Device, report: HelperReport) -> record::Device {
    record::Device {
        batches: report.batches,
        asked: report.jobs,
        answered: report.used,
        passed: report.jobs - report.answered,
        late: report.late,
        stayed: report.lost.is_none(),
        reason: report.lost,
        ..fact.clone()
    }
}
