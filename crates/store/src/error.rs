use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the store cannot do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing was stored so far, or the user means another file.
    #[error("there is no store at {path}; `batt programs import FILE` makes one")]
    Missing { path: PathBuf },
    /// The user named a file that is something else. It is left as it is.
    #[error("{path} is not a store of programs: {what}; it is left as it is, name another file with --store")]
    Foreign { path: PathBuf, what: String },
    /// The file was a store once. It is left as it is.
    #[error(
        "{path} is damaged: {what}; it is left as it is, put back a copy or name another file with --store"
    )]
    Corrupt { path: PathBuf, what: String },
    /// The user has a newer version of the program elsewhere. The file is left as it is.
    #[error(
        "{path} was made by a newer batt (its version is {found}, this batt knows {known}); use that one"
    )]
    Future { path: PathBuf, found: i64, known: i64 },
    /// Other processes write all the time, or one hangs.
    #[error("{path} is in use: other processes did not let us in for a minute; try again")]
    Busy { path: PathBuf },
    /// The file or its folder belongs to somebody else, or lies on a disk that is only read.
    #[error(
        "cannot write to {path} or beside it ({what}); make the file and its folder writable, or name another file \
         with --store"
    )]
    ReadOnly { path: PathBuf, what: String },
    /// The disk is full, or the file is not ours.
    #[error("cannot use {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    /// What SQLite says otherwise: mostly that the disk is full.
    #[error("cannot use {path}: {error}")]
    Sqlite { path: PathBuf, error: rusqlite::Error },
    /// A primitive was renamed or removed since the program was stored, or somebody has changed its text.
    #[error(
        "program {hash:.12} of {path} can no longer be read: {what}; `batt programs prune --store {path}` takes it out"
    )]
    Unreadable { path: PathBuf, hash: batt_value::ContentHash, what: String },
    /// Our mistake: the text of a program does not say what the program says. It was not stored.
    #[error("program {hash} cannot be written down: {what}")]
    Text { hash: batt_value::ContentHash, what: String },
}

impl StoreError {
    pub(crate) fn io(path: &Path, error: io::Error) -> StoreError {
        StoreError::Io { path: path.to_owned(), error }
    }

    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        // The tables are typed, so a value of the wrong kind was not put there by us.
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        if let FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) = error {
            return StoreError::Corrupt { path, what: error.to_string() };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::Corrupt { path, what: error.to_string() }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                StoreError::ReadOnly { path, what: error.to_string() }
            }
            _ => StoreError::Sqlite { path, error },
        }
    }
}
