//! Why a job cannot be started or finished.

use std::io;
use std::path::{Path, PathBuf};

use batt_record::RecordError;
use batt_store::StoreError;
use batt_task::LoadError;

use crate::pool::PoolError;

/// Why a job failed. Every message names the file or field, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The description makes no sense.
    #[error("{field}: {remedy}")]
    Field { field: &'static str, remedy: String },
    /// The data set, or a task of it, cannot be read.
    #[error("{0}")]
    Data(String),
    /// There is no program to run, or a name stands for none.
    #[error("{0}")]
    Programs(String),
    /// A name in the list of programs that may be wrong.
    #[error("{0} is expected to be wrong, but no program has that name; remove it from the list")]
    Expected(String),
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    /// The file of somebody else would be replaced.
    #[error("{} is already there: {what}\n{remedy}", path.display())]
    Exists { path: PathBuf, what: String, remedy: String },
    #[error("cannot continue from {}: {why}", path.display())]
    Resume { path: PathBuf, why: String },
    /// Results were written to another place than asked for.
    #[error("cannot write {}: {error}; its content is in {}", path.display(), rescued.display())]
    Rescued { path: PathBuf, error: io::Error, rescued: PathBuf },
    #[error("cannot read {}: {error}", path.display())]
    Record { path: PathBuf, error: RecordError },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// Stopped before there was anything to show.
    #[error("stopped before the first result")]
    Stopped,
}

impl JobError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> JobError {
        move |error| JobError::Write { path: path.to_owned(), error }
    }

    pub(crate) fn load(error: LoadError, skip_bad: bool) -> JobError {
        let way_out = matches!(&error, LoadError::Bad { problems }
            if !skip_bad && problems.iter().any(|it| it.task.is_some()));
        JobError::Data(match way_out {
            true => format!("{error}\n`--skip-bad` skips broken tasks"),
            false => error.to_string(),
        })
    }
}
