//! Taking programs in, and who keeps a place.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::entry::{self, Added, Entry, Measure, Origin, Stored};
use crate::store::{Pruned, Store};
use crate::{StoreError, export, read};

/// How many programs of a task keep their place.
pub const KEEP: usize = 32;

impl Store {
    /// Takes in all of the entries or, if there is an error, none. When it returns they are on the disk. The answers
    /// are in the order of the entries and say how things stand after the last of them.
    ///
    /// Which programs have a place in the end does not depend on the order in which they came.
    pub fn add(&mut self, entries: &[Entry]) -> Result<Vec<Added>, StoreError> {
        let rows = entries.iter().map(Row::new).collect::<Result<Vec<_>, _>>()?;
        self.write(|transaction| add(transaction, &rows))
    }
}

/// An entry with everything that can be found out before others have to wait.
struct Row<'e> {
    entry: &'e Entry,
    hash: String,
    text: String,
    signature: String,
    calls: u32,
}

impl Row<'_> {
    fn new(entry: &Entry) -> Result<Row<'_>, StoreError> {
        let program = &entry.program;
        Ok(Row {
            entry,
            hash: program.hash().to_string(),
            text: entry::text(program)?,
            signature: entry::signature(program),
            calls: entry::calls(program),
        })
    }

    fn scoring(&self) -> impl Iterator<Item = &Measure> {
        self.entry.measures.iter().filter(|measure| measure.score > 0)
    }
}

fn add(transaction: &Transaction<'_>, rows: &[Row<'_>]) -> rusqlite::Result<Vec<Added>> {
    let mut known = Vec::with_capacity(rows.len());
    // Those that may have lost their last place, and the tasks that may have too many.
    let mut shaken: BTreeSet<String> = BTreeSet::new();
    let mut tasks: BTreeSet<String> = BTreeSet::new();
    for row in rows {
        known.push(file_program(transaction, row)?);
        shaken.insert(row.hash.clone());
        for measure in row.scoring() {
            shaken.extend(file_measure(transaction, row, measure)?);
            tasks.insert(measure.task.to_string());
        }
    }
    for task in &tasks {
        shaken.extend(trim(transaction, task, KEEP)?);
    }
    for program in &shaken {
        drop_placeless(transaction, program)?;
    }
    rows.iter().zip(known).map(|(row, known)| verdict(transaction, row, known)).collect()
}

/// Puts the program in; answers whether it was there. The first origin counts, and what is known of it stays: whoever
/// brings a program that was found gives it a name, and by that it is kept.
fn file_program(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<bool> {
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM programs WHERE hash = ?1)")?
        .query_row([&row.hash], |row| row.get(0))?;
    if !known {
        put(connection, row)?;
    }
    let program = &row.entry.program;
    // What goes out and comes in again under the name that it got on the way has not been named by anybody.
    let named = !(known && export::is_made_up(program.name(), program.hash()));
    if named && !matches!(row.entry.origin, Origin::Found { .. }) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO names (program, name) VALUES (?1, ?2)")?
            .execute([&row.hash, program.name()])?;
    }
    Ok(known)
}

fn put(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<()> {
    let Row { entry, hash, text, signature, calls } = row;
    let (file, seed, operator, parents, saw) = match &entry.origin {
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
        .execute(params![hash, text, signature, calls, entry.origin.name(), file, seed, operator])?;
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

/// Gives the program its place on a task, unless another that answers alike is better. Answers whom it has replaced.
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

/// Takes the place away from all but the best of a task; answers from whom.
fn trim(connection: &Connection, task: &str, keep: usize) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM results WHERE task = ?1 AND program IN (
             SELECT program FROM results JOIN programs ON hash = program WHERE task = ?1
             ORDER BY score DESC, fuel, calls, program LIMIT -1 OFFSET ?2
         ) RETURNING program",
    )?;
    statement.query_map(params![task, keep as i64], |row| row.get(0))?.collect()
}

/// What nothing keeps in the store: a found program lives as long as it has a place on a task, or a name, which it has
/// from a person.
const PLACELESS: &str = "origin = 'found' AND NOT EXISTS (SELECT 1 FROM results WHERE program = hash)
                         AND NOT EXISTS (SELECT 1 FROM names WHERE program = hash)";

fn drop_placeless(connection: &Connection, program: &str) -> rusqlite::Result<usize> {
    let sql = format!("DELETE FROM programs WHERE hash = ?1 AND {PLACELESS}");
    connection.prepare_cached(&sql)?.execute([program])
}

fn verdict(connection: &Connection, row: &Row<'_>, known: bool) -> rusqlite::Result<Added> {
    let there: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM programs WHERE hash = ?1)")?
        .query_row([&row.hash], |row| row.get(0))?;
    match (there, known) {
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
    // They go first, so that they take nobody's place.
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
    pruned.programs += connection.execute(&format!("DELETE FROM programs WHERE {PLACELESS}"), [])?;
    connection.execute("DELETE FROM tasks WHERE NOT EXISTS (SELECT 1 FROM results WHERE task = hash)", [])?;
    Ok(pruned)
}
