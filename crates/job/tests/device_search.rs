//! Searches with devices find what searches without devices find, whatever a device does.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use batt_device::opencl::Device;
use batt_device::{Answerer, Answers, Batch, DeviceError, Session};
use batt_exec::devices::{Devices, Helper};
use batt_job::{DeviceChoice, Effort, Event, Job, Mode, Outcome, Resources, Search, Work};
use batt_record::Record;
use batt_testkit::opencl::{folder, pocl};
use batt_testkit::print;

/// A search by enumeration.
#[derive(Clone, Copy)]
struct Size<'s> {
    data: &'s str,
    tasks: usize,
    fuel: u64,
    threads: usize,
}

/// Enough for several batches.
const SMALL: Size<'_> = Size { data: "demo", tasks: 3, fuel: 1_000_000, threads: 2 };

/// Runs a search with an empty store. Returns its record and its warnings.
fn search(size: Size<'_>, devices: Option<Devices>) -> (Record, Vec<String>) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main").to_owned();
    let work = Search {
        mode: Mode::Enumerate,
        effort: Effort::FuelPerTask(size.fuel),
        seed: 0,
        store: folder(&test).join("store.db"),
    };
    let mut job = Job::new(size.data, Work::Search(work));
    job.tasks.limit = Some(size.tasks);
    job.threads = size.threads;
    job.devices = DeviceChoice::None;
    let resources = Resources { devices: devices.map(Arc::new), ..Resources::default() };
    let running = job.start_with(resources).unwrap();
    let mut warnings = Vec::new();
    loop {
        let is_over = running.is_finished();
        match running.next_event(Duration::from_millis(5)) {
            Some(Event::Warning { text }) => warnings.push(text),
            None if is_over => break,
            _ => {}
        }
    }
    let Outcome::Search(outcome) = running.wait().unwrap() else { unreachable!() };
    (outcome.record, warnings)
}

/// Returns the parts of a record that must not depend on devices, as text.
fn results(record: &Record) -> String {
    let mut json = serde_json::to_value(record).unwrap();
    let parts = json.as_object_mut().unwrap();
    assert!(parts.remove("environment").is_some());
    parts.remove("profile");
    serde_json::to_string_pretty(&json).unwrap()
}

/// The mistake of a device.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    Build,
    /// At the batch with this number.
    Fails(usize),
    Panics(usize),
    Hangs(usize),
    Short(usize),
    Wrong(usize),
}

/// A device that does something wrong.
struct Faulty {
    /// Answers until then. Without it, jobs are passed on.
    session: Option<Session>,
    fault: Fault,
    n_batches: usize,
    /// Blocks until the end of the test.
    never: Receiver<()>,
}

impl Answerer for Faulty {
    fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError> {
        let now = self.n_batches;
        self.n_batches += 1;
        let mut answers = match &mut self.session {
            Some(session) => session.answer(batch)?,
            None => Answers::passed_on(batch.jobs.len()),
        };
        match self.fault {
            Fault::Fails(at) if at == now => return Err(failure()),
            Fault::Panics(at) if at == now => panic!("this panic belongs to the test"),
            Fault::Hangs(at) if at == now => {
                let _ = self.never.recv();
            }
            Fault::Short(at) if at == now => answers.truncate(batch.jobs.len() - 1),
            Fault::Wrong(at) if at == now => answers.corrupt(),
            _ => {}
        }
        Ok(answers)
    }
}

fn failure() -> DeviceError {
    DeviceError::Driver { call: "clFinish", code: -5 }
}

/// Returns a device with a fault. It hangs until the sender is dropped.
fn faulty(fault: Fault, device: Option<Device>) -> (Sender<()>, Devices) {
    let (end, never) = channel();
    let open = move || {
        if fault == Fault::Build {
            return Err(DeviceError::Build { log: "no such kernel".to_owned() });
        }
        let session = device.map(|device| Session::open(&device, None)).transpose()?;
        Ok(Box::new(Faulty { session, fault, n_batches: 0, never }) as Box<dyn Answerer>)
    };
    let helper = Helper { name: "faulty".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
    (end, Devices::start(vec![helper]))
}

/// Checks that searches with a device that has a fault find the same. `reason` is a part of the warning.
fn check_fault(fault: Fault, device: Option<&Device>, reason: &str) {
    let expected = results(&search(SMALL, None).0);
    let (_end, devices) = faulty(fault, device.cloned());
    let devices = if let Fault::Hangs(_) = fault { devices.with_max_ticks(3) } else { devices };
    let (record, warnings) = search(SMALL, Some(devices.patient()));
    assert_eq!(results(&record), expected, "{fault:?}");
    let lost = &record.environment.devices[0];
    assert!(
        !lost.stayed && lost.reason.as_ref().is_some_and(|it| it.contains(reason)),
        "{fault:?}: {lost:?}"
    );
    let told: Vec<_> = warnings.iter().filter(|warning| warning.contains("faulty")).collect();
    assert!(told.len() == 1 && told[0].contains(reason), "{fault:?}: {warnings:?}");
    // Without patience, the search may end before the fault shows.
    let (_end, devices) = faulty(fault, device.cloned());
    let (record, _) = search(SMALL, Some(devices));
    assert_eq!(results(&record), expected, "{fault:?} without patience");
}

#[test]
fn a_device_that_cannot_be_built_changes_nothing() {
    check_fault(Fault::Build, None, "no such kernel");
}

#[test]
fn a_device_that_fails_at_once_changes_nothing() {
    check_fault(Fault::Fails(0), None, "clFinish failed");
}

#[test]
fn a_device_that_fails_later_changes_nothing() {
    let Some(device) = pocl() else { return };
    check_fault(Fault::Fails(1), Some(&device), "clFinish failed");
    check_fault(Fault::Fails(4), Some(&device), "clFinish failed");
}

#[test]
fn a_device_that_answers_too_few_jobs_changes_nothing() {
    check_fault(Fault::Short(0), None, "answers to");
    let Some(device) = pocl() else { return };
    check_fault(Fault::Short(2), Some(&device), "answers to");
}

#[test]
fn a_device_that_answers_nonsense_changes_nothing() {
    let Some(device) = pocl() else { return };
    check_fault(Fault::Wrong(0), Some(&device), "a wrong value of");
    check_fault(Fault::Wrong(2), Some(&device), "a wrong value of");
}

#[test]
fn a_device_whose_thread_panics_changes_nothing() {
    check_fault(Fault::Panics(0), None, "panicked");
}

#[test]
fn a_device_that_hangs_changes_nothing() {
    check_fault(Fault::Hangs(1), None, "does not answer any more");
}

/// Checks that searches on PoCL, whose answers the CPU waits for, find what searches without devices find.
fn check_search(size: Size<'_>) {
    let Some(device) = pocl() else { return };
    for threads in [1, 2] {
        let size = Size { threads, ..size };
        let start = Instant::now();
        let expected = results(&search(size, None).0);
        let alone = start.elapsed();
        let open = {
            let device = device.clone();
            move || Ok(Box::new(Session::open(&device, None)?) as Box<dyn Answerer>)
        };
        let helper = Helper { name: "PoCL".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
        let (record, warnings) = search(size, Some(Devices::start(vec![helper]).patient()));
        assert_eq!(results(&record), expected, "with {threads} threads");
        let used = &record.environment.devices[0];
        assert!(used.stayed && used.late == 0, "{used:?} {warnings:?}");
        assert!(used.answered * 3 > used.asked, "hardly any answer was used: {used:?}");
        print(&format!(
            "{} tasks with {} fuel, {threads} threads: {alone:.1?} alone, {:.1?} with PoCL; {} batches, {} jobs, \
             {} answers used, {} jobs passed on\n",
            size.tasks,
            size.fuel,
            start.elapsed() - alone,
            used.batches,
            used.asked,
            used.answered,
            used.passed
        ));
    }
}

/// `ARCBATT_TASKS` names another data set than the built-in one.
#[test]
fn devices_do_not_change_what_a_search_finds() {
    let data = std::env::var("ARCBATT_TASKS").unwrap_or_else(|_| SMALL.data.to_owned());
    check_search(Size { data: &data, tasks: 25, fuel: 50_000_000, ..SMALL });
}
