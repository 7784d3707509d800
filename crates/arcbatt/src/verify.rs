//! Checks whether programs are right on the tasks they are named after.

pub use batt_search::program_name;

use batt_dsl::Limits;
use batt_lang::Program;
use batt_task::{Dataset, Task};

use batt_job::Pool;
use batt_job::battery::{Battery, ProgramResult, Setup, Watch, endings};

/// The result of one program on its task.
#[derive(Debug)]
pub struct Verdict {
    pub program: String,
    /// Id of the task that the program is named after; `None` if the data set has none.
    pub task: Option<String>,
    /// The pairs on which it is wrong.
    pub wrong: Vec<WrongPair>,
    /// Number of pairs whose output is known.
    pub pairs: usize,
    /// Most fuel used on a pair.
    pub max_fuel: u64,
}

impl Verdict {
    pub fn right(&self) -> bool {
        self.pairs > 0 && self.wrong.is_empty()
    }
}

/// A pair on which a program is wrong, with the reason.
#[derive(Debug)]
pub struct WrongPair {
    /// The pair, such as `train 0` or `test 1`.
    pub pair: String,
    pub why: String,
}

/// Runs each program on all pairs of the task that it is named after: `solve_00d62c1b` runs on the task `00d62c1b`.
pub fn verify(
    programs: &[Program],
    dataset: &Dataset,
    limits: Limits,
    pool: &Pool,
    watch: &dyn Watch,
) -> Vec<Verdict> {
    let without_task = |program: &Program| Verdict {
        program: program.name().to_owned(),
        task: None,
        wrong: Vec::new(),
        pairs: 0,
        max_fuel: 0,
    };
    let mut verdicts: Vec<Verdict> = programs.iter().map(without_task).collect();
    let ids = dataset.tasks.iter().map(|task| task.id.as_str());
    let battery = Battery::new(programs, ids);
    let setup = Setup { limits, all_demos: true, ..Setup::new(watch) };
    let has_program = |task: &&Task| {
        let mut own = battery.own(&task.id).iter();
        own.any(|program| endings(programs[program.index()].name()).any(|name| name == task.id))
    };
    let tasks = dataset.tasks.iter().filter(has_program);
    battery.run(pool, tasks, &setup, |task, result| {
        for result in result.programs {
            add(&mut verdicts[result.program.index()], task, result);
        }
    });
    verdicts
}

/// Returns the task that a program is named after: its id is the program's name, or the end of it after an underscore.
pub fn task_of<'d>(name: &str, dataset: &'d Dataset) -> Option<&'d Task> {
    endings(name).find_map(|id| dataset.get(id))
}

/// Adds the result on a task. Pairs whose output is unknown are ignored.
fn add(verdict: &mut Verdict, task: &Task, result: ProgramResult) {
    verdict.task = Some(task.id.clone());
    let known = task.pairs().enumerate().filter(|(_, (.., pair))| pair.output.is_some());
    for (i, (part, k, _)) in known {
        verdict.pairs += 1;
        verdict.max_fuel = verdict.max_fuel.max(result.fuel[i]);
        let wrong = result.wrong.iter().filter(|(place, _)| *place == i);
        verdict
            .wrong
            .extend(wrong.map(|(_, why)| WrongPair { pair: format!("{part} {k}"), why: why.clone() }));
    }
}
