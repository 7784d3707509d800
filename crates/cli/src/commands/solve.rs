//! `batt solve`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::record::{self, CurvePoint, Record};
use arcbatt::{Job, Outcome, Reliability, Save, Solve, SolveOutcome, Step, Work};
use schemars::JsonSchema;
use serde::Serialize;

use crate::job::{DeviceArgs, EffortArgs, SaveArgs, TaskArgs, command, sources};
use crate::{Answer, files, output, progress, summary};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  batt solve                                       solve the built-in tasks
  batt solve arc1-evaluation -o submission.json    write a submission
  batt solve test_challenges.json --budget 11h30m -o submission.json
  batt solve arc1-evaluation --shard 2/3 -o part2.json    solve a third; `batt merge` joins the parts")]
pub(crate) struct Args {
    #[command(flatten)]
    tasks: TaskArgs,
    /// Program files to try first on every task
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    /// Store of programs; tries its best programs for each task first, and adds new ones to it
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Skip these steps of the search; later steps get their fuel
    #[arg(long, value_enum, value_name = "STEP", num_args = 1..)]
    without: Vec<StepArg>,
    #[command(flatten)]
    effort: EffortArgs,
    /// Write the submission to FILE and keep improving it; saves progress in FILE.state
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    save: SaveArgs,
    /// Write the programs behind the attempts, for `batt run` and `batt programs explain`
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Write the learned rules of exported programs out as ordinary programs, where that is possible
    #[arg(long, requires = "export")]
    resolved: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StepArg {
    /// Build programs from the task's own values
    Enumerate,
    /// Breed programs from known ones
    Breed,
}

impl Args {
    fn job(&self) -> anyhow::Result<Job> {
        let without = self.without.iter().map(|step| match step {
            StepArg::Enumerate => Step::Enumerate,
            StepArg::Breed => Step::Breed,
        });
        let work = Solve {
            effort: self.effort.effort(),
            seed: self.effort.seed,
            without: without.collect(),
            store: self.store.clone(),
        };
        Ok(Job {
            tasks: self.tasks.selection()?,
            programs: sources(&self.programs)?,
            aliases: files::aliases(),
            command: Some(command()),
            work: Work::Solve(work),
            threads: self.effort.threads,
            memory: self.effort.memory,
            devices: self.device.choice.clone(),
            save: Save {
                resolved: self.resolved,
                ..self.save.save(self.output.as_ref(), self.export.as_ref())?
            },
        })
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    let job = args.job()?;
    let Outcome::Solve(outcome) = progress::follow(job.clone())? else {
        anyhow::bail!("bug in batt, please report it: a solve returned the result of another job");
    };
    let SolveOutcome { record, reliability, stopped, .. } = &*outcome;
    let stopped = *stopped;
    let printed = match args.json {
        true => {
            summary::warn_if_stopped(&job, stopped);
            output::json(Document::new(record, reliability.clone()))
        }
        false => print(&job, &outcome),
    };
    summary::conclude(printed.map(|()| !stopped), outcome.saved)
}

/// Maximum number of lines in the table.
const SHOWN: usize = 100;

fn print(job: &Job, outcome: &SolveOutcome) -> anyhow::Result<()> {
    let SolveOutcome { record, totals, reliability, resumed, stopped, elapsed, saved, .. } = outcome;
    let mut out = output::stdout();
    summary::write_disturbance(&mut out, saved)?;
    let rows: Vec<Row> = record.tasks.iter().filter_map(|task| Row::new(record, task)).collect();
    let width = rows.iter().map(|row| row.task.chars().count()).max().unwrap_or(4).max(4);
    if !rows.is_empty() {
        writeln!(out, "{:<width$}  sure  {:<28} rule", "task", "found by")?;
    }
    for Row { task, sure, mechanism, words, .. } in rows.iter().take(SHOWN) {
        let line = format!("{task:<width$} {:>4.0}%  {mechanism:<28} {words}", sure * 100.0);
        writeln!(out, "{}", output::shortened(&line))?;
    }
    if rows.len() > SHOWN {
        writeln!(out, "and {} more; --record FILE lists all", rows.len() - SHOWN)?;
    }
    writeln!(out)?;
    let mut row = |label: &str, text: String| writeln!(out, "{label:<33} {text}");
    row("solved on demos", format!("{} of {}", rows.len(), count(record.tasks.len(), "task")))?;
    row("expected right outputs", format!("{:.0}", expected_outputs(record)))?;
    for (label, score) in summary::scores(totals) {
        row(label, score)?;
    }
    for Reliability { from, to, attempts, right, said } in reliability {
        let [from, to, said] = [from, to, said].map(|it| it * 100.0);
        let label = format!("first attempts, {from:.0} to {to:.0} % sure");
        row(&label, format!("{right} of {attempts} right, {said:.0} % sure on average"))?;
    }
    row("throughput", summary::throughput(record, *elapsed))?;
    if *resumed > 0 && !output::quiet() {
        writeln!(out, "note: resumed {} of an earlier part of this job", count(*resumed, "task"))?;
    }
    summary::write_notes(&mut out, job, saved, *stopped)?;
    Ok(out.flush()?)
}

/// Returns the number of right outputs that the solver expects.
fn expected_outputs(record: &Record) -> f64 {
    let outputs = record.tasks.iter().filter_map(|task| task.search.as_ref()).flat_map(|it| &it.attempts);
    let sure = |attempts: &Vec<record::Attempt>| attempts.iter().map(|it| it.sure).sum::<f64>().min(1.0);
    // An empty sum is -0, which would be printed as such.
    0.0 + outputs.map(sure).sum::<f64>()
}

/// The best program for a task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TaskAnswer")]
struct Row {
    /// Id of the task.
    task: String,
    /// Estimated probability that its first attempts are right, from 0 to 1; the lowest of all outputs.
    sure: f64,
    /// The mechanism that found it.
    mechanism: String,
    /// The rule of the program in words.
    words: String,
    /// Source text.
    program: String,
}

impl Row {
    fn new(record: &Record, task: &record::Task) -> Option<Row> {
        let attempts = &task.search.as_ref()?.attempts;
        let first = attempts.iter().flatten().next()?;
        let program = record.programs.get(first.program as usize)?;
        let made = program.made.as_ref()?;
        let surest = |attempts: &Vec<record::Attempt>| attempts.first().map_or(0.0, |it| it.sure);
        Some(Row {
            task: task.id.clone(),
            sure: attempts.iter().map(surest).fold(1.0, f64::min),
            mechanism: made.operator.clone(),
            words: made.words.clone().unwrap_or_default(),
            program: program.text.clone(),
        })
    }
}

/// The results of a solve.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// False if the job was stopped before its end.
    finished: bool,
    /// Number of tasks.
    tasks: usize,
    /// Tasks with a program that is right on all demonstration pairs.
    solved_on_demos: usize,
    /// Number of right outputs that the solver expects.
    expected_outputs: f64,
    /// The scores of the attempts, one for each rule.
    scores: Vec<record::Score>,
    /// Wall time in seconds.
    seconds: f64,
    /// Number of candidates tried.
    tried: u64,
    /// Progress over time.
    curve: Vec<CurvePoint>,
    /// First attempts by confidence. Empty if no solution is known.
    reliability: Vec<Reliability>,
    /// The best program of each solved task.
    answers: Vec<Row>,
}

impl Document {
    fn new(record: &Record, reliability: Vec<Reliability>) -> Document {
        let answers: Vec<Row> = record.tasks.iter().filter_map(|task| Row::new(record, task)).collect();
        Document {
            finished: record.finished,
            tasks: record.tasks.len(),
            solved_on_demos: answers.len(),
            expected_outputs: expected_outputs(record),
            scores: record.scores.clone(),
            seconds: record.environment.seconds,
            tried: summary::tried(record),
            curve: record.curve.clone(),
            reliability,
            answers,
        }
    }
}
