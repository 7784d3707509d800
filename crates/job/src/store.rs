//! Programs from a store and into it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use batt_base::number::count;
use batt_dsl::{Limits, version};
use batt_lang::Program;
use batt_score::{Demos, Verdict, behaviour};
use batt_store::{Added, Entry, Measure, Origin, Store, StoreError, Stored, TestResult};
use batt_task::{DataFolder, Task};

use crate::battery::{Battery, ProgramResult, Setup, Unwatched, Watch};
use crate::clock::TaskClocks;
use crate::error::JobError;
use crate::pool::Pool;

/// Where the user's store is, unless another is named. `None` if the user has no home folder.
pub fn default_store() -> Option<PathBuf> {
    DataFolder::user().map(|folder| folder.path().join("programs.sqlite"))
}

/// What a program is worth on a task.
#[derive(Clone, Debug)]
pub struct Measured {
    /// By the demonstration pairs.
    pub measure: Measure,
    /// For the sealed table; `None` if no test output is known.
    pub test: Option<TestResult>,
}

/// Measures programs on tasks.
pub struct Measurer<'p> {
    pub pool: &'p Pool,
    pub limits: Limits,
}

impl Measurer<'_> {
    /// Runs all programs on all pairs of a task. Stops programs that take longer than `time`.
    pub fn measure_within(
        &self,
        time: Duration,
        programs: &[Program],
        task: &Task,
        watch: &dyn Watch,
    ) -> Result<Vec<Measured>, JobError> {
        TaskClocks::watch(self.pool, time, watch, |clocks| self.measure(programs, task, clocks))
    }

    /// Runs all programs on all pairs of a task. The time is divided evenly among the programs, because they run merged.
    pub fn measure(
        &self,
        programs: &[Program],
        task: &Task,
        watch: &dyn Watch,
    ) -> Result<Vec<Measured>, JobError> {
        let start = Instant::now();
        let battery = Battery::new(programs, []);
        let setup = Setup {
            limits: self.limits,
            all_pairs: true,
            all_demos: true,
            answers: true,
            ..Setup::new(watch)
        };
        let demos = Demos::new(task);
        let mut measured = None;
        battery.run(self.pool, [task], &setup, |task, result| {
            if result.finished {
                let results = result.programs.iter();
                measured = Some(results.map(|result| worth(programs, task, &demos, result)).collect());
            }
        });
        let mut measured: Vec<Measured> = measured.ok_or(JobError::Stopped)?;
        let micros = start.elapsed().as_micros() as u64 / measured.len().max(1) as u64;
        measured.iter_mut().for_each(|it| it.measure.micros = micros);
        Ok(measured)
    }
}

fn worth(programs: &[Program], task: &Task, demos: &Demos, result: &ProgramResult) -> Measured {
    let hash = task.sealed_hash();
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
}

/// A program that was found for a task.
pub(crate) struct Find<'t> {
    pub(crate) task: &'t Task,
    pub(crate) program: Program,
    pub(crate) origin: Origin,
}

/// Measures what was found and files it in one transaction, test results sealed apart. It is not stopped, because what
/// was found must not be lost; fuel limits how long it can take.
pub(crate) fn file(store: &mut Store, finds: Vec<Find<'_>>, pool: &Pool) -> Result<Vec<Added>, JobError> {
    let measurer = Measurer { pool, limits: Limits::STANDARD };
    let mut entries = Vec::with_capacity(finds.len());
    let mut tests = Vec::new();
    for Find { task, program, origin } in finds {
        let measured = measurer.measure(std::slice::from_ref(&program), task, &Unwatched)?;
        tests.extend(measured.iter().filter_map(|it| it.test));
        let measures = measured.into_iter().map(|it| it.measure).collect();
        entries.push(Entry { program, origin, measures });
    }
    let added = store.add(&entries)?;
    store.seal(&tests)?;
    Ok(added)
}

/// Reads stored programs. One that can no longer be read is skipped and reported at the end.
pub struct StoreReader<'s> {
    store: &'s Store,
    /// Why, by hash.
    skipped: BTreeMap<[u8; 32], StoreError>,
}

impl StoreReader<'_> {
    pub fn new(store: &Store) -> StoreReader<'_> {
        StoreReader { store, skipped: BTreeMap::new() }
    }

    pub fn read(&mut self, stored: &Stored) -> Option<Program> {
        match self.store.program(stored) {
            Ok(program) => Some(program),
            Err(error) => {
                self.skipped.insert(*stored.hash.bytes(), error);
                None
            }
        }
    }

    /// A warning if programs were skipped.
    pub fn warning(&self) -> Option<String> {
        let first = self.skipped.values().next()?;
        let n = self.skipped.len();
        let first_of = if n == 1 { "" } else { ", the first" };
        Some(format!("{} skipped{first_of}: {first}", count(n, "program")))
    }
}

/// A store as records name it.
pub(crate) fn recorded_path(store: &Path) -> String {
    std::path::absolute(store).unwrap_or_else(|_| store.to_owned()).display().to_string()
}
