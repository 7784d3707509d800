//! Views and exports of a job with devices. Figures of threads are the same as without them.

mod common;

use batt_record::Record;
use batt_report::export::{self, Format};
use batt_report::view::{
    Budget, Compare, Dsl, Framework, Phases, Plan, Quota, Scale, Speedup, Tasks, WhatIf,
};
use batt_report::{Facts, ReportError, Selection, Validity};
use batt_trace::Spot;
use common::{devices, number, tasks};
use expect_test::expect;
use serde_json::Value;

fn facts(record: &Record) -> Facts<'_> {
    Facts::new(record, &Selection::default()).unwrap()
}

/// The same record as if the devices had not been recorded.
fn without_devices() -> Record {
    let mut record = devices();
    let profile = record.profile.as_mut().unwrap();
    profile.lanes.retain(|lane| lane.device.is_none());
    profile.devices.clear();
    record
}

#[test]
fn the_time_of_a_device_adds_up() {
    let record = devices();
    let profile = record.profile.as_ref().unwrap();
    for lane in profile.lanes.iter().filter(|lane| lane.device.is_some()) {
        assert_eq!(lane.between.iter().map(|it| it.1).sum::<u64>(), lane.end - lane.start);
    }
    let view = Framework::new(&facts(&record));
    let rows: Vec<_> = view
        .devices
        .iter()
        .map(|it| (it.lane_time.0, it.upload.0, it.kernel.0, it.download.0, it.driver.0, it.idle.0))
        .collect();
    assert_eq!(rows, [(900, 30, 110, 20, 40, 700), (400, 0, 0, 0, 0, 400)]);
    let sum: u64 = view.device_categories.iter().map(|row| row.time.0).sum();
    assert_eq!(sum, 900 + 400);
}

#[test]
fn the_framework_shows_devices_apart() {
    let text = Framework::new(&facts(&devices())).to_string();
    let (threads, devices) = text.split_once("\n\n").unwrap();
    assert!(
        threads.starts_with("wall 1.00 µs · 2 lanes · 2.00 µs of lane time, 1.00 µs busy · 2 devices\n"),
        "{text}"
    );
    assert!(!threads.contains("device:"), "{threads}");
    expect![[r#"
        device category      self    share  top functions
        idle              1.10 µs   84.6 %  waiting 1.10 µs
        device: kernel     110 ns   8.46 %  run kernels 110 ns
        device: transfer    50 ns   3.85 %  upload 30 ns · download 20 ns
        device: driver      40 ns   3.08 %  call the driver 40 ns
        sum               1.30 µs  100.0 %

        device     upload  kernel  download  driver    idle   share
        Tesla T4    30 ns  110 ns     20 ns   40 ns  700 ns  22.2 %
        NVIDIA L4    0 ns    0 ns      0 ns    0 ns  400 ns  0.00 %

        device     batches  jobs  answered  passed on  late  break-even
        Tesla T4         1   130       100          5    20  1,500 jobs
        NVIDIA L4        0     0         0          0     0              lost: out of memory (-4)
        share is of the time in which the device was there; threads compute jobs that are passed on or late
    "#]]
    .assert_eq(devices);
    let alone = Framework::new(&facts(&without_devices())).to_string();
    assert!(!alone.contains("device"), "{alone}");
    assert_eq!(threads.replace(" · 2 devices", ""), alone.trim_end());
}

#[test]
fn figures_of_threads_do_not_depend_on_devices() {
    let (with, without) = (devices(), without_devices());
    let (with, without) = (facts(&with), facts(&without));
    assert_eq!(
        (with.busy(), with.booked(), with.workers()),
        (without.busy(), without.booked(), without.workers())
    );
    assert_eq!(Validity::new(&with), Validity::new(&without));
    assert_eq!(Framework::new(&with).categories, Framework::new(&without).categories);
    assert_eq!(Dsl::new(&with), Dsl::new(&without));
    assert_eq!(Tasks::new(&with, 5.0).unwrap(), Tasks::new(&without, 5.0).unwrap());
    let phases = |facts: &Facts<'_>| Phases::new(std::slice::from_ref(facts), 10).unwrap();
    assert_eq!(phases(&with), phases(&without));
    let what: Vec<Speedup> = vec!["objects=2x".parse().unwrap(), "execute=2x".parse().unwrap()];
    assert_eq!(WhatIf::new(&with, &what).unwrap(), WhatIf::new(&without, &what).unwrap());
    let plan = Plan { nodes: Some(2), cores: None, tasks: Some(100), speed: 1.0, time: None };
    let scale = |facts: &Facts<'_>| Scale::new(facts, plan).unwrap();
    assert_eq!(scale(&with).rows, scale(&without).rows);
    assert_eq!(scale(&with).cores_per_node, 1, "the worker, not the devices");
}

fn what_if(what: &[&str]) -> Result<WhatIf, ReportError> {
    let what: Vec<Speedup> = what.iter().map(|what| what.parse().unwrap()).collect();
    WhatIf::new(&facts(&devices()), &what)
}

#[test]
fn a_device_changes_the_time_only_by_the_jobs_that_it_answers() {
    // 100 jobs were answered and 20 were late. Each answer saves 2 ns.
    let predicted = |what: &str| {
        let view = what_if(&[what]).unwrap();
        let answered = view.devices[0].answered_then;
        (
            answered.low,
            answered.middle,
            answered.high,
            view.predicted.low,
            view.predicted.middle,
            view.predicted.high,
        )
    };
    assert_eq!(predicted("device:T4=1x"), (100.0, 100.0, 100.0, 1_000.0, 1_000.0, 1_000.0));
    assert_eq!(predicted("device:T4=0x"), (0.0, 0.0, 0.0, 1_200.0, 1_200.0, 1_200.0));
    // Half of the late jobs are in time if all answers come sooner; all are if there are more answers.
    assert_eq!(predicted("device:t4=2x"), (110.0, 115.0, 120.0, 960.0, 970.0, 980.0));
    assert_eq!(predicted("device: tesla =0.5x"), (50.0, 65.0, 80.0, 1_040.0, 1_070.0, 1_100.0));
    // Nothing is gained beyond the late jobs.
    let (.., low, middle, _) = predicted("device:T4=1000000x");
    assert!(low == 960.0 && (960.0..960.1).contains(&middle), "{middle}");
    let limits = what_if(&["device:T4=3x"]).unwrap().device_limits.unwrap();
    assert_eq!((limits.without.middle, limits.in_time.middle), (1_200.0, 960.0));
    // Together with another one. The tasks take 750 ns of objects.
    assert_eq!(what_if(&["objects=2x"]).unwrap().predicted.middle, 675.0);
    let both = what_if(&["objects=2x", "device:T4=2x"]).unwrap();
    assert_eq!(both.predicted.middle, 645.0);
    expect![[r#"
        primitive objects 2× faster, device:T4 2× faster
        wall 1.00 µs → ≈ 645 ns (635 ns to 655 ns), -35.5 %
        one worker: exact arithmetic, except for devices
        Tesla T4: 100 jobs answered, 20 late → ≈ 115 (110 to 120) answered; an answer saves 2 ns of a thread
        limits: ≈ 875 ns if nothing were answered, ≈ 635 ns if no answer were late
        threads do not wait for devices; ranges are from answers that come sooner to more answers in the same time
    "#]].assert_eq(&both.to_string());
    assert!(what_if(&["device:T4=0x"]).unwrap().to_string().starts_with("device:T4 answers nothing\n"));
}

#[test]
fn a_slow_answer_costs_time() {
    let mut record = devices();
    record.profile.as_mut().unwrap().devices[0].replay_ns_per_job = Some(4.5);
    let what = ["device:T4=2x".parse().unwrap()];
    let view = WhatIf::new(&facts(&record), &what).unwrap();
    let walls = (view.predicted.low, view.predicted.middle, view.predicted.high);
    assert_eq!(walls, (1_010.0, 1_015.0, 1_020.0));
}

#[test]
fn a_saving_is_split_over_the_tasks_beside_the_device() {
    // With two workers the schedule is replayed. Both tasks ran at once, and only one of them beside the device.
    let mut record = devices();
    let profile = record.profile.as_mut().unwrap();
    let mut worker = profile.lanes[1].clone();
    let idle = number(Spot::IDLE);
    worker.between = vec![(idle, 600, 1)];
    profile.lanes.push(worker.clone());
    profile.lanes[1] = worker;
    (profile.tasks[1].start, profile.tasks[1].end, profile.tasks[1].lane) = (100, 500, 4);
    profile.lanes[0].waits = vec![(100, 900)];
    let t4 = &mut profile.lanes[2];
    (t4.start, t4.end, t4.between) = (900, 1_000, vec![(idle, 100, 1)]);
    let what = ["device:T4=0x".parse().unwrap()];
    let view = WhatIf::new(&facts(&record), &what).unwrap();
    assert_eq!((view.workers, view.error, view.predicted.middle), (2, 0.0, 1_000.0), "no task ran beside it");
    let t4 = &mut record.profile.as_mut().unwrap().lanes[2];
    (t4.start, t4.end) = (100, 200);
    let view = WhatIf::new(&facts(&record), &what).unwrap();
    assert_eq!(view.predicted.middle, 1_100.0, "200 ns over two workers");
}

#[test]
fn a_what_if_of_a_device_must_be_possible() {
    let error = |what: &[&str]| what_if(what).unwrap_err().to_string();
    assert_eq!(error(&["device:A100=2x"]), "no device is called `A100`; the record has Tesla T4, NVIDIA L4");
    assert!(error(&["device:=2x"]).starts_with("no device is called ``"));
    assert!(error(&["device:L4=2x"]).contains("does not tell what an answer of NVIDIA L4 saves"));
    assert_eq!(
        error(&["device:T4=2x", "device:tesla=3x"]),
        "`device:tesla` changes device Tesla T4 a second time"
    );
    assert_eq!(error(&["device:T4=2x", "device:T4=3x"]), "`device:T4` is given twice");
    for name in ["upload", "run kernels", "device: kernel", "category: device: driver"] {
        let error = error(&[&format!("{name}=2x")]);
        let expected = ["is time of devices", "no device is called"];
        assert!(expected.iter().any(|it| error.contains(it)), "{error}");
    }
    let record = tasks(&[10]);
    let none = WhatIf::new(&facts(&record), &["device:T4=2x".parse().unwrap()]).unwrap_err();
    assert_eq!(none.to_string(), "the record has no devices, so `device:T4` cannot be changed");
    for text in ["objects=0x", "device:T4=-1x", "device:T4=infx", "device:T4=x", "=0x"] {
        assert!(text.parse::<Speedup>().is_err(), "{text}");
    }
}

#[test]
fn a_budget_assumes_the_same_devices() {
    let quota = Quota { share: 1.0, speed: 1.0 };
    let what = ["device:T4=0x".parse().unwrap()];
    let limit = "limit: the projection assumes the same devices: Tesla T4, NVIDIA L4\n";
    let record = devices();
    let view = Budget::new(&facts(&record), 1e6, quota, &what).unwrap();
    assert_eq!((view.rows[1].name.as_str(), view.rows[1].wall.middle), ("device:T4=0x", 1_200.0));
    assert!(view.to_string().ends_with(limit), "{view}");
    let plan = Plan { nodes: Some(2), cores: None, tasks: None, speed: 1.0, time: None };
    assert!(Scale::new(&facts(&record), plan).unwrap().to_string().contains(limit));
    let alone = Budget::new(&facts(&without_devices()), 1e6, quota, &[]).unwrap();
    assert!(!alone.to_string().contains("device"));
}

#[test]
fn the_work_of_devices_is_compared_but_is_not_busy_time() {
    let sums = |kernel| {
        let mut record = devices();
        let profile = record.profile.as_mut().unwrap();
        profile.repeats[0].functions = vec![(number(Spot::LOAD), 100, 0), (number(Spot::KERNEL), kernel, 0)];
        record
    };
    let (before, mut after) = (sums(110), sums(330));
    // Counts differ from run to run.
    after.profile.as_mut().unwrap().devices[0].answered = 7;
    let view = Compare::new(&facts(&before), &facts(&after), None).unwrap();
    assert_eq!((view.busy.before, view.busy.after), (100.0, 100.0));
    let kernel = view.functions.iter().find(|it| it.name == "run kernels").unwrap();
    assert_eq!((kernel.before, kernel.after), (110.0, 330.0));
    assert!(view.notes.iter().all(|note| !note.contains("device")), "{:?}", view.notes);
    after.profile.as_mut().unwrap().devices[0].driver.push_str(".1");
    let view = Compare::new(&facts(&before), &facts(&after), None).unwrap();
    assert!(view.notes.contains(&"the devices differ".to_owned()));
}

#[test]
fn a_device_is_its_own_track() {
    let record = devices();
    let export = |format| {
        let mut bytes = Vec::new();
        export::write(&facts(&record), format, None, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let folded = export(Format::Folded);
    assert!(folded.contains("Tesla T4;execute;device: kernel;run kernels 110\n"), "{folded}");
    assert!(export(Format::Csv).contains(",Tesla T4,upload,device: transfer,execute,,,,30,0,,\n"));
    let speedscope: Value = serde_json::from_str(&export(Format::Speedscope)).unwrap();
    let t4 = speedscope["profiles"].as_array().unwrap().iter().find(|it| it["name"] == "Tesla T4").unwrap();
    assert_eq!(t4["endValue"], 900);
    assert!(export(Format::Firefox).contains("Tesla T4"));
    assert!(export(Format::Svg).contains("Tesla T4"));
    let chrome: Value = serde_json::from_str(&export(Format::Chrome)).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    let track = events.iter().find(|it| it["args"]["name"] == "Tesla T4").unwrap();
    assert_eq!((&track["name"], &track["tid"]), (&"thread_name".into(), &2.into()));
    // Times are rounded to 1/1024 of a microsecond.
    let rounded = |value: &Value| (value.as_f64().unwrap() * 100.0).round() * 10.0;
    let on_track: Vec<_> = events
        .iter()
        .filter(|it| it["ph"] == "X" && it["tid"] == 2)
        .map(|it| (it["name"].as_str().unwrap(), rounded(&it["ts"]), rounded(&it["dur"])))
        .collect();
    let wait = "waiting for a batch";
    assert_eq!(on_track, [(wait, 100.0, 100.0), (wait, 400.0, 600.0), ("batches", 200.0, 200.0)]);
}

#[test]
fn lanes_of_unknown_devices_are_damage() {
    let damaged = |change: fn(&mut batt_record::Profile)| {
        let mut record = devices();
        change(record.profile.as_mut().unwrap());
        matches!(Facts::new(&record, &Selection::default()), Err(ReportError::Damaged(_)))
    };
    assert!(damaged(|profile| profile.devices.truncate(1)));
    assert!(damaged(|profile| profile.lanes[0].device = Some(0)));
    assert!(damaged(|profile| profile.tasks[0].lane = 2));
    assert!(!damaged(|profile| profile.devices.push(profile.devices[0].clone())), "it never started");
}
