//! Opens data sets.
//!
//! An [`Index`] knows the ids and locations of all tasks but has not read them; [`open`] reads them all.
//! Problems of the whole set (duplicate ids, solutions that do not match) are found when the index is made,
//! problems inside a task when that task is read.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::format::{self, Body, Entry, Found};
use crate::names::{self, DataFolder};
use crate::problem::{Flaw, LoadError, Problem, near};
use crate::{Dataset, Grid, Task, parse, source};

/// Options for loading.
#[derive(Clone, Debug)]
pub struct Options {
    /// Skip broken tasks instead of failing. [`Dataset::skipped`] lists them.
    pub skip_bad: bool,
    pub select: Select,
}

impl Options {
    /// Load all tasks, and fail if one is broken.
    pub const STRICT: Options = Options { skip_bad: false, select: Select::ALL };
}

/// Selects tasks. The others are not read.
#[derive(Clone, Debug)]
pub struct Select {
    /// Only tasks with these ids; all if empty.
    pub ids: Vec<String>,
    /// Number of these to skip, in the order of ids.
    pub start: usize,
    /// Maximum number of tasks after that.
    pub limit: Option<usize>,
}

impl Select {
    pub const ALL: Select = Select { ids: Vec::new(), start: 0, limit: None };
}

/// Opens DATA: a name or a path, optionally with `#part`.
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

/// Loads the tasks of a folder or file of any format.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    open_path(path, None, &Options::STRICT)
}

/// Locates the tasks of DATA without reading them, for sets that are too large for memory.
pub fn index(data: &str, options: &Options) -> Result<Index, LoadError> {
    let index = find(data, options)?;
    if !index.problems.is_empty() && !options.skip_bad {
        return Err(LoadError::Bad { problems: index.problems });
    }
    Ok(index)
}

/// Returns the files that DATA is read from, without reading them. A named set has none; a file that does not exist is
/// listed if a set would be read from it.
///
/// ```
/// # use batt_task::files;
/// # let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// assert_eq!(files(examples)?.len(), 3);
/// assert!(files("demo")?.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn files(data: &str) -> io::Result<Vec<PathBuf>> {
    if names::all().any(|name| name == data) {
        return Ok(Vec::new());
    }
    let path = locate(data).map_or_else(|_| data.into(), |(path, _)| path);
    if !path.is_dir() {
        let solutions = format::solutions_paths(&path);
        return Ok(std::iter::once(path).chain(solutions).collect());
    }
    let on_disk = |member: source::Member| match member.location {
        source::Location::OnDisk(path) => Some(path),
        source::Location::InMemory { .. } => None,
    };
    Ok(source::list(&path)?.into_iter().filter_map(on_disk).collect())
}

/// Opens a text in memory. Errors call it `file`.
pub(crate) fn open_text(file: &str, bytes: Vec<u8>, part: Option<&str>) -> Result<Dataset, LoadError> {
    Index::new(file, format::find_text(file, bytes, part)?, &Options::STRICT)?.into_dataset()
}

pub(crate) fn open_path(path: &Path, part: Option<&str>, options: &Options) -> Result<Dataset, LoadError> {
    Index::new(&path.to_string_lossy(), format::find(path, part)?, options)?.into_dataset()
}

/// Number of tasks in memory at a time, if not all are kept.
const BATCH: usize = 256;

/// The most cells of the tasks that [`Index::check`] keeps, one byte each. The 400 training tasks of ARC-AGI-1 have half a
/// million. PERF: reading them a second time took 7 % of the instructions of `batt run` with one program a task.
const KEPT_CELLS: usize = 4 << 20;

/// The ids and locations of tasks.
pub struct Index {
    label: String,
    skip_bad: bool,
    /// Sorted by id; no id occurs twice.
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Index {
    /// Returns the index of tasks in memory.
    pub fn of(dataset: &Dataset) -> Index {
        let Dataset { label, tasks, skipped } = dataset;
        let Found { entries, .. } = Found::ready(tasks.clone());
        Index { label: label.clone(), skip_bad: true, entries, problems: skipped.clone() }
    }

    /// Returns the name or path that the user gave.
    pub fn label(&self) -> &str {
        &self.label
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Iterates over the ids in ascending order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.id.as_str())
    }

    /// Returns the problems of tasks that were skipped when the index was made; empty unless
    /// [`Options::skip_bad`] is set.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Reads the tasks at these indices, in the order of ids. The index does not keep them.
    pub fn load(&self, range: Range<usize>) -> Result<Dataset, LoadError> {
        let (tasks, skipped) = read(&self.entries[range]);
        if !skipped.is_empty() && !self.skip_bad {
            return Err(LoadError::Bad { problems: skipped });
        }
        Ok(Dataset { label: self.label.clone(), tasks, skipped })
    }

    /// Iterates over the tasks from this index on, and reads a few hundred at a time. Broken tasks are
    /// skipped if [`Options::skip_bad`] is set; otherwise their batch gives an error.
    pub fn tasks(&self, from: usize) -> impl Iterator<Item = Result<Task, LoadError>> + Send {
        let batches = (from..self.len()).step_by(BATCH).map(|at| self.load(at..self.len().min(at + BATCH)));
        batches.flat_map(|batch| {
            let (tasks, error) = match batch {
                Ok(dataset) => (dataset.tasks, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            tasks.into_iter().map(Ok).chain(error)
        })
    }

    /// Reads every task and passes it to `visit` in the order of ids. Returns the problems of tasks that cannot be read.
    /// Ends early when `stop` returns true. The first tasks are kept, so that a small set is read only once.
    pub fn check(&mut self, stop: impl Fn() -> bool, mut visit: impl FnMut(&Task)) -> Vec<Problem> {
        let (mut checked, mut n_cells) = (Vec::new(), 0);
        for batch in self.entries.chunks_mut(BATCH).take_while(|_| !stop()) {
            let (tasks, problems) = read(batch);
            checked.extend(problems);
            let mut entries = batch.iter_mut();
            for task in tasks {
                visit(&task);
                n_cells += task.n_cells();
                // Both are sorted by id, and only broken tasks are missing.
                if n_cells <= KEPT_CELLS
                    && let Some(entry) = entries.find(|entry| entry.id == task.id)
                {
                    (entry.body, entry.solutions) = (Body::Ready(task), None);
                }
            }
        }
        checked
    }

    /// Keeps only the selected tasks.
    pub fn select(self, some: &Select) -> Result<Index, LoadError> {
        let Index { label, skip_bad, entries, problems } = self;
        let entries = select(&label, entries, &problems, some)?;
        Ok(Index { label, skip_bad, entries, problems })
    }

    /// Removes the tasks with these ids.
    pub fn without(mut self, ids: &BTreeSet<&str>) -> Index {
        self.entries.retain(|entry| !ids.contains(entry.id.as_str()));
        self
    }

    /// Keeps the tasks at the indices for which `keep` returns true.
    pub fn retain(mut self, keep: impl Fn(usize) -> bool) -> Index {
        let mut places = 0..;
        self.entries.retain(|_| places.next().is_some_and(&keep));
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

/// Splits DATA into an existing path and a part.
fn locate(data: &str) -> Result<(PathBuf, Option<&str>), LoadError> {
    if Path::new(data).exists() {
        return Ok((data.into(), None));
    }
    match data.rsplit_once('#') {
        Some((path, part)) if Path::new(path).exists() => Ok((path.into(), Some(part))),
        _ => Err(LoadError::Unknown { data: data.to_owned(), near: near(data, names::all()) }),
    }
}

/// Reads tasks that will not be read again: tasks that are ready are moved, not cloned.
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

/// Reads tasks, and collects the problems of those that cannot be read.
fn read(entries: &[Entry]) -> (Vec<Task>, Vec<Problem>) {
    // Reading a task takes about 5 µs from memory and 13 µs from a file, so threads do not pay for a few
    // tasks, nor for tasks that are ready. The caller's thread pool is used, and the order of the entries is kept.
    const FEW: usize = 64;
    let ready = |entry: &Entry| matches!(entry.body, Body::Ready(_));
    let tasks: Vec<_> = if entries.len() < FEW || entries.iter().all(ready) {
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

/// Memory that is reused for the next task.
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

/// Describes a requested task that does not exist or is broken.
fn missing(label: &str, id: &str, entries: &[Entry], problems: &[Problem]) -> LoadError {
    let why: Vec<_> =
        problems.iter().filter(|problem| problem.task.as_deref() == Some(id)).cloned().collect();
    if !why.is_empty() {
        return LoadError::Bad { problems: why };
    }
    let near = near(id, entries.iter().map(|entry| entry.id.as_str()));
    LoadError::NoTask { data: label.to_owned(), id: id.to_owned(), near }
}

/// Adds the outputs of a solutions file to a task.
fn add_solutions(task: &mut Task, outputs: Vec<Grid>) -> Result<(), String> {
    if outputs.len() != task.test.len() {
        let (outputs, inputs) = (outputs.len(), task.test.len());
        return Err(format!(
            "the number of solutions is {outputs}, but the number of test inputs is {inputs}"
        ));
    }
    for (i, (pair, output)) in task.test.iter_mut().zip(outputs).enumerate() {
        if pair.output.as_ref().is_some_and(|own| *own != output) {
            return Err(format!("the solution of test {i} differs from the output in the task"));
        }
        pair.output = Some(output);
    }
    Ok(())
}
