//! The profile of a job with devices, recorded with a manual clock.

use batt_job::profile::{profile_of_search, trace_of_search};
use batt_record::{Device, Profile};
use batt_trace::{Clock, Level, Spot};

/// A worker runs a task for 100 ns, while one of two equal devices has a batch. The other is lost.
fn recorded() -> Profile {
    let (clock, hand) = Clock::manual();
    let trace = trace_of_search(clock, Level::Nodes, None);
    trace.start_workers(1);
    let (first, second) = (trace.device_lane("T4"), trace.device_lane("T4"));
    {
        let _wait = trace.enter(Spot::IDLE);
        let lane = trace.worker(0).unwrap();
        lane.begin_task("a", 9);
        first.begin_batch();
        hand.advance(60);
        first.mark_split(&[(Spot::UPLOAD, 10), (Spot::KERNEL, 30), (Spot::DOWNLOAD, 5)], Spot::DRIVER);
        first.end_batch();
        drop(second);
        hand.advance(40);
        lane.end_task(Spot::IDLE);
    }
    let mut profile = profile_of_search(trace.finish(), None);
    let lost = Device { stayed: false, answered: 7, ..Device::named("any name", &[]) };
    profile.describe_device(1, lost);
    profile
}

#[test]
fn devices_have_names_and_lanes() {
    let profile = recorded();
    let devices: Vec<_> = profile.devices.iter().map(|it| (&*it.name, it.stayed, it.answered)).collect();
    assert_eq!(devices, [("T4", true, 0), ("T4 (2)", false, 7)]);
    let lanes: Vec<_> = profile.lanes.iter().map(|it| (&*it.name, it.device, it.start, it.end)).collect();
    let expected = [
        ("main", None, 0, 100),
        ("worker 1", None, 0, 100),
        ("T4", Some(0), 0, 100),
        ("T4 (2)", Some(1), 0, 60),
    ];
    assert_eq!(lanes, expected);
    for lane in &profile.lanes[2..] {
        assert_eq!(lane.between.iter().map(|it| it.1).sum::<u64>(), lane.end - lane.start);
    }
}

#[test]
fn the_sums_of_a_repetition_leave_out_idle_devices() {
    let profile = recorded();
    let time = |spot: Spot| {
        let functions = &profile.repeats[0].functions;
        functions.iter().find(|it| it.0 as usize == spot.index()).map(|it| it.1)
    };
    assert_eq!((time(Spot::KERNEL), time(Spot::DRIVER)), (Some(30), Some(15)));
    // The main thread waited for the worker.
    assert_eq!(time(Spot::IDLE), Some(100));
}

#[test]
fn records_without_devices_do_not_mention_them() {
    let (clock, _) = Clock::manual();
    let trace = trace_of_search(clock, Level::Nodes, None);
    trace.start_workers(1);
    let text = serde_json::to_string(&profile_of_search(trace.finish(), None)).unwrap();
    assert!(!text.contains("\"devices\"") && !text.contains("\"device\":"), "{text}");
}
