//! Learners in programs: what the catalogue lists is a program that parses without a word of complaint, prints and
//! reads back as itself, and answers as the rule does; what it bills does not depend on what was learned before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arcbatt::explain::explain;
use batt_dsl::lesson::demos_of;
use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_job::Stop;
use batt_lang::{learning_program, parse, print};
use batt_learn::{Candidate, Demos, Image, Spec, Work, catalogue};
use batt_task::{self as task, Dataset, Options, Select, Task};
use batt_value::{Arena, Fail, Value, order};

fn demo() -> Dataset {
    task::open("demo", &Options { skip_bad: false, select: Select::ALL }).expect("the built-in set")
}

fn candidates(task: &Task) -> Vec<Candidate> {
    let arena = Arena::new(Limits::STANDARD.caps);
    let demos = demos_of(&arena, task.samples(&arena).unwrap()).unwrap();
    catalogue(&demos, &Work::new(u64::MAX))
}

fn demos(task: &Task) -> Demos {
    let arena = Arena::new(Limits::STANDARD.caps);
    demos_of(&arena, task.samples(&arena).unwrap()).unwrap()
}

/// The answer and the bill of a program for the first test input.
fn answer(text: &str, task: &Task, fuel: u64) -> (Option<Image>, u64) {
    let parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{text}\n{:?}", parsed.problems);
    let program = &parsed.programs[0];
    assert_eq!(parse(&print(program)).programs[0].hash(), program.hash(), "{text}");
    let arena = Arena::new(Limits::STANDARD.caps);
    let sample =
        Sample { input: task.test[0].input.value(&arena).unwrap(), samples: task.samples(&arena).unwrap() };
    let outcome = run(program, sample, Cx::new(&arena, fuel, None));
    (outcome.result.ok().and_then(Image::from_value), outcome.fuel)
}

#[test]
fn candidates_are_programs_that_answer_as_their_rules() {
    let dataset = demo();
    let mut answered = 0;
    for task in dataset.tasks.iter().step_by(7).take(5) {
        let demos = demos(task);
        let arena = Arena::new(Limits::STANDARD.caps);
        let input = Image::from_value(task.test[0].input.value(&arena).unwrap()).unwrap();
        for candidate in candidates(task).iter().step_by(9) {
            let text = learning_program(&candidate.spec, 0, "solve_it");
            let rules = candidate.spec.learn(&demos, &Work::new(u64::MAX)).unwrap();
            let expected = match &candidate.spec {
                // In a context the program takes the first rule inside, right or not on the whole.
                Spec::In(..) => rules.first().filter(|_| rules.len() == 1),
                Spec::Learn(_) => rules.first(),
            };
            let (given, _) = answer(&text, task, u64::MAX);
            if let Some(rule) = expected.filter(|_| given.is_some()) {
                assert_eq!(given, rule.apply(&input), "{}\n{text}", task.id);
                answered += 1;
            }
            assert!(given.is_none() || !rules.is_empty(), "{}\n{text}", task.id);
        }
    }
    assert!(answered > 10, "{answered}");
}

#[test]
fn bills_do_not_depend_on_the_cache() {
    let dataset = demo();
    let text = "def solve(S, I, C):\n    rule = learn_cells(S, FREE, F0)\n    return rule(I)\n";
    let task = dataset.tasks.iter().find(|task| answer(text, task, u64::MAX).0.is_some()).unwrap();
    let (first, bill) = answer(text, task, u64::MAX);
    assert_eq!(answer(text, task, u64::MAX), (first.clone(), bill));
    assert_eq!(answer(text, task, bill), (first, bill));
    assert_eq!(answer(text, task, bill - 1), (None, bill - 1));
    // Learned under too little fuel it is never kept, and later it is learned in full.
    let other = "def solve(S, I, C):\n    rule = learn_cells(S, DIRECTED, F0)\n    return rule(I)\n";
    assert_eq!(answer(other, task, 5_000).0, None);
    assert!(answer(other, task, u64::MAX).1 > 5_000);
}

#[test]
fn rules_explain_themselves() {
    let dataset = demo();
    let text = "def solve(S, I, C):\n    rule = learn_cells(S, FREE, F0)\n    return rule(I)\n";
    let program = &parse(text).programs[0];
    let learned = |task: &Task| explain(program, task, Limits::STANDARD, Stop::NEVER).ok();
    let explained = dataset.tasks.iter().filter_map(learned).map(|rules| rules[0].clone());
    let rule = explained.into_iter().find(|rule| rule.explanation.words.to_string().starts_with("if "));
    let rule = rule.expect("some task of the set has such a rule");
    assert_eq!(rule.learner, "learn_cells");
    assert!(
        rule.explanation.words.to_string().contains("; else ") && rule.explanation.cost > 3.0,
        "{rule:?}"
    );
}

#[test]
fn learned_rules_have_a_text_form_that_round_trips() {
    let arena = Arena::new(Limits::STANDARD.caps);
    let symbol = &batt_dsl::symbol;
    let near = batt_learn::Vocabulary::Near.name().value();
    let text = &format!("learned(learn_cells, {near}, 0, (([1 0], [2 0]),))");
    let rule = batt_value::parse(text, &arena, symbol).unwrap();
    assert_eq!(rule.to_string(), *text);
    let input = batt_value::parse("[0 1]", &arena, symbol).unwrap();
    let mut cx = Cx::new(&arena, 1_000_000, None);
    assert_eq!(cx.call1(rule, input).unwrap().to_string(), "[0 2]");
    let owned = batt_value::Owned::new(rule);
    assert!(order::identical(owned.load(&arena, symbol).unwrap(), rule));
    // Whatever a text claims was learned, a call answers or fails; it never breaks.
    for text in [
        "learned(rot90, 1, 2, 3)",
        "learned(1, 1, 2, 3)",
        "learned(learn_cells, 99, 0, ())",
        "learned(learn_after, 0, rot90, ())",
    ] {
        let rule = batt_value::parse(text, &arena, symbol).unwrap();
        assert!(cx.call1(rule, input).is_err(), "{text}");
    }
    assert!(cx.call1(rule, Value::None).is_err());
}

/// A learner is one node of a program and may work for long, so it looks at the flag itself.
#[test]
fn a_stop_ends_a_learner() {
    let program = parse("def f(S, I, C): return learn_transform(S, TWO_STEPS, F0)(I)\n").programs.remove(0);
    let arena = Arena::new(Limits::STANDARD.caps);
    // Without a pattern there is much to try: about a second without the stop.
    let grid = |seed: u64| {
        let cells: Vec<i8> = (0..900).map(|i| ((i * i + seed) * (i + 7 * seed) / 13 % 10) as i8).collect();
        arena.grid(30, &cells).unwrap()
    };
    let pairs: Vec<_> = (1..5).map(|k| arena.tuple(&[grid(k), grid(k + 10)]).unwrap()).collect();
    let sample = Sample { input: grid(5), samples: arena.tuple(&pairs).unwrap() };
    let stop = AtomicBool::new(false);
    let fail = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            stop.store(true, Ordering::Relaxed);
        });
        run(&program, sample, Cx::new(&arena, u64::MAX, Some(&stop))).result.err().map(|failure| failure.fail)
    });
    assert_eq!(fail, Some(Fail::Deadline));
}
