//! Adding programs, and keeping only the best of each task.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use batt_value::ContentHash;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::entry::{self, Added, Entry, Measure, Origin, Stored};
use crate::store::{Pruned, Store};
use crate::{StoreError, export, read};

/// Number of programs that are kept for a task.
pub const KEEP: usize = 32;

impl Store {
    /// Adds all entries, or none if there is an error. When it returns they are on disk. The answers are in
    /// the order of the entries and describe the store after the last of them.
    ///
    /// Which programs are kept does not depend on the order in which they are added.
    pub fn add(&mut self, entries: &[Entry]) -> Result<Vec<Added>, StoreError> {
        let rows = entries.iter().map(Row::new).collect::<Result<Vec<_>, _>>()?;
        self.write(|transaction| add(transaction, &rows))
    }
}

/// An entry with everything that can be computed before the store is locked.
pub(crate) struct Row<'e> {
    program: ContentHash,
    hash: String,
    text: Cow<'e, str>,
    signature: Cow<'e, str>,
    calls: u32,
    origin: &'e Origin,
    names: Vec<&'e str>,
    measures: &'e [Measure],
}

impl<'e> Row<'e> {
    fn new(entry: &'e Entry) -> Result<Row<'e>, StoreError> {
        let Entry { program, origin, measures } = entry;
        // A search has given its programs no names.
        let name = Some(program.name()).filter(|_| !matches!(origin, Origin::Found { .. }));
        Ok(Row {
            program: program.hash(),
            hash: program.hash().to_string(),
            text: entry::text(program)?.into(),
            signature: entry::signature(program).into(),
            calls: entry::calls(program),
            origin,
            names: name.into_iter().collect(),
            measures,
        })
    }

    /// Returns the row of a program of another store, which need not be readable.
    pub(crate) fn of_stored(stored: &'e Stored, measures: &'e [Measure]) -> Row<'e> {
        Row {
            program: stored.hash,
            hash: stored.hash.to_string(),
            text: (&*stored.text).into(),
            signature: (&*stored.signature).into(),
            calls: stored.calls,
            origin: &stored.origin,
            names: stored.names.iter().map(String::as_str).collect(),
            measures,
        }
    }

    fn scoring(&self) -> impl Iterator<Item = &'e Measure> {
        self.measures.iter().filter(|measure| measure.score > 0)
    }
}

pub(crate) fn add(transaction: &Transaction<'_>, rows: &[Row<'_>]) -> rusqlite::Result<Vec<Added>> {
    let mut known = Vec::with_capacity(rows.len());
    // Programs that may have lost their last result, and tasks that may have too many programs.
    let mut affected: BTreeSet<String> = BTreeSet::new();
    let mut tasks: BTreeSet<String> = BTreeSet::new();
    for row in rows {
        known.push(file_program(transaction, row)?);
        affected.insert(row.hash.clone());
        for measure in row.scoring() {
            affected.extend(file_measure(transaction, row, measure)?);
            tasks.insert(measure.task.to_string());
        }
    }
    for task in &tasks {
        affected.extend(trim(transaction, task, KEEP)?);
    }
    for program in &affected {
        delete_unkept(transaction, program)?;
    }
    rows.iter().zip(known).map(|(row, known)| outcome(transaction, row, known)).collect()
}

/// Inserts the program and returns whether it was already there. The origin of a known program stays as it
/// is. Importing or writing a program that a search has found gives it a name, so that it is kept.
fn file_program(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<bool> {
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM programs WHERE hash = ?1)")?
        .query_row([&row.hash], |row| row.get(0))?;
    if !known {
        insert(connection, row)?;
    }
    // A program that was exported and imported again under a generated name has not been named by anybody.
    for name in row.names.iter().filter(|name| !(known && export::is_generated(name, row.program))) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO names (program, name) VALUES (?1, ?2)")?
            .execute([&*row.hash, name])?;
    }
    Ok(known)
}

fn insert(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<()> {
    let Row { hash, text, signature, calls, origin, .. } = row;
    let (file, seed, operator, parents, saw) = match origin {
        Origin::Imported { file } => (Some(file), None, None, &[][..], &[][..]),
        Origin::Written => (None, None, None, &[][..], &[][..]),
        Origin::Found { seed, operator, parents, saw } => {
            (None, Some(*seed as i64), Some(operator), &parents[..], &saw[..])
        }
    };
    connection
        .prepare_cached(
            "INSERT INTO programs (hash, text, signature, calls, origin, file, seed, operator)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![hash, text, signature, calls, origin.name(), file, seed, operator])?;
    for (place, parent) in parents.iter().enumerate() {
        connection
            .prepare_cached("INSERT INTO parents (program, place, parent) VALUES (?1, ?2, ?3)")?
            .execute(params![hash, place as i64, parent.to_string()])?;
    }
    for task in saw {
        connection
            .prepare_cached("INSERT OR IGNORE INTO saw (program, task) VALUES (?1, ?2)")?
            .execute([hash, &task.to_string()])?;
    }
    Ok(())
}

/// Stores the program's result on a task, unless another program with the same answers is better. Returns the
/// program that it replaced.
fn file_measure(
    connection: &Connection,
    row: &Row<'_>,
    measure: &Measure,
) -> rusqlite::Result<Option<String>> {
    let (task, behaviour) = (measure.task.to_string(), measure.behaviour.to_string());
    let fuel = read::to_integer(measure.fuel);
    connection
        .prepare_cached("INSERT OR IGNORE INTO tasks (hash, name) VALUES (?1, ?2)")?
        .execute([&task, &measure.task_name])?;
    connection
        .prepare_cached("DELETE FROM results WHERE task = ?1 AND program = ?2")?
        .execute([&task, &row.hash])?;
    let rival: Option<(u32, i64, u32, String)> = connection
        .prepare_cached(
            "SELECT score, fuel, calls, program FROM results JOIN programs ON hash = program
             WHERE task = ?1 AND behaviour = ?2",
        )?
        .query_row([&task, &behaviour], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let ours = (Reverse(measure.score), fuel, row.calls, &row.hash);
    if let Some((score, fuel, calls, program)) = &rival {
        if (Reverse(*score), *fuel, *calls, program) < ours {
            return Ok(None);
        }
        connection
            .prepare_cached("DELETE FROM results WHERE task = ?1 AND program = ?2")?
            .execute([&task, program])?;
    }
    connection
        .prepare_cached(
            "INSERT INTO results (task, program, pairs_right, pairs, score, fuel, micros, behaviour, dsl)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            task,
            row.hash,
            measure.right,
            measure.pairs,
            measure.score,
            fuel,
            read::to_integer(measure.micros),
            behaviour,
            measure.dsl.to_string(),
        ])?;
    Ok(rival.map(|(.., program)| program))
}

/// Deletes all but the best results of a task. Returns the programs that lost their result.
fn trim(connection: &Connection, task: &str, keep: usize) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM results WHERE task = ?1 AND program IN (
             SELECT program FROM results JOIN programs ON hash = program WHERE task = ?1
             ORDER BY score DESC, fuel, calls, program LIMIT -1 OFFSET ?2
         ) RETURNING program",
    )?;
    statement.query_map(params![task, keep as i64], |row| row.get(0))?.collect()
}

/// Selects programs that nothing keeps in the store. A found program is kept as long as it has a result or a
/// name.
const UNKEPT: &str = "origin = 'found' AND NOT EXISTS (SELECT 1 FROM results WHERE program = hash)
                         AND NOT EXISTS (SELECT 1 FROM names WHERE program = hash)";

fn delete_unkept(connection: &Connection, program: &str) -> rusqlite::Result<usize> {
    let sql = format!("DELETE FROM programs WHERE hash = ?1 AND {UNKEPT}");
    connection.prepare_cached(&sql)?.execute([program])
}

fn outcome(connection: &Connection, row: &Row<'_>, known: bool) -> rusqlite::Result<Added> {
    let stored: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM programs WHERE hash = ?1)")?
        .query_row([&row.hash], |row| row.get(0))?;
    match (stored, known) {
        (true, true) => return Ok(Added::Known),
        (true, false) => return Ok(Added::New),
        (false, _) if row.scoring().next().is_none() => return Ok(Added::Worthless),
        (false, _) => {}
    }
    for measure in row.scoring() {
        let twin = connection
            .prepare_cached("SELECT program FROM results WHERE task = ?1 AND behaviour = ?2")?
            .query_row([measure.task.to_string(), measure.behaviour.to_string()], |row| read::hash(row, 0))
            .optional()?;
        if let Some(twin) = twin {
            return Ok(Added::Duplicate(twin));
        }
    }
    Ok(Added::Outranked)
}

pub(crate) fn prune(connection: &Connection, keep: usize, unreadable: &[Stored]) -> rusqlite::Result<Pruned> {
    let mut pruned = Pruned { programs: 0, results: 0, unreadable: 0 };
    // They go first, so that they do not count among the best.
    for stored in unreadable {
        let hash = stored.hash.to_string();
        pruned.results += connection.execute("DELETE FROM results WHERE program = ?1", [&hash])?;
        pruned.unreadable += connection.execute("DELETE FROM programs WHERE hash = ?1", [&hash])?;
    }
    let mut statement = connection.prepare("SELECT hash FROM tasks ORDER BY hash")?;
    let tasks: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for task in tasks {
        pruned.results += trim(connection, &task, keep)?.len();
    }
    pruned.programs = pruned.unreadable;
    pruned.programs += connection.execute(&format!("DELETE FROM programs WHERE {UNKEPT}"), [])?;
    connection.execute("DELETE FROM tasks WHERE NOT EXISTS (SELECT 1 FROM results WHERE task = hash)", [])?;
    Ok(pruned)
}
