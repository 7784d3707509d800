//! Queries. Every list has a fixed order.

use std::collections::BTreeSet;

use batt_lang::Program;
use batt_value::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row, types::Type};

use crate::entry::{Measure, Origin, Stored};
use crate::{Store, StoreError};

/// A program with its result on a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranked {
    pub stored: Stored,
    pub measure: Measure,
}

/// A program among its ancestors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancestor {
    /// 0 for the program itself, 1 for its parents, …
    pub depth: usize,
    pub hash: ContentHash,
    /// `None` if it is not stored (any more).
    pub stored: Option<Stored>,
    /// True if it appears earlier in the list, with its own ancestors.
    pub again: bool,
}

/// Counts of the contents of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    pub programs: usize,
    pub imported: usize,
    pub written: usize,
    pub found: usize,
    pub results: usize,
    /// Tasks that have a program.
    pub tasks: usize,
    /// Tasks with a program that is right on all demonstration pairs.
    pub solved: usize,
}

impl Store {
    pub fn get(&self, hash: ContentHash) -> Result<Option<Stored>, StoreError> {
        self.read(|connection| stored(connection, &hash.to_string()))
    }

    /// Parses a stored program under its first name.
    pub fn program(&self, stored: &Stored) -> Result<Program, StoreError> {
        let unreadable =
            |what| StoreError::Unreadable { path: self.path().to_owned(), hash: stored.hash, what };
        stored.program().map_err(unreadable)
    }

    /// Returns the programs with this name, and those whose hash begins with this text (at least four
    /// digits), in the order of [`Store::list`].
    pub fn find(&self, text: &str) -> Result<Vec<Stored>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT hash FROM programs WHERE hash IN (SELECT program FROM names WHERE name = ?1)
                       OR (length(?1) >= 4 AND substr(hash, 1, length(?1)) = ?1)";
            let hashes = strings(connection, sql, [text])?;
            all(connection, hashes)
        })
    }

    /// Returns all programs: sorted by first name, then those without a name by hash.
    pub fn list(&self) -> Result<Vec<Stored>, StoreError> {
        self.read(|connection| {
            let hashes = strings(connection, "SELECT hash FROM programs", [])?;
            all(connection, hashes)
        })
    }

    /// Returns the programs that have a result on a task, the best first: by score, then fuel, length and
    /// hash.
    pub fn best_for(&self, task: ContentHash) -> Result<Vec<Ranked>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT results.*, name FROM results JOIN programs ON programs.hash = program
                       JOIN tasks ON tasks.hash = task WHERE task = ?1
                       ORDER BY score DESC, fuel, calls, program";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([task.to_string()], |row| Ok((row.get(1)?, measure(row)?)))?;
            let rows: Vec<(String, Measure)> = rows.collect::<Result<_, _>>()?;
            let ranked = rows.into_iter().filter_map(|(hash, measure)| {
                let stored = stored(connection, &hash).transpose()?;
                Some(stored.map(|stored| Ranked { stored, measure }))
            });
            ranked.collect()
        })
    }

    /// Returns the results of a program, sorted by the name of the task.
    pub fn measures_of(&self, program: ContentHash) -> Result<Vec<Measure>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT results.*, name FROM results JOIN tasks ON tasks.hash = task WHERE program = ?1
                       ORDER BY name, task";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([program.to_string()], measure)?.collect()
        })
    }

    /// Returns the hashes and names of the tasks that have results, sorted by name.
    pub fn tasks(&self) -> Result<Vec<(ContentHash, String)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT hash, name FROM tasks WHERE EXISTS (SELECT 1 FROM results WHERE task = hash)
                       ORDER BY name, hash";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([], |row| Ok((hash(row, 0)?, row.get(1)?)))?.collect()
        })
    }

    /// Returns a program and its ancestors, each before its own parents. A program that appears again is
    /// listed without its parents.
    pub fn lineage(&self, program: ContentHash) -> Result<Vec<Ancestor>, StoreError> {
        self.read(|connection| {
            let mut lineage = Vec::new();
            let mut seen = BTreeSet::new();
            // Lineages can be long, so this does not recurse.
            let mut stack = vec![(0, program)];
            while let Some((depth, hash)) = stack.pop() {
                let again = !seen.insert(*hash.bytes());
                let stored = stored(connection, &hash.to_string())?;
                if let (false, Some(Origin::Found { parents, .. })) =
                    (again, stored.as_ref().map(|it| &it.origin))
                {
                    stack.extend(parents.iter().rev().map(|parent| (depth + 1, *parent)));
                }
                lineage.push(Ancestor { depth, hash, stored, again });
            }
            Ok(lineage)
        })
    }

    pub fn stats(&self) -> Result<Stats, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM programs),
                          (SELECT count(*) FROM programs WHERE origin = 'imported'),
                          (SELECT count(*) FROM programs WHERE origin = 'written'),
                          (SELECT count(*) FROM programs WHERE origin = 'found'),
                          (SELECT count(*) FROM results), (SELECT count(DISTINCT task) FROM results),
                          (SELECT count(DISTINCT task) FROM results WHERE pairs_right = pairs)";
        self.read(|connection| {
            connection.query_row(sql, [], |row| {
                Ok(Stats {
                    programs: row.get(0)?,
                    imported: row.get(1)?,
                    written: row.get(2)?,
                    found: row.get(3)?,
                    results: row.get(4)?,
                    tasks: row.get(5)?,
                    solved: row.get(6)?,
                })
            })
        })
    }
}

/// Converts to SQLite's signed integers. No fuel or time comes close to the limit.
pub(crate) fn to_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<ContentHash> {
    let digits: String = row.get(column)?;
    ContentHash::parse(&digits).ok_or_else(|| {
        let what = format!("`{digits}` is not a hash");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
    })
}

/// Reads a row of `results` that is followed by the name of the task.
fn measure(row: &Row<'_>) -> rusqlite::Result<Measure> {
    Ok(Measure {
        task: hash(row, 0)?,
        right: row.get(2)?,
        pairs: row.get(3)?,
        score: row.get(4)?,
        fuel: row.get(5)?,
        micros: row.get(6)?,
        behaviour: hash(row, 7)?,
        dsl: hash(row, 8)?,
        task_name: row.get(9)?,
    })
}

fn stored(connection: &Connection, program: &str) -> rusqlite::Result<Option<Stored>> {
    let sql =
        "SELECT hash, text, signature, calls, origin, file, seed, operator FROM programs WHERE hash = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([program], |row| {
        let origin: String = row.get(4)?;
        let origin = match &*origin {
            "imported" => Origin::Imported { file: row.get::<_, Option<String>>(5)?.unwrap_or_default() },
            "written" => Origin::Written,
            _ => Origin::Found {
                seed: row.get::<_, Option<i64>>(6)?.unwrap_or_default() as u64,
                operator: row.get::<_, Option<String>>(7)?.unwrap_or_default(),
                parents: hashes(
                    connection,
                    "SELECT parent FROM parents WHERE program = ?1 ORDER BY place",
                    program,
                )?,
                saw: hashes(connection, "SELECT task FROM saw WHERE program = ?1 ORDER BY task", program)?,
            },
        };
        Ok(Stored {
            hash: hash(row, 0)?,
            text: row.get(1)?,
            signature: row.get(2)?,
            calls: row.get(3)?,
            names: strings(connection, "SELECT name FROM names WHERE program = ?1 ORDER BY name", [program])?,
            origin,
        })
    });
    found.optional()
}

fn all(connection: &Connection, hashes: Vec<String>) -> rusqlite::Result<Vec<Stored>> {
    let programs = hashes.iter().filter_map(|hash| stored(connection, hash).transpose());
    let mut programs = programs.collect::<rusqlite::Result<Vec<_>>>()?;
    programs.sort_by(|a, b| {
        let key = |it: &Stored| (it.names.is_empty(), it.names.first().cloned(), *it.hash.bytes());
        key(a).cmp(&key(b))
    });
    Ok(programs)
}

fn hashes(connection: &Connection, sql: &str, key: &str) -> rusqlite::Result<Vec<ContentHash>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map([key], |row| hash(row, 0))?.collect()
}

fn strings(connection: &Connection, sql: &str, key: impl rusqlite::Params) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(key, |row| row.get(0))?.collect()
}
