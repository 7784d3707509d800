//! Recordings that other work disturbed, and how sure the views are.

mod common;

use batt_record::profile::{Profile, Repeat};
use batt_record::{Kind, Record};
use batt_report::view::{
    Advice, Budget, ChangeVerdict, Compare, Dsl, Framework, Levers, Lines, Phases, Plan, Priority, Quota,
    Scale, Speedup, Tasks, WhatIf,
};
use batt_report::{Facts, Noise, Selection, Validity, disturbance_warning};
use batt_trace::{Level, Spot};
use common::{MAPPLY, OBJECTS, SHIFT, World, number};

fn facts(record: &Record) -> Facts<'_> {
    Facts::new(record, &Selection::default()).unwrap()
}

fn profile(record: &mut Record) -> &mut Profile {
    record.profile.as_mut().unwrap()
}

/// A run of 100 tasks with 700 µs of `objects` and 300 µs of `shift` each. Other work has the CPU for `stolen`
/// nanoseconds in the middle of `objects`, in every tenth task.
fn disturbed(stolen: u64) -> Record {
    let world = World::new(Level::Nodes);
    world.main(Spot::LOAD, 5_000_000);
    for i in 0..100 {
        world.task_of(&format!("t{i}"), |world, lane| {
            if i % 10 == 0 {
                world.suspended_node(lane, OBJECTS, 700_000, stolen);
            } else {
                world.node(lane, OBJECTS, 700_000);
            }
            world.node(lane, SHIFT, 300_000);
        });
    }
    world.main(Spot::WRITE, 5_000_000);
    world.finish()
}

#[test]
fn a_quiet_recording_has_no_warning() {
    let record = disturbed(0);
    let noise = Noise::new(&facts(&record));
    assert_eq!((noise.disturbed, noise.share, noise.warning), (false, Some(0.0), None));
    let text = Validity::new(&facts(&record)).to_string();
    assert!(text.starts_with("2 of 2 programs right") && text.ends_with(" · disturbed 0.00 %"), "{text}");
}

#[test]
fn a_disturbed_recording_says_so_first() {
    // 10 × 2.42 ms of 134.2 ms of busy time.
    let mut record = disturbed(2_420_000);
    let noise = Noise::new(&facts(&record));
    let share = 24_200_000.0 / 134_200_000.0;
    assert_eq!((noise.time.unwrap().0, noise.share, noise.disturbed), (24_200_000, Some(share), true));
    let (main, worker) = (&noise.lanes[0], &noise.lanes[1]);
    assert_eq!((main.busy.0, main.cpu.unwrap().0, main.disturbed.unwrap().0), (10_000_000, 10_000_000, 0));
    assert_eq!(
        (worker.busy.0, worker.cpu.unwrap().0, worker.disturbed.unwrap().0),
        (124_200_000, 100_000_000, 24_200_000)
    );
    profile(&mut record).lanes[1].preemptions = Some(412);
    let lines = Validity::lines(&[Validity::new(&facts(&record))]);
    let first = "disturbed: other work had the CPU for 18.0 % of the busy time (412 preemptions); figures are \
                 uncertain by that much; repeat with `--repeat 5`";
    assert_eq!(lines[0], first);
    assert!(lines.len() == 2 && lines[1].ends_with(" · disturbed 18.0 %"), "{lines:?}");
    // Of two records, the one that was disturbed is named first.
    let two = [&disturbed(0), &record].map(|record| Validity::new(&facts(record)));
    let lines = Validity::lines(&two);
    assert_eq!((lines.len(), &lines[0]), (3, &format!("record 2, {first}")));
    // Repetitions, a solve and a search are recorded again, and more threads than cores disturb each other.
    let warning = |kind, cores| disturbance_warning(record.profile.as_ref().unwrap(), kind, cores).unwrap();
    assert!(warning(Kind::Solve, 2).ends_with("; record again on a quiet machine"));
    let warning = |record: &Record, cores| {
        disturbance_warning(record.profile.as_ref().unwrap(), Kind::Run, cores).unwrap()
    };
    let last = profile(&mut record).repeats[0].clone();
    profile(&mut record).repeats = vec![last; 5];
    assert!(warning(&record, 2).ends_with("; record again on a quiet machine"));
    profile(&mut record).tasks[0].lane = 0;
    assert!(warning(&record, 1).ends_with("; record with at most 1 thread"));
}

#[test]
fn waits_for_files_are_no_disturbance() {
    let mut record = disturbed(0);
    // The main lane works with files for 10 ms, and its thread ran for 2 ms.
    profile(&mut record).lanes[0].cpu = Some(2_000_000);
    assert_eq!(Noise::new(&facts(&record)).time.unwrap().0, 0);
    // Of the rest it waited 5 ms for a CPU.
    profile(&mut record).lanes[0].queued = Some(5_000_000);
    assert_eq!(Noise::new(&facts(&record)).time.unwrap().0, 5_000_000);
    // Waits for a CPU after the end of other waits are not in the busy time.
    profile(&mut record).lanes[0].queued = Some(50_000_000);
    assert_eq!(Noise::new(&facts(&record)).time.unwrap().0, 8_000_000);
    // Without files, all of it is disturbance.
    let merge = number(Spot::MERGE);
    profile(&mut record).lanes[0]
        .between
        .iter_mut()
        .filter(|it| it.0 != number(Spot::IDLE))
        .for_each(|it| it.0 = merge);
    profile(&mut record).lanes[0].queued = None;
    assert_eq!(Noise::new(&facts(&record)).time.unwrap().0, 8_000_000);
}

#[test]
fn old_records_and_other_systems_are_not_measured() {
    let mut record = disturbed(2_420_000);
    let text = serde_json::to_string(record.profile.as_ref().unwrap()).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for list in ["lanes", "tasks"] {
        for entry in value[list].as_array_mut().unwrap() {
            for field in ["cpu", "queued", "preemptions"] {
                entry.as_object_mut().unwrap().remove(field);
            }
        }
    }
    record.profile = Some(serde_json::from_value(value).unwrap());
    let validity = Validity::new(&facts(&record));
    assert_eq!((validity.noise.share, validity.noise.disturbed), (None, false));
    assert!(validity.to_string().ends_with(" · disturbance not measured"), "{validity}");
    assert!(
        !Dsl::new(&facts(&record)).rows.is_empty() && !Framework::new(&facts(&record)).categories.is_empty()
    );
}

#[test]
fn ranges_contain_the_truth() {
    let (quiet, noisy) = (disturbed(0), disturbed(2_420_000));
    let rows = |record: &Record| Dsl::new(&facts(record)).rows;
    for (quiet, noisy) in rows(&quiet).iter().zip(rows(&noisy)) {
        let (low, high) = noisy.range;
        assert!(
            low <= quiet.share && quiet.share <= high,
            "{}: {} in {:?}",
            quiet.name,
            quiet.share,
            noisy.range
        );
    }
    let categories = |record: &Record| Framework::new(&facts(record)).categories;
    for quiet in categories(&quiet).iter().filter(|row| row.time.0 > 0) {
        let noisy = categories(&noisy).into_iter().find(|row| row.name == quiet.name).unwrap();
        assert!(noisy.range.0 <= quiet.share && quiet.share <= noisy.range.1, "{}", quiet.name);
    }
    // Tasks that were not disturbed have the same ranges as in a quiet recording.
    let of = |record: &Record, is_hit: bool| {
        let ids = (0..100).filter(|i| (i % 10 == 0) == is_hit).map(|i| format!("t{i}")).collect();
        let selection = Selection { ids, ..Selection::default() };
        Dsl::new(&Facts::new(record, &selection).unwrap())
            .rows
            .into_iter()
            .map(|row| row.range)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&noisy, false), of(&quiet, false));
    assert_ne!(of(&noisy, true), of(&quiet, true));
}

/// Makes a record in which `objects` and `shift` take these parts of 10,000. Each is computed 10,000 times.
fn shares(objects: u64, shift: u64) -> Record {
    let world = World::new(Level::Nodes);
    for i in 0..100 {
        world.task_of(&format!("t{i}"), |world, lane| {
            for _ in 0..100 {
                for (primitive, ns) in
                    [(OBJECTS, objects), (SHIFT, shift), (MAPPLY, 10_000 - objects - shift)]
                {
                    world.node(lane, primitive, ns);
                }
            }
        });
    }
    world.finish()
}

#[test]
fn a_priority_is_clear_or_said_to_be_unclear() {
    let row =
        |record: &Record| Dsl::new(&facts(record)).rows.into_iter().find(|row| row.name == "shift").unwrap();
    let clear = row(&shares(1_000, 300));
    assert_eq!((clear.priority, clear.priority_range), (Priority::Low, (Priority::Low, Priority::Low)));
    // 5 % is the limit, and recordings differ.
    let unclear = row(&shares(1_000, 510));
    assert_eq!(
        (unclear.priority, unclear.priority_range),
        (Priority::Unclear, (Priority::Low, Priority::Medium))
    );
    assert_eq!(unclear.saves, None);
    let text = Dsl::new(&facts(&shares(1_000, 510))).to_string();
    assert!(text.contains("  LOW or MEDIUM\n"), "{text}");
    // Repetitions that agree make it clear.
    let mut record = shares(1_000, 510);
    repeat(&mut record, &[510, 511, 509, 510]);
    assert_eq!(row(&record).priority, Priority::Medium);
    // Repetitions that do not agree make it unclear, even far from a limit.
    let mut record = shares(1_000, 300);
    repeat(&mut record, &[300, 500, 510, 300]);
    assert_eq!(row(&record).priority, Priority::Unclear);
}

/// Adds a cold repetition, and others in which `shift` takes these times of 10,000.
fn repeat(record: &mut Record, shift: &[u64]) {
    let [objects, shift_number] = [OBJECTS, SHIFT].map(|id| number(Spot::primitive(id)));
    let repeat = |ns: &u64| Repeat {
        wall: 10_000,
        functions: vec![(objects, 10_000 - ns, 0), (shift_number, *ns, 0)],
        disturbed: Some(0),
    };
    profile(record).repeats = std::iter::once(&5_000).chain(shift).map(repeat).collect();
}

#[test]
fn an_order_is_clear_or_said_to_be_unclear() {
    let tied = |record: &Record| (Dsl::new(&facts(record)).tied, Levers::new(&facts(record)).unwrap().tied);
    assert_eq!(tied(&shares(2_000, 1_000)), (vec![], vec![]), "mapply is the slowest");
    let (dsl, levers) = tied(&shares(4_500, 1_000));
    assert_eq!((&dsl, &levers), (&vec!["mapply".to_owned(), "objects".to_owned()], &dsl));
    assert!(
        Dsl::new(&facts(&shares(4_500, 1_000)))
            .to_string()
            .contains("\ncannot tell apart: mapply, objects\n")
    );
}

#[test]
fn advice_is_three_sentences() {
    let world = World::new(Level::Nodes);
    world.main(Spot::LOAD, 20_000);
    for i in 0..100 {
        world.task_of(&format!("t{i}"), |world, lane| {
            world.node(lane, OBJECTS, 600);
            world.node(lane, SHIFT, 300);
            world.node(lane, MAPPLY, 100);
            world.hand.advance(400);
            lane.mark(Spot::RANK);
        });
    }
    world.main(Spot::WRITE, 4_000);
    let record = world.finish();
    let advice = Advice::new(&facts(&record));
    assert!(advice.sentences.iter().all(|sentence| sentence.sure), "{advice}");
    assert_eq!(
        advice.to_string(),
        "61.0 % of the busy time is execution.\n\
         Primitives take 61.0 % of the busy time; `objects` takes 60.0 % of that.\n\
         `rank answers` takes 40.0 µs, 24.4 % of the busy time, and needs no work on the DSL.\n"
    );
    assert!(Framework::new(&facts(&record)).to_string().contains(&advice.to_string()));
}

#[test]
fn advice_is_not_sure_of_a_disturbed_recording() {
    // `objects` really takes 600 and `shift` 400, but half of the time was stolen.
    let world = World::new(Level::Nodes);
    world.main(Spot::MERGE, 900_000);
    world.task_of("t", |world, lane| {
        world.suspended_node(lane, SHIFT, 400_000, 1_000_000);
        world.node(lane, OBJECTS, 600_000);
    });
    let record = world.finish();
    let advice = Advice::new(&facts(&record));
    assert!(advice.sentences.iter().take(2).all(|sentence| !sentence.sure), "{advice}");
    assert!(
        advice.sentences[1].text.contains("cannot tell which of `shift` and `objects` takes the most"),
        "{advice}"
    );
}

#[test]
fn every_category_is_a_lever() {
    let record = disturbed(0);
    let view = Levers::new(&facts(&record)).unwrap();
    let names: Vec<&str> = view.levers.iter().map(|it| it.what.as_str()).collect();
    // All primitives, and their only family, then what each one brings.
    let expected = [
        "category:primitives",
        "category:primitives: test",
        "primitive:objects",
        "primitive:shift",
        "category:loading",
        "category:writing",
    ];
    assert_eq!(names, expected);
    let lever = |what: &str| view.levers.iter().find(|it| it.what == what).unwrap();
    assert_eq!(
        (lever("primitive:objects").twice.middle, lever("primitive:objects").at_most.middle),
        (35e6, 70e6)
    );
    assert_eq!(lever("category:primitives").at_most.middle, 100e6);
    // A lever is what the what-if of the same name predicts.
    for it in &view.levers {
        let speedup: Speedup = format!("{}=2x", it.what).parse().unwrap();
        let predicted = WhatIf::new(&facts(&record), &[speedup]).unwrap().predicted.middle;
        assert_eq!(facts(&record).wall() as f64 - predicted, it.twice.middle, "{}", it.what);
    }
    assert!(view.to_string().contains("\ncategory:primitives "), "{view}");
    // A faster function does not save the time in which other work had the CPU.
    let noisy = disturbed(2_420_000);
    let view = Levers::new(&facts(&noisy)).unwrap();
    let objects = view.levers.iter().find(|it| it.what == "primitive:objects").unwrap();
    assert!(objects.twice.low <= 35e6 && objects.twice.high >= 35e6, "{:?}", objects.twice);
}

#[test]
fn a_kind_can_be_named() {
    let record = disturbed(0);
    let error =
        |what: &str| WhatIf::new(&facts(&record), &[what.parse().unwrap()]).err().map(|it| it.to_string());
    for what in [
        "category:loading=2x",
        "category: loading=2x",
        "phase:execution=2x",
        "primitives=2x",
        "family:test=2x",
    ] {
        assert_eq!(error(what), None, "{what}");
    }
    let text = "`execution` is a phase; write `phase:execution=2x`";
    assert_eq!(error("category:execution=2x").as_deref(), Some(text));
}

#[test]
fn predictions_contain_the_disturbance() {
    let (quiet, noisy) = (disturbed(0), disturbed(2_420_000));
    for what in ["objects=2x", "shift=2x", "load=2x", "objects=0.5x"] {
        let predicted =
            |record: &Record| WhatIf::new(&facts(record), &[what.parse().unwrap()]).unwrap().predicted;
        let (truth, range) = (predicted(&quiet), predicted(&noisy));
        assert_eq!((truth.low, truth.high), (truth.middle, truth.middle), "{what}: nothing was stolen");
        assert!(range.low <= truth.middle && truth.middle <= range.high, "{what}: {truth:?} in {range:?}");
    }
    let plan = Plan { nodes: Some(2), cores: None, tasks: None, speed: 1.0, time: None };
    let limit = "limit: the recorded times include 18.0 % of disturbance; without it, the job is shorter\n";
    let is_limited = |record: &Record| Scale::new(&facts(record), plan).unwrap().to_string().contains(limit);
    assert_eq!((is_limited(&quiet), is_limited(&noisy)), (false, true));
    let quota = Quota { share: 1.0, speed: 1.0 };
    let budget = |record: &Record| Budget::new(&facts(record), 1e12, quota, &[]).unwrap();
    let (truth, row) = (budget(&quiet).rows.remove(0), budget(&noisy).rows.remove(0));
    let (least, most) = row.runs_warm_range;
    assert!(least <= truth.runs_warm && truth.runs_warm <= most, "{truth:?} in {row:?}");
}

#[test]
fn a_budget_is_a_sentence_with_its_assumptions() {
    let record = disturbed(0);
    let budget = Budget::new(&facts(&record), 1.1e9, Quota { share: 0.5, speed: 2.0 }, &[]).unwrap();
    let text = "10 runs of 100 tasks fit into 1.10 s, one after the other in one process, at ≈ 55.0 ms each.";
    assert_eq!(budget.sentence, text);
    let assumed = "assumed: every run is like the recorded one, with the recorder on; the machine is 2 times as fast \
                   as the recorded one; 50.0 % of the time can be used; only the first starts cold, which takes 11.9 µs more";
    assert_eq!(budget.to_string().lines().nth(1), Some(assumed));
    let noisy = disturbed(2_420_000);
    let budget = Budget::new(&facts(&noisy), 1.1e9, Quota { share: 1.0, speed: 1.0 }, &[]).unwrap();
    assert!(budget.sentence.starts_with("8 runs of 100 tasks (8 to 10) fit into "), "{}", budget.sentence);
    assert!(budget.assumptions.last().unwrap().contains("the range goes to no disturbance"));
}

#[test]
fn one_recording_separates_what_it_can() {
    let world = World::new(Level::Nodes);
    world.main(Spot::PARSE, 3_000);
    world.main(Spot::LOAD, 2_000);
    (0..10).for_each(|i| world.task(&format!("t{i}"), &[(OBJECTS, 100)]));
    world.main(Spot::SUM_UP, 500);
    let record = world.finish();
    let view = Phases::new(&[facts(&record)], 400).unwrap();
    let row = |name: &str| {
        view.rows.iter().find(|row| row.name == name).map(|row| (row.fixed, row.per_task)).unwrap()
    };
    assert_eq!(row("code generation"), (Some(3_000.0), Some(0.0)));
    assert_eq!(row("execution"), (Some(0.0), Some(100.0)));
    assert_eq!(row("validation"), (Some(0.0), Some(50.0)));
    assert_eq!(row("data load"), (None, None));
    assert_eq!((view.fixed.low, view.fixed.high), (3_000.0, 5_000.0));
    assert_eq!((view.per_task.low, view.per_task.high), (150.0, 350.0));
    let remedy = "`batt run small; world … -n 5 --record half.json --profile`";
    assert!(view.remedy.as_ref().unwrap().contains(remedy), "{view}");
    // Two sizes leave nothing to separate.
    let small = {
        let world = World::new(Level::Nodes);
        world.main(Spot::PARSE, 3_000);
        world.main(Spot::LOAD, 1_000);
        (0..5).for_each(|i| world.task(&format!("t{i}"), &[(OBJECTS, 100)]));
        world.main(Spot::SUM_UP, 250);
        world.finish()
    };
    let view = Phases::new(&[facts(&small), facts(&record)], 400).unwrap();
    let near = |it: f64, expected: f64| (it - expected).abs() < 1e-6;
    assert!(
        view.remedy.is_none() && near(view.fixed.middle, 3_000.0) && near(view.per_task.middle, 350.0),
        "{view}"
    );
}

#[test]
fn an_outlier_may_be_disturbed() {
    let world = World::new(Level::Nodes);
    for i in 0..40 {
        world.task_of(&format!("t{i}"), |world, lane| match i {
            20 => world.suspended_node(lane, OBJECTS, 100_000, 9_000_000),
            30 => world.node(lane, OBJECTS, 9_000_000),
            i => world.node(lane, OBJECTS, 100_000 + 1_000 * i),
        });
    }
    let record = world.finish();
    let view = Tasks::new(&facts(&record), 5.0).unwrap();
    let outliers = view.outliers.iter().map(|it| (&*it.task, it.disturbed.map(|it| it.0), it.sure));
    assert_eq!(outliers.collect::<Vec<_>>(), [("t20", Some(9_000_000), false), ("t30", Some(0), true)]);
    assert!(view.to_string().contains("may be disturbed: did not run for 9.00 ms"), "{view}");
}

#[test]
fn a_comparison_is_not_sure_of_disturbed_repetitions() {
    let with = |walls: &[u64], disturbed: u64| {
        let mut record = shares(1_000, 1_000);
        let objects = number(Spot::primitive(OBJECTS));
        let repeat = |wall: &u64| Repeat {
            wall: *wall,
            functions: vec![(objects, *wall, 10)],
            disturbed: Some(disturbed),
        };
        profile(&mut record).repeats = walls.iter().map(repeat).collect();
        record
    };
    let compare = |a: &Record, b: &Record| Compare::new(&facts(a), &facts(b), Some(5.0)).unwrap();
    let before = with(&[900, 100, 101, 99], 0);
    let after = with(&[900, 120, 121, 119], 0);
    let sure = compare(&before, &after);
    assert_eq!(
        (sure.busy.verdict, sure.wall.verdict, sure.regression),
        (ChangeVerdict::Slower, ChangeVerdict::Slower, true)
    );
    assert_eq!(compare(&after, &before).busy.verdict, ChangeVerdict::Faster);
    assert_eq!(compare(&before, &before).busy.verdict, ChangeVerdict::CannotTell);
    // A fifth of the time after was stolen, so nothing may have changed.
    let after = with(&[900, 120, 121, 119], 24);
    let unsure = compare(&before, &after);
    assert_eq!((unsure.busy.verdict, unsure.regression), (ChangeVerdict::CannotTell, false));
    let (low, high) = unsure.busy.interval.unwrap();
    assert!(low < 0.0 && high >= sure.busy.interval.unwrap().1, "{low} to {high}");
    assert!(
        unsure
            .to_string()
            .lines()
            .any(|line| line.starts_with("busy time ") && line.ends_with("cannot tell"))
    );
    // One repetition tells nothing.
    let one = Compare::new(&facts(&with(&[100], 0)), &facts(&with(&[900], 0)), None).unwrap();
    assert_eq!(one.wall.verdict, ChangeVerdict::CannotTell);
}

#[test]
fn lines_of_a_disturbed_task_have_ranges() {
    let lines = |record: &Record| {
        let selection = Selection { ids: vec!["t10".to_owned()], ..Selection::default() };
        Lines::new(&Facts::new(record, &selection).unwrap(), Some("a")).unwrap()
    };
    let (quiet, noisy) = (lines(&disturbed(0)), lines(&disturbed(2_420_000)));
    for (quiet, noisy) in quiet.lines.iter().zip(&noisy.lines) {
        assert!(noisy.range.0 <= quiet.share && quiet.share <= noisy.range.1, "{}", quiet.text);
    }
    assert!(
        noisy.to_string().contains("0.00 % to 100.0 %") && !quiet.to_string().contains(" % to "),
        "{noisy}"
    );
}

#[test]
fn many_stops_hit_functions_in_proportion() {
    // One long task, in which other work has half of the time.
    let world = World::new(Level::Nodes);
    world.task_of("t", |world, lane| {
        for _ in 0..1_000 {
            world.suspended_node(lane, OBJECTS, 700_000, 700_000);
            world.suspended_node(lane, SHIFT, 300_000, 300_000);
        }
    });
    let mut record = world.finish();
    let range = |record: &Record| Dsl::new(&facts(record)).rows.remove(0).range;
    let twice = |record: &Record| {
        WhatIf::new(&facts(record), &["objects=2x".parse().unwrap()]).unwrap().predicted.high
    };
    // Of a few stops, all could be in one function.
    profile(&mut record).lanes[1].preemptions = Some(2);
    let (few, few_twice) = (range(&record), twice(&record));
    assert!(few.0 < 0.5 && few.1 == 1.0, "{few:?}");
    profile(&mut record).lanes[1].preemptions = Some(2_000);
    let (many, many_twice) = (range(&record), twice(&record));
    assert!(few.0 < many.0 && many.0 < 0.7 && 0.7 < many.1, "{many:?}");
    // The saving is at least that of the time in which it ran, and at most that of all its time.
    assert!(many_twice < few_twice && many_twice >= 2e9 - 0.5 * 1.4e9, "{many_twice} and {few_twice}");
}
