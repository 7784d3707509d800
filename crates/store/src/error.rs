use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// The reasons why a store operation fails.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing was stored yet, or the user means another file.
    #[error("there is no store at {path}; `batt programs import FILE` makes one")]
    Missing { path: PathBuf },
    /// The user named a file that is not a store. It was not changed.
    #[error("{path} is not a store of programs: {what}; it was not changed; name another file with --store")]
    Foreign { path: PathBuf, what: String },
    /// The file was a store but is damaged. It was not changed.
    #[error(
        "{path} is damaged: {what}; it was not changed; restore a copy or name another file with --store"
    )]
    Corrupt { path: PathBuf, what: String },
    /// The store was made by a newer version of batt. The file was not changed.
    #[error(
        "{path} was made by a newer batt (store version {found}, this batt reads {known}); use that batt"
    )]
    Future { path: PathBuf, found: i64, known: i64 },
    /// Other processes write all the time, or one of them hangs.
    #[error("{path} is locked: other processes kept it locked for a minute; try again")]
    Busy { path: PathBuf },
    /// The file or its folder belongs to another user, or is on a read-only disk.
    #[error(
        "cannot write to {path} or its folder ({what}); make both writable, or name another file with --store"
    )]
    ReadOnly { path: PathBuf, what: String },
    /// The disk is full, or the file belongs to another user.
    #[error("cannot use {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    /// Any other error of SQLite, mostly a full disk.
    #[error("cannot use {path}: {error}")]
    Sqlite { path: PathBuf, error: rusqlite::Error },
    /// A primitive was renamed or removed since the program was stored, or its text was changed.
    #[error(
        "program {hash:.12} of {path} can no longer be read: {what}; `batt programs prune --store {path}` removes it"
    )]
    Unreadable { path: PathBuf, hash: batt_value::ContentHash, what: String },
    /// A bug: the text of a program does not parse to the same program. It was not stored.
    #[error("program {hash} cannot be written as text: {what}")]
    Text { hash: batt_value::ContentHash, what: String },
}

impl StoreError {
    pub(crate) fn io(path: &Path, error: io::Error) -> StoreError {
        StoreError::Io { path: path.to_owned(), error }
    }

    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        // The tables are typed, so batt has not written a value of the wrong type.
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
