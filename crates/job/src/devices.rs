//! Devices that help with a job: which ones, and what they did.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use batt_device::opencl::{self, Device, DeviceKind};
use batt_device::{Answerer, Session};
use batt_exec::devices::{Calibration, Devices, Helper, HelperReport};
use batt_record::{self as record, Profile, Record};
use batt_task::DataFolder;
use batt_trace::Trace;
use serde::{Deserialize, Serialize};

use crate::calibration::{CalibrationFile, useful_break_even};
use crate::control::{Control, lock};
use crate::description::{Job, Mode, Step, Work};
use crate::error::JobError;

/// The devices that a job may use. They change the time that it takes, never its results.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

impl TryFrom<String> for DeviceChoice {
    type Error = String;

    fn try_from(text: String) -> Result<DeviceChoice, String> {
        text.parse()
    }
}

impl From<DeviceChoice> for String {
    fn from(choice: DeviceChoice) -> String {
        choice.to_string()
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    /// Parses `auto`, `none`, or names separated by commas.
    fn from_str(text: &str) -> Result<DeviceChoice, String> {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        match names[..] {
            ["auto"] => Ok(DeviceChoice::Auto),
            ["none"] => Ok(DeviceChoice::None),
            // An empty name would be a part of every name.
            _ if names.contains(&"") => {
                Err(format!("`{text}` has an empty name; give `auto`, `none` or names separated by commas"))
            }
            _ if names.iter().any(|name| ["auto", "none"].contains(name)) => {
                Err(format!("`{text}` mixes names with `auto` or `none`; give one or the other"))
            }
            _ => Ok(DeviceChoice::Named(names.into_iter().map(str::to_owned).collect())),
        }
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
    let listing = list_devices().map_err(|remedy| JobError::Field { field: "device", remedy })?;
    find_in(&listing, name)
}

/// A driver that takes longer to list its devices hangs. It usually takes milliseconds, and seconds if it has to wake
/// a device first.
const LIST_WAIT: Duration = Duration::from_secs(10);

/// Lists the devices of this machine. The error says that a driver hangs; its thread is left behind, because nothing
/// can end it.
pub fn list_devices() -> Result<opencl::Listing, String> {
    let (sender, receiver) = mpsc::channel();
    let list = move || {
        // The receiver is gone if this took too long.
        let _ = sender.send(opencl::list());
    };
    let thread = std::thread::Builder::new().name("devices".to_owned()).spawn(list);
    thread.map_err(|error| format!("devices cannot be listed: {error}"))?;
    match receiver.recv_timeout(LIST_WAIT) {
        Ok(listing) => Ok(listing),
        Err(RecvTimeoutError::Timeout) => Err(format!(
            "an OpenCL driver did not list its devices within {} s; repair or remove it, or set ARCBATT_OPENCL to the \
             library of another one",
            LIST_WAIT.as_secs()
        )),
        Err(RecvTimeoutError::Disconnected) => {
            Err("an OpenCL driver panicked while it listed its devices".to_owned())
        }
    }
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
    /// Opens the devices that a job may use, each on a thread of its own. Returns `None` if there is none. A driver that
    /// hangs is a warning, like a device that is lost later.
    pub(crate) fn start(
        job: &Job,
        trace: Option<&Trace>,
        control: &Control,
    ) -> Result<Option<Help>, JobError> {
        let choice = &job.devices;
        let file = CalibrationFile::read_user();
        let is_needed = match choice {
            DeviceChoice::None => false,
            // Loading a driver takes time, so it is done only if a device is known to pay.
            DeviceChoice::Auto => enumerates(&job.work) && file.any_pays(),
            DeviceChoice::Named(_) => true,
        };
        if !is_needed {
            return Ok(None);
        }
        let listing = match list_devices() {
            Ok(listing) => listing,
            Err(problem) => {
                control.warn(format!("no device is used: {problem}. {SAME_RESULTS}"));
                return Ok(None);
            }
        };
        let mut chosen: Vec<(Device, u64)> = Vec::new();
        match choice {
            DeviceChoice::None => {}
            DeviceChoice::Auto => {
                let pays = |device: Device| Some((device.clone(), useful_break_even(&file.of(&device)?)?));
                chosen.extend(listing.devices.into_iter().filter_map(pays));
            }
            DeviceChoice::Named(names) => {
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

    /// Ends the work of the devices. Returns a warning for each that was lost. A device that is still being opened is
    /// not lost: it was not needed.
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

const SAME_RESULTS: &str = "The results are the same without a device";

fn warning((name, reason): (String, String)) -> String {
    format!("the device {name} is not used any more: {reason}. {SAME_RESULTS}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_parsed_strictly() {
        let named =
            |names: &[&str]| Ok(DeviceChoice::Named(names.iter().map(|name| name.to_string()).collect()));
        assert_eq!("auto".parse(), Ok(DeviceChoice::Auto));
        assert_eq!(" none ".parse(), Ok(DeviceChoice::None));
        assert_eq!("T4, L4".parse(), named(&["T4", "L4"]));
        assert_eq!("Nonesuch".parse(), named(&["Nonesuch"]));
        for (text, problem) in [("", "empty"), ("T4,", "empty"), (",", "empty"), ("T4,auto", "mixes")] {
            assert!(text.parse::<DeviceChoice>().unwrap_err().contains(problem), "{text}");
        }
        let json = |text| serde_json::from_str::<DeviceChoice>(text);
        assert_eq!(json("\"T4\"").unwrap(), DeviceChoice::Named(vec!["T4".to_owned()]));
        assert!(json("\"T4,\"").is_err());
    }
}
