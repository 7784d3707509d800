//! Views of records whose times are known.

mod common;

use batt_record::Record;
use batt_record::profile::Repeat;
use batt_report::view::{
    Budget, Compare, Dsl, Framework, Kind, Lines, Phases, Quota, Speedup, Tasks, WhatIf,
};
use batt_report::{Facts, ReportError, Selection, Validity};
use batt_trace::{Level, Spot};
use common::{OBJECTS, SHIFT, World, number, tasks};
use proptest::prelude::*;

fn facts(record: &Record) -> Facts<'_> {
    Facts::new(record, &Selection::default()).unwrap()
}

fn what_if(record: &Record, what: &str) -> Result<WhatIf, ReportError> {
    let speedups: Vec<Speedup> = what.split(' ').map(|it| it.parse().unwrap()).collect();
    WhatIf::new(&facts(record), &speedups)
}

/// A run in which `objects` takes `objects` times as long.
fn run(objects: u64, level: Level) -> Record {
    let world = World::new(level);
    world.main(Spot::LOAD, 500);
    world.task("a", &[(OBJECTS, 120 * objects), (SHIFT, 70)]);
    world.task_of("b", |world, lane| {
        world.node(lane, OBJECTS, 30 * objects);
        world.mapply(lane, 40, 3, 20);
    });
    world.main(Spot::WRITE, 90);
    world.finish()
}

#[test]
fn predictions_are_exact_for_one_worker() {
    for level in [Level::Nodes, Level::Deep] {
        let fast = run(1, level);
        let slow = run(4, level);
        assert_eq!(what_if(&slow, "objects=4x").unwrap().predicted.middle, facts(&fast).wall() as f64);
        assert_eq!(what_if(&fast, "objects=0.25x").unwrap().predicted.middle, facts(&slow).wall() as f64);
        assert_eq!(what_if(&fast, "objects=1x").unwrap().replayed, facts(&fast).wall() as f64);
    }
    // 910 in all, of which the main lane loads for 500.
    assert_eq!(what_if(&run(1, Level::Nodes), "load=2x").unwrap().predicted.middle, 910.0 - 250.0);
    assert!(matches!(what_if(&run(1, Level::Nodes), "objets=2x"), Err(ReportError::Question(_))));
    assert!("objects=0".parse::<Speedup>().is_err() && "objects".parse::<Speedup>().is_err());
    assert!("objects=3xx".parse::<Speedup>().is_err());
}

#[test]
fn names_of_speedups_have_one_meaning() {
    let record = run(1, Level::Nodes);
    let meant = |what: &str| what_if(&record, what).map(|view| view.meant[0]).ok();
    assert_eq!(meant("objects=2x"), Some(Kind::Primitive));
    assert_eq!(meant("load=2x"), Some(Kind::Phase));
    assert_eq!(meant("loading=2x"), Some(Kind::Category));
    assert_eq!(meant("test=2x"), Some(Kind::Family));
    let named = |name: &str| {
        let speedup = Speedup { name: name.to_owned(), factor: 2.0 };
        WhatIf::new(&facts(&record), &[speedup]).map(|view| view.meant[0]).ok()
    };
    assert_eq!(named("data load"), Some(Kind::Phase));
    assert_eq!(named("read tasks"), Some(Kind::Function));
    assert_eq!(named("phase: load"), Some(Kind::Phase));
    assert_eq!(named("primitive: load"), None);
    assert_eq!(named("primitives: test"), Some(Kind::Family));
    // Idle and unaccounted time, under any name.
    for nothing in ["idle", "waiting", "unaccounted", "none", "around it"] {
        assert_eq!(named(nothing), None, "{nothing}");
    }
    assert!(what_if(&record, "objects=2x objects=3x").is_err(), "named twice");
    assert!(what_if(&record, "objects=0.5x").unwrap().to_string().contains("objects 2× slower"));
}

#[test]
fn engine_functions_in_tasks_can_be_made_faster() {
    // As in the record of a search: every function is a node, and some time is booked outside of nodes.
    let world = World::new(Level::Nodes);
    world.task_of("t", |world, lane| {
        world.node(lane, OBJECTS, 100);
        world.hand.advance(60);
        lane.mark(Spot::CHECK);
        world.hand.advance(40);
        lane.mark(Spot::primitive(SHIFT));
    });
    let mut record = world.finish();
    let profile = record.profile.as_mut().unwrap();
    let known = profile.nodes.len() as u32;
    let functions = profile.functions.len() as u32;
    profile.nodes.extend(
        (known..functions.max(known))
            .map(|function| batt_record::profile::Node { function: function - known, programs: 0 }),
    );
    let wall = facts(&record).wall() as f64;
    assert_eq!(what_if(&record, "scoring=2x").unwrap().predicted.middle, wall - 30.0);
    assert_eq!(what_if(&record, "shift=2x").unwrap().predicted.middle, wall - 20.0);
    let dsl = Dsl::new(&facts(&record));
    let row = |name: &str| dsl.rows.iter().find(|row| row.name == name).unwrap();
    assert_eq!((row("objects").measured.0, row("shift").measured.0), (100, 40));
    assert_eq!(dsl.primitives.0, 140);
    let sum: u64 = facts(&record).functions().values().map(|it| it.time()).sum();
    assert_eq!(sum, 200, "every moment of the task once");
}

#[test]
fn a_speedup_by_one_changes_nothing() {
    // The replay has an error, but that is not a change.
    let record = two_workers(&[(1000, 1), (990, 2), (40, 1)]);
    let view = what_if(&record, "objects=1x").unwrap();
    assert!(view.error < 0.0);
    assert_eq!(view.predicted.middle, facts(&record).wall() as f64);
    assert_eq!((view.predicted.low, view.predicted.high), (view.predicted.middle, view.predicted.middle));
}

#[test]
fn nodes_with_more_time_than_is_booked_are_rejected() {
    let mut record = tasks(&[10]);
    record.profile.as_mut().unwrap().tasks[0].nodes[0].3 += 5;
    assert!(matches!(Facts::new(&record, &Selection::default()), Err(ReportError::Damaged(_))));
    let mut record = tasks(&[10]);
    record.profile.as_mut().unwrap().lanes[0].waits = vec![(5, 2)];
    assert!(matches!(Facts::new(&record, &Selection::default()), Err(ReportError::Damaged(_))));
}

#[test]
fn a_stopped_run_is_invalid_but_keeps_all_tasks() {
    let mut record = tasks(&[10, 20, 30]);
    record.tasks.pop();
    record.right.left = 1;
    let facts = facts(&record);
    assert_eq!(facts.tasks.len(), 3, "what was begun is still there");
    assert!(!Validity::new(&facts).valid);
}

#[test]
fn a_schedule_that_cannot_be_replayed_is_rejected() {
    let record = two_workers(&[(100, 1), (100, 2), (60, 1), (80, 2)]);
    let view = what_if(&record, "objects=2x").unwrap();
    assert_eq!((view.workers, view.error), (2, 0.0));
    // 50 and 50, then 30 and 40: the first free lane takes the next task.
    assert_eq!(view.predicted.middle, 90.0 + 10.0);
    // One worker was idle while the other had a task left; the replay would distribute the tasks.
    let record = two_workers(&[(10, 2), (100, 1), (100, 1)]);
    assert!(what_if(&record, "objects=2x").is_err_and(|error| error.to_string().contains("replay")));
}

/// Makes a record of `objects` tasks on two workers without pauses; the main lane waits and then works for 10
/// ns.
fn two_workers(list: &[(u64, u32)]) -> Record {
    let mut record = tasks(&[1]);
    let profile = record.profile.as_mut().unwrap();
    let objects = number(Spot::primitive(OBJECTS));
    let mut ends = [0u64; 3];
    profile.tasks.clear();
    for (i, (ns, lane)) in list.iter().enumerate() {
        let start = ends[*lane as usize];
        ends[*lane as usize] += ns;
        profile.tasks.push(batt_record::profile::Task {
            id: format!("t{i}"),
            lane: *lane,
            start,
            end: start + ns,
            cold: false,
            cells: 1,
            cpu: None,
            samples: vec![*ns],
            booked: vec![(objects, *ns, 1)],
            nodes: vec![(0, 1, 0, *ns, *ns, 0)],
            inner: Vec::new(),
        });
    }
    profile.tasks.sort_by_key(|task| (task.start, task.lane));
    let wall = ends.iter().copied().max().unwrap();
    let template = batt_record::profile::Lane { cpu: None, ..profile.lanes[1].clone() };
    profile.lanes.truncate(1);
    profile.lanes[0] = batt_record::profile::Lane {
        start: 0,
        end: wall + 10,
        between: vec![(number(Spot::IDLE), wall, 1), (number(Spot::WRITE), 10, 1)],
        waits: vec![(0, wall)],
        ..template.clone()
    };
    for end in &ends[1..] {
        let idle = wall - end;
        profile.lanes.push(batt_record::profile::Lane {
            start: 0,
            end: wall,
            between: vec![(number(Spot::IDLE), idle, 1)],
            ..template.clone()
        });
    }
    common::record(*record.profile.unwrap())
}

#[test]
fn time_is_counted_once() {
    for level in [Level::Nodes, Level::Deep] {
        let record = run(1, level);
        let facts = facts(&record);
        let dsl = Dsl::new(&facts);
        let row = |name: &str| dsl.rows.iter().find(|row| row.name == name).unwrap();
        // 150 for objects, 70 for shift, and 100 for mapply with nested shift.
        assert_eq!(dsl.rows.iter().map(|row| row.measured.0 + row.apportioned.0).sum::<u64>(), 320);
        assert_eq!((row("objects").measured.0, row("objects").apportioned.0), (150, 0));
        assert_eq!(row("shift").calls, 3);
        if level == Level::Deep {
            assert_eq!((row("mapply").measured.0, row("shift").measured.0), (40, 130));
            assert_eq!(row("mapply").apportioned.0 + row("shift").apportioned.0, 0);
        } else {
            assert_eq!((row("mapply").measured.0, row("shift").measured.0), (0, 70));
            assert_eq!(row("mapply").apportioned.0 + row("shift").apportioned.0, 100);
        }
        let framework = Framework::new(&facts);
        let lanes: u64 =
            record.profile.as_ref().unwrap().lanes.iter().map(|lane| lane.end - lane.start).sum();
        assert_eq!(framework.categories.iter().map(|row| row.time.0).sum::<u64>(), lanes);
        assert_eq!(framework.categories[0].name, "unaccounted");
        let functions: Vec<_> =
            framework.categories.iter().flat_map(|row| &row.functions).map(|it| &it.name).collect();
        let mut once = functions.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), functions.len(), "every function is in one category");
    }
}

proptest! {
    #[test]
    fn parts_sum_to_the_whole(nodes in prop::collection::vec((0..1000u64, 0..6u64, 0..50u64), 1..20)) {
        let world = World::new(Level::Nodes);
        world.task_of("t", |world, lane| {
            nodes.iter().for_each(|(own, calls, each)| world.mapply(lane, *own, *calls, *each));
            world.node(lane, SHIFT, 10);
        });
        let record = world.finish();
        let total: u64 = nodes.iter().map(|(own, calls, each)| own + calls * each).sum::<u64>() + 10;
        let sum: u64 = facts(&record).functions().values().map(|it| it.time()).sum();
        prop_assert_eq!(sum, total);
    }
}

#[test]
fn ten_fast_tasks_give_an_interval_and_a_warning() {
    // The first task includes one-time costs, so it is skipped.
    let record = tasks(&[90_000, 100, 110, 90, 100, 105, 95, 100, 120, 80, 100]);
    let view = Phases::new(&[facts(&record)], 400).unwrap();
    let execution = view.rows.iter().find(|row| row.name == "execution").unwrap();
    assert_eq!(execution.per_task, Some(100.0));
    assert!(execution.projected.low < 40_000.0 && execution.projected.high > 40_000.0);
    assert!(view.warnings.iter().any(|it| it.contains("too few to show rare kinds")), "{:?}", view.warnings);
    assert!(view.to_string().contains("warning: "));
    let load = view.rows.iter().find(|row| row.name == "data load").unwrap();
    assert_eq!((load.fixed, load.projected.low, load.projected.high.round()), (None, 1000.0, 36364.0));
}

#[test]
fn a_slow_task_gives_a_warning() {
    let mut times = vec![100; 60];
    times[30] = 50_000;
    let view = Phases::new(&[facts(&tasks(&times))], 60).unwrap();
    assert!(view.warnings.iter().any(|it| it.contains("1 of 60 tasks take half")), "{:?}", view.warnings);
    let record = tasks(&times);
    let view = Tasks::new(&facts(&record), 5.0).unwrap();
    assert_eq!(view.outliers.iter().map(|it| it.task.as_str()).collect::<Vec<_>>(), ["t30"]);
    assert_eq!((view.outliers[0].function.as_str(), view.outliers[0].share), ("objects", 1.0));
    assert_eq!((view.all.total.0, view.without.total.0), (55_900, 5_900));
    assert_eq!((view.all.tasks, view.without.tasks), (60, 59));
}

#[test]
fn two_sizes_separate_fixed_from_marginal_cost() {
    let of = |n: usize| {
        let world = World::new(Level::Nodes);
        world.main(Spot::PARSE, 1_400 + 2 * n as u64);
        (0..n).for_each(|i| world.task(&format!("t{i}"), &[(OBJECTS, 10)]));
        world.finish()
    };
    let (small, large) = (of(10), of(100));
    let view = Phases::new(&[facts(&small), facts(&large)], 400).unwrap();
    let row = view.rows.iter().find(|row| row.name == "code generation").unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    assert!(near(row.fixed.unwrap(), 1_400.0) && near(row.per_task.unwrap(), 2.0));
    assert!(near(row.projected.middle, 2_200.0), "and not 1600 / 100 * 400");
}

#[test]
fn empty_records_are_rejected() {
    let mut record = tasks(&[10]);
    let error = |record: &Record| match Facts::new(record, &Selection::default()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(error(&record), "");
    let whole = record.profile.clone();
    record.profile.as_mut().unwrap().tasks[0].booked[0].1 += 1;
    assert!(error(&record).contains("do not add up"));
    record.profile.as_mut().unwrap().tasks.clear();
    assert!(error(&record).contains("empty"));
    record.profile = None;
    assert!(error(&record).contains("--profile"));
    record.profile = whole;
    let selection = Selection { ids: vec!["t9".to_owned()], ..Selection::default() };
    assert!(matches!(Facts::new(&record, &selection), Err(ReportError::NoTask(_))));
    let selection = Selection { start: 5, ..Selection::default() };
    assert!(matches!(Facts::new(&record, &selection), Err(ReportError::NothingSelected(1))));
}

#[test]
fn the_first_line_gives_the_reasons() {
    let mut record = tasks(&[10]);
    assert!(Validity::new(&facts(&record)).valid);
    // A wrong program is named, but the times stay valid.
    (record.right.on_all, record.right.all) = (1, false);
    record.tasks[0].programs[0].train[0].verdict = "wrong".to_owned();
    let wrong = Validity::new(&facts(&record));
    assert!(wrong.valid && wrong.to_string().starts_with("1 of 2 programs right; wrong: a · "), "{wrong}");
    record.profile.as_mut().unwrap().excused = 1;
    let text = Validity::new(&facts(&record)).to_string();
    assert!(text.starts_with("1 of 2 programs right, 1 expected to be wrong; wrong: a · "), "{text}");
    // A stopped run is not valid.
    record.right.left = 3;
    let text = Validity::new(&facts(&record)).to_string();
    assert!(text.starts_with("INVALID: stopped, 3 tasks were not run · "), "{text}");
    record.right.left = 0;
    record.right.programs = 0;
    let text = Validity::new(&facts(&record)).to_string();
    assert!(text.starts_with("no program was run on its own task"), "{text}");
    // A search is valid even if it found nothing.
    record.kind = batt_record::Kind::Search;
    let search = Validity::new(&facts(&record));
    let text = "a search: 0 programs found, right on all demonstration pairs · ";
    assert!(search.valid && search.to_string().starts_with(text), "{search}");
    record.finished = false;
    let search = Validity::new(&facts(&record)).to_string();
    assert!(search.starts_with("a search: 0 programs found before it was stopped, "), "{search}");
    record.finished = true;
    // Three of a hundred nanoseconds are unaccounted.
    let world = World::new(Level::Nodes);
    world.task("t", &[(OBJECTS, 97)]);
    world.hand.advance(3);
    let validity = Validity::new(&facts(&world.finish()));
    assert!((validity.unaccounted - 0.03).abs() < 1e-9 && !validity.valid);
}

#[test]
fn more_work_is_separated_from_slower_work() {
    let with = |list: &[(u64, u64)]| {
        let mut record = tasks(&[10]);
        let objects = number(Spot::primitive(OBJECTS));
        let repeat = |(ns, fuel): &(u64, u64)| Repeat {
            wall: *ns,
            functions: vec![(objects, *ns, *fuel)],
            disturbed: None,
        };
        record.profile.as_mut().unwrap().repeats = list.iter().map(repeat).collect();
        record
    };
    let compare = |a: &Record, b: &Record, limit| Compare::new(&facts(a), &facts(b), Some(limit)).unwrap();
    // The first repetition is cold and does not count.
    let a = with(&[(900, 50), (100, 50), (101, 50), (99, 50)]);
    let b = with(&[(950, 100), (200, 100), (202, 100), (198, 100)]);
    let c = with(&[(950, 50), (200, 50), (202, 50), (198, 50)]);
    let more = compare(&a, &b, 10.0);
    let change = &more.functions[0];
    assert_eq!((change.before, change.after, change.ratio), (100.0, 200.0, Some(1.0)));
    assert_eq!((change.more_work, change.slower), (Some(1.0), Some(0.0)));
    assert!(more.regression && change.interval.is_some_and(|(low, high)| low <= 1.0 && high >= 1.0));
    let slower = compare(&a, &c, 10.0);
    assert_eq!((slower.functions[0].more_work, slower.functions[0].slower), (Some(0.0), Some(1.0)));
    assert!(!compare(&a, &a, 0.0).regression);
    assert!(!compare(&a, &b, 150.0).regression);
    // An interval that includes no change is not a regression.
    let noisy = with(&[(900, 50), (95, 50), (130, 50), (128, 50)]);
    assert!(!compare(&a, &noisy, 10.0).regression);
    // One record of each has no interval.
    let (one, other) = (with(&[(100, 50)]), with(&[(900, 50)]));
    assert!(Compare::new(&facts(&one), &facts(&other), Some(10.0)).is_err());
    assert!(Compare::new(&facts(&a), &facts(&b), Some(f64::NAN)).is_err());
    // A function that is new has no ratio.
    let none = with(&[(0, 0)]);
    assert_eq!(Compare::new(&facts(&none), &facts(&one), None).unwrap().functions[0].ratio, None);
}

#[test]
fn a_budget_counts_the_cold_start_once() {
    let mut record = tasks(&[10, 20]);
    // The recorded run is the last one, so it is warm.
    let wall = facts(&record).wall();
    let profile = record.profile.as_mut().unwrap();
    let warm = Repeat { wall, functions: Vec::new(), disturbed: None };
    profile.repeats =
        vec![Repeat { wall: wall + 30, functions: Vec::new(), disturbed: None }, warm.clone(), warm];
    let quota = Quota { share: 1.0, speed: 1.0 };
    let budget =
        Budget::new(&facts(&record), 10.0 * wall as f64, quota, &["load=2x".parse().unwrap()]).unwrap();
    assert_eq!((budget.cold_start, budget.candidates), (30.0, Some(4)));
    let row = &budget.rows[0];
    assert_eq!(row.runs_cold, 10 * wall / (wall + 30));
    assert_eq!(row.runs_warm, 1 + (9 * wall - 30) / wall);
    assert_eq!(row.candidates, Some(4 * row.runs_warm));
    assert!(budget.rows[1].runs_cold > row.runs_cold);
    let bad = Quota { share: 1.5, speed: 1.0 };
    assert!(Budget::new(&facts(&record), 1e9, bad, &[]).is_err());
}

#[test]
fn lines_cost_alone_and_shared() {
    let world = World::new(Level::Nodes);
    world.task("t", &[(OBJECTS, 100), (SHIFT, 40)]);
    let record = world.finish();
    let facts = facts(&record);
    assert!(Lines::new(&facts, None).is_err(), "two programs ran");
    assert!(Lines::new(&facts, Some("c")).is_err());
    let lines = Lines::new(&facts, Some("a")).unwrap();
    let row = |i: usize| {
        (lines.lines[i].hits, lines.lines[i].alone.0, lines.lines[i].exclusive.0, lines.lines[i].fair)
    };
    assert_eq!(row(0), (0, 0, 0, 0.0));
    assert_eq!(row(1), (1, 100, 0, 50.0), "objects is shared with the other program");
    assert_eq!(row(2), (1, 40, 40, 40.0));
    assert_eq!(lines.total.0, 140);
}
