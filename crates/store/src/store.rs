use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::{StoreError, Stored, add, file};

/// An open store. It may be opened as often as one likes, by any number of processes and threads.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// How long writers wait for other processes.
    patience: Duration,
}

/// What [`Store::prune`] has taken away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pruned {
    pub programs: usize,
    pub results: usize,
    /// So many of the programs could no longer be read.
    pub unreadable: usize,
}

/// How long we wait between attempts. SQLite waits by itself; this is for the moments in which it must not, as when a
/// process that was killed left work to be put right.
const PAUSE: Duration = Duration::from_millis(20);

impl Store {
    /// Opens the store in a file to write to it, and makes it if there is no such file. Whether it can be written is
    /// found out at once, not after hours of work.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            file::create(path)?;
        }
        let mut store = Store::new(path, file::open(path)?)?;
        store.try_to_write()?;
        Ok(store)
    }

    /// Opens the store in a file that is there. It can also be read where nothing may be written.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Store::new(path, file::open_to_read(path)?)
    }

    fn new(path: &Path, mut connection: Connection) -> Result<Store, StoreError> {
        connection.set_prepared_statement_cache_capacity(64);
        let blind = connection.authorizer(Some(blindfold));
        blind.map_err(|error| StoreError::sqlite(path, error))?;
        Ok(Store { connection, path: path.to_owned(), patience: file::PATIENCE })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes out what can no longer be read; keeps only the best `keep` programs of each task, and of found programs
    /// only those that are among them; then gives the space back.
    pub fn prune(&mut self, keep: usize) -> Result<Pruned, StoreError> {
        let unreadable: Vec<Stored> =
            self.list()?.into_iter().filter(|stored| stored.program().is_err()).collect();
        let pruned = self.write(|transaction| add::prune(transaction, keep, &unreadable))?;
        // While others read, the space is kept for later; that is no failure.
        let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        Ok(pruned)
    }

    /// Begins to write, and leaves it at that.
    fn try_to_write(&mut self) -> Result<(), StoreError> {
        self.attempt(|connection| {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            // Where nothing may be written SQLite begins all the same, and refuses the first change.
            transaction.pragma_update(None, "user_version", file::VERSION)?;
            transaction.rollback()
        })
    }

    /// All of `work` happens, or nothing; and when this returns it is on the disk.
    pub(crate) fn write<T>(
        &mut self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.attempt(|connection| {
            // Immediate: who reads first and writes later may find that the ground has moved in between.
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Does `work`, again if other processes are in the way. One deadline holds for all attempts and for what SQLite
    /// waits in each of them.
    fn attempt<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.patience;
        let done = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let done = self.connection.busy_timeout(left).and_then(|()| work(&mut self.connection));
            if !done.as_ref().is_err_and(in_use) || Instant::now() + PAUSE >= deadline {
                break done;
            }
            std::thread::sleep(PAUSE);
        };
        let done = self.connection.busy_timeout(self.patience).and(done);
        self.told(done)
    }

    /// What `work` reads is of one moment.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let done = self.connection.unchecked_transaction().and_then(|transaction| {
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        self.told(done)
    }

    fn told<T>(&self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        done.map_err(|error| StoreError::sqlite(&self.path, error))
    }
}

fn in_use(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whatever is asked of a [`Store`], test results are not read: SQLite itself refuses. Whose they are may be read, for a
/// program that goes takes its own with it.
fn blindfold(context: AuthContext<'_>) -> Authorization {
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
    fn a_writer_waits_as_long_as_it_is_said_and_no_longer() {
        let folder = std::env::temp_dir().join(format!("batt-store-wait-{}", std::process::id()));
        let path = folder.join("store.sqlite");
        let mut store = Store::open(&path).unwrap();
        store.patience = Duration::from_secs(1);
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let started = Instant::now();
        let error = store.write(|_| Ok(())).err().unwrap();
        let waited = started.elapsed();
        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        // However slow the machine is, not once for each attempt.
        assert!(waited > store.patience / 2 && waited < 10 * store.patience, "{waited:?}");
        other.execute_batch("ROLLBACK").unwrap();
        store.write(|_| Ok(())).unwrap();
        drop((store, other));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
