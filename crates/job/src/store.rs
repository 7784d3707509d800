//! Reading programs from a store, and adding new ones.

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

/// Returns the path of the user's default store; `None` if the user has no home folder.
pub fn default_store() -> Option<PathBuf> {
    DataFolder::user().map(|folder| folder.path().join("programs.sqlite"))
}

/// The measured results of a program on a task.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The result on the demonstration pairs.
    pub measure: Measure,
    /// The result on the test pairs, for the sealed table; `None` if no test output is known.
    pub test: Option<TestResult>,
}

/// Measures programs on tasks.
pub struct Measurer<'p> {
    pub pool: &'p Pool,
    pub limits: Limits,
}

impl Measurer<'_> {
    /// Like [`Measurer::measure`], but stops the programs after `time`.
    pub fn measure_within(
        &self,
        time: Duration,
        programs: &[Program],
        task: &Task,
        watch: &dyn Watch,
    ) -> Result<Vec<Measured>, JobError> {
        TaskClocks::watch(self.pool, time, watch, |clocks| self.measure(programs, task, clocks))
    }

    /// Runs all programs on all pairs of a task. The programs run merged, so each gets an equal share of the time.
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
                measured =
                    Some(results.map(|result| measured_result(programs, task, &demos, result)).collect());
            }
        });
        let mut measured: Vec<Measured> = measured.ok_or(JobError::Stopped)?;
        let micros = start.elapsed().as_micros() as u64 / measured.len().max(1) as u64;
        measured.iter_mut().for_each(|it| it.measure.micros = micros);
        Ok(measured)
    }
}

fn measured_result(programs: &[Program], task: &Task, demos: &Demos, result: &ProgramResult) -> Measured {
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

/// Measures new programs and adds them to the store in one transaction; test results go to the sealed table. This is not
/// interrupted, so that no program is lost; fuel limits its time.
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

/// Reads stored programs. Programs that can no longer be parsed are skipped and reported at the end.
pub struct StoreReader<'s> {
    store: &'s Store,
    /// The reasons, by hash.
    skipped: BTreeMap<[u8; 32], StoreError>,
}

impl StoreReader<'_> {
    pub fn new(store: &Store) -> StoreReader<'_> {
        StoreReader { store, skipped: BTreeMap::new() }
    }

    /// Parses a stored program; returns `None` if it can no longer be parsed.
    pub fn read(&mut self, stored: &Stored) -> Option<Program> {
        match self.store.program(stored) {
            Ok(program) => Some(program),
            Err(error) => {
                self.skipped.insert(*stored.hash.bytes(), error);
                None
            }
        }
    }

    /// Returns a warning if programs were skipped.
    pub fn warning(&self) -> Option<String> {
        let first = self.skipped.values().next()?;
        let n = self.skipped.len();
        let first_of = if n == 1 { "" } else { ", the first" };
        Some(format!("{} skipped{first_of}: {first}", count(n, "program")))
    }
}

/// Returns the path of a store as it is written to records.
pub(crate) fn recorded_path(store: &Path) -> String {
    std::path::absolute(store).unwrap_or_else(|_| store.to_owned()).display().to_string()
}
