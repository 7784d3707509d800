//! The search asks learners directly, but its answers are programs: the reference backend gives the same outputs.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::parse;
use batt_score::Answer;
use batt_search::{Allowance, Mechanism, Progress, Puzzle, SearchPhase, Searcher};
use batt_task::{self as task, Options, Select, Task};
use batt_value::Arena;

fn demo() -> Vec<Task> {
    task::open("demo", &Options { skip_bad: false, select: Select::ALL }).expect("the built-in set").tasks
}

fn search(task: &Task, steps: usize, fuel: u64) -> Progress {
    let searcher = Searcher::new(None, 0);
    let mut progress = Progress::default();
    for _ in 0..steps {
        if progress.fuel >= fuel {
            break;
        }
        let stop = AtomicBool::new(false);
        let allowance = Allowance { fuel, stop: &stop, lane: None };
        searcher.advance(&Puzzle::new(task), &mut progress, allowance);
    }
    progress
}

#[test]
fn programs_reproduce_the_answers_of_the_search() {
    let mut compared = 0;
    for task in demo().iter().step_by(9) {
        let progress = search(task, 3, 30_000_000);
        for answer in &progress.answers {
            let parsed = parse(&answer.program);
            assert!(parsed.problems.is_empty(), "{}", answer.program);
            for (pair, expected) in task.test.iter().zip(&answer.outputs) {
                let arena = Arena::new(Limits::STANDARD.caps);
                let input = pair.input.value(&arena).unwrap();
                let sample = Sample { input, samples: task.samples(&arena).unwrap() };
                let outcome = run(&parsed.programs[0], sample, Cx::new(&arena, u64::MAX, None));
                let given = outcome.result.ok().and_then(|value| Answer::from(value).grid());
                assert_eq!(&given, expected, "{}\n{}", task.id, answer.program);
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "only {compared} outputs were compared");
}

#[test]
fn test_outputs_do_not_influence_the_search() {
    let tasks = demo();
    let mut sealed = tasks[3].clone();
    sealed.test.iter_mut().for_each(|pair| pair.output = None);
    let shown = |task: &Task| format!("{:?}", search(task, 2, 10_000_000));
    assert_eq!(shown(&tasks[3]), shown(&sealed));
}

#[test]
fn less_fuel_stops_earlier_and_more_steps_continue() {
    let tasks = demo();
    let task = tasks.iter().find(|task| task.id == "farthest").unwrap();
    let short = search(task, 6, 1_000_000);
    assert!(!short.ended && short.fuel >= 1_000_000);
    let long = search(task, 4, u64::MAX);
    assert!(!long.ended && long.phase > SearchPhase::Enumerate && long.tried > short.tried, "{}", long.phase);
    // At most four answers of each mechanism are kept.
    let mut by_mechanism: BTreeMap<Mechanism, usize> = BTreeMap::new();
    for answer in &long.answers {
        *by_mechanism.entry(answer.mechanism).or_default() += 1;
    }
    assert!(!by_mechanism.is_empty() && by_mechanism.values().all(|n| *n <= 4), "{by_mechanism:?}");
}
