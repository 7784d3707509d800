//! Descriptions of jobs: plain data, the same for every front end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use batt_dsl::Limits;
use batt_search::SearchPhase;
use batt_task::Select;
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// A piece of work on a data set. It is plain data: it can be written down, sent to another machine, and started there
/// with [`Job::start`].
///
/// ```
/// # use batt_job::{Job, Work};
/// let mut job = Job::new("demo", Work::solve());
/// job.tasks.limit = Some(2);
/// let text = serde_json::to_string(&job)?;
/// assert_eq!(serde_json::from_str::<Job>(&text)?, job);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub tasks: TaskSelection,
    /// Programs to run, or to start from.
    #[serde(default)]
    pub programs: Vec<ProgramSource>,
    /// A file that maps the names of another dialect: every line says `their_name = our_name`.
    #[serde(default)]
    pub aliases: Option<PathBuf>,
    pub work: Work,
    /// Number of threads; 0 uses all cores.
    #[serde(default)]
    pub threads: usize,
    /// Bytes of memory to stay within. Solving and searching use fewer threads if that takes it.
    #[serde(default = "default_memory")]
    pub memory: u64,
    #[serde(default)]
    pub save: Save,
}

/// A data set, and which of its tasks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSelection {
    /// A name, a folder or a file.
    pub data: String,
    /// Only these tasks; all if empty.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Skip this many tasks.
    #[serde(default)]
    pub start: usize,
    /// Process at most this many tasks.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Skip broken tasks instead of refusing the data set.
    #[serde(default)]
    pub skip_bad: bool,
}

impl TaskSelection {
    pub(crate) fn select(&self) -> Select {
        Select { ids: self.ids.clone(), start: self.start, limit: self.limit }
    }
}

/// Where programs come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramSource {
    File(PathBuf),
    Text(String),
}

/// The kind of work on the tasks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Runs programs and validates their answers.
    Run(Run),
    /// Finds two attempts for every test output.
    Solve(Solve),
    /// Finds new programs and files them in a store.
    Search(Search),
}

/// How to run programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Fuel for each program and pair.
    pub fuel: u64,
    /// Seconds after which the programs of a task are stopped: a backstop for slow machines.
    pub timeout: f64,
    /// Runs every program on every task, not only on the task it is named after.
    pub all_pairs: bool,
    /// Runs a program on the later pairs too after it was wrong on a demonstration pair.
    pub all_demos: bool,
    /// Shares what several programs compute. Turning it off gives the same results, slower.
    pub sharing: bool,
    /// Uses fast kernels. Turning them off gives the same results, slower.
    pub kernels: bool,
    /// Names of programs that may be wrong on their own tasks.
    pub expect_wrong: Vec<String>,
    /// Runs everything this many times; the record describes the last run and how much the others differ.
    pub repeat: u32,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            fuel: Limits::STANDARD.fuel,
            timeout: 60.0,
            all_pairs: false,
            all_demos: false,
            sharing: true,
            kernels: true,
            expect_wrong: Vec::new(),
            repeat: 1,
        }
    }
}

/// How to solve tasks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Solve {
    pub effort: Effort,
    pub seed: u64,
    /// Steps of the search to skip.
    pub without: Vec<Step>,
    /// A store of programs: its best programs for a task are tried first, and new ones are filed in it.
    pub store: Option<PathBuf>,
}

/// How to search for programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    #[serde(default)]
    pub mode: Mode,
    #[serde(default)]
    pub effort: Effort,
    #[serde(default)]
    pub seed: u64,
    /// Where programs are read from and filed.
    pub store: PathBuf,
}

/// How much a solve or a search may use.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Fuel for each task: the result is the same on any machine.
    FuelPerTask(u64),
    /// Seconds for everything.
    Budget(f64),
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::FuelPerTask(FUEL_PER_SECOND as u64)
    }
}

impl Effort {
    /// The fuel that learners use in this much CPU time on an ordinary machine.
    pub fn cpu_time(time: Duration) -> Effort {
        Effort::FuelPerTask((time.as_secs_f64() * FUEL_PER_SECOND) as u64)
    }

    /// The fuel that a task may use; `None` if only time limits it.
    pub fn fuel(self) -> Option<u64> {
        match self {
            Effort::FuelPerTask(fuel) => Some(fuel),
            Effort::Budget(_) => None,
        }
    }

    /// The time for everything; `None` if only fuel limits it.
    pub fn budget(self) -> Option<Duration> {
        match self {
            Effort::FuelPerTask(_) => None,
            Effort::Budget(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        }
    }
}

/// Fuel that learners use in a second of CPU time on an ordinary machine.
pub const FUEL_PER_SECOND: f64 = 80e6;

/// A step of solving that can be skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Programs built from the task's own values.
    Enumerate,
    /// Programs bred from known ones.
    Breed,
}

impl Step {
    pub(crate) fn phase(self) -> SearchPhase {
        match self {
            Step::Enumerate => SearchPhase::Enumerate,
            Step::Breed => SearchPhase::Breed,
        }
    }
}

/// How new programs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Changes known programs step by step and keeps what comes closer to a task.
    #[default]
    Breed,
    /// Builds programs from the task: values of growing depth on all inputs at once.
    Enumerate,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Breed => "breed",
            Mode::Enumerate => "enumerate",
        }
    }
}

/// Output files of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Save {
    /// Two attempts for each test input: Kaggle's JSON, or the CSV of 2020 if the name ends in `.csv`. A solve keeps its
    /// progress beside it, in FILE.state.
    pub submission: Option<PathBuf>,
    /// The JSON record of the job.
    pub record: Option<PathBuf>,
    /// A page for the browser.
    pub report: Option<PathBuf>,
    /// The programs behind the attempts of a solve.
    pub programs: Option<PathBuf>,
    /// Where the time goes; kept in the record.
    pub profile: Profiling,
    /// Keeps every stamped interval in a file beside the record.
    pub events: bool,
    /// Policy for files that already exist.
    pub existing: Existing,
}

impl Save {
    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        let Save { submission, record, report, programs, .. } = self;
        [submission, record, report, programs].into_iter().all(Option::is_none)
    }

    /// The file that holds the progress of a solve.
    pub fn state_of(submission: &Path) -> PathBuf {
        with_suffix(submission, ".state")
    }

    /// Where the record goes: the file that was named, or a temporary one beside the report that is made from it.
    pub(crate) fn record_file(&self) -> Option<PathBuf> {
        let beside = |report: &PathBuf| {
            let name = report.file_name().unwrap_or_default().to_string_lossy();
            report.with_file_name(format!(".{name}.{}.record.part", std::process::id()))
        };
        self.record.clone().or_else(|| self.report.as_ref().map(beside))
    }

    /// The file of stamped intervals.
    pub(crate) fn events_file(&self) -> Option<PathBuf> {
        self.record.as_ref().filter(|_| self.events).map(|record| record.with_extension("events.jsonl"))
    }

    /// Whether times are recorded.
    pub(crate) fn is_profiled(&self) -> bool {
        self.profile != Profiling::Off || self.report.is_some()
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// How closely to record where the time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profiling {
    #[default]
    Off,
    /// A stamp for every node of the plan.
    Nodes,
    /// A stamp for every call of a primitive: exact, and slower.
    Calls,
}

/// Policy for files that already exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Existing {
    /// Continues the same job; refuses to touch the files of another one.
    #[default]
    Continue,
    /// Continues, and fails if there is nothing to continue from.
    Resume,
    /// Starts anew and replaces the files.
    Overwrite,
}

/// Counted for each thread: the 96 MB of values that enumeration may keep, several times what the largest grids take,
/// and its share of what searches remember.
pub const MEMORY_PER_THREAD: u64 = 400 << 20;
/// Which part of the memory is for what searches remember.
const REMEMBERED: u64 = 4;

fn default_memory() -> u64 {
    Job::DEFAULT_MEMORY
}

impl Work {
    pub fn run() -> Work {
        Work::Run(Run::default())
    }

    pub fn solve() -> Work {
        Work::Solve(Solve::default())
    }

    pub fn kind(&self) -> batt_record::Kind {
        match self {
            Work::Run(_) => batt_record::Kind::Run,
            Work::Solve(_) => batt_record::Kind::Solve,
            Work::Search(_) => batt_record::Kind::Search,
        }
    }

    pub(crate) fn effort(&self) -> Option<Effort> {
        match self {
            Work::Run(_) => None,
            Work::Solve(solve) => Some(solve.effort),
            Work::Search(search) => Some(search.effort),
        }
    }
}

impl Job {
    pub const DEFAULT_MEMORY: u64 = 4 << 30;

    /// A job on all tasks of a data set, with default options, that writes no file.
    pub fn new(data: &str, work: Work) -> Job {
        let tasks =
            TaskSelection { data: data.to_owned(), ids: Vec::new(), start: 0, limit: None, skip_bad: false };
        let save = Save::default();
        Job {
            tasks,
            programs: Vec::new(),
            aliases: None,
            work,
            threads: 0,
            memory: Job::DEFAULT_MEMORY,
            save,
        }
    }

    /// Whether the job keeps files that it can continue from: a solve its submission, others their record.
    pub fn is_resumable(&self) -> bool {
        match self.work {
            Work::Solve(_) => self.save.submission.is_some(),
            Work::Run(_) | Work::Search(_) => self.save.record.is_some(),
        }
    }

    /// Checks all that can be checked without reading a file. Errors name the field and what to write instead.
    pub fn validate(&self) -> Result<(), JobError> {
        let wrong = |field: &'static str, remedy: String| Err(JobError::Field { field, remedy });
        if let Work::Run(run) = &self.work {
            if !(0.001..=86_400.0).contains(&run.timeout) {
                return wrong(
                    "timeout",
                    "a task needs between a thousandth of a second and a day".to_owned(),
                );
            }
            if run.repeat == 0 {
                return wrong("repeat", "give 1 or more".to_owned());
            }
        }
        if let Some(Effort::Budget(seconds)) = self.work.effort()
            && !(seconds > 0.0 && seconds < 1e9)
        {
            return wrong("budget", "give a time above zero, such as 12h, 90m or 10s".to_owned());
        }
        if self.memory < MEMORY_PER_THREAD {
            let least = MEMORY_PER_THREAD >> 20;
            return wrong("memory", format!("give at least {least}MB, which one thread may need"));
        }
        let Save { submission, record, report, programs, profile, events, existing } = &self.save;
        if *profile != Profiling::Off && record.is_none() && report.is_none() {
            return wrong("profile", "it is kept in the record; name a record file as well".to_owned());
        }
        if *events && (*profile == Profiling::Off || !matches!(self.work, Work::Run(_)) || record.is_none()) {
            return wrong("events", "they need a run with a profile and a record file".to_owned());
        }
        if programs.is_some() && !matches!(self.work, Work::Solve(_)) {
            return wrong("programs", "only a solve exports programs; leave it out".to_owned());
        }
        if submission.is_some() && matches!(self.work, Work::Search(_)) {
            return wrong("submission", "a search writes none; use a solve".to_owned());
        }
        if *existing == Existing::Resume && !self.is_resumable() {
            let file = if matches!(self.work, Work::Solve(_)) { "submission" } else { "record" };
            return wrong("resume", format!("name the {file} file to continue from"));
        }
        Ok(())
    }

    /// The number of threads that the memory allows.
    pub(crate) fn usable_threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if self.threads == 0 { cores } else { self.threads };
        match self.work {
            Work::Run(_) => wanted,
            _ => wanted.min((self.memory / MEMORY_PER_THREAD) as usize).max(1),
        }
    }

    /// Memory for what searches remember. It does not depend on the threads, or the results would.
    pub(crate) fn remembered_bytes(&self) -> u64 {
        self.memory / REMEMBERED
    }
}
