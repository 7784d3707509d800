//! Test results. They are in a table that a [`Store`] can write to but not read, because nothing that selects
//! programs may depend on them. Open a [`Sealed`] to report them, after all choices are made.

use std::path::Path;

use batt_value::ContentHash;
use rusqlite::{Connection, params};

use crate::{Store, StoreError, TestResult, file, read};

impl Store {
    /// Stores test results. Results of programs that are not stored are skipped.
    pub fn seal(&mut self, results: &[TestResult]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT OR REPLACE INTO test_results (task, program, pairs_right, pairs)
                 SELECT ?1, hash, ?3, ?4 FROM programs WHERE hash = ?2",
            )?;
            for TestResult { program, task, right, pairs } in results {
                statement.execute(params![task.to_string(), program.to_string(), right, pairs])?;
            }
            Ok(())
        })
    }
}

/// Read access to the test results of a store.
pub struct Sealed(Connection, std::path::PathBuf);

impl Sealed {
    pub fn open(path: &Path) -> Result<Sealed, StoreError> {
        let connection = file::open_to_read(path)?;
        Ok(Sealed(connection, path.to_owned()))
    }

    /// Returns the test results of a program, sorted by task.
    pub fn of(&self, program: ContentHash) -> Result<Vec<TestResult>, StoreError> {
        let Sealed(connection, path) = self;
        let results = || {
            let sql = "SELECT task, pairs_right, pairs FROM test_results WHERE program = ?1 ORDER BY task";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([program.to_string()], |row| {
                Ok(TestResult { program, task: read::hash(row, 0)?, right: row.get(1)?, pairs: row.get(2)? })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        results().map_err(|error| StoreError::sqlite(path, error))
    }
}
