//! Solving on a cluster.

use std::collections::BTreeSet;
use std::sync::Mutex;

use batt_lang::Program;
use batt_record::TaskState;
use batt_search::{Answer, NEVER_STOP, Progress, SURE, SearchPhase, is_reproducible};
use batt_value::ContentHash;

use crate::campaign::{Campaign, Observer, is_done, state};
use crate::cluster::driver::{Driver, Verify, Work};
use crate::cluster::piece::{Piece, PieceResult, PieceWork, shipped};
use crate::control::lock;
use crate::engine::{continued, reached};
use crate::error::JobError;

/// A solve to distribute.
pub(crate) struct Solving<'s> {
    pub(crate) campaign: &'s Campaign,
    pub(crate) observer: &'s dyn Observer,
    pub(crate) fuel: Option<u64>,
    /// The largest number of steps of a piece.
    pub(crate) steps: Option<usize>,
    /// Programs to try on single tasks.
    pub(crate) stored: &'s dyn Fn(&str) -> Vec<Program>,
}

/// Solves the open tasks of a campaign on the machines of a driver.
pub(crate) fn distribute(driver: &mut Driver<'_>, solving: &Solving<'_>) -> Result<(), JobError> {
    let checker = Checker { campaign: solving.campaign, verified: Mutex::default() };
    let mut work = SolveWork { solving, checker, queue: BTreeSet::new() };
    (0..solving.campaign.len()).for_each(|task| work.enqueue(task));
    driver.run(&mut work)
}

/// The order in which pieces are handed out: unsure tasks first, then by phase, so that hopeless tasks do not keep others
/// from their first steps; then the least sure.
type Urgency = (bool, SearchPhase, u32, usize);

struct SolveWork<'s> {
    solving: &'s Solving<'s>,
    checker: Checker<'s>,
    queue: BTreeSet<Urgency>,
}

impl SolveWork<'_> {
    fn enqueue(&mut self, task: usize) {
        let Solving { campaign, fuel, .. } = *self.solving;
        let progress = campaign.progress(task);
        let n_outputs = campaign.puzzles()[task].task().test.len();
        if !is_done(&progress, n_outputs, fuel) {
            let sure = progress.sure(n_outputs);
            self.queue.insert((sure >= SURE, progress.phase, sure, task));
        }
    }
}

impl Work for SolveWork<'_> {
    fn next(&mut self, _: &str, _: &dyn Fn(&str) -> bool) -> Option<(usize, Piece)> {
        let (.., task) = self.queue.pop_first()?;
        let Solving { campaign, fuel, steps, stored, .. } = *self.solving;
        let (puzzle, progress) = (&campaign.puzzles()[task], campaign.progress(task));
        let begun =
            progress.phase != SearchPhase::default() || progress.fuel > 0 || !progress.answers.is_empty();
        // Only the first step tries known programs, but a later one may breed from them.
        let programs = stored(puzzle.id()).iter().map(|program| shipped(program, None)).collect();
        let state = begun.then(|| state(puzzle.id(), &progress));
        // Without a fuel limit, tasks take turns.
        let steps = if fuel.is_some() { steps } else { Some(steps.unwrap_or(1)) };
        let work = PieceWork::Solve { state, fuel, steps, programs };
        Some((task, Piece::new(puzzle.task(), work)))
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn verifier(&self) -> &dyn Verify {
        &self.checker
    }

    fn take(&mut self, task: usize, _: &str, result: PieceResult) {
        let PieceResult::Solve { state } = result else { return };
        let Solving { campaign, observer, .. } = *self.solving;
        if let Ok(progress) = continued(campaign.puzzles()[task].task(), &state) {
            campaign.store(task, &progress);
            observer.step(task, &progress);
        }
        self.enqueue(task);
    }
}

/// Checks states by running the programs behind their attempts.
struct Checker<'c> {
    campaign: &'c Campaign,
    /// Hashes of the answers that were verified before.
    verified: Mutex<BTreeSet<[u8; 32]>>,
}

impl Checker<'_> {
    fn verify_state(&self, task: usize, state: &TaskState) -> Result<(), String> {
        let puzzle = &self.campaign.puzzles()[task];
        let text = |error: JobError| error.to_string();
        let progress = continued(puzzle.task(), state).map_err(text)?;
        let before = self.campaign.progress(task);
        let far = |progress: &Progress| (progress.ended, progress.phase, progress.fuel);
        if reached(state).map_err(text)? < far(&before) || progress.tried < before.tried {
            return Err(format!("the state of {} is behind the one that was sent", state.id));
        }
        let attempts = progress.attempts(puzzle.task().test.len());
        let used: BTreeSet<usize> =
            attempts.iter().flat_map(|output| &output.attempts).map(|attempt| attempt.answer).collect();
        for answer in used.into_iter().map(|answer| &progress.answers[answer]) {
            let key = key(puzzle.id(), answer);
            if !lock(&self.verified).contains(&key) {
                if !is_reproducible(puzzle, answer, &NEVER_STOP) {
                    return Err(format!("a program for {} does not give its outputs", state.id));
                }
                lock(&self.verified).insert(key);
            }
        }
        Ok(())
    }
}

fn key(id: &str, answer: &Answer) -> [u8; 32] {
    *ContentHash::of(format!("{id}\n{}\n{:?}", answer.program, answer.outputs).as_bytes()).bytes()
}

impl Verify for Checker<'_> {
    fn verify(&self, task: usize, result: &PieceResult) -> Result<(), String> {
        match result {
            PieceResult::Solve { state } => self.verify_state(task, state),
            _ => Err("an answer of another kind".to_owned()),
        }
    }
}
