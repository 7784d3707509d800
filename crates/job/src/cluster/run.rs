//! Running programs on a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use batt_dsl::Limits;
use batt_lang::Program;
use batt_plan::ProgramId;
use batt_record as record;
use batt_score::Verdict;
use batt_task::submission::fallbacks;
use batt_task::{LoadError, Task};
use batt_value::Fail;

use crate::battery::{self, Battery, TaskResult, Unwatched};
use crate::cluster::driver::{Driver, Verify, Work};
use crate::cluster::piece::{Piece, PieceResult, PieceWork};
use crate::control::lock;
use crate::description::Run;
use crate::document;
use crate::error::JobError;

/// Runs the programs on the tasks, and calls `each` with the result and the entry of every task, in order. Holds a limited
/// number of tasks in memory.
pub(crate) fn distribute(
    driver: &mut Driver<'_>,
    battery: &Battery<'_>,
    options: &Run,
    tasks: impl Iterator<Item = Result<Task, LoadError>>,
    n_tasks: usize,
    each: impl FnMut(&Task, TaskResult, record::Task),
) -> Result<(), JobError> {
    let checker = Checker { battery, options, tasks: Mutex::default() };
    let mut work = RunWork {
        checker,
        tasks,
        each,
        n_left: n_tasks,
        n_handed: 0,
        n_reported: 0,
        arrived: BTreeMap::new(),
        broken: None,
    };
    driver.run(&mut work)?;
    match work.broken {
        Some(error) => Err(JobError::load(error, true)),
        None => Ok(()),
    }
}

/// The most tasks that are handed out before the first of them is reported.
const WINDOW: usize = 1024;

struct RunWork<'r, I, F> {
    checker: Checker<'r>,
    tasks: I,
    each: F,
    n_left: usize,
    n_handed: usize,
    n_reported: usize,
    arrived: BTreeMap<usize, Box<record::Task>>,
    broken: Option<LoadError>,
}

impl<I, F> Work for RunWork<'_, I, F>
where
    I: Iterator<Item = Result<Task, LoadError>>,
    F: FnMut(&Task, TaskResult, record::Task),
{
    fn next(&mut self, _: &str, _: &dyn Fn(&str) -> bool) -> Option<(usize, Piece)> {
        if self.n_handed >= self.n_reported + WINDOW {
            return None;
        }
        let task = match self.tasks.next() {
            Some(Ok(task)) => Arc::new(task),
            ended => {
                self.broken = ended.and_then(Result::err);
                self.n_left = 0;
                return None;
            }
        };
        let place = self.n_handed;
        (self.n_handed, self.n_left) = (place + 1, self.n_left.saturating_sub(1));
        let own = self.checker.battery.own(&task.id).iter().map(|ProgramId(program)| *program).collect();
        let piece = Piece::new(&task, PieceWork::Run { own });
        lock(&self.checker.tasks).insert(place, task);
        Some((place, piece))
    }

    fn waiting(&self) -> usize {
        self.n_left
    }

    fn verifier(&self) -> &dyn Verify {
        &self.checker
    }

    fn take(&mut self, task: usize, _: &str, result: PieceResult) {
        let PieceResult::Run { entry } = result else { return };
        self.arrived.insert(task, entry);
        while let Some(entry) = self.arrived.remove(&self.n_reported) {
            let task = lock(&self.checker.tasks).remove(&self.n_reported);
            self.n_reported += 1;
            if let Some(task) = task
                && let Some(result) = document::result(&task, &entry)
            {
                (self.each)(&task, result, *entry);
            }
        }
    }
}

/// Checks entries by running the programs behind their attempts, and those named after the task.
struct Checker<'c> {
    battery: &'c Battery<'c>,
    options: &'c Run,
    /// Tasks that were handed out and not reported.
    tasks: Mutex<BTreeMap<usize, Arc<Task>>>,
}

impl Verify for Checker<'_> {
    fn verify(&self, place: usize, result: &PieceResult) -> Result<(), String> {
        let PieceResult::Run { entry } = result else { return Err("an answer of another kind".to_owned()) };
        let Some(task) = lock(&self.tasks).get(&place).cloned() else { return Ok(()) };
        self.verify_entry(&task, entry)
    }
}

impl Checker<'_> {
    fn verify_entry(&self, task: &Task, entry: &record::Task) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("the result of {}: {what}", task.id));
        let Some(result) = document::result(task, entry) else {
            return wrong("it belongs to another task, or cannot be read");
        };
        let programs = self.battery.programs();
        let expected = match self.options.all_pairs {
            true => programs.len(),
            false => self.battery.own(&task.id).len(),
        };
        if entry.programs.len() != expected
            || entry.programs.iter().any(|outcome| {
                outcome.program as usize >= programs.len()
                    || outcome.train.len() != task.train.len()
                    || outcome.test.len() != task.test.len()
            })
            || result.attempts.len() != task.test.len()
        {
            return wrong("programs or pairs are missing");
        }
        let Some(checked) = self.decisive(task, entry) else {
            return wrong("no program gives an attempt");
        };
        let chosen: Vec<Program> =
            checked.iter().map(|place| programs[entry.programs[*place].program as usize].clone()).collect();
        let Run { fuel, all_demos, sharing, kernels, .. } = *self.options;
        let setup = battery::Setup {
            limits: Limits { fuel, ..Limits::STANDARD },
            all_pairs: true,
            all_demos,
            sharing,
            kernels,
            answers: true,
            ..battery::Setup::new(&Unwatched)
        };
        let battery = Battery::new(&chosen, []);
        let again = document::task(&battery, task, &battery.one(task, &setup));
        for (place, again) in checked.iter().zip(&again.programs) {
            let (claimed, again) = (&entry.programs[*place], again);
            let pairs =
                || claimed.train.iter().chain(&claimed.test).zip(again.train.iter().chain(&again.test));
            // A pair that a deadline cut short cannot be repeated.
            let cut_short = |pair: &record::Pair| pair.verdict == Verdict::Failed(Fail::Deadline).name();
            let same = pairs().filter(|(a, _)| !cut_short(a)).all(|(a, b)| {
                (&a.verdict, a.fuel) == (&b.verdict, b.fuel) && (a.answer.is_none() || a.answer == b.answer)
            });
            if !same {
                let name = programs[claimed.program as usize].name();
                return wrong(&format!("{name} gives another result"));
            }
        }
        Ok(())
    }

    /// Returns the places of the outcomes that decide: those behind the attempts, and those of the task's own programs.
    /// Returns `None` if an attempt is neither the answer of a program nor a fallback.
    fn decisive(&self, task: &Task, entry: &record::Task) -> Option<BTreeSet<usize>> {
        let mut places = BTreeSet::new();
        for ((output, both), fallbacks) in entry.attempts.iter().enumerate().zip(fallbacks(task)) {
            let expected = task.test[output].output.as_ref().map(record::rows);
            for (n, attempt) in both.iter().enumerate() {
                let gives = |outcome: &record::Outcome| {
                    let pair = &outcome.test[output];
                    pair.answer.as_ref() == Some(attempt)
                        || (pair.is_right() && expected.as_ref() == Some(attempt))
                };
                let place = entry.programs.iter().position(gives);
                let repeated = n == 1 && both[0] == *attempt;
                let known = repeated || fallbacks.iter().any(|grid| record::rows(grid) == *attempt);
                if place.is_none() && !known {
                    return None;
                }
                places.extend(place);
            }
        }
        places.extend((0..entry.programs.len()).filter(|place| entry.programs[*place].own));
        Some(places)
    }
}
