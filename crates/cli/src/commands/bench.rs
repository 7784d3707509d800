//! `batt bench`

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use arcbatt::base::number::count;
use arcbatt::base::{size, time};
use arcbatt::task::{Dataset, Options, demo, series};
use batt_bench::{BenchError, Comparison, Figures, Reference, Setup, WholeSetup, measure, measure_whole};

use crate::{Answer, data, files, output};

const EXAMPLES: &str = "\
Examples:
  batt bench
  batt bench --tasks arc1-training --reference ../arc-dsl
  batt bench whole --tasks arc1-training --reference ../arc-dsl
  batt bench profile --rounds 50";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Benchmark to run [default: load, parse, merge and run]
    #[arg(value_enum)]
    what: Option<Subject>,
    /// Checkout of arc-dsl to compare with, in CPython (`python3`, or the variable PYTHON)
    #[arg(long, value_name = "DIR")]
    reference: Option<PathBuf>,
    /// Data set: a name, a folder or a file [default: the built-in set]
    #[arg(long, value_name = "DATA")]
    tasks: Option<String>,
    /// Program file; each program is measured on the task it is named after; `-` is standard input [default:
    /// solvers.py of the checkout, or the built-in programs for the built-in set]
    #[arg(long, value_name = "FILE")]
    programs: Option<PathBuf>,
    /// Number of rounds [default: 5; 200 for `profile`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// In `all pairs`, run programs on all inputs of a task, even after a wrong answer
    #[arg(long)]
    all_demos: bool,
    /// In `enumerate`, measure also with this device, whose answers are waited for: the most that it can bring
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Write a JSON record of an extra run: each program on its task, on one thread
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Add timings to the record, for `batt profile`; repeats the extra run once per round
    #[arg(long, requires = "record")]
    profile: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.what == Some(Subject::Profile) { 200 } else { 5 })
    }

    /// Returns the text of the programs.
    fn text(&self) -> anyhow::Result<Cow<'static, [u8]>> {
        Ok(match self.programs()? {
            Some(path) => files::read(&path)?.into(),
            None => DEMO.as_bytes().into(),
        })
    }

    /// Returns the program file; `None` for the built-in programs.
    fn programs(&self) -> anyhow::Result<Option<PathBuf>> {
        match (&self.programs, &self.reference, &self.tasks) {
            (Some(path), ..) => Ok(Some(path.clone())),
            (None, Some(checkout), Some(_)) => Ok(Some(checkout.join("solvers.py"))),
            (None, None, Some(_)) => anyhow::bail!("--tasks needs programs; add --programs FILE"),
            (None, _, None) => Ok(None),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Subject {
    /// Overhead of the recorder, accuracy of what-if, cost of disabled logging
    Profile,
    /// Breeding: repaired programs, candidates per second, time by category
    Breed,
    /// Whole commands: CPU time from start to end, compared with CPython if `--reference` is given
    Whole,
    /// Enumeration: outputs solved by it alone, candidates per second, time by category
    Enumerate,
}

/// The programs of the built-in tasks.
const DEMO: &str = include_str!("../../../../programs/demo.py");

pub(crate) fn run(args: &Args) -> Answer {
    if args.record.is_some()
        && matches!(args.what, Some(Subject::Breed | Subject::Enumerate | Subject::Whole))
    {
        anyhow::bail!("--record is for `batt bench` alone; use `batt run` or `batt search` to record a job");
    }
    if args.device.is_some() && args.what != Some(Subject::Enumerate) {
        anyhow::bail!(
            "--device is for `batt bench enumerate`; `batt device bench` measures single operations"
        );
    }
    let answer = measured(args)?;
    if let Some(path) = &args.record {
        record(args, path)?;
    }
    Ok(answer)
}

fn measured(args: &Args) -> Answer {
    let folder = Folder::of(args.tasks.as_deref())?;
    let load = || data::open(&folder.data, &Options::STRICT);
    match args.what {
        Some(Subject::Enumerate) => super::bench_enumerate::run(&load()?, args.device.as_deref(), args.json),
        Some(Subject::Whole) => whole(args, &folder, &load()?),
        Some(Subject::Breed) => super::bench_breed::run(&load()?, &args.text()?, args.json),
        Some(Subject::Profile) => {
            super::bench_profile::run(load, &args.text()?, args.rounds() as usize, args.json)
        }
        None => times(args, &folder),
    }
}

/// Returns the command that starts CPython.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn whole(args: &Args, folder: &Folder, dataset: &Dataset) -> Answer {
    let files = Folder::new("whole");
    let programs = match args.programs()? {
        Some(path) => path,
        None => {
            std::fs::create_dir_all(&files.data).context("cannot create a temporary folder")?;
            let path = Path::new(&files.data).join("programs.py");
            std::fs::write(&path, DEMO).with_context(|| format!("cannot write {}", path.display()))?;
            path
        }
    };
    tracing::info!(tasks = folder.data, programs = %programs.display(), "measuring whole commands");
    let python = python();
    let bar = output::spinner();
    let setup = WholeSetup {
        batt: &std::env::current_exe().context("cannot find the program `batt`")?,
        dataset,
        programs: &programs,
        folder: Path::new(&files.data),
        rounds: args.rounds() as usize,
        reference: args.reference.as_deref().map(|checkout| (&*python, checkout)),
        progress: &|what| bar.iter().for_each(|bar| bar.set_message(what.to_owned())),
    };
    let figures = measure_whole(&setup);
    bar.iter().for_each(|bar| bar.finish_and_clear());
    super::bench_whole::show(figures?, args.json)
}

fn times(args: &Args, folder: &Folder) -> Answer {
    let programs = args.text()?;
    let reference = match &args.reference {
        Some(checkout) => Some(Reference::start(&python(), checkout)?),
        None => None,
    };
    let load = || data::open(&folder.data, &Options::STRICT).map_err(Into::into);
    let bar = output::spinner();
    let progress = |what: &str| {
        if let Some(bar) = &bar {
            bar.set_message(what.to_owned());
        }
    };
    let setup = Setup {
        load: &load,
        programs: &programs,
        rounds: args.rounds() as usize,
        all_demos: args.all_demos,
        progress: &progress,
    };
    let measured = measure(&setup, reference);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let figures = measured.map_err(|error| match error {
        BenchError::Load(error) => anyhow::Error::from_boxed(error),
        error => error.into(),
    })?;
    let valid = figures.valid();
    if args.json {
        output::json(figures)?;
    } else {
        print(&figures)?;
    }
    Ok(valid)
}

/// Records extra runs, after those that were measured.
fn record(args: &Args, path: &Path) -> anyhow::Result<()> {
    let mut line: Vec<OsString> = vec![args.tasks.as_deref().unwrap_or(data::DEMO).into()];
    line.extend(["--threads", "1", "--record"].map(OsString::from));
    line.push(path.into());
    if let Some(programs) = args.programs()? {
        line.extend(["--programs".into(), programs.into()]);
    }
    if args.profile {
        line.extend(["--profile", "--repeat"].map(OsString::from));
        line.push(args.rounds().to_string().into());
    }
    super::run::run_silently(&line)
}

/// The location of the tasks. Built-in tasks are written to a temporary folder, because loading from disk is measured
/// too.
struct Folder {
    data: String,
    /// The temporary folder, which is removed at the end.
    temporary: Option<PathBuf>,
}

impl Folder {
    fn of(tasks: Option<&str>) -> anyhow::Result<Folder> {
        if let Some(data) = tasks {
            return Ok(Folder { data: data.to_owned(), temporary: None });
        }
        let folder = Folder::new("tasks");
        let tasks = demo::tasks().into_iter();
        series::write_folder(Path::new(&folder.data), tasks).context("cannot write the built-in tasks")?;
        Ok(folder)
    }

    /// Names a temporary folder, which does not exist yet.
    fn new(what: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("batt-bench-{what}-{}", std::process::id()));
        Folder { data: path.display().to_string(), temporary: Some(path) }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary {
            // On failure, the system cleans up its folder of temporary files.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

fn print(figures: &Figures) -> anyhow::Result<()> {
    let mut out = output::stdout();
    print_answers(&mut out, figures)?;
    let machine = &figures.machine;
    let cpu = machine.cpu.as_deref().unwrap_or("unknown CPU");
    let reference = figures.reference.as_ref().map(|it| format!(" · {}", it.version)).unwrap_or_default();
    let cores = count(machine.cores, "core");
    writeln!(out, "{cores} · {cpu} · {} · batt {}{reference}", machine.system, figures.version)?;
    writeln!(out)?;
    let rounds = count(figures.rounds, "round");
    writeln!(out, "{rounds:<18}{:>12}{:>12}{:>12}", "median", "min", "max")?;
    for row in &figures.rows {
        let [median, min, max] = [row.time.median, row.time.min, row.time.max].map(time::precise);
        writeln!(out, "{:<18}{median:>12}{min:>12}{max:>12}   {}", row.name, row.of)?;
    }
    match figures.peak_memory {
        Some(bytes) => writeln!(out, "{:<18}{:>12}", "peak memory", size::mebibytes(bytes))?,
        None => writeln!(out, "{:<18}{:>12}", "peak memory", "unknown")?,
    }
    writeln!(
        out,
        "\nall pairs: {} of a program that is right on all demonstration pairs of a task",
        count(figures.all_pairs_right, "case")
    )?;
    if let Some(reference) = &figures.reference {
        print_comparison(&mut out, reference)?;
    }
    Ok(out.flush()?)
}

/// Prints whether the answers are right, before any measurement.
fn print_answers(out: &mut impl Write, figures: &Figures) -> anyhow::Result<()> {
    if !figures.valid() {
        writeln!(out, "NOT A VALID BENCHMARK: some answers are wrong")?;
    }
    let programs = count(figures.programs, "program");
    write!(out, "{} of {programs} right on all of their {}", figures.right, count(figures.pairs, "pair"))?;
    match &figures.reference {
        Some(reference) => writeln!(out, "; in CPython {} of {}", reference.right, reference.programs)?,
        None => writeln!(out)?,
    }
    let mut list = |what: &str, names: &[String]| {
        if names.is_empty() { Ok(()) } else { writeln!(out, "{what}: {}", some(names)) }
    };
    list("wrong", &figures.wrong)?;
    if let Some(reference) = &figures.reference {
        list("wrong here, right in CPython", &reference.lost)?;
        list("does not run in CPython, not compared", &reference.left_out)?;
    }
    list("not named after a task, only run in `all pairs`", &figures.without_task)?;
    Ok(())
}

fn print_comparison(out: &mut impl Write, reference: &Comparison) -> anyhow::Result<()> {
    writeln!(
        out,
        "\ncompared with {}: 1 thread each, alternating rounds (batt: {} passes each), without load and parse",
        reference.version,
        batt_bench::PASSES
    )?;
    writeln!(out, "{:<54}{:>12}{:>12}{:>10}", "", "batt", "CPython", "ratio")?;
    for ratio in &reference.ratios {
        let what = format!("{}: {}", ratio.tasks, ratio.clock);
        let [ours, theirs] =
            [ratio.ours_ns, ratio.theirs_ns].map(|ns| time::precise(Duration::from_nanos(ns)));
        writeln!(out, "{what:<54}{ours:>12}{theirs:>12}{:>10.1}", ratio.ratio)?;
    }
    Ok(())
}

/// Lists the first few names.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
