//! Views of a job on a cluster.

mod common;

use batt_record::Record;
use batt_report::view::{Compare, Framework, Phases, Speedup, WhatIf};
use batt_report::{Facts, ReportError, Selection, Validity};
use batt_trace::Spot;
use common::{cluster, number, tasks};
use expect_test::expect;

fn facts(record: &Record) -> Facts<'_> {
    Facts::new(record, &Selection::default()).unwrap()
}

#[test]
fn machines_have_their_own_table() {
    let record = cluster();
    let view = Framework::new(&facts(&record));
    let rows: Vec<_> = view
        .machines
        .iter()
        .map(|row| (row.tasks, row.lane_time.0, row.busy.0, row.idle.0, row.network.0))
        .collect();
    assert_eq!(rows, [(3, 1_600, 1_260, 180, 160), (1, 800, 100, 660, 40)]);
    let driver = view.driver.as_ref().unwrap();
    assert_eq!((driver.lane_time.0, driver.busy.0), (1_000, 300));
    assert_eq!(view.busy.0, 1_260 + 100 + 300, "neither idle nor network is work");
    let text = view.to_string();
    let machines = text.split_once("\n\n").unwrap().1;
    expect![[r#"
        machine      cores  tasks    busy    idle  network      clock offset
        alpha            2      3  78.8 %  11.2 %   10.0 %  1.50 ms ± 200 µs
        <b>beta</b>      1      1  12.5 %  82.5 %   5.00 %      -2.00 µs ± ?  lost
        shares are of the time of a machine's lanes; the driver was busy for 30.0 % of its time
    "#]]
    .assert_eq(machines);
    assert!(text.contains("\nnetwork ") && text.contains("work in transit 200 ns"), "{text}");
    let alone = Framework::new(&facts(&tasks(&[10]))).to_string();
    assert!(!alone.contains("machine") && !alone.contains("driver"), "{alone}");
}

#[test]
fn waiting_for_the_network_is_no_work() {
    let record = cluster();
    let view = Phases::new(&[facts(&record)], 4).unwrap();
    let times: Vec<_> = view.rows.iter().map(|row| (row.name, row.time.0)).filter(|it| it.1 > 0).collect();
    assert_eq!(times, [("data load", 100), ("execution", 1_360 + 60), ("output", 140)]);
    assert_eq!((view.idle.0, view.network.0), (700 + 840, 200));
    assert!(view.to_string().contains("\nnot in the table: idle 1.54 µs, network 200 ns\n"), "{view}");
    // 1360 ns of work in 710 ns.
    assert!((view.projection.parallel - 1_360.0 / 710.0).abs() < 1e-9);
    assert!(!Phases::new(&[facts(&tasks(&[10]))], 4).unwrap().to_string().contains("network"));

    for name in ["network", "work in transit", "none"] {
        let speedup = Speedup { name: name.to_owned(), factor: 2.0 };
        let error = WhatIf::new(&facts(&record), &[speedup]).unwrap_err();
        assert!(error.to_string().contains("cannot be made faster"), "{error}");
    }
    let mut slow = cluster();
    let profile = slow.profile.as_mut().unwrap();
    profile.repeats[0].functions = vec![(number(Spot::NETWORK), 500, 0), (number(Spot::LOAD), 50, 0)];
    let compared = Compare::new(&facts(&slow), &facts(&slow), None).unwrap();
    assert_eq!(compared.busy.before, 50.0);
    assert!(compared.functions.iter().all(|it| it.name != "work in transit"));
    assert!(Validity::new(&facts(&record)).valid);
}

#[test]
fn what_ifs_replay_the_schedule_of_the_machines() {
    // Without the lost machine, each task is on the core that is free first.
    let mut record = cluster();
    let profile = record.profile.as_mut().unwrap();
    let task = &mut profile.tasks[2];
    (task.start, task.end) = (200, 520);
    (task.booked[0].1, task.nodes[0].3) = (320, 320);
    profile.lanes[2].between[0].1 -= 220;
    let what_if = |what: &str| WhatIf::new(&facts(&record), &[what.parse().unwrap()]);
    // Savings on the machines: all tasks are twice as fast, and the last ends at 530 instead of 860.
    let faster = what_if("objects=2x").unwrap();
    assert_eq!((faster.workers, faster.error), (3, 0.0));
    assert_eq!(faster.predicted.middle, 1_000.0 - (860.0 - (150.0 + 150.0 + 50.0 + 180.0)));
    // The driver loads alone, but hands out tasks while others work.
    assert_eq!(what_if("load=2x").unwrap().predicted.middle, 950.0);
    assert_eq!(what_if("scheduling=2x").unwrap().predicted.middle, 1_000.0);
    // A schedule with a lost machine cannot be replayed.
    let lost = WhatIf::new(&facts(&cluster()), &["objects=2x".parse().unwrap()]);
    assert!(lost.is_err_and(|error| error.to_string().contains("replay")));
}

#[test]
fn a_lane_of_an_unknown_machine_is_damage() {
    let mut record = cluster();
    record.profile.as_mut().unwrap().machines.pop();
    assert!(matches!(Facts::new(&record, &Selection::default()), Err(ReportError::Damaged(_))));
}
