//! The runs that the page shows.
//!
//! A run that is started here has its own folder with its request and its record. The record is updated while
//! the run works, and the run resumes from it after a pause or a restart of the server. Runs of other
//! processes are found by [`follow`](crate::follow).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use arcbatt::base::write_atomic;
use arcbatt::record::live::{self, Status};
use arcbatt::record::{Kind, Record, RecordError};
use arcbatt::store::StoreError;
use arcbatt::{JobError, Mode, Pool};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::follow::{self, Outline};
use crate::sets::Sets;
use crate::work;

/// A request to start a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Called `what` by earlier versions.
    #[serde(default, alias = "what")]
    pub(crate) kind: Kind,
    /// Name of a data set.
    pub(crate) data: String,
    /// Program text. By default a run uses the built-in programs, a solve none, a search those of the store.
    #[serde(default)]
    pub(crate) programs: Option<String>,
    #[serde(default)]
    pub(crate) all_pairs: bool,
    /// Limit for each task: the time after which programs are stopped, or the CPU time of a solve or a search
    /// on a typical machine.
    #[serde(default)]
    pub(crate) seconds: Option<f64>,
    /// Seconds for the whole solve or search, instead of a limit for each task.
    #[serde(default)]
    pub(crate) budget: Option<f64>,
    /// How a search makes programs.
    #[serde(default)]
    pub(crate) mode: Option<Mode>,
}

impl Request {
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(if self.kind == Kind::Run { 60.0 } else { 1.0 })
    }

    /// Checks the request, and returns the number of tasks.
    fn check(&self, folder: &Path, places: &Places) -> Result<usize, RunError> {
        if !(0.001..=86_400.0).contains(&self.seconds()) {
            return Err(RunError::Limit);
        }
        Ok(work::job(self, folder, places)?.check()?)
    }
}

/// The progress of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Progress {
    pub(crate) name: String,
    /// Name for display, which the user can change; the path of the record for a run of another process.
    pub(crate) title: String,
    /// When it was started, in milliseconds since 1970; `None` for a run of another process.
    pub(crate) started: Option<u64>,
    pub(crate) kind: Kind,
    pub(crate) data: String,
    pub(crate) all_pairs: bool,
    /// True if it was started here, and can be paused and stopped.
    pub(crate) here: bool,
    pub(crate) state: State,
    pub(crate) done: usize,
    pub(crate) total: usize,
    pub(crate) solved: usize,
    pub(crate) tried: u64,
    pub(crate) seconds: f64,
    /// Changes with every new record; `None` before the first.
    pub(crate) record: Option<u64>,
    pub(crate) error: Option<String>,
    /// The last problem that did not end the job.
    pub(crate) warning: Option<String>,
}

impl Progress {
    pub(crate) fn set_status(&mut self, status: Status) {
        let Status { kind, data, seconds, done, total, solved, tried, left: _, machines: _ } = status;
        (self.kind, self.data, self.seconds) = (kind, data, seconds);
        (self.done, self.solved, self.tried) = (done, solved, tried);
        // The number of tasks is known before the job has counted them.
        self.total = self.total.max(total);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// Waits for the runs before it.
    Waiting,
    Running,
    /// Paused by the user; it can resume from its record.
    Paused,
    Finished,
    /// Stopped by the user; the record has the results so far.
    Stopped,
    Failed,
    /// Its process ended before the run did.
    Interrupted,
}

impl State {
    pub(crate) fn is_busy(self) -> bool {
        matches!(self, State::Waiting | State::Running)
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("there is no run called {0}")]
    Unknown(String),
    #[error("{0} is running")]
    Busy(String),
    #[error("{0} is not running")]
    Idle(String),
    #[error("{0} has no record yet")]
    Unfinished(String),
    #[error("{0} belongs to another process")]
    Foreign(String),
    #[error("{0} is not finished; stop it first")]
    Unstopped(String),
    #[error("a name needs 1 to {MAX_TITLE} characters in one line")]
    Title,
    #[error("{0}: there is a run with this name; choose another")]
    TitleTaken(String),
    #[error("{} has {file}, which is not a file of a run; move it away first", folder.display())]
    OtherFile { folder: PathBuf, file: String },
    #[error("the limit for a task must be between 0.001 seconds and one day")]
    Limit,
    #[error("{0}")]
    Data(String),
    #[error("{0}")]
    Unstorable(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// All runs. Only one run that is started here works at a time, because they share one thread pool.
pub(crate) struct Runs {
    /// Folder for runs that are started here.
    folder: PathBuf,
    places: Places,
    known: Mutex<BTreeMap<String, Arc<Run>>>,
    queue: Mutex<Sender<Arc<Run>>>,
    /// Counts all changes.
    changes: Arc<watch::Sender<u64>>,
}

/// Where jobs find data and programs.
#[derive(Clone)]
pub(crate) struct Places {
    pub(crate) sets: Arc<Sets>,
    /// Store for searches.
    pub(crate) store: PathBuf,
}

/// A run, started here or by another process.
pub(crate) struct Run {
    /// `None` for a run of another process.
    pub(crate) request: Option<Request>,
    /// Path of its record, which may not exist yet.
    pub(crate) record: PathBuf,
    progress: watch::Sender<Progress>,
    changes: Arc<watch::Sender<u64>>,
    /// Tells the worker to end the run.
    halt: AtomicBool,
    /// Whether it ends because of a pause.
    pause: AtomicBool,
}

const REQUEST: &str = "request.json";
pub(crate) const RECORD: &str = "record.json";
/// The file with the final state of a run that ended normally.
const STATE: &str = "state.json";
/// The file with the name that the user sees.
const TITLE: &str = "title.txt";
/// The first parts of the names of all files of a run. Jobs put more files next to their record and submission.
const FILES: [&str; 5] = [REQUEST, RECORD, STATE, TITLE, work::SUBMISSION];
/// Maximum length of a title in characters.
const MAX_TITLE: usize = 80;

impl Runs {
    /// Opens the runs of a folder, which is created if necessary, and starts to follow the records of other
    /// processes in it and in the folders `follow`.
    pub(crate) fn open(
        folder: PathBuf,
        follow: Vec<PathBuf>,
        places: Places,
        pool: Pool,
    ) -> io::Result<Arc<Runs>> {
        fs::create_dir_all(&folder)?;
        let changes = Arc::new(watch::Sender::new(0));
        let mut known = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if let Some(run) = Run::read(&path, &changes) {
                known.insert(run.name(), Arc::new(run));
            }
        }
        let (queue, jobs) = channel::<Arc<Run>>();
        let (pool, places_of_jobs) = (Arc::new(pool), places.clone());
        std::thread::Builder::new().name("runs".to_owned()).spawn(move || {
            for run in jobs {
                run.work(&pool, &places_of_jobs);
            }
        })?;
        let folders = std::iter::once(folder.clone()).chain(follow).collect();
        let runs =
            Arc::new(Runs { folder, places, known: Mutex::new(known), queue: Mutex::new(queue), changes });
        follow::start(folders, &runs)?;
        Ok(runs)
    }

    /// Returns runs started here, the newest first, then those of other processes.
    pub(crate) fn list(&self) -> Vec<Progress> {
        let mut all: Vec<Progress> = self.known().values().rev().map(|run| run.now()).collect();
        all.sort_by_key(|run| !run.here);
        all
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn start(&self, request: Request) -> Result<Progress, RunError> {
        let total = request.check(&self.folder, &self.places)?;
        let mut known = self.known();
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let name = (0..).map(|k| format!("run-{seconds:012}-{k:03}")).find(|name| !known.contains_key(name));
        let name = name.unwrap_or_default();
        let folder = self.folder.join(&name);
        let about = format!("{} {}", request.kind.name(), request.data);
        let titles: Vec<String> = known.values().map(|run| run.now().title).collect();
        let numbered = (2..).map(|n| format!("{about} {n}"));
        let title = std::iter::once(about.clone()).chain(numbered).find(|title| !titles.contains(title));
        fs::create_dir_all(&folder)?;
        write_atomic(&folder.join(TITLE), title.unwrap_or(about).as_bytes())?;
        write_atomic(
            &folder.join(REQUEST),
            serde_json::to_string(&request).map_err(io::Error::from)?.as_bytes(),
        )?;
        let run = Arc::new(Run::new(&name, request, &folder, &self.changes));
        run.change(|now| (now.state, now.total) = (State::Waiting, total));
        known.insert(name, Arc::clone(&run));
        drop(known);
        self.enqueue(run)
    }

    /// Resumes a run that is paused, stopped or interrupted.
    pub(crate) fn resume(&self, name: &str) -> Result<Progress, RunError> {
        let run = self.own(name)?;
        if live::read(&run.record)?.is_some_and(|job| job.alive) {
            return Err(RunError::Busy(name.to_owned()));
        }
        run.request.as_ref().map(|request| request.check(&self.folder, &self.places)).transpose()?;
        let mut begun = false;
        run.progress.send_if_modified(|now| {
            begun = !now.state.is_busy();
            if begun {
                (now.state, now.error) = (State::Waiting, None);
            }
            begun
        });
        if !begun {
            return Err(RunError::Busy(name.to_owned()));
        }
        run.halt.store(false, Ordering::Relaxed);
        run.changed();
        self.enqueue(run)
    }

    /// Ends the work on a run and keeps its results so far. It can be resumed after a pause and after a stop.
    pub(crate) fn halt(&self, name: &str, pause: bool) -> Result<Progress, RunError> {
        let run = self.own(name)?;
        let state = run.now().state;
        if pause && !state.is_busy() {
            return Err(RunError::Idle(name.to_owned()));
        }
        run.pause.store(pause, Ordering::Relaxed);
        run.halt.store(true, Ordering::Relaxed);
        match state {
            // No worker has it, so its state is set here.
            State::Waiting if pause => run.end(State::Paused, None),
            State::Waiting | State::Paused => run.end(State::Stopped, None),
            _ => {}
        }
        Ok(run.now())
    }

    /// Changes the name that the user sees.
    pub(crate) fn rename(&self, name: &str, title: &str) -> Result<Progress, RunError> {
        let run = self.own(name)?;
        let title = title.trim();
        if title.is_empty() || title.chars().count() > MAX_TITLE || title.contains(char::is_control) {
            return Err(RunError::Title);
        }
        let known = self.known();
        if known.values().any(|other| !Arc::ptr_eq(other, &run) && other.progress.borrow().title == title) {
            return Err(RunError::TitleTaken(title.to_owned()));
        }
        write_atomic(&run.record.with_file_name(TITLE), title.as_bytes())?;
        run.change(|now| now.title = title.to_owned());
        Ok(run.now())
    }

    /// Deletes a run that was started here, with its files.
    pub(crate) fn delete(&self, name: &str) -> Result<(), RunError> {
        let run = self.own(name)?;
        if run.now().state.is_busy() || live::read(&run.record)?.is_some_and(|job| job.alive) {
            return Err(RunError::Unstopped(run.now().title));
        }
        let folder = self.folder.join(name);
        let mut files = Vec::new();
        // Check all files before the first is deleted.
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Temporary files begin with a dot.
            let known = FILES.iter().any(|known| file.trim_start_matches('.').starts_with(known));
            if !known || path.is_dir() {
                return Err(RunError::OtherFile { folder, file });
            }
            files.push(path);
        }
        files.iter().try_for_each(fs::remove_file)?;
        fs::remove_dir(&folder)?;
        self.known().remove(name);
        self.changes.send_modify(|n| *n += 1);
        Ok(())
    }

    pub(crate) fn follow(&self, name: &str) -> Result<watch::Receiver<Progress>, RunError> {
        Ok(self.run(name)?.progress.subscribe())
    }

    /// Returns the title and the record of a run.
    pub(crate) fn record(&self, name: &str) -> Result<(String, Record), RunError> {
        let record = self.recorded(name, |path| Ok(Record::read(path)?))?;
        Ok((self.run(name)?.now().title, record))
    }

    pub(crate) fn record_bytes(&self, name: &str) -> Result<Vec<u8>, RunError> {
        self.recorded(name, |path| Ok(fs::read(path)?))
    }

    fn recorded<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Path) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let path = &self.run(name)?.record;
        if path.exists() { read(path) } else { Err(RunError::Unfinished(name.to_owned())) }
    }

    /// Finds a run by name. Only listed runs have paths, so a name cannot lead to other files.
    fn run(&self, name: &str) -> Result<Arc<Run>, RunError> {
        self.known().get(name).cloned().ok_or_else(|| RunError::Unknown(name.to_owned()))
    }

    fn own(&self, name: &str) -> Result<Arc<Run>, RunError> {
        let run = self.run(name)?;
        if run.request.is_some() { Ok(run) } else { Err(RunError::Foreign(name.to_owned())) }
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Run>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates, adds or removes a run of another process.
    pub(crate) fn update(&self, record: &Path, outline: Option<Outline>) {
        let name = follow::name(record);
        let Some(outline) = outline else {
            if self.known().remove(&name).is_some() {
                self.changes.send_modify(|n| *n += 1);
            }
            return;
        };
        let run = {
            let mut known = self.known();
            let made = || Arc::new(Run::foreign(&name, record, &self.changes));
            Arc::clone(known.entry(name.clone()).or_insert_with(made))
        };
        run.change(|now| outline.fill(now));
    }

    /// Whether the record belongs to a run that was started here.
    pub(crate) fn is_own(&self, record: &Path) -> bool {
        self.known().values().any(|run| run.request.is_some() && run.record == record)
    }

    fn enqueue(&self, run: Arc<Run>) -> Result<Progress, RunError> {
        let now = run.now();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.send(run).map_err(io::Error::other)?;
        Ok(now)
    }
}

impl Run {
    fn new(name: &str, request: Request, folder: &Path, changes: &Arc<watch::Sender<u64>>) -> Run {
        let (kind, data, all_pairs) = (request.kind, request.data.clone(), request.all_pairs);
        let run = Run::foreign(name, &folder.join(RECORD), changes);
        let title = fs::read_to_string(folder.join(TITLE)).unwrap_or_else(|_| name.to_owned());
        // A name begins with the time, see `Runs::start`.
        let seconds = name.split('-').nth(1).and_then(|seconds| seconds.parse::<u64>().ok());
        run.change(|now| {
            now.title = title;
            now.started = seconds.map(|seconds| seconds.saturating_mul(1000));
            now.kind = kind;
            now.data = data;
            now.all_pairs = all_pairs;
            now.here = true;
        });
        Run { request: Some(request), ..run }
    }

    fn foreign(name: &str, record: &Path, changes: &Arc<watch::Sender<u64>>) -> Run {
        let initial = Progress {
            name: name.to_owned(),
            title: record.display().to_string(),
            started: None,
            kind: Kind::Run,
            data: String::new(),
            all_pairs: false,
            here: false,
            state: State::Interrupted,
            done: 0,
            total: 0,
            solved: 0,
            tried: 0,
            seconds: 0.0,
            record: None,
            error: None,
            warning: None,
        };
        Run {
            request: None,
            record: record.to_owned(),
            progress: watch::Sender::new(initial),
            changes: Arc::clone(changes),
            halt: AtomicBool::new(false),
            pause: AtomicBool::new(false),
        }
    }

    /// Reads a run of an earlier server. Returns `None` for any other folder, and for one that another server
    /// works on.
    fn read(folder: &Path, changes: &Arc<watch::Sender<u64>>) -> Option<Run> {
        #[derive(Deserialize)]
        struct Ended {
            state: State,
            error: Option<String>,
        }
        let name = folder.file_name()?.to_str()?;
        let request: Request = serde_json::from_slice(&fs::read(folder.join(REQUEST)).ok()?).ok()?;
        let record = folder.join(RECORD);
        if live::read(&record).ok()?.is_some_and(|job| job.alive) {
            return None;
        }
        let run = Run::new(name, request, folder, changes);
        let ended: Option<Ended> =
            fs::read(folder.join(STATE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(outline) = Outline::of_file(&record) {
            run.change(|now| outline.fill(now));
        }
        run.change(|now| match ended {
            Some(Ended { state, error }) => (now.state, now.error) = (state, error),
            None => now.state = State::Interrupted,
        });
        Some(run)
    }

    fn name(&self) -> String {
        self.progress.borrow().name.clone()
    }

    pub(crate) fn now(&self) -> Progress {
        self.progress.borrow().clone()
    }

    /// Changes the progress, and notifies followers if it is different.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Progress)) {
        let changed = self.progress.send_if_modified(|now| {
            let before = now.clone();
            change(now);
            *now != before
        });
        if changed {
            self.changed();
        }
    }

    fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// Whether it must end, for a pause or a stop.
    pub(crate) fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Updates the progress after the record was written.
    pub(crate) fn record_written(&self) {
        let changed = fs::metadata(&self.record).and_then(|file| file.modified()).ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.change(|now| now.record = changed.map(|time| time.as_millis() as u64));
    }

    /// Carries out the request.
    fn work(&self, pool: &Arc<Pool>, places: &Places) {
        let Some(request) = &self.request else { return };
        // A run that was stopped while waiting is still in the queue, and may be in it twice.
        if self.now().state != State::Waiting {
            return;
        }
        self.change(|now| now.state = State::Running);
        let _ = fs::remove_file(self.record.with_file_name(STATE));
        let folder = self.record.parent().unwrap_or(Path::new("."));
        let worked = work::job(request, folder, places)
            .and_then(|job| work::work(self, job, pool).map_err(RunError::from));
        match worked {
            Ok(true) => self.end(State::Finished, None),
            Ok(false) if self.pause.load(Ordering::Relaxed) => self.end(State::Paused, None),
            Ok(false) => self.end(State::Stopped, None),
            Err(error) => self.end(State::Failed, Some(error.to_string())),
        }
    }

    fn end(&self, state: State, error: Option<String>) {
        #[derive(Serialize)]
        struct Ended<'e> {
            state: State,
            error: &'e Option<String>,
        }
        let text = serde_json::to_vec(&Ended { state, error: &error }).unwrap_or_default();
        // Without this file the run counts as interrupted, and can be resumed all the same.
        let _ = write_atomic(&self.record.with_file_name(STATE), &text);
        self.change(|now| (now.state, now.error) = (state, error));
    }
}
