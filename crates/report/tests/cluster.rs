//! Views of a job on a cluster, and projections to a larger one.

mod common;

use batt_record::Record;
use batt_report::view::{Compare, Framework, Phases, Plan, Scale, Speedup, WhatIf};
use batt_report::{Facts, ReportError, Selection, Validity};
use batt_trace::Spot;
use common::{cluster, number, tasks};
use expect_test::expect;

fn facts(record: &Record) -> Facts<'_> {
    Facts::new(record, &Selection::default()).unwrap()
}

const PLAN: Plan = Plan { nodes: None, cores: None, tasks: None, speed: 1.0, time: None };

fn scale(record: &Record, plan: Plan) -> Scale {
    Scale::new(&facts(record), plan).unwrap()
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

#[test]
fn a_projection_starts_from_what_was_recorded() {
    let view = scale(&cluster(), PLAN);
    assert_eq!((view.tasks, view.projected.nodes, view.cores_per_node), (4, 2, 2), "1.5 cores are rounded");
    let basis = &view.basis;
    assert_eq!((basis.tasks, basis.machines), (4, 2));
    assert_eq!((basis.mean_task, basis.longest_task.0), (340.0, 600));
    assert_eq!((basis.network_per_task, basis.driver_per_task), (50.0, 10.0));
    assert_eq!(view.rows.iter().map(|row| (row.nodes, row.cores)).collect::<Vec<_>>(), [(1, 2), (2, 4)]);
    assert_eq!(view.rows.last(), Some(&view.projected));
    let nodes = |nodes| scale(&cluster(), Plan { nodes: Some(nodes), ..PLAN });
    let sizes = |view: Scale| view.rows.iter().map(|row| row.nodes).collect::<Vec<_>>();
    assert_eq!(sizes(nodes(1)), [1]);
    assert_eq!(sizes(nodes(8)), [1, 2, 4, 8]);
    assert_eq!(sizes(nodes(100)), [1, 2, 4, 8, 16, 32, 64, 100]);
    // Time of a core between tasks is part of the cost of a task.
    let mut record = cluster();
    let between = &mut record.profile.as_mut().unwrap().lanes[2].between;
    between[0].1 -= 20;
    between.push((number(Spot::SET_UP), 20, 0));
    let one = |record: &Record| scale(record, Plan { nodes: Some(1), cores: Some(1), ..PLAN });
    assert_eq!(one(&record).basis.set_up_per_task, 5.0);
    assert!(one(&record).projected.wall.low >= one(&cluster()).projected.wall.low + 4.0 * 5.0);
    // A lane without tasks, such as the main lane of a joined shard, is not.
    let profile = record.profile.as_mut().unwrap();
    let between = vec![(number(Spot::LOAD), 800, 1)];
    let shard = batt_record::profile::Lane { between, waits: Vec::new(), ..profile.lanes[1].clone() };
    profile.lanes.push(shard);
    assert_eq!(one(&record).basis.set_up_per_task, 5.0);
    // The limit of the driver without a list of waits.
    let mut record = cluster();
    record.profile.as_mut().unwrap().lanes[0].waits.clear();
    assert_eq!(scale(&record, PLAN).basis.driver_per_task, 300.0 / 4.0);
}

/// A record of equal tasks, so that nothing is left to chance.
fn equal(n: usize, ns: u64) -> Record {
    tasks(&vec![ns; n])
}

#[test]
fn equal_tasks_have_a_known_time() {
    let record = equal(60, 1_000_000);
    let plan = Plan { nodes: Some(100), cores: Some(8), tasks: Some(1_000_000), ..PLAN };
    let view = scale(&record, plan);
    let row = &view.projected;
    assert_eq!((row.wall.low, row.wall.middle, row.wall.high), (1.25e9, 1.25e9, 1.25e9));
    assert_eq!((row.throughput.middle, row.tail.middle, row.utilisation.middle), (800_000.0, 0.0, 1.0));
    assert_eq!(row.bottleneck, "the cores");
    assert_eq!(view.rows[0].wall.middle, 125e9, "8 cores");
    // Half as fast.
    assert_eq!(scale(&record, Plan { speed: 0.5, ..plan }).projected.wall.middle, 2.5e9);
    let budget = scale(&record, Plan { time: Some(12.0 * 3600e9), ..plan }).budget.unwrap();
    assert_eq!(budget.tasks.middle, 12.0 * 3600.0 * 800_000.0);
    // Few tasks cannot use all cores.
    let few = scale(&record, Plan { tasks: Some(4), ..plan }).projected;
    assert_eq!((few.wall.middle, few.bottleneck.as_str()), (1e6, "the longest task: 1.00 ms"));
}

#[test]
fn the_driver_of_a_cluster_limits_it() {
    let plan = Plan { nodes: Some(64), cores: Some(2), tasks: Some(10_000), ..PLAN };
    let view = scale(&cluster(), plan);
    let row = &view.projected;
    assert_eq!(row.bottleneck, "the driver: 10 ns a task");
    // All tasks are handed out after 100 µs, and the last of them takes at most 650 ns.
    assert!(row.wall.low > 100_000.0 && row.wall.high <= 100_650.0, "{row:?}");
    assert_eq!(view.rows[0].bottleneck, "the cores");
    assert!(view.rows.windows(2).all(|it| it[1].wall.middle <= it[0].wall.middle), "more is not slower");
    assert!(view.rows.windows(2).all(|it| it[1].throughput.middle >= it[0].throughput.middle));
    let range = &view.rows[0].wall;
    assert!(range.low < range.middle && range.middle < range.high, "four tasks leave much to chance");
}

#[test]
fn a_projection_states_its_limits() {
    let alone = scale(&equal(60, 1_000), Plan { tasks: Some(2_000_000), ..PLAN });
    let text = alone.to_string();
    for part in [
        "projected: 2,000,000 tasks on 1 node of 1 core, from 60 tasks recorded\n",
        "limit: no task can be longer than the longest recorded one, 1.00 µs\n",
        "limit: every core is assumed to be as fast as the recorded ones\n",
        "limit: no cluster was recorded, so overhead of the network and of the driver is not included\n",
        "limit: the last 100,000 tasks are simulated; those before take their mean time\n",
        "5 % to 95 % of ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = scale(&cluster(), Plan { speed: 2.0, ..PLAN }).to_string();
    for part in [
        "from 4 tasks recorded on 2 machines\n",
        "recorded for each task: work 340 ns (at most 600 ns), set-up 0 ns, network 50 ns, driver 10 ns\n",
        "work 2 times as fast as the recorded ones; driver and network are as recorded\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("no cluster was recorded"), "{text}");
    let larger = scale(&cluster(), Plan { tasks: Some(1_000), ..PLAN }).to_string();
    assert!(larger.contains("warning: 4 tasks are too few to show rare kinds"), "{larger}");
}

#[test]
fn a_projection_can_be_repeated() {
    let plan = Plan { nodes: Some(5), tasks: Some(300), time: Some(1e6), ..PLAN };
    let bytes = || serde_json::to_string(&scale(&cluster(), plan)).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn impossible_plans_are_errors() {
    let record = cluster();
    for plan in [
        Plan { nodes: Some(0), ..PLAN },
        Plan { cores: Some(0), ..PLAN },
        Plan { tasks: Some(0), ..PLAN },
        Plan { speed: 0.0, ..PLAN },
        Plan { speed: f64::NAN, ..PLAN },
        Plan { time: Some(0.0), ..PLAN },
        Plan { nodes: Some(u64::MAX), cores: Some(2), ..PLAN },
        Plan { tasks: Some(u64::MAX), ..PLAN },
    ] {
        let error = Scale::new(&facts(&record), plan);
        assert!(matches!(error, Err(ReportError::Question(_))), "{plan:?}");
    }
}
