//! `batt profile`: questions to a record.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arcbatt::found;
use arcbatt::record::Record;
use arcbatt::record::events::Reader;
use arcbatt::report::export::{self, Format};
use arcbatt::report::view::{
    Budget, Compare, Dsl, EventSums, Framework, Lines, Phases, Quota, Speedup, Tasks, WhatIf, duration,
};
use arcbatt::report::{Facts, ReportError, Selection, Validity};
use arcbatt::task::write_aside_with;
use serde::Serialize;

use crate::{Answer, output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// What each primitive costs, and what it would bring to speed it up
    Dsl(One),
    /// All time of all threads by category, every function in exactly one
    Framework {
        record: PathBuf,
        #[command(flatten)]
        print: Print,
    },
    /// Load, code generation, execution, validation, output: fixed and marginal cost, projected
    Phases {
        /// Records; with several of different sizes fixed and marginal costs are told apart
        #[arg(required = true, value_name = "RECORD")]
        records: Vec<PathBuf>,
        /// Project to a run of so many tasks
        #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        tasks: u32,
        #[command(flatten)]
        print: Print,
    },
    /// Tasks that take unlike the others, and why
    Tasks {
        #[command(flatten)]
        one: One,
        /// Outliers lie so many deviations above the median
        #[arg(short, value_name = "K", default_value_t = 5.0)]
        k: f64,
    },
    /// A program's lines with what each costs
    Lines {
        #[command(flatten)]
        one: One,
        /// Which program, where several ran
        #[arg(long, value_name = "NAME")]
        program: Option<String>,
    },
    /// How long the run would take if something were faster
    WhatIf {
        record: PathBuf,
        /// `objects=3x`: a primitive, family, function, category or phase
        #[arg(required = true, value_name = "NAME=FACTOR")]
        what: Vec<Speedup>,
        #[command(flatten)]
        print: Print,
    },
    /// How many runs and candidates fit into a time
    Budget {
        /// 8h, 90m, 30s
        #[arg(value_name = "TIME", value_parser = duration)]
        time: f64,
        record: PathBuf,
        /// And how many if something were faster; may be given several times
        #[arg(long, value_name = "NAME=FACTOR")]
        what_if: Vec<Speedup>,
        /// The part of the time that can be used
        #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
        quota: f64,
        /// How many times as fast as this machine the other one is
        #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
        speed: f64,
        #[command(flatten)]
        print: Print,
    },
    /// What changed between two recordings: more work, or slower work
    Compare {
        before: PathBuf,
        after: PathBuf,
        /// Exit code 1 if the busy time is certainly more than so many percent above
        #[arg(long, value_name = "PERCENT")]
        fail_above: Option<f64>,
        #[command(flatten)]
        print: Print,
    },
    /// Add up a file of events (`batt run --events`), of any length
    Events {
        events: PathBuf,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write a file that another program opens
    Export {
        record: PathBuf,
        #[arg(long, value_enum)]
        format: ExportFormat,
        /// Where to; standard output if left out
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// A record, and which of its tasks.
#[derive(clap::Args)]
pub(crate) struct One {
    record: PathBuf,
    /// Only these tasks
    #[arg(short, long, value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// At most so many tasks
    #[arg(short, value_name = "N")]
    n: Option<usize>,
    /// Leave out the first K tasks
    #[arg(long, value_name = "K", default_value_t = 0)]
    start: usize,
    #[command(flatten)]
    print: Print,
}

#[derive(clap::Args)]
pub(crate) struct Print {
    /// Print a JSON document
    #[arg(long)]
    json: bool,
    /// Exit with 0 although the recording is not valid
    #[arg(long)]
    allow_invalid: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// Stacks, one a line, for flame graph tools
    Folded,
    /// A flame graph
    Svg,
    /// For speedscope.app
    Speedscope,
    /// For chrome://tracing and ui.perfetto.dev; a timeline of tasks, of everything with --events
    Chrome,
    /// For profiler.firefox.com
    Firefox,
    /// Tasks times functions
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
        Command::WhatIf { record, what, print } => whole(record, print, |facts| WhatIf::new(facts, what)),
        Command::Budget { time, record, what_if, quota, speed, print } => {
            let quota = Quota { share: *quota, speed: *speed };
            whole(record, print, |facts| Budget::new(facts, *time, quota, what_if))
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
            let name = || events.display().to_string();
            let view = EventSums::new(Reader::open(events).with_context(name)?).with_context(name)?;
            if *json {
                output::json(view)?;
            } else {
                write!(output::stdout(), "{view}")?;
            }
            Ok(true)
        }
        Command::Export { record: path, format, output } => export(path, *format, output.as_deref()),
    }
}

fn record(path: &Path) -> anyhow::Result<Record> {
    found::read(path).with_context(|| path.display().to_string())
}

fn facts<'r>(path: &Path, record: &'r Record, selection: &Selection) -> anyhow::Result<Facts<'r>> {
    Facts::new(record, selection).with_context(|| path.display().to_string())
}

/// A view of the selected tasks of a record.
fn view<V: Display + Serialize>(
    one: &One,
    make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>,
) -> Answer {
    let selection = Selection { ids: one.id.clone(), start: one.start, limit: one.n };
    selected(&one.record, &selection, &one.print, make)
}

/// A view of all of a record.
fn whole<V: Display + Serialize>(
    path: &Path,
    print: &Print,
    make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>,
) -> Answer {
    selected(path, &Selection::default(), print, make)
}

fn selected<V: Display + Serialize>(
    path: &Path,
    selection: &Selection,
    print: &Print,
    make: impl FnOnce(&Facts<'_>) -> Result<V, ReportError>,
) -> Answer {
    let record = record(path)?;
    let facts = facts(path, &record, selection)?;
    let view = make(&facts).with_context(|| path.display().to_string())?;
    show(&[facts], view, print)
}

/// Whether the run is right comes first, and decides on the exit code.
fn show(facts: &[Facts<'_>], view: impl Display + Serialize, print: &Print) -> Answer {
    #[derive(Serialize)]
    struct Document<V> {
        validity: Vec<Validity>,
        #[serde(flatten)]
        view: V,
    }
    let validity: Vec<Validity> = facts.iter().map(Validity::new).collect();
    let valid = validity.iter().all(|validity| validity.valid);
    if print.json {
        output::json(Document { validity, view })?;
    } else {
        let mut out = output::stdout();
        // The timings of a wrong run are grey: it is no benchmark.
        let (grey, reset) = if valid || !output::colored() { ("", "") } else { ("\x1b[90m", "\x1b[0m") };
        for validity in &validity {
            writeln!(out, "{validity}")?;
        }
        write!(out, "{grey}{view}{reset}")?;
        out.flush()?;
    }
    Ok(valid || print.allow_invalid)
}

fn export(path: &Path, format: ExportFormat, output: Option<&Path>) -> Answer {
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
    // The events lie beside the record; a timeline alone is read from them too.
    let events = facts.profile.events.as_ref().filter(|_| format == Format::Chrome);
    let events = events.map(|name| path.with_file_name(name));
    let write = |out: &mut dyn Write| export::write(&facts, format, events.as_deref(), out);
    let from = || events.as_deref().unwrap_or(path).display().to_string();
    match output {
        Some(output) => {
            // A damaged recording shows only when it is read to its end; then no half file is left behind.
            let written = write_aside_with(output, |out| write(out).map_err(std::io::Error::other));
            written.map_err(|error| match error.downcast::<ReportError>() {
                Ok(error) => anyhow::Error::new(error).context(from()),
                Err(error) => anyhow::Error::new(error).context(format!("cannot write {}", output.display())),
            })?;
        }
        None => {
            // For the same reason it is read once before anything is printed.
            if events.is_some() {
                write(&mut std::io::sink()).with_context(from)?;
            }
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
        }
    }
    Ok(true)
}
