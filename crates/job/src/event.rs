//! Events of a running job.

use std::path::PathBuf;

use serde::Serialize;

/// A milestone of a job.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Everything is read and checked; the work begins.
    Started {
        tasks: usize,
        /// Tasks that continue from an earlier part of the same job.
        resumed: usize,
        programs: usize,
        threads: usize,
    },
    /// A task is finished.
    TaskDone { task: String, solved: bool },
    /// A better answer was found for a task. `sure` is its confidence (solve) or its graded score (search).
    Improved { task: String, sure: f64 },
    /// A round over all open tasks begins.
    Round { number: usize, open: usize },
    /// A file was written.
    Saved { path: PathBuf },
    /// A problem that does not end the job.
    Warning { text: String },
    /// The job was stopped, or its time is up.
    Stopped,
    /// All work is done and all files are written.
    Finished,
}
