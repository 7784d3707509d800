//! The results of a solve while it is running.

use std::sync::Arc;

use batt_record::{self as record, TaskState};
use batt_task::submission::Form;

use crate::campaign::{self, Campaign};
use crate::solve_record;

/// The current results of a solve. They can be read at any time, from any thread.
#[derive(Clone)]
pub struct LiveSolve {
    campaign: Arc<Campaign>,
    fuel: Option<u64>,
}

/// The current result of one task.
pub struct LiveTask {
    /// The task without its test outputs, and its attempts; fallbacks if there are no programs.
    pub entry: record::Task,
    /// The programs behind the attempts. The entry refers to them by their index.
    pub programs: Vec<record::Program>,
    /// The state that the search for this task can continue from.
    pub state: TaskState,
}

impl LiveSolve {
    pub(crate) fn new(campaign: Arc<Campaign>, fuel: Option<u64>) -> LiveSolve {
        LiveSolve { campaign, fuel }
    }

    /// Iterates over the ids of all tasks.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.campaign.puzzles().iter().map(|puzzle| puzzle.id())
    }

    /// Returns the current result of the task at this place in the order of ids.
    pub fn task(&self, place: usize) -> LiveTask {
        let (puzzle, progress) = (&self.campaign.puzzles()[place], self.campaign.progress(place));
        let (entry, programs) = solve_record::entry_of(puzzle.task(), &progress, self.fuel);
        LiveTask { entry, programs, state: campaign::state(puzzle.id(), &progress) }
    }

    /// Returns the text of a valid submission.
    pub fn submission(&self, form: Form) -> String {
        self.campaign.submission_text(form)
    }
}
