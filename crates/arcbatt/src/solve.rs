//! The search over many tasks: who gets the next step, and what is written down.
//!
//! [`Campaign::run`] goes round by round. In each, every task that still has promise takes one step, the least sure
//! first, on all threads of the pool. What a task comes to depends on its own fuel alone, so it is the same on any
//! number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use batt_lang::Program;
use batt_record::{Data, Score, Solve, SolveMeans, SolveRun, SolvedAnswer, SolvedAttempt, SolvedTask};
use batt_search::{Answer, Attempts, Checks, Folds, Progress, Puzzle, SURE, Searcher};
use batt_task::submission::stand_ins;
use batt_task::{Grid, Task};
use batt_trace::{Spot, Trace};
use batt_value::ContentHash;
use rayon::prelude::*;

use crate::battery::Pool;
use crate::profile;

/// What learners do in a second of processor time on a usual machine.
pub const FUEL_PER_SECOND: f64 = 80e6;

/// Tasks, and how far the search for each is.
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

    /// How far the search for a task is, as a copy: it goes on meanwhile.
    pub fn progress(&self, task: usize) -> Progress {
        self.states[task].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on from what an earlier run wrote down. Whether it speaks of this very task.
    fn resume(&mut self, task: usize, known: &SolvedTask) -> bool {
        let puzzle = &self.puzzles[task];
        let same = puzzle.id() == known.id && puzzle.task().content_hash().to_string() == known.hash;
        if same && let Some(progress) = progress(known) {
            self.states[task] = Mutex::new(progress);
            return true;
        }
        false
    }

    /// What the results depend on, with no step left out. `data`: a name or a path.
    pub fn what(&self, data: &str, programs: &[Program], fuel_per_task: Option<u64>, seed: u64) -> SolveRun {
        let line = |puzzle: &Puzzle| format!("{} {}\n", puzzle.id(), puzzle.task().content_hash());
        let lines: String = self.puzzles.iter().map(line).collect();
        let hash = ContentHash::of(lines.as_bytes()).to_string();
        SolveRun {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dsl: batt_dsl::version().to_string(),
            data: Data { name: data.to_owned(), hash, tasks: self.len() },
            fuel_per_task,
            seed,
            programs: programs.iter().map(|program| program.hash().to_string()).collect(),
            without: Vec::new(),
        }
    }

    /// Everything that is known by now, without the grids of the tasks.
    pub fn document(&self, run: &SolveRun, means: SolveMeans, scores: Vec<Score>) -> Solve {
        let task = |i: usize| document(&self.puzzles[i], &self.progress(i));
        let tasks = (0..self.len()).map(task).collect();
        Solve { run: run.clone(), means, scores, tasks, profile: None }
    }

    /// Goes on from the document of an earlier run; how many tasks it knows. Nothing if it is from a run with another
    /// version, other programs, other steps or another seed.
    pub fn go_on(&mut self, earlier: &Solve, run: &SolveRun) -> Option<usize> {
        let part = |run: &SolveRun| (run.dsl.clone(), run.programs.clone(), run.without.clone(), run.seed);
        if part(&earlier.run) != part(run) {
            return None;
        }
        let mut resumed = 0;
        for task in 0..self.len() {
            let id = self.puzzles[task].id();
            let known = earlier.tasks.iter().find(|known| known.id == id);
            resumed += usize::from(known.is_some_and(|known| self.resume(task, known)));
        }
        Some(resumed)
    }

    /// Searches until every task is through, sure or out of fuel, or `stop` is set. Without a limit on fuel those
    /// that are sure come again when all others are through. `each` is called after every step, from any thread.
    /// `trace` is told where the time goes.
    pub fn run(
        &self,
        pool: &Pool,
        searcher: &Searcher<'_>,
        fuel: Option<u64>,
        stop: &Arc<AtomicBool>,
        trace: Option<&Trace>,
        each: &(dyn Fn(usize, &Progress) + Sync),
    ) {
        if let Some(trace) = trace {
            trace.start_workers(pool.threads());
        }
        let limit = fuel.unwrap_or(u64::MAX);
        loop {
            let mut pending = self.pending(limit, fuel.is_none());
            // The least sure first: there is most to gain.
            pending.sort();
            if pending.is_empty() || stop.load(Ordering::Relaxed) {
                return;
            }
            let step = |(_, task): (u32, usize)| {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let puzzle = &self.puzzles[task];
                let mut progress = self.progress(task);
                profile::on_lane(trace, puzzle.task(), |lane| {
                    searcher.advance(puzzle, &mut progress, limit, stop, lane);
                    // With limited fuel a run that goes on must end where one that was not stopped ends.
                    if fuel.is_some() && stop.load(Ordering::Relaxed) {
                        return;
                    }
                    each(task, &progress);
                    lane.into_iter().for_each(|lane| lane.mark(Spot::WRITE));
                    *self.states[task].lock().unwrap_or_else(PoisonError::into_inner) = progress;
                });
            };
            let _waiting = trace.map(|trace| trace.enter(Spot::IDLE));
            pool.install(|| pending.into_iter().par_bridge().for_each(step));
        }
    }

    /// The tasks that take a step in the next round, with how sure they are.
    fn pending(&self, limit: u64, again: bool) -> Vec<(u32, usize)> {
        let open = |task: &usize| {
            let progress = self.progress(*task);
            !progress.ended && progress.fuel < limit
        };
        let sure = |task: usize| (self.progress(task).sure(self.puzzles[task].task().test.len()), task);
        let all: Vec<(u32, usize)> = (0..self.len()).filter(open).map(sure).collect();
        let unsure: Vec<(u32, usize)> = all.iter().copied().filter(|(sure, _)| *sure < SURE).collect();
        if unsure.is_empty() && again { all } else { unsure }
    }
}

/// What to hand in for a task: the attempts, and stand-ins where there are none.
pub fn hand_in(puzzle: &Puzzle, attempts: &[Attempts]) -> Vec<[Grid; 2]> {
    let mut outputs = stand_ins(puzzle.task());
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

/// A task as a record has it.
fn document(puzzle: &Puzzle, progress: &Progress) -> SolvedTask {
    let attempts = progress.attempts(puzzle.task().test.len());
    let attempt = |attempt: &batt_search::Attempt| SolvedAttempt {
        answer: attempt.answer,
        votes: attempt.votes,
        score: attempt.score,
        sure: f64::from(attempt.sure) / 1000.0,
    };
    SolvedTask {
        id: puzzle.id().to_owned(),
        hash: puzzle.task().content_hash().to_string(),
        train: Vec::new(),
        test: Vec::new(),
        step: progress.step,
        fuel: progress.fuel,
        tried: progress.tried,
        ended: progress.ended,
        attempts: attempts.iter().map(|output| output.attempts.iter().map(attempt).collect()).collect(),
        answers: progress.answers.iter().map(answer).collect(),
    }
}

fn answer(answer: &Answer) -> SolvedAnswer {
    let Answer { program, mechanism, words, cost, fixed, outputs, checks, folds } = answer.clone();
    SolvedAnswer {
        program,
        mechanism,
        words,
        cost,
        fixed,
        outputs: outputs.iter().map(|grid| grid.as_ref().map(digits)).collect(),
        checks: checks.map(|checks| [checks.same, checks.turned, checks.recolored]),
        folds: folds.map(|folds| [folds.right, folds.of]),
    }
}

/// `None` if the document was changed by hand so that it makes no sense.
fn progress(known: &SolvedTask) -> Option<Progress> {
    let answers: Option<Vec<Answer>> = known.answers.iter().map(known_answer).collect();
    let SolvedTask { step, fuel, tried, ended, .. } = *known;
    Some(Progress { step, fuel, tried, ended, answers: answers? })
}

fn known_answer(answer: &SolvedAnswer) -> Option<Answer> {
    let SolvedAnswer { program, mechanism, words, cost, fixed, outputs, checks, folds } = answer.clone();
    let outputs: Option<Vec<Option<Grid>>> =
        outputs.iter().map(|text| text.as_ref().map_or(Some(None), |text| Some(Some(grid(text)?)))).collect();
    let checks = checks.map(|[same, turned, recolored]| Checks { same, turned, recolored });
    let folds = folds.map(|[right, of]| Folds { right, of });
    Some(Answer { program, mechanism, words, cost, fixed, outputs: outputs?, checks, folds })
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
