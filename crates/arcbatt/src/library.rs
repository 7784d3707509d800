//! Programs on tasks, measured for the store.

use std::path::PathBuf;

use batt_dsl::{Limits, version};
use batt_lang::Program;
use batt_score::{Demos, Verdict, behaviour};
use batt_store::{Measure, TestResult};
use batt_task::{DataFolder, Task};

use crate::battery::{Battery, Pool, Setup, Watch};

/// Where a user's store is, unless another is named. `None` if the user has no home.
pub fn default_path() -> Option<PathBuf> {
    DataFolder::user().map(|folder| folder.path().join("programs.sqlite"))
}

/// What a program is worth on a task.
#[derive(Clone, Debug)]
pub struct Measured {
    /// By the demonstration pairs. The time is left for those who have a clock.
    pub measure: Measure,
    /// What goes into the sealed table; `None` if no test output is known.
    pub test: Option<TestResult>,
}

/// Runs all programs on all pairs of a task. `None` where the run was stopped before its end.
pub fn measure(
    programs: &[Program],
    task: &Task,
    limits: Limits,
    pool: &Pool,
    watch: &dyn Watch,
) -> Option<Vec<Measured>> {
    let battery = Battery::new(programs, []);
    let setup = Setup { limits, all_pairs: true, go_on: true, answers: true, ..Setup::new(watch) };
    let hash = task.sealed_hash();
    let demos = Demos::new(task);
    let mut measured = None;
    battery.run(pool, [task], &setup, |task, result| {
        if !result.finished {
            return;
        }
        let one = |result: &crate::battery::ProgramResult| {
            let on_demos = &result.answers[..task.train.len()];
            let fit = demos.fit(on_demos.iter().map(Into::into));
            let measure = Measure {
                task: hash,
                task_name: task.id.clone(),
                right: fit.right() as u32,
                pairs: task.train.len() as u32,
                score: fit.score(),
                fuel: on_demos.iter().map(|run| run.fuel).sum(),
                micros: 0,
                behaviour: behaviour(on_demos),
                dsl: version(),
            };
            let judged = result.tests.iter().filter(|verdict| **verdict != Verdict::Unjudged).count();
            let test = TestResult {
                program: programs[result.program.index()].hash(),
                task: hash,
                right: result.tests.iter().filter(|verdict| verdict.is_right()).count() as u32,
                pairs: judged as u32,
            };
            Measured { measure, test: (judged > 0).then_some(test) }
        };
        measured = Some(result.programs.iter().map(one).collect());
    });
    measured
}
