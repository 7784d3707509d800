use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::{StoreError, Stored, add, file};

/// An open store. Any number of processes and threads may open the same file.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// How long writers wait for other processes.
    busy_timeout: Duration,
}

/// Counts of the rows that [`Store::prune`] has deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pruned {
    pub programs: usize,
    pub results: usize,
    /// Number of programs among them that can no longer be read.
    pub unreadable: usize,
}

/// Pause between attempts. SQLite usually waits by itself, but not while it recovers from a killed process.
const PAUSE: Duration = Duration::from_millis(20);

impl Store {
    /// Opens a store for writing, and creates it if the file does not exist. Fails at once if the file cannot
    /// be written, not after hours of work.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            file::create(path)?;
        }
        let mut store = Store::new(path, file::open(path)?)?;
        store.check_writable()?;
        Ok(store)
    }

    /// Opens an existing store, read-only if it may not be written.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Store::new(path, file::open_to_read(path)?)
    }

    fn new(path: &Path, mut connection: Connection) -> Result<Store, StoreError> {
        connection.set_prepared_statement_cache_capacity(64);
        let set = connection.authorizer(Some(deny_test_results));
        set.map_err(|error| StoreError::sqlite(path, error))?;
        Ok(Store { connection, path: path.to_owned(), busy_timeout: file::BUSY_TIMEOUT })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes programs that can no longer be read, all but the best `keep` results of each task, and found
    /// programs without a result or name. Then shrinks the file.
    pub fn prune(&mut self, keep: usize) -> Result<Pruned, StoreError> {
        let unreadable: Vec<Stored> =
            self.list()?.into_iter().filter(|stored| stored.program().is_err()).collect();
        let pruned = self.write(|transaction| add::prune(transaction, keep, &unreadable))?;
        // While others read, the file does not shrink; that is not an error.
        let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        Ok(pruned)
    }

    /// Starts a write and rolls it back, to find out whether the store can be written.
    fn check_writable(&mut self) -> Result<(), StoreError> {
        self.attempt(|connection| {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            // On a read-only file SQLite starts a transaction all the same, and fails at the first change.
            transaction.pragma_update(None, "user_version", file::VERSION)?;
            transaction.rollback()
        })
    }

    /// Runs `work` in a transaction. When this returns, its changes are on disk.
    pub(crate) fn write<T>(
        &mut self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.attempt(|connection| {
            // Immediate: the lock is taken before reading, so that the data cannot change before the write.
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Runs `work`, and repeats it while other processes hold the lock. One deadline applies to all attempts,
    /// including the time that SQLite waits.
    fn attempt<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.busy_timeout;
        let done = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let done = self.connection.busy_timeout(left).and_then(|()| work(&mut self.connection));
            if !done.as_ref().is_err_and(is_busy) || Instant::now() + PAUSE >= deadline {
                break done;
            }
            std::thread::sleep(PAUSE);
        };
        let done = self.connection.busy_timeout(self.busy_timeout).and(done);
        self.with_path(done)
    }

    /// Runs `work` on a consistent snapshot of the store.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let done = self.connection.unchecked_transaction().and_then(|transaction| {
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        self.with_path(done)
    }

    fn with_path<T>(&self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        done.map_err(|error| StoreError::sqlite(&self.path, error))
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Makes SQLite refuse to read test results on the connection of a [`Store`]. The other columns stay
/// readable, because deleting a program also deletes its test results.
fn deny_test_results(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Read { table_name: "test_results", column_name: "pairs_right" | "pairs" } => {
            Authorization::Deny
        }
        _ => Authorization::Allow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_waits_for_the_timeout_and_no_longer() {
        let folder = std::env::temp_dir().join(format!("batt-store-wait-{}", std::process::id()));
        let path = folder.join("store.sqlite");
        let mut store = Store::open(&path).unwrap();
        store.busy_timeout = Duration::from_secs(1);
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let started = Instant::now();
        let error = store.write(|_| Ok(())).err().unwrap();
        let waited = started.elapsed();
        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        // Not once per attempt, even on a slow machine.
        assert!(waited > store.busy_timeout / 2 && waited < 10 * store.busy_timeout, "{waited:?}");
        other.execute_batch("ROLLBACK").unwrap();
        store.write(|_| Ok(())).unwrap();
        drop((store, other));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
