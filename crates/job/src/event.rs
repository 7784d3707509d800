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
        /// Tasks that an earlier part of the same job has worked on.
        resumed: usize,
        programs: usize,
        threads: usize,
    },
    /// Nothing more will be done for a task.
    TaskDone { task: String, solved: bool },
    /// A better answer was found for a task. `sure`: how likely it is right (solve), or its graded score (search).
    Improved { task: String, sure: f64 },
    /// A round over all open tasks begins.
    Round { number: usize, open: usize },
    /// A file was brought up to date.
    Saved { path: PathBuf },
    /// Something went wrong that does not end the job.
    Warning { text: String },
    /// The job was asked to stop, or its time is over.
    Stopped,
    /// All work is done and all files are written.
    Finished,
}
