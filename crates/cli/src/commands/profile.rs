//! `batt profile`

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use arcbatt::base::time;
use arcbatt::record::Record;
use arcbatt::record::events::Reader;
use arcbatt::report::export::{self, Format};
use arcbatt::report::view::{
    Budget, Compare, Dsl, EventSums, Framework, Levers, Lines, Phases, Plan, Quota, Scale, Speedup, Tasks,
    WhatIf,
};
use arcbatt::report::{Facts, ReportError, Selection, Validity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::job::SelectArgs;
use crate::schema::Document;
use crate::{Answer, files, output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Show the cost of each primitive, and what speeding it up would save
    #[command(after_help = "Example:\n  batt profile dsl run.json -n 20")]
    Dsl(One),
    /// Show the time of all threads and devices by category
    #[command(after_help = "Example:\n  batt profile framework run.json")]
    Framework {
        /// Record with a profile (--record FILE --profile); `-` is standard input
        record: PathBuf,
        #[command(flatten)]
        print: Print,
    },
    /// Show the fixed and marginal cost of each phase, and project a larger run
    #[command(after_help = "Example:\n  batt profile phases small.json large.json --tasks 1000")]
    Phases {
        /// Records with a profile; several of different sizes separate fixed from marginal costs
        #[arg(required = true, value_name = "RECORD")]
        records: Vec<PathBuf>,
        /// Project to a run of N tasks
        #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        tasks: u32,
        #[command(flatten)]
        print: Print,
    },
    /// List tasks that take unusually long, and why
    #[command(after_help = "Example:\n  batt profile tasks run.json -k 3")]
    Tasks {
        #[command(flatten)]
        one: One,
        /// List tasks more than K standard deviations above the median
        #[arg(short, value_name = "K", default_value_t = 5.0)]
        k: f64,
    },
    /// Show the cost of each line of a program
    #[command(after_help = "Example:\n  batt profile lines run.json --program solve_007bbfb7")]
    Lines {
        #[command(flatten)]
        one: One,
        /// Name of the program, if the record has several
        #[arg(long, value_name = "NAME")]
        program: Option<String>,
    },
    /// Predict how long the run would take if something were faster, or list what would help most
    #[command(
        after_help = "Examples:\n  batt profile what-if run.json\n  batt profile what-if run.json objects=3x category:scoring=2x\n  batt profile what-if run.json device:T4=0x"
    )]
    WhatIf {
        /// Record with a profile (--record FILE --profile); `-` is standard input
        record: PathBuf,
        /// Speed-ups such as `objects=3x`, of a primitive, family, function, category or phase, or `device:T4=2x`; without
        /// any, list everything that could be faster
        #[arg(value_name = "NAME=FACTOR")]
        what: Vec<Speedup>,
        #[command(flatten)]
        print: Print,
    },
    /// Count the runs and candidates that fit into a time budget, or project a job to a cluster
    #[command(
        allow_missing_positional = true,
        after_help = "Examples:\n  batt profile budget 12h run.json --speed 0.5 --what-if objects=3x\n  batt profile budget run.json --nodes 100 --tasks 1000000"
    )]
    Budget {
        /// Time budget: 8h, 1h30m, 90s; plain numbers are seconds. Optional with --nodes, --cores or --tasks
        #[arg(value_name = "TIME", value_parser = time::parse)]
        time: Option<Duration>,
        /// Record with a profile (--record FILE --profile); `-` is standard input
        #[arg(required = true)]
        record: PathBuf,
        /// Add a row for a speed-up; can be repeated
        #[arg(long, value_name = "NAME=FACTOR", conflicts_with_all = ["nodes", "cores", "tasks"])]
        what_if: Vec<Speedup>,
        /// Usable share of the time, from 0 to 1
        #[arg(long, value_name = "SHARE", default_value_t = 1.0, requires = "time")]
        quota: f64,
        /// Project the job to N machines [default: as recorded]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        nodes: Option<u64>,
        /// Cores of each machine [default: the mean of the recorded machines, or the worker threads]
        #[arg(long, value_name = "C", value_parser = clap::value_parser!(u64).range(1..))]
        cores: Option<u64>,
        /// Project the job to T tasks [default: as recorded]
        #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..))]
        tasks: Option<u64>,
        /// Speed of the target machine, relative to the recorded one
        #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
        speed: f64,
        #[command(flatten)]
        print: Print,
    },
    /// Show what changed between two records: more work, or slower work
    #[command(after_help = "Example:\n  batt profile compare before.json after.json --fail-above 3")]
    Compare {
        /// Baseline record; `-` is standard input
        before: PathBuf,
        /// Record to compare with the baseline; `-` is standard input
        after: PathBuf,
        /// Exit with 1 if the busy time has clearly grown by more than this
        #[arg(long, value_name = "PERCENT")]
        fail_above: Option<f64>,
        #[command(flatten)]
        print: Print,
    },
    /// Sum up a file of events, written by `batt run --events`
    #[command(after_help = "Example:\n  batt profile events run.events.jsonl")]
    Events {
        /// File of events; `-` is standard input
        events: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Export a record for another profile viewer
    #[command(
        after_help = "Example:\n  batt profile export run.json --format speedscope -o run.speedscope.json"
    )]
    Export {
        /// Record with a profile (--record FILE --profile); `-` is standard input
        record: PathBuf,
        /// Format to write
        #[arg(long, value_enum)]
        format: ExportFormat,
        /// Write to FILE; `-` is standard output
        #[arg(short, long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
    },
}

/// A record, and the tasks to select from it.
#[derive(clap::Args)]
pub(crate) struct One {
    /// Record with a profile (--record FILE --profile); `-` is standard input
    record: PathBuf,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    print: Print,
}

#[derive(clap::Args)]
pub(crate) struct Print {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Exit with 0 even if the profile is invalid
    #[arg(long)]
    allow_invalid: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// One stack per line, for flame graph tools
    Folded,
    /// Flame graph as a picture
    Svg,
    /// Profile for speedscope.app
    Speedscope,
    /// Timeline for chrome://tracing and ui.perfetto.dev; of tasks, or of all events after `batt run --events`
    Chrome,
    /// Profile for profiler.firefox.com
    Firefox,
    /// Table of tasks and functions
    Csv,
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::Dsl(one) => view(one, |facts| Ok(Dsl::new(facts))),
        Command::Framework { record, print } => whole(record, print, |facts| Ok(Framework::new(facts))),
        Command::Tasks { one, k } => view(one, |facts| Tasks::new(facts, *k)),
        Command::Lines { one, program } => view(one, |facts| Lines::new(facts, program.as_deref())),
        Command::Phases { records, tasks, print } => {
            let read = records.iter().map(|path| record(path)).collect::<anyhow::Result<Vec<_>>>()?;
            let facts = records.iter().zip(&read).map(|(path, it)| facts(path, it, &Selection::default()));
            let facts = facts.collect::<anyhow::Result<Vec<_>>>()?;
            show(&facts, Phases::new(&facts, *tasks as usize)?, print)
        }
        Command::WhatIf { record, what, print } if what.is_empty() => whole(record, print, Levers::new),
        Command::WhatIf { record, what, print } => whole(record, print, |facts| WhatIf::new(facts, what)),
        Command::Budget { time, record, what_if, quota, nodes, cores, tasks, speed, print } => {
            let (share, speed, time) = (*quota, *speed, time.map(|time| time.as_nanos() as f64));
            if let Some(time) = time.filter(|_| (nodes, cores, tasks) == (&None, &None, &None)) {
                let quota = Quota { share, speed };
                return whole(record, print, |facts| Budget::new(facts, time, quota, what_if));
            }
            let (nodes, cores, tasks) = (*nodes, *cores, *tasks);
            if (nodes, cores, tasks) == (None, None, None) {
                anyhow::bail!(
                    "give a time budget (`batt profile budget 12h RECORD`), or the size of a cluster or job \
                     (`batt profile budget RECORD --nodes 100 --tasks 1000000`)"
                );
            }
            if !(share > 0.0 && share <= 1.0) {
                anyhow::bail!("--quota must be above 0 and at most 1");
            }
            let plan = Plan { nodes, cores, tasks, speed, time: time.map(|time| time * share) };
            whole(record, print, |facts| Scale::new(facts, plan))
        }
        Command::Compare { before, after, fail_above, print } => {
            let (a, b) = (record(before)?, record(after)?);
            let all = Selection::default();
            let (a, b) = (facts(before, &a, &all)?, facts(after, &b, &all)?);
            let view = Compare::new(&a, &b, *fail_above)
                .with_context(|| format!("{} and {}", before.display(), after.display()))?;
            let fine = !view.regression;
            Ok(show(&[a, b], view, print)? && fine)
        }
        Command::Events { events, json } => {
            let name = || files::label(events);
            let reader = Reader::open(files::readable(events)?).with_context(name)?;
            let view = output::phase("sum up", || EventSums::new(reader)).with_context(name)?;
            if *json {
                output::json(view)?;
            } else {
                write!(output::stdout(), "{view}")?;
            }
            Ok(true)
        }
        Command::Export { record: path, format, output } => export(path, *format, output),
    }
}

/// Reads the record of a run, a solve or a search.
pub(crate) fn record(path: &Path) -> anyhow::Result<Record> {
    let record =
        output::phase("read record", || Record::read(files::readable(path)?).map_err(anyhow::Error::new));
    let record = record.with_context(|| files::label(path))?;
    tracing::info!(file = files::label(path), tasks = record.tasks.len(), "read record");
    Ok(record)
}

fn facts<'r>(path: &Path, record: &'r Record, selection: &Selection) -> anyhow::Result<Facts<'r>> {
    Facts::new(record, selection).with_context(|| files::label(path))
}

/// Shows a view of the selected tasks of a record.
fn view<V: Display>(one: &One, make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>) -> Answer
where
    ViewDocument<V>: Document,
{
    let SelectArgs { id, n, start } = &one.select;
    let selection = Selection { ids: id.clone(), start: *start, limit: *n };
    selected(&one.record, &selection, &one.print, make)
}

/// Shows a view of a whole record.
fn whole<V: Display>(
    path: &Path,
    print: &Print,
    make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>,
) -> Answer
where
    ViewDocument<V>: Document,
{
    selected(path, &Selection::default(), print, make)
}

fn selected<V: Display>(
    path: &Path,
    selection: &Selection,
    print: &Print,
    make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>,
) -> Answer
where
    ViewDocument<V>: Document,
{
    let record = record(path)?;
    let facts = facts(path, &record, selection)?;
    let view = output::phase("answer", || make(&facts)).with_context(|| files::label(path))?;
    show(&[facts], view, print)
}

/// A view of one or more records.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ViewDocument<V> {
    /// Whether the figures can be trusted, for each record.
    validity: Vec<Validity>,
    #[serde(flatten)]
    view: V,
}

/// Prints whether the run was disturbed and whether it is valid, which decides the exit code, then the view.
fn show<V: Display>(facts: &[Facts<'_>], view: V, print: &Print) -> Answer
where
    ViewDocument<V>: Document,
{
    let validity: Vec<Validity> = facts.iter().map(Validity::new).collect();
    let valid = validity.iter().all(|validity| validity.valid);
    if print.json {
        output::json(ViewDocument { validity, view })?;
    } else {
        let mut out = output::stdout();
        // Invalid figures are printed in grey.
        let (grey, reset) = if valid || !output::colored() { ("", "") } else { ("\x1b[90m", "\x1b[0m") };
        for line in Validity::lines(&validity) {
            writeln!(out, "{line}")?;
        }
        write!(out, "{grey}{view}{reset}")?;
        out.flush()?;
    }
    Ok(valid || print.allow_invalid)
}

fn export(path: &Path, format: ExportFormat, output: &Path) -> Answer {
    let record = record(path)?;
    let facts = facts(path, &record, &Selection::default())?;
    let format = match format {
        ExportFormat::Folded => Format::Folded,
        ExportFormat::Svg => Format::Svg,
        ExportFormat::Speedscope => Format::Speedscope,
        ExportFormat::Chrome => Format::Chrome,
        ExportFormat::Firefox => Format::Firefox,
        ExportFormat::Csv => Format::Csv,
    };
    // The events are in a file next to the record; only a timeline needs them.
    let events = facts.profile.events.as_ref().filter(|_| format == Format::Chrome);
    let events = events.map(|name| path.with_file_name(name));
    let write = |out: &mut dyn Write| export::write(&facts, format, events.as_deref(), out);
    let from = || files::label(events.as_deref().unwrap_or(path));
    // Damage shows only when a recording is read to its end. Output cannot be taken back, so the recording is read once
    // before anything is printed.
    if files::is_standard(output) && events.is_some() {
        write(&mut std::io::sink()).with_context(from)?;
    }
    files::keep_existing(output)?;
    let written = files::write_with(output, |out| write(out).map_err(std::io::Error::other));
    written.map_err(|error| match error.downcast::<ReportError>() {
        Ok(error) => anyhow::Error::new(error).context(from()),
        Err(error) => anyhow::Error::new(error).context(format!("cannot write {}", output.display())),
    })?;
    Ok(true)
}
