//! `batt device`, jobs on PoCL, and records of jobs with devices. In the tests of records, the jobs are real; their
//! records are given a device that waited all the time.

mod batt;

use std::path::PathBuf;
use std::process::Command;

use arcbatt::record::{Device, Record};
use batt::Batt;
use batt_testkit::opencl::pocl;
use batt_testkit::skipped;

const RUN: &str = "run demo -n 12 --threads 1";

/// Runs a command that must succeed.
fn run(batt: &Batt, command: &str) -> String {
    let output = batt.run(command);
    assert!(output.ends_with("exit 0\n"), "{command}: {output}");
    output
}

/// Adds a device to a record.
fn add_device(batt: &Batt, file: &str) {
    let mut record = Record::read(&batt.path(file)).unwrap();
    let profile = record.profile.as_mut().unwrap();
    let device = Device {
        asked: 30,
        answered: 10,
        late: 20,
        cpu_ns_per_job: Some(900.0),
        replay_ns_per_job: Some(100.0),
        ..Device::named("Tesla T4", &[])
    };
    let idle = profile.functions.iter().position(|it| it.name == "waiting").unwrap() as u32;
    let mut lane = profile.lanes[1].clone();
    (lane.name, lane.device, lane.primitives) = (device.name.clone(), Some(0), Vec::new());
    (lane.between, lane.waits) = (vec![(idle, lane.end - lane.start, 1)], vec![(lane.start, lane.end)]);
    profile.lanes.push(lane);
    profile.devices.push(device.clone());
    record.environment.devices.push(device);
    record.write(&batt.path(file)).unwrap();
}

#[test]
fn the_profile_shows_devices_and_predicts_without_them() {
    let batt = Batt::new("devices-profile");
    run(&batt, &format!("{RUN} --record {{dir}}/run.json --profile"));
    let text = batt.run("profile what-if {dir}/run.json device:T4=0x");
    assert!(text.contains("the record has no devices, so `device:T4` cannot be changed"), "{text}");
    assert!(text.ends_with("exit 2\n"), "{text}");
    let before = run(&batt, "profile framework {dir}/run.json --allow-invalid");
    assert!(!before.contains("device"), "{before}");
    add_device(&batt, "run.json");
    let after = run(&batt, "profile framework {dir}/run.json --allow-invalid");
    let threads = after.split_once("\n\n").unwrap().0.replace(" · 1 device", "");
    assert_eq!(format!("{threads}\nexit 0\n"), before);
    assert!(after.contains("\nTesla T4 "), "{after}");
    let text = run(&batt, "profile what-if {dir}/run.json device:t4=0x --allow-invalid");
    assert!(
        text.contains("Tesla T4: 10 jobs answered, 20 late → ≈ 0 answered; an answer saves 800 ns"),
        "{text}"
    );
    let text = batt.run("profile what-if {dir}/run.json device:L4=2x");
    assert!(text.contains("no device is called `L4`; the record has Tesla T4"), "{text}");
    let text = run(&batt, "profile budget 8h {dir}/run.json --what-if device:T4=0x --allow-invalid");
    assert!(text.contains("\ndevice:T4=0x "), "{text}");
    assert!(text.contains("limit: the projection assumes the same device: Tesla T4\n"), "{text}");
}

#[test]
fn joined_records_keep_their_devices() {
    let batt = Batt::new("devices-merge");
    for i in 1..=2 {
        run(&batt, &format!("{RUN} --shard {i}/2 --record {{dir}}/r{i}.json --profile"));
        add_device(&batt, &format!("r{i}.json"));
    }
    run(&batt, "merge {dir}/r1.json {dir}/r2.json -o {dir}/all.json");
    let record = Record::read(&batt.path("all.json")).unwrap();
    let profile = record.profile.as_deref().unwrap();
    let names: Vec<_> = profile.devices.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["shard 1 of 2, Tesla T4", "shard 2 of 2, Tesla T4"]);
    let lanes: Vec<_> = profile.lanes.iter().filter_map(|it| Some((it.device?, it.machine?))).collect();
    assert_eq!(lanes, [(0, 0), (1, 1)]);
    // Shards count as if they had run one after the other, on the same device.
    let devices: Vec<_> = record.environment.devices.iter().map(|it| (&*it.name, it.asked)).collect();
    assert_eq!(devices, [("Tesla T4", 60)]);
    let text = run(&batt, "profile framework {dir}/all.json --allow-invalid");
    assert!(text.contains("\nshard 2 of 2, Tesla T4 "), "{text}");
    assert!(text.contains("\nmachine ") && text.contains("\ndevice category "), "{text}");
}

/// Compiles an OpenCL library that never answers. Returns `None` if there is no C compiler.
fn hanging_driver(batt: &Batt) -> Option<PathBuf> {
    let (source, library) = (batt.path("hang.c"), batt.path("libhang.so"));
    let code =
        "#include <unistd.h>\nvoid *clGetExtensionFunctionAddress(const char *name) { for (;;) pause(); }\n";
    std::fs::write(&source, code).unwrap();
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    if compiled.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    skipped("there is no C compiler `cc`", "install gcc");
    None
}

#[test]
fn a_job_does_without_a_driver_that_hangs() {
    let batt = Batt::new("devices-hang");
    let Some(driver) = hanging_driver(&batt) else { return };
    let solve = "solve demo -n 2 --fuel-per-task 100000 --device";
    let command = format!("{solve} T4 -o {{dir}}/hung.json");
    let text = batt.run_with_variables(&command, &[("ARCBATT_OPENCL", &driver)]);
    assert!(text.contains("warning: no device is used: an OpenCL driver did not list its devices"), "{text}");
    assert!(text.ends_with("exit 0\n"), "{text}");
    run(&batt, &format!("{solve} none -o {{dir}}/alone.json"));
    assert_eq!(batt.read("hung.json"), batt.read("alone.json"));
}

#[test]
fn a_list_of_devices_names_a_driver_that_hangs() {
    let batt = Batt::new("devices-hang-list");
    let Some(driver) = hanging_driver(&batt) else { return };
    let text = batt.run_with_variables("device list", &[("ARCBATT_OPENCL", &driver)]);
    assert!(
        text.contains("an OpenCL driver did not list its devices") && text.ends_with("exit 2\n"),
        "{text}"
    );
}

#[test]
fn an_empty_name_is_an_error() {
    let text = Batt::new("devices-empty").run("solve demo -n 1 --device T4,");
    assert!(text.contains("`T4,` has an empty name") && text.ends_with("exit 2\n"), "{text}");
}

#[test]
fn an_unknown_device_is_an_error_that_lists_the_devices() {
    let batt = Batt::new("devices-unknown");
    let text = batt.run("search demo -n 1 --mode enumerate --device nothing --store {dir}/s.sqlite");
    assert!(
        text.contains("device: no device is called `nothing`") || text.contains("no OpenCL device"),
        "{text}"
    );
    assert!(text.ends_with("exit 2\n"), "{text}");
    assert!(!batt.path("s.sqlite").exists());
    let text = batt.run("device bench --operation merge(x)");
    assert!(text.contains("devices do not know merge(x)") && text.ends_with("exit 2\n"), "{text}");
}

#[test]
fn devices_are_listed_tested_measured_and_used() {
    let Some(device) = pocl() else { return };
    let batt = Batt::new("devices-pocl");
    let text = run(&batt, "device list");
    assert!(text.contains(device.name()) && text.contains("not calibrated"), "{text}");
    // PoCL's names begin with the way it runs kernels, such as `pthread-`.
    let name = device.name().split('-').next().unwrap();
    let text = run(&batt, &format!("device test {name} --grids 1 --json"));
    let document: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let test = &document["devices"][0]["test"];
    assert!(test["same"].as_u64() > Some(1000) && test["wrong"] == 0, "{text}");
    let text = run(&batt, &format!("device bench {name} --operation trim(x)"));
    assert!(text.contains("break-even") && text.contains("trim(x)"), "{text}");
    let search = |device: &str, file: &str| {
        let options = "-n 3 --mode enumerate --fuel-per-task 2000000 --threads 1";
        let files = format!("--store {{dir}}/{file}.sqlite --record {{dir}}/{file}.json --profile");
        run(&batt, &format!("search demo {options} --device {device} {files}"));
        Record::read(&batt.path(&format!("{file}.json"))).unwrap()
    };
    let (alone, helped) = (search("none", "alone"), search(name, "helped"));
    assert_eq!(alone.tasks, helped.tasks);
    assert_eq!(alone.programs, helped.programs);
    assert!(alone.environment.devices.is_empty());
    let used = &helped.environment.devices[0];
    assert_eq!((&*used.name, used.kind.as_str(), used.stayed), (device.name(), "cpu", true), "{used:?}");
    let text = run(&batt, "profile framework {dir}/helped.json --allow-invalid");
    assert!(text.contains("device category"), "{text}");
}
