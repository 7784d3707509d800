//! Descriptions of jobs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use batt_dsl::Limits;
use batt_search::SearchPhase;
use batt_task::Select;
use serde::{Deserialize, Serialize};

use crate::devices::DeviceChoice;
use crate::error::JobError;
use crate::shard::Shard;

/// A piece of work on a data set. It is plain data, so it can be stored as JSON, sent to another machine, and started
/// there with [`Job::start`].
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
    /// Programs to run, or to start a solve or a search from.
    #[serde(default)]
    pub programs: Vec<ProgramSource>,
    /// A file of aliases for another dialect. Each line is `their_name = our_name`.
    #[serde(default)]
    pub aliases: Option<PathBuf>,
    pub work: Work,
    /// Number of threads; 0 uses all cores.
    #[serde(default)]
    pub threads: usize,
    /// Memory limit in bytes. Solves and searches use fewer threads to stay within it.
    #[serde(default = "default_memory")]
    pub memory: u64,
    /// Devices, such as GPUs, that may help. They do not change the results.
    #[serde(default)]
    pub devices: DeviceChoice,
    #[serde(default)]
    pub save: Save,
    /// The command that started the job, for its record.
    #[serde(default)]
    pub command: Option<String>,
}

/// A data set, and the tasks to select from it.
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
    /// Process only this shard of the tasks above; all if `None`.
    #[serde(default)]
    pub shard: Option<Shard>,
}

impl TaskSelection {
    /// Returns the selection of all tasks of a data set.
    pub fn all(data: &str) -> TaskSelection {
        TaskSelection {
            data: data.to_owned(),
            ids: Vec::new(),
            start: 0,
            limit: None,
            skip_bad: false,
            shard: None,
        }
    }

    pub(crate) fn select(&self) -> Select {
        Select { ids: self.ids.clone(), start: self.start, limit: self.limit }
    }
}

/// A source of programs.
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
    /// Runs programs and checks their answers.
    Run(Run),
    /// Finds two attempts for every test output.
    Solve(Solve),
    /// Finds new programs and adds them to a store.
    Search(Search),
}

/// Options of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Fuel for each program and pair.
    pub fuel: u64,
    /// Seconds after which the programs of a task are stopped, even if fuel is left.
    pub timeout: f64,
    /// Runs every program on every task, not only on the task it is named after.
    pub all_pairs: bool,
    /// Runs a program on later pairs even after it was wrong on a demonstration pair.
    pub all_demos: bool,
    /// Computes calls that several programs share only once. Turning it off gives the same results, slower.
    pub sharing: bool,
    /// Uses fast kernels. Turning them off gives the same results, slower.
    pub kernels: bool,
    /// Names of programs that may be wrong on their own tasks.
    pub expect_wrong: Vec<String>,
    /// Number of repetitions. The record describes the last one, and has the times of the others.
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

/// Options of a solve.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Solve {
    pub effort: Effort,
    pub seed: u64,
    /// Steps of the search to skip.
    pub without: Vec<Step>,
    /// A store of programs. Its best programs for a task are tried first, and new ones are added to it.
    pub store: Option<PathBuf>,
}

/// Options of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    #[serde(default)]
    pub mode: Mode,
    #[serde(default)]
    pub effort: Effort,
    #[serde(default)]
    pub seed: u64,
    /// The store that programs are read from and added to.
    pub store: PathBuf,
}

/// The effort that a solve or a search may spend.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Fuel for each task: the result is the same on any machine.
    FuelPerTask(u64),
    /// Seconds for the whole job.
    Budget(f64),
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::FuelPerTask(FUEL_PER_SECOND as u64)
    }
}

impl Effort {
    /// Returns the fuel that learners use in this CPU time on a typical machine.
    pub fn cpu_time(time: Duration) -> Effort {
        Effort::FuelPerTask((time.as_secs_f64() * FUEL_PER_SECOND) as u64)
    }

    /// Returns the fuel for each task; `None` if only time limits it.
    pub fn fuel(self) -> Option<u64> {
        match self {
            Effort::FuelPerTask(fuel) => Some(fuel),
            Effort::Budget(_) => None,
        }
    }

    /// Returns the time for the whole job; `None` if only fuel limits it.
    pub fn budget(self) -> Option<Duration> {
        match self {
            Effort::FuelPerTask(_) => None,
            Effort::Budget(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        }
    }
}

/// Fuel that learners use in one second of CPU time on a typical machine.
pub const FUEL_PER_SECOND: f64 = 80e6;

/// A step of solving that can be skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Builds programs from the task's own values.
    Enumerate,
    /// Breeds programs from known ones.
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

/// The method of making new programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Changes known programs step by step and keeps those that come closer to a task.
    #[default]
    Breed,
    /// Builds programs from the task's own values, from small to large.
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
    /// Two attempts for each test input, in Kaggle's JSON, or in the CSV format of 2020 if the name ends in `.csv`. A
    /// solve saves its progress next to it, in FILE.state.
    pub submission: Option<PathBuf>,
    /// The JSON record of the job.
    pub record: Option<PathBuf>,
    /// An HTML report.
    pub report: Option<PathBuf>,
    /// The programs behind the attempts of a solve.
    pub programs: Option<PathBuf>,
    /// Writes the learned rules of these programs out as ordinary programs, where that is possible.
    pub resolved: bool,
    /// Whether the record has a profile.
    pub profile: Profiling,
    /// Writes every timed interval to a file next to the record.
    pub events: bool,
    /// Policy for existing files.
    pub existing: Existing,
}

impl Save {
    /// Returns whether the job writes no file.
    pub fn is_empty(&self) -> bool {
        let Save { submission, record, report, programs, .. } = self;
        [submission, record, report, programs].into_iter().all(Option::is_none)
    }

    /// Returns the path of the file that holds the progress of a solve.
    pub fn state_of(submission: &Path) -> PathBuf {
        with_suffix(submission, ".state")
    }

    /// Returns the path of the record: the given file, or a temporary one next to the report that is made from it.
    pub(crate) fn record_file(&self) -> Option<PathBuf> {
        let temporary = |report: &PathBuf| {
            let name = report.file_name().unwrap_or_default().to_string_lossy();
            report.with_file_name(format!(".{name}.{}.record.part", std::process::id()))
        };
        self.record.clone().or_else(|| self.report.as_ref().map(temporary))
    }

    /// Returns the path of the file of timed intervals.
    pub(crate) fn events_file(&self) -> Option<PathBuf> {
        self.record.as_ref().filter(|_| self.events).map(|record| record.with_extension("events.jsonl"))
    }

    /// Returns the level of detail of the recording. A report needs a profile.
    pub(crate) fn level(&self) -> Profiling {
        match self.profile {
            Profiling::Off if self.report.is_some() => Profiling::Nodes,
            level => level,
        }
    }

    /// Returns whether times are recorded.
    pub(crate) fn is_profiled(&self) -> bool {
        self.profile != Profiling::Off || self.report.is_some()
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The level of detail of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profiling {
    #[default]
    Off,
    /// Times every node of the plan.
    Nodes,
    /// Times every call of a primitive: exact, but slower.
    Calls,
}

/// Policy for existing files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Existing {
    /// Continues the same job; refuses to replace the files of another one.
    #[default]
    Continue,
    /// Continues, and fails if there is nothing to continue from.
    Resume,
    /// Starts over and replaces the files.
    Overwrite,
}

/// Memory for each thread: the 96 MB of values that enumeration may keep, several times the size of the largest grids,
/// and a share of the memory of searches.
pub const MEMORY_PER_THREAD: u64 = 400 << 20;
/// Searches may use one part in this many of the memory to remember candidates.
const SEARCH_SHARE: u64 = 4;

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

    /// Returns a job on all tasks of a data set, with default options, that writes no file.
    pub fn new(data: &str, work: Work) -> Job {
        let save = Save::default();
        Job {
            tasks: TaskSelection::all(data),
            programs: Vec::new(),
            aliases: None,
            work,
            threads: 0,
            memory: Job::DEFAULT_MEMORY,
            devices: DeviceChoice::default(),
            save,
            command: None,
        }
    }

    /// Returns whether the job writes files to continue from: a solve its submission, other jobs their record.
    pub fn is_resumable(&self) -> bool {
        match self.work {
            Work::Solve(_) => self.save.submission.is_some(),
            Work::Run(_) | Work::Search(_) => self.save.record.is_some(),
        }
    }

    /// Checks the description without reading any file. Errors name the field and the valid values.
    pub fn validate(&self) -> Result<(), JobError> {
        let wrong = |field: &'static str, remedy: String| Err(JobError::Field { field, remedy });
        if let Some(shard) = self.tasks.shard
            && let Err(remedy) = shard.check()
        {
            return wrong("shard", remedy);
        }
        if let Work::Run(run) = &self.work {
            if !(0.001..=86_400.0).contains(&run.timeout) {
                return wrong("timeout", "must be between 1 millisecond and 1 day".to_owned());
            }
            if run.repeat == 0 {
                return wrong("repeat", "must be at least 1".to_owned());
            }
        }
        if let Some(Effort::Budget(seconds)) = self.work.effort()
            && !(seconds > 0.0 && seconds < 1e9)
        {
            return wrong("budget", "must be above zero, such as 12h, 90m or 10s".to_owned());
        }
        if self.memory < MEMORY_PER_THREAD {
            let least = MEMORY_PER_THREAD >> 20;
            return wrong(
                "memory",
                format!("must be at least {least}MB, the amount that one thread may need"),
            );
        }
        let Save { submission, record, report, programs, resolved, profile, events, existing } = &self.save;
        if *profile != Profiling::Off && record.is_none() && report.is_none() {
            return wrong(
                "profile",
                "needs a record file, because the profile is part of the record".to_owned(),
            );
        }
        if *events && (*profile == Profiling::Off || !matches!(self.work, Work::Run(_)) || record.is_none()) {
            return wrong("events", "need a run with a profile and a record file".to_owned());
        }
        if programs.is_some() && !matches!(self.work, Work::Solve(_)) {
            return wrong("programs", "only a solve exports programs; remove this field".to_owned());
        }
        if *resolved && programs.is_none() {
            return wrong("resolved", "needs a file for the programs".to_owned());
        }
        if submission.is_some() && matches!(self.work, Work::Search(_)) {
            return wrong("submission", "a search writes no submission; use a solve".to_owned());
        }
        if *existing == Existing::Resume && !self.is_resumable() {
            let file = if matches!(self.work, Work::Solve(_)) { "submission" } else { "record" };
            return wrong("resume", format!("needs the {file} file to continue from"));
        }
        Ok(())
    }

    /// Returns the number of threads, limited by the memory.
    pub(crate) fn usable_threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if self.threads == 0 { cores } else { self.threads };
        match self.work {
            Work::Run(_) => wanted,
            _ => wanted.min((self.memory / MEMORY_PER_THREAD) as usize).max(1),
        }
    }

    /// Returns the bytes that searches may use to remember candidates. Results depend on it, so it must not depend on the
    /// number of threads.
    pub(crate) fn search_memory(&self) -> u64 {
        self.memory / SEARCH_SHARE
    }
}
