//! The store in the page: programs, their results on tasks, and their origins.

use std::path::Path;
use std::time::Duration;
use std::{io, slice};

use arcbatt::battery::Unwatched;
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Severity};
use arcbatt::store::{Added, Ancestor, Entry, Measure, Origin, Ranked, Store, StoreError, Stored};
use arcbatt::value::ContentHash;
use arcbatt::{Measurer, Pool};
use serde::{Deserialize, Serialize};

use crate::runs::{Places, RunError};

/// Totals, and every task with its best program.
#[derive(Serialize)]
pub(crate) struct StoreOverview {
    path: String,
    /// `None` before the store file exists.
    stats: Option<Stats>,
    tasks: Vec<TaskLine>,
}

#[derive(Serialize)]
struct Stats {
    programs: usize,
    imported: usize,
    written: usize,
    found: usize,
    results: usize,
    tasks: usize,
    solved: usize,
}

/// A task and its best program.
#[derive(Serialize)]
struct TaskLine {
    hash: String,
    name: String,
    programs: usize,
    best: StoredResult,
}

/// A program and its result on a task. The score is in millionths.
#[derive(Serialize)]
pub(crate) struct StoredResult {
    program: String,
    label: String,
    task: String,
    task_name: String,
    right: u32,
    pairs: u32,
    score: u32,
    fuel: u64,
}

/// A program with its results and its lineage.
#[derive(Serialize)]
pub(crate) struct ProgramDetails {
    hash: String,
    names: Vec<String>,
    text: String,
    signature: String,
    calls: u32,
    from: String,
    places: Vec<StoredResult>,
    lineage: Vec<AncestorLine>,
}

/// A program in a lineage, in depth-first order.
#[derive(Serialize)]
struct AncestorLine {
    depth: usize,
    hash: String,
    /// `None` if it is not stored.
    label: Option<String>,
    from: String,
    /// Whether it is listed above already.
    again: bool,
}

/// A request to store the programs of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveRequest {
    pub(crate) text: String,
    /// Name of a data set.
    data: String,
    /// The task to measure the programs on; each program that is named after another task is measured there.
    task: String,
}

/// Names of the programs that were added, and of those that the store had already.
#[derive(Serialize)]
pub(crate) struct SavedPrograms {
    added: Vec<String>,
    known: Vec<String>,
    path: String,
}

/// A line of the list of programs.
#[derive(Serialize)]
pub(crate) struct ProgramLine {
    hash: String,
    label: String,
    calls: u32,
    from: String,
}

/// Maximum number of listed programs; the search box finds the others.
const MAX_LISTED: usize = 500;

pub(crate) fn overview(path: &Path) -> Result<StoreOverview, StoreError> {
    let shown = path.display().to_string();
    if !path.exists() {
        return Ok(StoreOverview { path: shown, stats: None, tasks: Vec::new() });
    }
    let store = Store::open_existing(path)?;
    let mut tasks = Vec::new();
    for (hash, name) in store.tasks()? {
        let ranked = store.best_for(hash)?;
        if let Some(best) = ranked.first() {
            let best = result(&best.stored, &best.measure);
            tasks.push(TaskLine { hash: hash.to_string(), name, programs: ranked.len(), best });
        }
    }
    let it = store.stats()?;
    let stats = Stats {
        programs: it.programs,
        imported: it.imported,
        written: it.written,
        found: it.found,
        results: it.results,
        tasks: it.tasks,
        solved: it.solved,
    };
    Ok(StoreOverview { path: shown, stats: Some(stats), tasks })
}

/// Returns the programs with a result on a task, the best first.
pub(crate) fn task(path: &Path, task: ContentHash) -> Result<Vec<StoredResult>, StoreError> {
    let ranked = Store::open_existing(path)?.best_for(task)?;
    Ok(ranked.iter().map(|Ranked { stored, measure }| result(stored, measure)).collect())
}

/// Returns the programs whose name or text contains `wanted`.
pub(crate) fn programs(path: &Path, wanted: &str) -> Result<Vec<ProgramLine>, StoreError> {
    let wanted = wanted.to_lowercase();
    let has = |it: &Stored| {
        wanted.is_empty()
            || it.names.iter().any(|name| name.to_lowercase().contains(&wanted))
            || it.text.to_lowercase().contains(&wanted)
    };
    let line = |it: Stored| ProgramLine {
        hash: it.hash.to_string(),
        label: label(&it),
        calls: it.calls,
        from: from(&it.origin),
    };
    Ok(Store::open_existing(path)?.list()?.into_iter().filter(has).take(MAX_LISTED).map(line).collect())
}

/// Returns a program with its results and lineage, or `None` if it is not stored.
pub(crate) fn program(path: &Path, hash: ContentHash) -> Result<Option<ProgramDetails>, StoreError> {
    let store = Store::open_existing(path)?;
    let Some(stored) = store.get(hash)? else { return Ok(None) };
    let ancestor = |Ancestor { depth, hash, stored, again }: Ancestor| AncestorLine {
        depth,
        hash: hash.to_string(),
        label: stored.as_ref().map(label),
        from: stored.map_or_else(String::new, |it| from(&it.origin)),
        again,
    };
    let places = store.measures_of(hash)?.iter().map(|measure| result(&stored, measure)).collect();
    let lineage = store.lineage(hash)?.into_iter().map(ancestor).collect();
    let Stored { names, text, signature, calls, origin, .. } = stored;
    let (hash, from) = (hash.to_string(), from(&origin));
    Ok(Some(ProgramDetails { hash, names, text, signature, calls, from, places, lineage }))
}

/// Adds the programs of a text to the store, with their results on tasks.
pub(crate) fn save(places: &Places, request: &SaveRequest) -> Result<SavedPrograms, RunError> {
    let SaveRequest { text, data, task } = request;
    let parsed = lang::parse(text);
    if parsed.n_errors > 0 || parsed.programs.is_empty() {
        let problem = parsed.problems.iter().find(|problem| problem.severity == Severity::Error);
        let problem = problem.map_or("it has no program".to_owned(), |problem| {
            format!("line {}: {}", problem.place(text).0, problem.message)
        });
        return Err(RunError::Unstorable(format!("the text cannot be stored: {problem}")));
    }
    let pool = Pool::new(1).map_err(io::Error::other)?;
    let measurer = Measurer { pool: &pool, limits: Limits::STANDARD };
    let (mut entries, mut tests) = (Vec::new(), Vec::new());
    for program in &parsed.programs {
        let own = program.name().strip_prefix("solve_").unwrap_or(program.name());
        let task = places.sets.task(data, own).or_else(|_| places.sets.task(data, task))?;
        let programs = slice::from_ref(program);
        let measured = measurer.measure_within(MEASURE_TIME, programs, &task, &Unwatched)?;
        tests.extend(measured.iter().filter_map(|it| it.test));
        let measures = measured.into_iter().map(|it| it.measure).collect();
        entries.push(Entry { program: program.clone(), origin: Origin::Written, measures });
    }
    let mut store = Store::open(&places.store)?;
    let added = store.add(&entries)?;
    store.seal(&tests)?;
    let names = |wanted: Added| {
        let programs = parsed.programs.iter().zip(&added).filter(move |(_, added)| **added == wanted);
        programs.map(|(program, _)| program.name().to_owned()).collect()
    };
    let path = places.store.display().to_string();
    Ok(SavedPrograms { added: names(Added::New), known: names(Added::Known), path })
}

/// Time limit for each program on its task.
const MEASURE_TIME: Duration = Duration::from_secs(10);

fn result(stored: &Stored, measure: &Measure) -> StoredResult {
    StoredResult {
        program: stored.hash.to_string(),
        label: label(stored),
        task: measure.task.to_string(),
        task_name: measure.task_name.clone(),
        right: measure.right,
        pairs: measure.pairs,
        score: measure.score,
        fuel: measure.fuel,
    }
}

/// Returns the first name of a program, or the start of its hash.
fn label(stored: &Stored) -> String {
    stored.names.first().cloned().unwrap_or_else(|| format!("{:.12}", stored.hash.to_string()))
}

fn from(origin: &Origin) -> String {
    match origin {
        Origin::Imported { file } => format!("imported from {file}"),
        Origin::Written => "written".to_owned(),
        Origin::Found { seed, operator, .. } => format!("found by {operator}, seed {seed}"),
    }
}
