//! `batt search`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::record::{OperatorCounts, Record, Task, TaskSearch};
use arcbatt::{Job, Mode, Outcome, Search, SearchOutcome, Work};
use schemars::JsonSchema;
use serde::Serialize;

use super::programs_store::StoreArgs;
use crate::job::{DeviceArgs, EffortArgs, SaveArgs, TaskArgs, command, sources};
use crate::{Answer, files, output, progress, summary};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  batt search --programs mine.py --budget 10m    breed from your programs, for the built-in tasks
  batt search arc1-training --mode enumerate --per-task 5s --record search.json
  batt search arc1-training --mode enumerate --shard 2/3 --store part2.sqlite

With --shard, breeding passes solutions only between the tasks of the shard.")]
pub(crate) struct Args {
    #[command(flatten)]
    tasks: TaskArgs,
    /// How to make new programs
    #[arg(long, value_enum, default_value = "breed")]
    mode: ModeArg,
    /// Program files to start from, in addition to the store
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    save: SaveArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ModeArg {
    /// Change known programs step by step, and keep those that come closer to a task
    Breed,
    /// Build programs from the task's own values, from small to large
    Enumerate,
}

impl Args {
    fn job(&self) -> anyhow::Result<Job> {
        let work = Search {
            mode: match self.mode {
                ModeArg::Breed => Mode::Breed,
                ModeArg::Enumerate => Mode::Enumerate,
            },
            effort: self.effort.effort(),
            seed: self.effort.seed,
            store: self.store.path()?,
        };
        Ok(Job {
            tasks: self.tasks.selection()?,
            programs: sources(&self.programs)?,
            aliases: files::aliases(),
            command: Some(command()),
            work: Work::Search(work),
            threads: self.effort.threads,
            memory: self.effort.memory,
            devices: self.device.choice.clone(),
            save: self.save.save(None, None)?,
        })
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    let job = args.job()?;
    let Outcome::Search(outcome) = progress::follow(job.clone())? else {
        anyhow::bail!("bug in batt, please report it: a search returned the result of another job");
    };
    let stopped = outcome.stopped;
    let printed = match args.json {
        true => {
            summary::warn_if_stopped(&job, stopped);
            output::json(Document::new(&outcome.record))
        }
        false => print(&job, args, &outcome),
    };
    summary::conclude(printed.map(|()| !stopped), outcome.saved)
}

/// Maximum number of lines in the table.
const SHOWN: usize = 100;

/// The graded score of a program that is right on all pairs, in millionths.
const SOLVED: u32 = 1_000_000;

fn print(job: &Job, args: &Args, outcome: &SearchOutcome) -> anyhow::Result<()> {
    let SearchOutcome { record, filed, store, known, resumed, stopped, elapsed, saved, .. } = outcome;
    let document = Document::new(record);
    let mut out = output::stdout();
    summary::write_disturbance(&mut out, saved)?;
    let found: Vec<(&Row, &Found)> =
        document.tasks.iter().filter_map(|task| Some((task, task.found.as_ref()?))).collect();
    let width = found.iter().map(|(task, _)| task.id.chars().count()).max().unwrap_or(4).max(4);
    if !found.is_empty() {
        writeln!(out, "{:<width$}  before  after   program       made by", "task")?;
    }
    let score = |millionths: u32| format!("{}.{:04}", millionths / SOLVED, millionths % SOLVED / 100);
    for (task, found) in found.iter().take(SHOWN) {
        let (before, after) = (score(task.score_before), score(task.score));
        writeln!(out, "{:<width$}  {before}  {after}  {:.12}  {}", task.id, found.hash, found.operator)?;
    }
    if found.len() > SHOWN {
        writeln!(out, "and {} more; --record FILE lists all", found.len() - SHOWN)?;
    }
    if !found.is_empty() {
        writeln!(out)?;
    }
    if !record.operators.is_empty() {
        writeln!(out, "operator    candidates  closer  solved")?;
        for OperatorCounts { name, tried, better, solved } in &record.operators {
            writeln!(out, "{name:<10} {tried:>11} {better:>7} {solved:>7}")?;
        }
        writeln!(out)?;
    }
    let mut row = |label: &str, text: String| writeln!(out, "{label:<17} {text}");
    let n = document.tasks.len();
    let before = document.tasks.iter().filter(|task| task.score_before == SOLVED).count();
    let solved = document.tasks.iter().filter(|task| task.solved).count();
    row("solved on demos", format!("{solved} of {}, {before} before the search", count(n, "task")))?;
    row("improved", count(found.len(), "task"))?;
    row("stored", format!("{} in {}", count(*filed, "new program"), store.display()))?;
    row("throughput", summary::throughput(record, *elapsed))?;
    if *known == 0 && matches!(args.mode, ModeArg::Breed) && !output::quiet() {
        writeln!(
            out,
            "note: there were no programs to breed from; use --programs FILE or `batt programs import`"
        )?;
    }
    if *resumed > 0 && !output::quiet() {
        writeln!(out, "note: resumed, with {} finished before", count(*resumed, "task"))?;
    }
    summary::write_notes(&mut out, job, saved, *stopped)?;
    Ok(out.flush()?)
}

/// The results of a search.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// False if the job was stopped before its end.
    finished: bool,
    /// `breed` or `enumerate`.
    mode: Option<String>,
    /// Wall time in seconds.
    seconds: f64,
    /// Path of the store.
    store: Option<String>,
    /// Counts for each way of making programs.
    operators: Vec<OperatorCounts>,
    /// The tasks.
    tasks: Vec<Row>,
}

/// The search for one task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SearchedTask")]
struct Row {
    /// Id of the task.
    id: String,
    /// Fuel used.
    fuel: u64,
    /// Number of candidates tried.
    tried: u64,
    /// Best graded score before the search, in millionths.
    score_before: u32,
    /// Best graded score after the search, in millionths.
    score: u32,
    /// True if a program is right on all demonstration pairs.
    solved: bool,
    /// The best new program. Null if none is better than those known before.
    found: Option<Found>,
}

/// A new program.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "FoundProgram")]
struct Found {
    /// Source text.
    program: String,
    /// Content hash.
    hash: String,
    /// How it was made.
    operator: String,
    /// Hashes of the programs that it was made from.
    parents: Vec<String>,
}

impl Document {
    fn new(record: &Record) -> Document {
        let row = |task: &Task| {
            let TaskSearch { fuel, tried, solved, score_before, score, .. } = task.search.clone()?;
            let found = task.programs.first().and_then(|it| record.programs.get(it.program as usize));
            let found = found.and_then(|program| {
                let made = program.made.clone()?;
                let (program, hash) = (program.text.clone(), program.hash.clone());
                Some(Found { program, hash, operator: made.operator, parents: made.parents })
            });
            let (score_before, score) = (score_before.unwrap_or(0), score.unwrap_or(0));
            Some(Row { id: task.id.clone(), fuel, tried, score_before, score, solved, found })
        };
        Document {
            finished: record.finished,
            mode: record.setup.options.mode.clone(),
            seconds: record.environment.seconds,
            store: record.setup.options.store.clone(),
            operators: record.operators.clone(),
            tasks: record.tasks.iter().filter_map(row).collect(),
        }
    }
}
