//! From programs to a scored submission: right programs score 100 %.

use arcbatt::verify::task_of;
use batt_dsl::{Cx, Limits};
use batt_exec::{Outcome, Sample, run};
use batt_lang::{Program, parse};
use batt_score::{Answer, Candidate, Demos, Ratio, Rule, Scores, Verdict, all_right, rank, test_verdicts};
use batt_task::submission::Draft;
use batt_task::{Pair, Task, load};
use batt_value::{Arena, Fail};

fn root(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Runs a program on the inputs of `pairs`.
fn outcomes<'a>(
    program: &Program,
    task: &Task,
    pairs: &[Pair],
    fuel: u64,
    arena: &'a Arena,
) -> Vec<Outcome<'a>> {
    let samples = task.samples(arena).unwrap();
    let one = |pair: &Pair| {
        let sample = Sample { input: pair.input.value(arena).unwrap(), samples };
        run(program, sample, Cx::new(arena, fuel, None))
    };
    pairs.iter().map(one).collect()
}

#[test]
fn the_examples_score_100_percent() {
    let dataset = load(&root("examples")).unwrap();
    let parsed = parse(&std::fs::read_to_string(root("programs/examples.py")).unwrap());
    let mut draft = Draft::new(&dataset.tasks);
    for program in &parsed.programs {
        let task = task_of(program.name(), &dataset).unwrap();
        let arena = Arena::new(Limits::STANDARD.caps);
        let on = |pairs| outcomes(program, task, pairs, Limits::STANDARD.fuel, &arena);
        let fit = Demos::new(task).fit(on(&task.train).iter().map(Answer::from));
        assert!(fit.solves(), "{}: {:?}", program.name(), fit.verdicts);
        assert_eq!(fit.score(), 1_000_000);
        let answers = on(&task.test);
        for (k, outcome) in answers.iter().enumerate() {
            let candidates: Vec<_> =
                Candidate::new(outcome, &fit, program.nodes().len()).into_iter().collect();
            assert!(draft.answer(&task.id, k, rank(&candidates).into_iter().cloned()));
        }
        assert!(all_right(&test_verdicts(task, answers.iter().map(Answer::from))));
    }
    let tasks = dataset.tasks.iter().map(|task| (task.id.as_str(), task.test.len()));
    assert_eq!(draft.submission().check(tasks), []);
    let scores = Scores::open(&draft.submission(), &dataset.tasks);
    assert_eq!(Rule::ALL.map(|rule| scores.under(rule)), [Some(Ratio::ONE); 3]);
    assert_eq!(scores.right_by(0), scores.outputs());
}

#[test]
fn every_kind_of_outcome_has_its_verdict() {
    let dataset = load(&root("examples")).unwrap();
    let task = dataset.get("enclosed").unwrap();
    let verdict = |body: &str, fuel: u64| {
        let parsed = parse(&format!("def f(I): return {body}\n"));
        let arena = Arena::new(Limits::STANDARD.caps);
        let outcomes = outcomes(&parsed.programs[0], task, &task.train[..1], fuel, &arena);
        Demos::new(task).fit(outcomes.iter().map(Answer::from)).verdicts[0]
    };
    let fuel = Limits::STANDARD.fuel;
    assert_eq!(verdict("I", fuel), Verdict::Wrong);
    assert_eq!(verdict("crop(I, ORIGIN, UNITY)", fuel), Verdict::WrongShape);
    assert_eq!(verdict("canvas(ZERO, (HUNDRED, HUNDRED))", fuel), Verdict::WrongShape);
    assert_eq!(verdict("palette(I)", fuel), Verdict::NotAGrid);
    assert_eq!(verdict("first(())", fuel), Verdict::Failed(Fail::Empty));
    assert_eq!(verdict("rot90(rot90(I))", 1), Verdict::Failed(Fail::Fuel));
}
