//! From DATA to tasks.
//!
//! An [`Index`] knows the ids and the places of all tasks but has read none of them; [`open`] reads them all. What
//! can only be seen over the whole (an id twice, solutions that do not match) is checked when the index is made,
//! what lies inside a task when that task is read.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::format::{self, Body, Entry, Found};
use crate::names::{self, DataFolder};
use crate::problem::{Flaw, LoadError, Problem, near};
use crate::{Dataset, Grid, Task, parse, source};

/// How to load.
#[derive(Clone, Debug)]
pub struct Options {
    /// Leave broken tasks out instead of failing; [`Dataset::skipped`] says which.
    pub skip_bad: bool,
    pub select: Select,
}

impl Options {
    /// All tasks, none of them broken.
    pub const STRICT: Options = Options { skip_bad: false, select: Select::ALL };
}

/// Which tasks. Those that are not selected are not read.
#[derive(Clone, Debug)]
pub struct Select {
    /// Only these; all if empty.
    pub ids: Vec<String>,
    /// Of those leave out so many, in the order of ids.
    pub start: usize,
    /// At most so many of the rest.
    pub limit: Option<usize>,
}

impl Select {
    pub const ALL: Select = Select { ids: Vec::new(), start: 0, limit: None };
}

/// The tasks of DATA: a name or a path, perhaps with `#part`.
///
/// ```
/// # use batt_task::{Options, open};
/// # let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let dataset = open(examples, &Options::STRICT)?;
/// assert_eq!(dataset.tasks.len(), 3);
/// assert_eq!(dataset.get("largest").map(|task| task.train.len()), Some(3));
/// # Ok::<(), batt_task::LoadError>(())
/// ```
pub fn open(data: &str, options: &Options) -> Result<Dataset, LoadError> {
    find(data, options)?.into_dataset()
}

/// The tasks of a folder or file, whatever their format.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    open_path(path, None, &Options::STRICT)
}

/// Where the tasks of DATA lie, without reading them: for sets that are too large to be held in memory.
pub fn index(data: &str, options: &Options) -> Result<Index, LoadError> {
    let index = find(data, options)?;
    if !index.problems.is_empty() && !options.skip_bad {
        return Err(LoadError::Bad { problems: index.problems });
    }
    Ok(index)
}

/// The tasks of a text that lies in memory; errors call it `file`.
pub(crate) fn open_text(file: &str, bytes: Vec<u8>, part: Option<&str>) -> Result<Dataset, LoadError> {
    Index::new(file, format::find_text(file, bytes, part)?, &Options::STRICT)?.into_dataset()
}

pub(crate) fn open_path(path: &Path, part: Option<&str>, options: &Options) -> Result<Dataset, LoadError> {
    Index::new(&path.to_string_lossy(), format::find(path, part)?, options)?.into_dataset()
}

/// How many tasks are in memory at a time where not all are to be kept.
const STEP: usize = 256;

/// Ids and places of tasks.
pub struct Index {
    label: String,
    skip_bad: bool,
    /// In the order of their ids; no id twice.
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Index {
    /// What the user called the data.
    pub fn label(&self) -> &str {
        &self.label
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// In ascending order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.id.as_str())
    }

    /// What was left out when the index was made; empty unless [`Options::skip_bad`] was asked for.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Reads the tasks at these places in the order of ids. Nothing is kept: whoever drops the tasks has their
    /// memory back.
    pub fn load(&self, range: Range<usize>) -> Result<Dataset, LoadError> {
        let (tasks, skipped) = read(&self.entries[range]);
        if !skipped.is_empty() && !self.skip_bad {
            return Err(LoadError::Bad { problems: skipped });
        }
        Ok(Dataset { label: self.label.clone(), tasks, skipped })
    }

    /// The tasks from this place on, read a few hundred at a time. Broken ones are left out if
    /// [`Options::skip_bad`] was asked for; else they end the walk.
    pub fn tasks(&self, from: usize) -> impl Iterator<Item = Result<Task, LoadError>> + Send {
        let batches = (from..self.len()).step_by(STEP).map(|at| self.load(at..self.len().min(at + STEP)));
        batches.flat_map(|batch| {
            let (tasks, error) = match batch {
                Ok(dataset) => (dataset.tasks, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            tasks.into_iter().map(Ok).chain(error)
        })
    }

    /// Reads every task, shows it to `look` in the order of ids, and drops it again. Returns what is wrong with those
    /// that cannot be read. Ends early when `stop` says so.
    pub fn check(&self, stop: impl Fn() -> bool, mut look: impl FnMut(&Task)) -> Vec<Problem> {
        let batches = self.entries.chunks(STEP).take_while(|_| !stop());
        let checked = batches.flat_map(|batch| {
            let (tasks, problems) = read(batch);
            tasks.iter().for_each(&mut look);
            problems
        });
        checked.collect()
    }

    /// Only some of these tasks.
    pub fn select(self, some: &Select) -> Result<Index, LoadError> {
        let Index { label, skip_bad, entries, problems } = self;
        let entries = select(&label, entries, &problems, some)?;
        Ok(Index { label, skip_bad, entries, problems })
    }

    /// Leaves out the tasks with these ids.
    pub fn without(mut self, ids: &BTreeSet<&str>) -> Index {
        self.entries.retain(|entry| !ids.contains(entry.id.as_str()));
        self
    }

    fn new(label: &str, found: Found, options: &Options) -> Result<Index, LoadError> {
        let Found { entries, problems } = found;
        let index = Index { label: label.to_owned(), skip_bad: options.skip_bad, entries, problems };
        index.select(&options.select)
    }

    fn into_dataset(self) -> Result<Dataset, LoadError> {
        let (tasks, bad) = read_once(self.entries);
        let mut skipped = self.problems;
        skipped.extend(bad);
        if !skipped.is_empty() && (!self.skip_bad || tasks.is_empty()) {
            return Err(LoadError::Bad { problems: skipped });
        }
        Ok(Dataset { label: self.label, tasks, skipped })
    }
}

fn find(data: &str, options: &Options) -> Result<Index, LoadError> {
    let found = if let Some(set) = names::built_in(data) {
        Found::ready((set.tasks)())
    } else if let Some(pinned) = names::pinned(data) {
        let folder = DataFolder::user().ok_or(LoadError::NotInstalled { name: pinned.name })?;
        Found::ready(folder.open(pinned)?.tasks)
    } else {
        let (path, part) = locate(data)?;
        format::find(&path, part)?
    };
    Index::new(data, found, options)
}

/// A path that exists, with or without `#part`.
fn locate(data: &str) -> Result<(PathBuf, Option<&str>), LoadError> {
    if Path::new(data).exists() {
        return Ok((data.into(), None));
    }
    match data.rsplit_once('#') {
        Some((path, part)) if Path::new(path).exists() => Ok((path.into(), Some(part))),
        _ => Err(LoadError::Unknown { data: data.to_owned(), near: near(data, names::all()) }),
    }
}

/// Reads tasks that will not be read again: what is ready is handed over.
fn read_once(entries: Vec<Entry>) -> (Vec<Task>, Vec<Problem>) {
    if entries.iter().any(|entry| !matches!(entry.body, Body::Ready(_))) {
        return read(&entries);
    }
    let ready = |entry: Entry| match entry.body {
        Body::Ready(task) => Some(task),
        _ => None,
    };
    (entries.into_iter().filter_map(ready).collect(), Vec::new())
}

/// Reads tasks, and gathers what is wrong with those that cannot be read.
fn read(entries: &[Entry]) -> (Vec<Task>, Vec<Problem>) {
    // A task takes about 5 µs from memory and 13 µs from a file: for a few it does not pay to wake a pool. Where it
    // does, it is the caller's pool, and the order is that of the entries all the same.
    const FEW: usize = 64;
    let tasks: Vec<_> = if entries.len() < FEW {
        let mut scratch = Scratch::default();
        entries.iter().map(|entry| task(entry, &mut scratch)).collect()
    } else {
        let pieces = entries.par_iter().with_min_len(FEW / 4);
        pieces.map_init(Scratch::default, |scratch, entry| task(entry, scratch)).collect()
    };
    let mut problems = Vec::new();
    let good = tasks.into_iter().filter_map(|task| task.map_err(|problem| problems.push(problem)).ok());
    (good.collect(), problems)
}

/// Memory that is used again for the next task.
#[derive(Default)]
struct Scratch {
    text: Vec<u8>,
    cells: Vec<i8>,
}

fn task(entry: &Entry, scratch: &mut Scratch) -> Result<Task, Problem> {
    let id = &entry.id;
    let mut task = match &entry.body {
        Body::Ready(task) => task.clone(),
        Body::File(path) => {
            let named = |problem: Problem| problem.in_file(path.display().to_string());
            let Scratch { text, cells } = scratch;
            source::read_text(path, text).map_err(|error| named(Problem::of_task("", id, error)))?;
            parse::whole_task(id, text, cells).map_err(named)?
        }
        Body::Slice(slice) => slice.parse(id, |json| parse::task(id, json, &mut scratch.cells))?,
    };
    if let Some(slice) = &entry.solutions {
        slice.parse(id, |json| {
            let at = json.at();
            add_solutions(&mut task, parse::solutions(json, &mut scratch.cells)?)
                .map_err(|what| Flaw::new(at, what))
        })?;
    }
    Ok(task)
}

fn select(
    label: &str,
    mut entries: Vec<Entry>,
    problems: &[Problem],
    select: &Select,
) -> Result<Vec<Entry>, LoadError> {
    if entries.is_empty() {
        return Err(match problems {
            [] => LoadError::NoTasks { path: label.into() },
            _ => LoadError::Bad { problems: problems.to_vec() },
        });
    }
    if !select.ids.is_empty() {
        let wanted: BTreeSet<&str> = select.ids.iter().map(String::as_str).collect();
        for id in &wanted {
            if entries.binary_search_by(|entry| entry.id.as_str().cmp(id)).is_err() {
                return Err(missing(label, id, &entries, problems));
            }
        }
        entries.retain(|entry| wanted.contains(entry.id.as_str()));
    }
    let start = select.start.min(entries.len());
    let end = select.limit.map_or(entries.len(), |limit| entries.len().min(start.saturating_add(limit)));
    entries.truncate(end);
    entries.drain(..start);
    Ok(entries)
}

/// A task that was asked for but is not there, or was left out.
fn missing(label: &str, id: &str, entries: &[Entry], problems: &[Problem]) -> LoadError {
    let why: Vec<_> =
        problems.iter().filter(|problem| problem.task.as_deref() == Some(id)).cloned().collect();
    if !why.is_empty() {
        return LoadError::Bad { problems: why };
    }
    let near = near(id, entries.iter().map(|entry| entry.id.as_str()));
    LoadError::NoTask { data: label.to_owned(), id: id.to_owned(), near }
}

/// Puts the outputs of a solutions file where they belong.
fn add_solutions(task: &mut Task, outputs: Vec<Grid>) -> Result<(), String> {
    if outputs.len() != task.test.len() {
        let (outputs, inputs) = (outputs.len(), task.test.len());
        return Err(format!("the number of solutions is {outputs}, that of test inputs {inputs}"));
    }
    for (i, (pair, output)) in task.test.iter_mut().zip(outputs).enumerate() {
        if pair.output.as_ref().is_some_and(|own| *own != output) {
            return Err(format!("the solution of test {i} is not the output that the task itself has"));
        }
        pair.output = Some(output);
    }
    Ok(())
}
