//! Errors of jobs.

use std::io;
use std::path::{Path, PathBuf};

use batt_record::RecordError;
use batt_store::StoreError;
use batt_task::LoadError;

use crate::pool::PoolError;

/// An error of a job. Messages name the file or field, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A field of the description is invalid.
    #[error("{field}: {remedy}")]
    Field { field: &'static str, remedy: String },
    /// The data set, or a task of it, cannot be read.
    #[error("{0}")]
    Data(String),
    /// There is no program to run, or a program file is invalid.
    #[error("{0}")]
    Programs(String),
    /// The list of programs that may be wrong has an unknown name.
    #[error("{0} is expected to be wrong, but no program has that name; remove it from the list")]
    Expected(String),
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    /// A file exists that may not belong to this job.
    #[error("{} already exists: {what}\n{remedy}", path.display())]
    Exists { path: PathBuf, what: String, remedy: String },
    #[error("cannot continue from {}: {why}", path.display())]
    Resume { path: PathBuf, why: String },
    /// The state of a task does not fit the task.
    #[error("cannot continue {task} from this state: {why}; start without it")]
    State { task: String, why: String },
    /// A result could not be written to its file and was saved elsewhere.
    #[error("cannot write {}: {error}; the result was saved to {} instead", path.display(), rescued.display())]
    Rescued { path: PathBuf, error: io::Error, rescued: PathBuf },
    #[error("cannot read {}: {error}", path.display())]
    Record { path: PathBuf, error: RecordError },
    /// Files cannot be joined.
    #[error("{0}")]
    Merge(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The cluster cannot be used, or not any more.
    #[error("{0}")]
    Cluster(String),
    /// The job was stopped before its first result.
    #[error("stopped before the first result")]
    Stopped,
}

impl JobError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> JobError {
        move |error| JobError::Write { path: path.to_owned(), error }
    }

    pub(crate) fn load(error: LoadError, skip_bad: bool) -> JobError {
        let can_skip = matches!(&error, LoadError::Bad { problems }
            if !skip_bad && problems.iter().any(|it| it.task.is_some()));
        JobError::Data(match can_skip {
            true => format!(
                "{error}
use --skip-bad to skip broken tasks"
            ),
            false => error.to_string(),
        })
    }
}
