//! The data sets that the page can open: built-in and installed ones, and folders given at the start.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arcbatt::task::{BUILT_IN, DataFolder, Index, LoadError, Options, PINNED, Select, Task};
use serde::Serialize;

use crate::ServeError;
use crate::runs::RunError;

/// All sets by name. Paths in requests are never opened.
pub(crate) struct Sets {
    own: Vec<OwnSet>,
    opened: Mutex<BTreeMap<String, Opened>>,
}

/// A folder or file that the server was started with.
struct OwnSet {
    name: String,
    path: PathBuf,
}

/// An index, and when it was made.
struct Opened {
    index: Arc<Index>,
    at: Instant,
}

/// Own folders are read again after this time, because their files may change.
const FRESH: Duration = Duration::from_secs(2);

/// A set in the list.
#[derive(Serialize)]
pub(crate) struct Set {
    name: String,
    about: String,
    tasks: usize,
    installed: bool,
    /// True for a folder that the server was started with.
    own: bool,
    /// Why it cannot be read.
    error: Option<String>,
}

impl Sets {
    /// Names each path after its last part.
    pub(crate) fn new(paths: Vec<PathBuf>) -> Result<Sets, ServeError> {
        let mut own: Vec<OwnSet> = Vec::new();
        for path in paths {
            let refuse = |why: &str| ServeError::Data { path: path.clone(), why: why.to_owned() };
            // A relative path must not depend on the current folder later.
            let full = path.canonicalize().map_err(|error| refuse(&error.to_string()))?;
            let name = full.file_stem().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| refuse("its name is not a text; rename it"))?.to_owned();
            let known = BUILT_IN.iter().map(|set| set.name).chain(PINNED.iter().map(|set| set.name));
            if known.chain(own.iter().map(|set| set.name.as_str())).any(|known| known == name) {
                return Err(refuse(&format!("there is another data set called {name}; rename it")));
            }
            own.push(OwnSet { name, path: full });
        }
        let sets = Sets { own, opened: Mutex::default() };
        for set in &sets.own {
            let opened = sets.index(&set.name);
            opened.map_err(|error| ServeError::Data { path: set.path.clone(), why: error.to_string() })?;
        }
        Ok(sets)
    }

    pub(crate) fn list(&self) -> Vec<Set> {
        let folder = DataFolder::user();
        let mut list: Vec<Set> = Vec::new();
        let opened = |name: &str, about: String, own: bool| {
            let index = self.index(name);
            let tasks = index.as_ref().map_or(0, |index| index.len());
            let error = index.err().map(|error| error.to_string());
            Set { name: name.to_owned(), about, tasks, installed: true, own, error }
        };
        list.extend(self.own.iter().map(|set| opened(&set.name, set.path.display().to_string(), true)));
        list.extend(BUILT_IN.iter().map(|set| opened(set.name, set.about.to_owned(), false)));
        list.extend(PINNED.iter().map(|set| Set {
            name: set.name.to_owned(),
            about: set.about.to_owned(),
            tasks: set.tasks,
            installed: folder.as_ref().is_some_and(|folder| folder.has(set)),
            own: false,
            error: None,
        }));
        list
    }

    /// Returns what a job calls the set: its name, or the path of an own one.
    pub(crate) fn source(&self, name: &str) -> Result<String, RunError> {
        if let Some(own) = self.own.iter().find(|set| set.name == name) {
            return Ok(own.path.display().to_string());
        }
        let folder = DataFolder::user();
        let installed =
            || PINNED.iter().any(|set| set.name == name && folder.as_ref().is_some_and(|it| it.has(set)));
        if BUILT_IN.iter().any(|set| set.name == name) || installed() {
            return Ok(name.to_owned());
        }
        Err(RunError::Data(format!(
            "no data set called {name} is installed or was given with `--data`; `batt data list` lists them"
        )))
    }

    /// Returns the name of a set by its name or by what a job calls it.
    pub(crate) fn name_of(&self, source: &str) -> Option<String> {
        let own = self.own.iter().find(|set| set.path.as_os_str() == source);
        own.map(|set| set.name.clone()).or_else(|| self.source(source).is_ok().then(|| source.to_owned()))
    }

    pub(crate) fn index(&self, name: &str) -> Result<Arc<Index>, RunError> {
        let source = self.source(name)?;
        let is_own = self.own.iter().any(|set| set.name == name);
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened().get(name).filter(|known| !is_own || known.at.elapsed() < FRESH) {
            return Ok(Arc::clone(&known.index));
        }
        let options = Options { skip_bad: false, select: Select::ALL };
        let index = Arc::new(arcbatt::task::index(&source, &options).map_err(data_error)?);
        opened().insert(name.to_owned(), Opened { index: Arc::clone(&index), at: Instant::now() });
        Ok(index)
    }

    pub(crate) fn task(&self, name: &str, id: &str) -> Result<Task, RunError> {
        let index = self.index(name)?;
        // Ids are sorted, but not necessarily as Rust compares them.
        let at = index.ids().position(|known| known == id);
        let at = at.ok_or_else(|| RunError::Data(format!("{name} has no task {id}")))?;
        let task = index.load(at..at + 1).map_err(data_error)?.tasks.pop();
        task.ok_or_else(|| RunError::Data(format!("{name} has no task {id}")))
    }

    /// Reads `count` tasks from index `start` on.
    pub(crate) fn tasks(&self, name: &str, start: usize, count: usize) -> Result<Vec<Task>, RunError> {
        let index = self.index(name)?;
        let range = start.min(index.len())..start.saturating_add(count).min(index.len());
        Ok(index.load(range).map_err(data_error)?.tasks)
    }
}

fn data_error(error: LoadError) -> RunError {
    RunError::Data(error.to_string())
}
