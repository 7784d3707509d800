//! Jobs with a device against jobs without: the same records. PoCL is the device.

use std::path::Path;
use std::sync::Arc;

use batt_job::{
    DEMO_PROGRAMS, DeviceChoice, Effort, Job, Mode, Profiling, ProgramSource, Resources, Run, Search, Solve,
    Work,
};
use batt_record::{Environment, Record};
use batt_testkit::opencl::patient_pocl;

/// Runs a job with and without a device and compares the records. Returns the number of answers that were used.
fn check(name: &str, work: impl Fn(&Path) -> Work) -> u64 {
    let Some(devices) = patient_pocl().map(Arc::new) else { return u64::MAX };
    let mut used = 0;
    let [alone, helped] = [None, Some(devices)].map(|devices| {
        let n_devices = usize::from(devices.is_some());
        let folder = std::env::temp_dir().join(format!("batt-job-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut job = Job::new("demo", work(&folder));
        job.tasks.limit = Some(8);
        job.programs = vec![ProgramSource::Text(DEMO_PROGRAMS.to_owned())];
        job.devices = DeviceChoice::None;
        job.save.record = Some(folder.join("record.json"));
        job.save.profile = Profiling::Nodes;
        job.start_with(Resources { devices, ..Resources::default() }).unwrap().wait().unwrap();
        let record = Record::read(&folder.join("record.json")).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        let devices = &record.environment.devices;
        assert_eq!(devices.len(), n_devices);
        assert!(devices.iter().all(|device| device.stayed), "{devices:?}");
        used += devices.iter().map(|device| device.answered).sum::<u64>();
        // The fuel of each function is in the profile; a node that a device computed counts as well.
        let repeats = record.profile.iter().flat_map(|profile| profile.repeats.clone());
        let functions = repeats.flat_map(|repeat| repeat.functions).filter(|(.., fuel)| *fuel > 0);
        let fuel: Vec<(u32, u64)> = functions.map(|(function, _, fuel)| (function, fuel)).collect();
        (Record { environment: Environment::default(), curve: Vec::new(), profile: None, ..record }, fuel)
    });
    assert_eq!(alone, helped);
    used
}

#[test]
fn runs_are_the_same_with_a_device() {
    for repeat in [1, 2] {
        let work = |_: &Path| Work::Run(Run { all_pairs: true, repeat, ..Run::default() });
        assert!(check("run", work) > 100);
    }
}

#[test]
fn breeding_is_the_same_with_a_device() {
    let work = |folder: &Path| {
        let (effort, store) = (Effort::FuelPerTask(2_000_000), folder.join("store"));
        Work::Search(Search { mode: Mode::Breed, effort, store, seed: 0 })
    };
    assert!(check("breed", work) > 100);
}

#[test]
fn known_programs_are_the_same_with_a_device() {
    let work = |_: &Path| Work::Solve(Solve { effort: Effort::FuelPerTask(1_000_000), ..Solve::default() });
    assert!(check("known", work) > 100);
}
