//! The runs of this machine: a folder with a subfolder for each, which holds what was asked for and, once there is
//! one, the record. A server that is started again finds all of them; a run that nobody finished can be asked for
//! again, and comes to the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use arcbatt::battery::{Battery, Pool, Setup, Summary, Watch};
use arcbatt::document::{self, Made};
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Program};
use arcbatt::record::{self, Record, RecordError};
use arcbatt::task::write_aside;
use arcbatt::trace::{Clock, Level, Spot};
use arcbatt::{DEMO_PROGRAMS, profile};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::check::named;

/// What somebody wants to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The name of a data set.
    data: String,
    /// Text; left out, the programs of the built-in set.
    #[serde(default)]
    programs: Option<String>,
    #[serde(default)]
    all_pairs: bool,
}

/// How far a run is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Progress {
    name: String,
    data: String,
    all_pairs: bool,
    state: State,
    done: usize,
    total: usize,
    solved: usize,
    error: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// For the runs before it.
    Waiting,
    Running,
    Finished,
    /// By its reader; the record has the tasks that were through.
    Stopped,
    Failed,
    /// The server ended before the run did.
    Interrupted,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("there is no run called {0}")]
    Unknown(String),
    #[error("{0} is running")]
    Busy(String),
    #[error("{0} has no record yet")]
    Unfinished(String),
    #[error("{0}")]
    Data(String),
    #[error("{0}")]
    Programs(String),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// All runs. One is at work at a time: there is one pool, and two runs on it would take each other's time.
pub(crate) struct Runs {
    folder: PathBuf,
    known: Mutex<BTreeMap<String, Arc<Run>>>,
    queue: Mutex<Sender<Arc<Run>>>,
}

struct Run {
    request: Request,
    folder: PathBuf,
    news: watch::Sender<Progress>,
    stop: AtomicBool,
}

const REQUEST: &str = "request.json";
const RECORD: &str = "record.json";

impl Runs {
    /// The runs of a folder, which is made if it is not there.
    pub(crate) fn open(folder: PathBuf, pool: Pool) -> io::Result<Arc<Runs>> {
        fs::create_dir_all(&folder)?;
        let mut known = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if let Some(run) = Run::read(&path) {
                known.insert(run.name(), Arc::new(run));
            }
        }
        let (queue, jobs) = channel::<Arc<Run>>();
        // The thread of the runs; programs can nest function calls deeply.
        std::thread::Builder::new().name("runs".to_owned()).stack_size(256 << 20).spawn(move || {
            for run in jobs {
                run.work(&pool);
            }
        })?;
        Ok(Arc::new(Runs { folder, known: Mutex::new(known), queue: Mutex::new(queue) }))
    }

    /// The newest first.
    pub(crate) fn list(&self) -> Vec<Progress> {
        self.known().values().rev().map(|run| run.news.borrow().clone()).collect()
    }

    pub(crate) fn start(&self, request: Request) -> Result<Progress, RunError> {
        // What cannot be run is told at once.
        let total = named(&request.data)?.len();
        programs(&request)?;
        let mut known = self.known();
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let name = (0..).map(|k| format!("run-{seconds:012}-{k:03}")).find(|name| !known.contains_key(name));
        let name = name.unwrap_or_default();
        let folder = self.folder.join(&name);
        fs::create_dir_all(&folder)?;
        write_aside(
            &folder.join(REQUEST),
            serde_json::to_string(&request).map_err(io::Error::from)?.as_bytes(),
        )?;
        let run = Arc::new(Run::new(&name, request, folder, State::Waiting, total));
        known.insert(name, Arc::clone(&run));
        drop(known);
        self.enqueue(run)
    }

    /// Runs again what was not finished: the same programs on the same tasks.
    pub(crate) fn resume(&self, name: &str) -> Result<Progress, RunError> {
        let run = self.run(name)?;
        let total = named(&run.request.data)?.len();
        let mut begun = false;
        run.news.send_if_modified(|now| {
            begun = !matches!(now.state, State::Waiting | State::Running);
            if begun {
                *now =
                    Progress { state: State::Waiting, done: 0, solved: 0, total, error: None, ..now.clone() };
            }
            begun
        });
        if !begun {
            return Err(RunError::Busy(name.to_owned()));
        }
        run.stop.store(false, Ordering::Relaxed);
        self.enqueue(run)
    }

    pub(crate) fn stop(&self, name: &str) -> Result<Progress, RunError> {
        let run = self.run(name)?;
        run.stop.store(true, Ordering::Relaxed);
        let now = run.news.borrow().clone();
        Ok(now)
    }

    pub(crate) fn follow(&self, name: &str) -> Result<watch::Receiver<Progress>, RunError> {
        Ok(self.run(name)?.news.subscribe())
    }

    pub(crate) fn record(&self, name: &str) -> Result<Record, RunError> {
        Ok(Record::parse(&self.record_bytes(name)?)?)
    }

    pub(crate) fn record_bytes(&self, name: &str) -> Result<Vec<u8>, RunError> {
        match fs::read(self.run(name)?.folder.join(RECORD)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(RunError::Unfinished(name.to_owned()))
            }
            read => Ok(read?),
        }
    }

    /// Only what is in the list has a path, so no name leads anywhere else.
    fn run(&self, name: &str) -> Result<Arc<Run>, RunError> {
        self.known().get(name).cloned().ok_or_else(|| RunError::Unknown(name.to_owned()))
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Run>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, run: Arc<Run>) -> Result<Progress, RunError> {
        let now = run.news.borrow().clone();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.send(run).map_err(io::Error::other)?;
        Ok(now)
    }
}

impl Run {
    fn new(name: &str, request: Request, folder: PathBuf, state: State, total: usize) -> Run {
        let progress = Progress {
            name: name.to_owned(),
            data: request.data.clone(),
            all_pairs: request.all_pairs,
            state,
            done: 0,
            total,
            solved: 0,
            error: None,
        };
        Run { request, folder, news: watch::Sender::new(progress), stop: AtomicBool::new(false) }
    }

    /// A run that an earlier server left. A folder that holds something else is none.
    fn read(folder: &Path) -> Option<Run> {
        let name = folder.file_name()?.to_str()?;
        let request: Request = serde_json::from_slice(&fs::read(folder.join(REQUEST)).ok()?).ok()?;
        let run = Run::new(name, request, folder.to_owned(), State::Interrupted, 0);
        if let Ok(record) = Record::read(&folder.join(RECORD)) {
            let solved = record.tasks.iter().filter(|task| is_solved(task)).count();
            run.tell(|now| {
                now.state = if record.right.left == 0 { State::Finished } else { State::Stopped };
                now.done = record.tasks.len();
                now.total = record.tasks.len() + record.right.left;
                now.solved = solved;
            });
        }
        Some(run)
    }

    fn name(&self) -> String {
        self.news.borrow().name.clone()
    }

    fn tell(&self, change: impl FnOnce(&mut Progress)) {
        self.news.send_modify(change);
    }

    /// From the request to the record.
    fn work(&self, pool: &Pool) {
        self.tell(|now| now.state = State::Running);
        // A record of an earlier attempt is none of this one.
        let _ = fs::remove_file(self.folder.join(RECORD));
        let end = self.try_work(pool);
        self.tell(|now| match end {
            Ok(0) => now.state = State::Finished,
            Ok(_) => now.state = State::Stopped,
            Err(error) => (now.state, now.error) = (State::Failed, Some(error.to_string())),
        });
    }

    /// How many tasks are left.
    fn try_work(&self, pool: &Pool) -> Result<usize, RunError> {
        let trace = profile::trace(Clock::real(), Level::Nodes, None);
        let span = trace.enter(Spot::PARSE);
        let programs = programs(&self.request)?;
        drop(span);
        trace.start_workers(pool.threads());
        let span = trace.enter(Spot::LOAD);
        let index = named(&self.request.data)?;
        drop(span);
        let span = trace.enter(Spot::MERGE);
        let battery = Battery::new(&programs, index.ids());
        drop(span);
        let path = self.folder.join(RECORD);
        let mut tasks = record::Tasks::new(&path)?;
        let mut summary = Summary::new();
        let (mut broken, mut failed) = (None, None);
        let limits = Limits::STANDARD;
        let setup = Setup {
            limits,
            all_pairs: self.request.all_pairs,
            go_on: false,
            sharing: true,
            kernels: true,
            answers: true,
            watch: self,
            trace: Some(&trace),
        };
        let loaded = index.tasks(0).map_while(|task| task.map_err(|error| broken = Some(error)).ok());
        battery.run(pool, loaded, &setup, |task, result| {
            let span = trace.enter(Spot::SUM_UP);
            summary.add(task, &result);
            drop(span);
            if result.finished {
                let _span = trace.enter(Spot::WRITE);
                let entry = document::task(&battery, task, &result);
                if is_solved(&entry) {
                    self.tell(|now| now.solved += 1);
                }
                failed = failed.take().or(tasks.add(&entry).err());
            }
        });
        if let Some(error) = broken {
            return Err(RunError::Data(error.to_string()));
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        summary.left = index.len() - summary.tasks;
        let options = record::Options {
            fuel: limits.fuel,
            seconds: 0,
            all_pairs: self.request.all_pairs,
            go_on: false,
        };
        let (data, threads) = (self.request.data.as_str(), pool.threads());
        let made = Made { data, options, threads, sharing: true, kernels: true };
        let record = document::record(&made, &battery, &summary, &tasks);
        let profile = || Some(Box::new(profile::profile(trace.finish(), &battery, 0, &[], None)));
        tasks.write(&record, profile)?;
        Ok(summary.left)
    }
}

impl Watch for Run {
    /// Fuel bounds every program; the flag is for readers who have seen enough.
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        Some(&self.stop)
    }

    fn done(&self, _: usize, _: &str) {
        self.tell(|now| now.done += 1);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// One of the two attempts at each test output is right.
fn is_solved(task: &record::Task) -> bool {
    let mut right = task
        .test
        .iter()
        .zip(&task.attempts)
        .map(|(example, both)| example.output.as_ref().is_some_and(|output| both.contains(output)));
    !task.test.is_empty() && right.all(|it| it)
}

fn programs(request: &Request) -> Result<Vec<Program>, RunError> {
    let text = match &request.programs {
        Some(text) => text.as_str(),
        None if request.data == "demo" => DEMO_PROGRAMS,
        None => {
            return Err(RunError::Programs("which programs? Only the built-in set has its own".to_owned()));
        }
    };
    let parsed = lang::parse(text);
    let errors = parsed.problems.iter().filter(|it| it.severity == lang::Severity::Error).count();
    match parsed.programs.is_empty() {
        true => {
            Err(RunError::Programs(format!("there is no usable program in the text, and {errors} errors")))
        }
        false => Ok(parsed.programs),
    }
}
