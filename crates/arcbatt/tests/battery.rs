//! Runs of many programs: results do not depend on threads or optimisations, and no program can disturb the others.

use batt_dsl::Limits;
use batt_job::Pool;
use batt_job::battery::{Battery, Setup, Summary, Unwatched};
use batt_job::{DEMO_PROGRAMS, document};
use batt_lang::{Program, parse};
use batt_score::Verdict;
use batt_task::demo::{dataset, generate};
use batt_value::Fail;
use expect_test::expect;

const SETUP: Setup<'static> = Setup {
    limits: Limits { fuel: 200_000, ..Limits::STANDARD },
    all_pairs: false,
    all_demos: false,
    sharing: true,
    kernels: true,
    answers: true,
    watch: &Unwatched,
    trace: None,
    devices: None,
    chunk: Setup::CHUNK,
};

/// Returns the summary of a run, and its record entries as text.
fn run(programs: &[Program], setup: &Setup<'_>, threads: usize) -> (Summary, String) {
    let dataset = dataset();
    let battery = Battery::new(programs, dataset.tasks.iter().map(|task| task.id.as_str()));
    let mut summary = Summary::new();
    let mut text = String::new();
    battery.run(&Pool::new(threads).unwrap(), &dataset.tasks, setup, |task, result| {
        summary.add(task, &result);
        text += &format!("{:?}\n", document::task(&battery, task, &result));
    });
    (summary, text)
}

#[test]
fn threads_and_optimisations_do_not_change_results() {
    let programs = parse(DEMO_PROGRAMS).programs;
    for (all_pairs, all_demos) in [(false, false), (true, false), (true, true)] {
        // Fewer programs, because reference bodies are slow.
        let programs = if all_demos { &programs[..20] } else { &programs[..] };
        let setup = Setup { all_pairs, all_demos, ..SETUP };
        let (summary, one) = run(programs, &setup, 1);
        for (threads, setup) in
            [(4, setup), (2, Setup { sharing: false, ..setup }), (2, Setup { kernels: false, ..setup })]
        {
            let (other, text) = run(programs, &setup, threads);
            assert!(one == text, "{threads} threads, sharing {}, kernels {}", setup.sharing, setup.kernels);
            assert_eq!(format!("{summary:?}"), format!("{other:?}"));
        }
    }
}

#[test]
fn the_demo_is_right() {
    let (summary, _) = run(&parse(DEMO_PROGRAMS).programs, &Setup { limits: Limits::STANDARD, ..SETUP }, 0);
    assert_eq!((summary.own.runs, summary.own.right), (79, 79));
    assert_eq!(summary.scores.right_tasks(), 79);
}

#[test]
fn tasks_of_a_series_belong_to_the_programs_of_their_rules() {
    let programs = parse(DEMO_PROGRAMS).programs;
    // More than one chunk, so they are never all in memory.
    let ids: Vec<_> = generate(3, 400).map(|task| task.id).collect();
    let battery = Battery::new(&programs, ids.iter().map(String::as_str));
    let mut summary = Summary::new();
    let mut order = Vec::new();
    battery.run(&Pool::new(2).unwrap(), generate(3, 400), &SETUP, |task, result| {
        summary.add(task, &result);
        order.push(task.id.clone());
    });
    assert_eq!(order, ids);
    assert_eq!((summary.own.runs, summary.own.right), (400, 400));
}

#[test]
fn a_thousand_runaway_programs_stop_at_their_limits_and_do_not_affect_others() {
    let runaway = |i: usize| match i % 3 {
        0 => format!("def r{i}_peel(I): return power(power(rot90, HUNDRED), {i})(upscale(I, TEN))\n"),
        1 => format!("def r{i}_peel(I): return upscale(upscale(upscale(upscale(I, {i}), TEN), TEN), TEN)\n"),
        _ => format!(
            "def r{i}_peel(I): return product(product(asindices(I), asindices(I)), interval(ZERO, {i}, ONE))\n"
        ),
    };
    let text: String = (1000..2000).map(runaway).chain([DEMO_PROGRAMS.to_owned()]).collect();
    let programs = parse(&text).programs;
    assert_eq!(programs.len(), 1079);
    let setup = Setup { limits: Limits { fuel: 20_000, ..Limits::STANDARD }, ..SETUP };
    let (summary, _) = run(&programs, &setup, 2);
    let (alone, _) = run(&programs[1000..], &setup, 2);
    assert_eq!(summary.own.right, alone.own.right);
    assert_eq!(summary.tally.count(Verdict::Failed(Fail::Bug)), 0);
    let ended = [Fail::Fuel, Fail::TooLarge].map(|fail| {
        let count = |summary: &Summary| summary.tally.count(Verdict::Failed(fail));
        count(&summary) - count(&alone)
    });
    assert_eq!(ended.iter().sum::<u64>(), 1000, "{ended:?}");
}

#[test]
fn attempts_are_two_and_different_and_the_right_one_is_first() {
    let programs = parse(DEMO_PROGRAMS).programs;
    let dataset = dataset();
    let battery = Battery::new(&programs, dataset.tasks.iter().map(|task| task.id.as_str()));
    let setup = Setup { limits: Limits::STANDARD, ..SETUP };
    let mut n_tasks = 0;
    battery.run(&Pool::new(0).unwrap(), &dataset.tasks, &setup, |task, result| {
        n_tasks += 1;
        assert_eq!(result.attempts.len(), task.test.len());
        for (pair, attempts) in task.test.iter().zip(&result.attempts) {
            assert_eq!(Some(&attempts[0]), pair.output.as_ref(), "{}", task.id);
            assert_ne!(attempts[0], attempts[1]);
        }
    });
    assert_eq!(n_tasks, dataset.tasks.len());
}

#[test]
fn wrong_answers_are_explained() {
    let programs = parse(
        "def a_peel(I): return I\ndef b_peel(I): return first(())\ndef c_peel(I): return canvas(ZERO, shape(first(I)))\n\
         def d_peel(I): return size(I)\ndef e_peel(I): return crop(I, UNITY, subtract(shape(I), TWO_BY_TWO))\n\
         def f_peel(I): return canvas(T, shape(I))\n",
    )
    .programs;
    let (summary, _) = run(&programs, &Setup { all_demos: false, ..SETUP }, 1);
    let text: Vec<_> = summary
        .wrong
        .iter()
        .map(|own| {
            format!("{} skipped {}: {:?}", programs[own.program.index()].name(), own.skipped, own.wrong)
        })
        .collect();
    expect![[r#"
        a_peel skipped 3: [("train 0", "the answer is 10×8, expected 6×4")]
        b_peel skipped 3: [("train 0", "empty container in first at line 2")]
        c_peel skipped 3: [("train 0", "wrong kind of argument in shape at line 3; it is shape(piece: Piece) -> Pair")]
        d_peel skipped 3: [("train 0", "the answer is a number, not a grid of small integers")]
        e_peel skipped 3: [("train 0", "the answer is 8×6, expected 6×4")]
        f_peel skipped 3: [("train 0", "the answer is 10×8, expected 6×4")]"#]].assert_eq(&text.join("\n"));
}
