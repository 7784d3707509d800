//! The programs of `programs/demo.py` are right on the built-in tasks, and on 200 newly generated tasks of every rule.

use std::collections::BTreeSet;
use std::path::Path;

use arcbatt::verify::{task_of, verify};
use batt_dsl::{Limits, registry};
use batt_job::Pool;
use batt_job::battery::Unwatched;
use batt_lang::{Op, Program, parse_bytes};
use batt_task::demo::{dataset, generate, rule_of, rules};
use batt_task::{Dataset, Task};

/// Number of generated tasks for each rule.
const GENERATED: u64 = 200;

fn programs() -> Vec<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/demo.py");
    let parsed = parse_bytes(&std::fs::read(path).unwrap());
    assert_eq!(parsed.problems, [], "no problem");
    parsed.programs
}

/// Describes the programs that are wrong.
fn wrong(programs: &[Program], dataset: &Dataset, pool: &Pool) -> Vec<String> {
    let verdicts = verify(programs, dataset, Limits::STANDARD, pool, &Unwatched);
    verdicts.iter().filter(|verdict| !verdict.right()).map(|verdict| format!("{verdict:?}")).collect()
}

#[test]
fn every_program_is_right_on_its_built_in_task() {
    let (programs, dataset) = (programs(), dataset());
    assert_eq!(wrong(&programs, &dataset, &Pool::new(0).unwrap()), [""; 0]);
    let tasks = programs.iter().filter_map(|program| task_of(program.name(), &dataset));
    let solved: BTreeSet<&str> = tasks.map(|task| task.id.as_str()).collect();
    let unsolved: Vec<_> =
        rules().iter().map(|rule| rule.name).filter(|name| !solved.contains(name)).collect();
    assert_eq!(unsolved, [""; 0], "a program for every rule");
    assert_eq!(programs.len(), rules().len());
}

#[test]
fn every_program_is_right_on_generated_tasks() {
    let count = rules().len() as u64 * GENERATED;
    let failures = failures(generate(1, count));
    assert!(failures.is_empty(), "{} of {count} tasks:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn boxes_can_cover_most_of_a_grid() {
    let rule = rules().iter().find(|rule| rule.name == "seeded_boxes").unwrap();
    let task = rule.task("seeded_boxes_s7_048317".to_owned(), 7, 48317);
    assert_eq!(failures([task]), [""; 0]);
}

/// Runs each program on the tasks of its rule, and describes what is wrong.
fn failures(tasks: impl IntoIterator<Item = Task>) -> Vec<String> {
    let programs = programs();
    let pool = Pool::new(1).unwrap();
    let mut failures = Vec::new();
    for task in tasks {
        let id = rule_of(&task.id).unwrap().name;
        let program = programs.iter().position(|program| program.name() == format!("solve_{id}")).unwrap();
        // The program belongs to a task with the name of the rule.
        let generated_id = task.id.clone();
        let own = Dataset::new("own", vec![Task { id: id.to_owned(), ..task }]);
        let wrong = wrong(&programs[program..=program], &own, &pool);
        failures.extend(wrong.iter().map(|verdict| format!("{generated_id}: {verdict}")));
    }
    failures
}

#[test]
fn the_programs_use_most_primitives() {
    let mut used = BTreeSet::new();
    for program in programs() {
        for node in program.nodes() {
            if let Op::Prim(symbol) | Op::Call(symbol) = &node.op {
                used.insert(symbol.name);
            }
        }
    }
    let unused: Vec<_> = registry().iter().map(|it| it.name).filter(|name| !used.contains(name)).collect();
    assert!(used.len() >= 150, "{} primitives are used; unused: {unused:?}", used.len());
}

#[test]
fn a_program_belongs_to_the_longest_id_that_ends_its_name() {
    let task = |id: &str| Task { id: id.to_owned(), train: Vec::new(), test: Vec::new(), extra: Vec::new() };
    let dataset = Dataset::new("three", ["down", "gravity_down", "up"].map(task).into());
    let of = |name| task_of(name, &dataset).map(|task| task.id.as_str());
    assert_eq!(of("solve_gravity_down"), Some("gravity_down"));
    assert_eq!(of("gravity_down"), Some("gravity_down"));
    assert_eq!(of("solve_levity_down"), Some("down"));
    assert_eq!(of("solve_gravity_up"), Some("up"));
    assert_eq!(of("solve_markdown"), None);
}
