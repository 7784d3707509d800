//! Are programs right on the tasks they are named after?

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::Program;
use batt_task::{Dataset, Task};
use batt_value::{Arena, Kind, Value, order};

use crate::Stop;

/// What became of one program.
#[derive(Debug)]
pub struct Verdict {
    pub program: String,
    /// The task that the program is named after; `None` if the data set has no such task.
    pub task: Option<String>,
    /// The pairs it is wrong on, with the reason.
    pub wrong: Vec<WrongPair>,
    /// The pairs whose output is known.
    pub pairs: usize,
    /// The dearest pair's bill.
    pub max_fuel: u64,
}

impl Verdict {
    pub fn right(&self) -> bool {
        self.pairs > 0 && self.wrong.is_empty()
    }
}

#[derive(Debug)]
pub struct WrongPair {
    /// `train 0`, `test 1`
    pub pair: String,
    pub why: String,
}

/// Runs each program on all pairs of its task. A program belongs to the task whose id ends its name:
/// `solve_00d62c1b`.
pub fn verify(programs: &[Program], dataset: &Dataset, limits: Limits, stop: Stop<'_>) -> Vec<Verdict> {
    let mut arena = Arena::new(limits.caps);
    programs
        .iter()
        .map(|program| {
            let task = task_of(program.name(), dataset);
            let mut verdict = Verdict {
                program: program.name().to_owned(),
                task: task.map(|task| task.id.clone()),
                wrong: Vec::new(),
                pairs: 0,
                max_fuel: 0,
            };
            if let Some(task) = task {
                stop.restart();
                verify_on(program, task, limits, stop, &mut arena, &mut verdict);
            }
            verdict
        })
        .collect()
}

/// The task whose id is the program's name, or ends it after an underscore.
pub fn task_of<'d>(name: &str, dataset: &'d Dataset) -> Option<&'d Task> {
    let after_underscores = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
    std::iter::once(name).chain(after_underscores).find_map(|id| dataset.get(id))
}

fn verify_on(
    program: &Program,
    task: &Task,
    limits: Limits,
    stop: Stop<'_>,
    arena: &mut Arena,
    verdict: &mut Verdict,
) {
    for (part, i, pair) in task.pairs() {
        let Some(expected) = &pair.output else { continue };
        arena.reset();
        let arena = &*arena;
        verdict.pairs += 1;
        let values = (pair.input.value(arena), task.samples(arena), expected.value(arena));
        let (Ok(input), Ok(samples), Ok(expected)) = values else {
            verdict
                .wrong
                .push(WrongPair { pair: format!("{part} {i}"), why: "too large for the caps".into() });
            continue;
        };
        let outcome = run(program, Sample { input, samples }, Cx::new(arena, limits.fuel, stop.flag()));
        verdict.max_fuel = verdict.max_fuel.max(outcome.fuel);
        let why = match outcome.result {
            Ok(value) if order::equal(value, expected) => continue,
            Ok(value) => difference(value, expected),
            Err(failure) => failure.describe(program),
        };
        verdict.wrong.push(WrongPair { pair: format!("{part} {i}"), why });
    }
}

fn kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::None => "None",
        Kind::Bool => "boolean",
        Kind::Int => "number",
        Kind::Tuple => "tuple",
        Kind::Set => "set",
        Kind::Func => "function",
    }
}

/// How far a wrong answer is from the right one.
pub(crate) fn difference(value: Value<'_>, expected: Value<'_>) -> String {
    match (value, expected) {
        (Value::Grid(got), Value::Grid(expected))
            if got.width() == expected.width() && got.height() == expected.height() =>
        {
            let differ =
                got.cells().iter().zip(expected.cells()).filter(|(got, expected)| got != expected).count();
            format!("{differ} of {} cells differ", expected.cells().len())
        }
        (Value::Grid(got), Value::Grid(expected)) => {
            let size = |grid: &batt_value::Grid<'_>| format!("{}×{}", grid.height(), grid.width());
            format!("the answer is {}, expected {}", size(got), size(expected))
        }
        _ => format!("the answer is no grid of small integers but a {}", kind(value)),
    }
}
