//! Solving many tasks at once: decides which task takes the next step.
//!
//! [`Campaign::run`] works in rounds. In a round every open task takes one step, the least sure first, on all threads
//! of the pool. The result of a task depends only on its own fuel, not on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use batt_record::{AnswerState, TaskState};
use batt_search::{Allowance, Answer, Attempts, Checks, Folds, Mechanism, Progress, Puzzle, SURE, Searcher};
use batt_task::submission::{Form, fallbacks};
use batt_task::{Grid, Task};
use batt_trace::{Lane, Spot, Trace};
use rayon::prelude::*;

use crate::pool::Pool;
use crate::profile;

/// Follows the progress of a campaign. Methods are called from any thread, except `round`.
pub trait Observer: Sync {
    /// Returns the flag that ends the search once it is set.
    fn stop(&self) -> &Arc<AtomicBool>;

    /// Waits while the job is paused. Returns false if no further step should begin.
    fn proceed(&self) -> bool;

    /// Called when a round over this number of tasks begins.
    fn round(&self, open: usize);

    /// Called when a task has taken a step.
    fn step(&self, task: usize, progress: &Progress);
}

/// Tasks, and the progress of each.
pub struct Campaign {
    puzzles: Vec<Puzzle>,
    states: Vec<Mutex<Progress>>,
}

impl Campaign {
    pub fn new<'t>(tasks: impl IntoIterator<Item = &'t Task>) -> Campaign {
        let puzzles: Vec<Puzzle> = tasks.into_iter().map(Puzzle::new).collect();
        let states = puzzles.iter().map(|_| Mutex::default()).collect();
        Campaign { puzzles, states }
    }

    pub fn len(&self) -> usize {
        self.puzzles.len()
    }

    pub fn is_empty(&self) -> bool {
        self.puzzles.is_empty()
    }

    pub fn puzzles(&self) -> &[Puzzle] {
        &self.puzzles
    }

    /// Returns a copy of the progress of a task; the search continues meanwhile.
    pub fn progress(&self, task: usize) -> Progress {
        self.states[task].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the progress of a task. Observers may ask for the progress of all tasks, so call this before them.
    pub(crate) fn store(&self, task: usize, progress: &Progress) {
        *self.states[task].lock().unwrap_or_else(PoisonError::into_inner) = progress.clone();
    }

    /// Returns the text of the current submission.
    pub fn submission_text(&self, form: Form) -> String {
        let puzzles = self.puzzles.iter().enumerate();
        submission_text(form, puzzles.map(|(i, puzzle)| (puzzle.task(), self.progress(i))))
    }

    /// Returns the progress of all tasks, for the state file.
    pub fn states(&self) -> Vec<TaskState> {
        self.puzzles.iter().enumerate().map(|(i, puzzle)| state(puzzle.id(), &self.progress(i))).collect()
    }

    /// Continues from the progress of an earlier part of the same job. Returns the number of tasks that it covers.
    pub fn continue_from(&mut self, states: &[TaskState]) -> usize {
        let mut resumed = 0;
        for (puzzle, progress) in self.puzzles.iter().zip(&mut self.states) {
            let state = states.iter().find(|state| state.id == puzzle.id());
            if let Some(restored) = state.and_then(restored) {
                *progress = Mutex::new(restored);
                resumed += 1;
            }
        }
        resumed
    }

    /// Searches until every task is done, sure or out of fuel, or the observer's stop flag is set. Without a fuel limit,
    /// sure tasks continue when all others are done. `trace` records where the time goes.
    pub fn run(
        &self,
        pool: &Pool,
        searcher: &Searcher<'_>,
        fuel: Option<u64>,
        trace: Option<&Trace>,
        observer: &dyn Observer,
    ) {
        if let Some(trace) = trace {
            trace.start_workers(pool.threads());
        }
        let limit = fuel.unwrap_or(u64::MAX);
        let stop = observer.stop();
        loop {
            let mut pending = self.pending(limit, fuel.is_none());
            // Least sure first, because there is most to gain.
            pending.sort();
            if pending.is_empty() || stop.load(Ordering::Relaxed) {
                return;
            }
            observer.round(pending.len());
            let advance = |(_, task): (u32, usize)| {
                if !observer.proceed() {
                    return;
                }
                let puzzle = &self.puzzles[task];
                let progress = self.progress(task);
                profile::on_lane(trace, puzzle.task(), |lane| {
                    let steps = Steps { fuel, max: Some(1), stop, lane };
                    let (progress, taken) = step(searcher, puzzle, progress, &steps);
                    if taken > 0 {
                        self.store(task, &progress);
                        observer.step(task, &progress);
                        lane.into_iter().for_each(|lane| lane.mark(Spot::WRITE));
                    }
                });
            };
            let _waiting = trace.map(|trace| trace.enter(Spot::IDLE));
            pool.install(|| pending.into_iter().par_bridge().for_each(advance));
        }
    }

    /// Returns the tasks of the next round, with their confidence.
    fn pending(&self, limit: u64, with_sure: bool) -> Vec<(u32, usize)> {
        let open = |task: &usize| {
            let progress = self.progress(*task);
            !progress.ended && progress.fuel < limit
        };
        let sure = |task: usize| (self.progress(task).sure(self.puzzles[task].task().test.len()), task);
        let all: Vec<(u32, usize)> = (0..self.len()).filter(open).map(sure).collect();
        let unsure: Vec<(u32, usize)> = all.iter().copied().filter(|(sure, _)| *sure < SURE).collect();
        if unsure.is_empty() && with_sure { all } else { unsure }
    }
}

/// The limits of [`step`].
pub(crate) struct Steps<'s> {
    /// Fuel for the task; `None` if only time limits it.
    pub(crate) fuel: Option<u64>,
    /// Largest number of steps.
    pub(crate) max: Option<usize>,
    /// Ends the work once it is set.
    pub(crate) stop: &'s AtomicBool,
    /// Records where the time goes.
    pub(crate) lane: Option<&'s Lane>,
}

/// Takes steps for a task until it is done. Returns the progress and the number of
/// steps. It depends only on the arguments, so it can run in any process and again after a loss.
pub(crate) fn step(
    searcher: &Searcher<'_>,
    puzzle: &Puzzle,
    mut progress: Progress,
    steps: &Steps<'_>,
) -> (Progress, usize) {
    let Steps { fuel, max, stop, lane } = *steps;
    let mut taken = 0;
    while !is_done(&progress, puzzle.task().test.len(), fuel) && max.is_none_or(|max| taken < max) {
        let mut next = progress.clone();
        searcher.advance(puzzle, &mut next, Allowance { fuel: fuel.unwrap_or(u64::MAX), stop, lane });
        let stopped = stop.load(Ordering::Relaxed);
        // With a fuel limit, a resumed job must give the same result as one that was never stopped.
        if stopped && fuel.is_some() {
            break;
        }
        progress = next;
        taken += 1;
        if stopped {
            break;
        }
    }
    (progress, taken)
}

/// Returns the text of a submission.
pub(crate) fn submission_text<'t>(
    form: Form,
    tasks: impl IntoIterator<Item = (&'t Task, Progress)>,
) -> String {
    let mut text = form.start().to_owned();
    for (i, (task, progress)) in tasks.into_iter().enumerate() {
        let outputs = final_outputs(task, &progress.attempts(task.test.len()));
        text.push_str(&form.entry(i, &task.id, &outputs));
    }
    text + form.end()
}

/// Returns whether a solve is done with a task: nothing is left to try, or its fuel is used up, or its attempts are sure.
/// Without a fuel limit, sure tasks continue when all others are done.
pub(crate) fn is_done(progress: &Progress, n_outputs: usize, fuel: Option<u64>) -> bool {
    progress.ended || fuel.is_some_and(|limit| progress.fuel >= limit || progress.sure(n_outputs) >= SURE)
}

/// Returns the two outputs to submit for each test input: attempts, or fallbacks where there are none.
pub fn final_outputs(task: &Task, attempts: &[Attempts]) -> Vec<[Grid; 2]> {
    let mut outputs = fallbacks(task);
    for (output, Attempts { attempts }) in outputs.iter_mut().zip(attempts) {
        match &attempts[..] {
            [] => {}
            [only] => {
                let other = output.iter().find(|grid| **grid != only.grid).cloned();
                *output = [only.grid.clone(), other.unwrap_or_else(|| only.grid.clone())];
            }
            [first, second, ..] => *output = [first.grid.clone(), second.grid.clone()],
        }
    }
    outputs
}

/// Converts the progress of a task for the state file.
pub(crate) fn state(id: &str, progress: &Progress) -> TaskState {
    let Progress { phase, fuel, tried, ended, ref answers } = *progress;
    let (phase, answers) = (phase.to_string(), answers.iter().map(answer).collect());
    TaskState { id: id.to_owned(), phase, fuel, tried, ended, answers }
}

fn answer(answer: &Answer) -> AnswerState {
    let Answer { program, mechanism, words, cost, fixed, outputs, checks, folds } = answer.clone();
    AnswerState {
        program,
        mechanism: mechanism.name().to_owned(),
        words: words.to_string(),
        cost,
        fixed,
        outputs: outputs.iter().map(|grid| grid.as_ref().map(digits)).collect(),
        checks: checks.map(|checks| [checks.reproducible, checks.transposed, checks.recolored]),
        folds: folds.map(|folds| [folds.right, folds.of]),
    }
}

/// Restores the progress of a task. Returns `None` if the state file is inconsistent.
pub(crate) fn restored(state: &TaskState) -> Option<Progress> {
    let answers: Option<Vec<Answer>> = state.answers.iter().map(restored_answer).collect();
    let TaskState { ref phase, fuel, tried, ended, .. } = *state;
    Some(Progress { phase: phase.parse().ok()?, fuel, tried, ended, answers: answers? })
}

fn restored_answer(answer: &AnswerState) -> Option<Answer> {
    let AnswerState { program, mechanism, words, cost, fixed, outputs, checks, folds } = answer.clone();
    let outputs: Option<Vec<Option<Grid>>> =
        outputs.iter().map(|text| text.as_ref().map_or(Some(None), |text| Some(Some(grid(text)?)))).collect();
    let checks =
        checks.map(|[reproducible, transposed, recolored]| Checks { reproducible, transposed, recolored });
    let folds = folds.map(|[right, of]| Folds { right, of });
    let mechanism = Mechanism::from_name(&mechanism)?;
    Some(Answer { program, mechanism, words: words.into(), cost, fixed, outputs: outputs?, checks, folds })
}

fn digits(grid: &Grid) -> String {
    let row = |row: &[i8]| row.iter().map(|color| color.to_string()).collect::<String>();
    grid.rows().map(row).collect::<Vec<_>>().join("/")
}

fn grid(digits: &str) -> Option<Grid> {
    let width = digits.find('/').unwrap_or(digits.len());
    let cells = digits.chars().filter(|c| *c != '/').map(|c| c.to_digit(10).map(|color| color as i8));
    Grid::new(width, cells.collect::<Option<Vec<i8>>>()?).ok()
}
