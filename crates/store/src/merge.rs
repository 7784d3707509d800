//! Joining stores.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::add::{self, Row};
use crate::entry::{Measure, Origin, Stored, TestResult};
use crate::{Sealed, Stats, Store, StoreError, file};

/// Writes a new store with all programs of the `parts`, with their names, origins, results and sealed test results.
/// Equal programs become one. Limits apply as in any store: each task keeps its best [`KEEP`](crate::KEEP) programs, and
/// one of those that give the same answers.
///
/// The rows do not depend on the order of the parts. If the origins of a program differ, a search comes before a file,
/// and the search for the task that comes first by name before others. The file appears when it is complete, and replaces
/// an existing one.
pub fn merge(parts: &[PathBuf], output: &Path) -> Result<Stats, StoreError> {
    let mut programs = Vec::new();
    for path in parts {
        read(path, &mut programs)?;
    }
    programs.sort_by_cached_key(Part::key);
    let log = file::log(output);
    if log.exists() {
        // SQLite would apply the log of the replaced file to the new one.
        let what =
            format!("{} exists, so it is in use or was not closed; choose another file", log.display());
        return Err(StoreError::io(output, io::Error::other(what)));
    }
    let temporary = file::temporary_path(output)?;
    let written = write(&programs, &temporary);
    let renamed = written.and_then(|stats| match fs::rename(&temporary, output) {
        Ok(()) => Ok(stats),
        Err(error) => Err(StoreError::io(output, error)),
    });
    if renamed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// A program of one of the stores.
struct Part {
    stored: Stored,
    measures: Vec<Measure>,
    tests: Vec<TestResult>,
}

impl Part {
    /// Returns the place of the program among all. The first of several equal programs determines the origin.
    fn key(&self) -> (String, u8, Option<String>, String) {
        let rank = match self.stored.origin {
            Origin::Found { .. } => 0,
            Origin::Imported { .. } => 1,
            Origin::Written => 2,
        };
        let task = self.measures.first().map(|measure| measure.task_name.clone());
        (self.stored.hash.to_string(), rank, task, format!("{:?} {:?}", self.stored.origin, self.measures))
    }
}

fn read(path: &Path, programs: &mut Vec<Part>) -> Result<(), StoreError> {
    let store = Store::open_existing(path)?;
    let sealed = Sealed::open(path)?;
    for stored in store.list()? {
        let (measures, tests) = (store.measures_of(stored.hash)?, sealed.of(stored.hash)?);
        programs.push(Part { stored, measures, tests });
    }
    Ok(())
}

fn write(programs: &[Part], path: &Path) -> Result<Stats, StoreError> {
    let mut store = Store::open(path)?;
    let rows: Vec<Row<'_>> = programs.iter().map(|it| Row::of_stored(&it.stored, &it.measures)).collect();
    store.write(|transaction| add::add(transaction, &rows))?;
    let tests: Vec<TestResult> = programs.iter().flat_map(|it| it.tests.iter().copied()).collect();
    store.seal(&tests)?;
    store.stats()
}
