//! `batt run`

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use arcbatt::base::number::{count, grouped};
use arcbatt::base::time;
use arcbatt::battery::{Own, Summary};
use arcbatt::dsl::Limits;
use arcbatt::lang::Program;
use arcbatt::record;
use arcbatt::score::Verdict;
use arcbatt::{Job, JobError, Outcome, Profiling, ProgramErrors, Run, RunOutcome, Save, Work, document};
use clap::Parser;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::programs::WrongPair;
use crate::job::{SaveArgs, TaskArgs, sources};
use crate::{Answer, data, files, output, progress, summary};

#[derive(Clone, clap::Args)]
#[command(after_help = "Examples:
  batt run                                              run the built-in programs on the built-in tasks
  batt run arc1-training --programs solvers.py          validate solvers on the tasks they are named after
  batt run DATA --programs solvers.py --all-pairs --record run.json --profile")]
pub(crate) struct Args {
    #[command(flatten)]
    tasks: TaskArgs,
    /// Program files; the built-in set has programs of its own
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    /// Stop the programs of a task after this time (60s, 5m); a backstop for slow machines
    #[arg(short = 't', long, value_name = "TIME", value_parser = time::parse, default_value = "60s")]
    timeout: Duration,
    /// Fuel for each program and pair
    #[arg(long, default_value_t = Limits::STANDARD.fuel)]
    fuel: u64,
    /// Run every program on every task, not only on the task it is named after
    #[arg(long)]
    all_pairs: bool,
    /// Run a program on the later pairs too after it was wrong on a demonstration pair
    #[arg(long, visible_alias = "go-on")]
    all_demos: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Compute shared values once for each program (same results, slower)
    #[arg(long)]
    no_sharing: bool,
    /// Run the reference bodies of primitives instead of fast kernels (same results, slower)
    #[arg(long)]
    no_kernels: bool,
    #[command(flatten)]
    save: SaveArgs,
    /// Stamp every call of a primitive, not only every node of the plan (exact, slower)
    #[arg(long, requires = "profile")]
    deep: bool,
    /// Keep every stamped interval in a file beside the record
    #[arg(long, requires = "profile")]
    events: bool,
    /// Run N times; the record describes the last run and how much the others differ
    #[arg(long, value_name = "N", default_value_t = 1, requires = "profile",
        value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Write a submission: two attempts for each test input (Kaggle's JSON, or the CSV of 2020)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File with the names of programs that may be wrong on their own tasks, one a line
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Args {
    fn job(&self) -> anyhow::Result<Job> {
        let work = Run {
            fuel: self.fuel,
            timeout: self.timeout.as_secs_f64(),
            all_pairs: self.all_pairs,
            all_demos: self.all_demos,
            sharing: !self.no_sharing,
            kernels: !self.no_kernels,
            expect_wrong: self.expect.as_deref().map(names).transpose()?.unwrap_or_default(),
            repeat: self.repeat,
        };
        let save = self.save.save(self.output.as_ref(), None)?;
        let profile = if self.deep { Profiling::Calls } else { save.profile };
        Ok(Job {
            tasks: self.tasks.selection()?,
            programs: sources(&self.programs)?,
            aliases: files::aliases(),
            work: Work::Run(work),
            threads: self.threads,
            memory: Job::DEFAULT_MEMORY,
            save: Save { profile, events: self.events, ..save },
        })
    }
}

/// The lines of a file, without comments.
fn names(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = String::from_utf8(files::read(path)?)
        .with_context(|| format!("{} is not a list of names", path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

pub(crate) fn run(args: &Args) -> Answer {
    let job = args.job()?;
    let followed = progress::follow(job.clone());
    let followed = followed.map_err(|error| match (error.downcast_ref(), &args.expect) {
        (Some(JobError::Expected(_)), Some(path)) => error.context(path.display().to_string()),
        _ => error,
    });
    let Outcome::Run(outcome) = followed? else {
        anyhow::bail!("a run came to something else: a bug of batt, please report it");
    };
    let report = Report { args, job: &job, outcome: &outcome };
    let printed = match args.json {
        true => {
            summary::warn_if_stopped(&job, outcome.summary.left > 0);
            output::json(report.document())
        }
        false => report.print(),
    };
    let right = outcome.is_right();
    summary::conclude(printed.map(|()| right), outcome.saved)
}

/// Runs like `batt run LINE`, and prints nothing.
pub(crate) fn silently(line: &[OsString]) -> anyhow::Result<()> {
    #[derive(clap::Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let Line { args } = Line::try_parse_from(line)?;
    args.job()?.start()?.wait()?;
    Ok(())
}

struct Report<'r> {
    args: &'r Args,
    job: &'r Job,
    outcome: &'r RunOutcome,
}

impl Report<'_> {
    /// How many lines of one kind are shown.
    const SHOWN: usize = 20;

    fn summary(&self) -> &Summary {
        &self.outcome.summary
    }

    fn name(&self, own: &Own) -> &str {
        self.outcome.name(own)
    }

    fn is_expected(&self, own: &Own) -> bool {
        self.outcome.expect_wrong.contains(self.name(own))
    }

    /// Programs that may be wrong and are right.
    fn better(&self) -> Vec<&str> {
        let wrong: BTreeSet<&str> = self.summary().wrong.iter().map(|own| self.name(own)).collect();
        let ran = self.summary().own.programs.iter();
        let names: BTreeSet<&str> = ran.map(|id| self.outcome.programs[id.index()].name()).collect();
        let expected = &self.outcome.expect_wrong;
        names.into_iter().filter(|name| expected.contains(*name) && !wrong.contains(name)).collect()
    }

    /// Programs that are not named after any task of the run.
    fn without_task(&self) -> usize {
        self.outcome.programs.len() - self.summary().own.programs.len()
    }

    /// Verdicts other than right, in the order of [`Verdict::ALL`].
    fn failures(&self) -> Vec<(Verdict, u64)> {
        self.summary().tally.iter().filter(|(verdict, _)| !verdict.is_right()).collect()
    }

    fn per_second(&self) -> u64 {
        (self.summary().runs as f64 / self.outcome.elapsed.as_secs_f64().max(1e-6)) as u64
    }

    /// Errors in the program files.
    fn errors(&self) -> usize {
        self.outcome.errors.iter().map(|it| it.errors).sum()
    }

    fn print(&self) -> anyhow::Result<()> {
        let mut out = output::stdout();
        for ProgramErrors { file, errors } in &self.outcome.errors {
            let file = file.as_deref().unwrap_or_default();
            let errors = count(*errors, "error");
            writeln!(out, "{errors} in {file}, see `batt programs check {file}`; the other programs:")?;
        }
        self.print_wrong(&mut out)?;
        self.print_elsewhere(&mut out)?;
        self.print_table(&mut out)?;
        self.print_notes(&mut out)?;
        Ok(out.flush()?)
    }

    fn print_wrong(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let wrong = &self.summary().wrong;
        for own in wrong.iter().take(Report::SHOWN) {
            let (pairs, skipped) = (count(own.pairs, "pair"), own.skipped);
            let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
            let expected = if self.is_expected(own) { " (expected)" } else { "" };
            let on =
                if self.name(own).ends_with(&own.task) { String::new() } else { format!(" on {}", own.task) };
            let (name, n) = (self.name(own), own.wrong.len());
            writeln!(out, "{name}{on}: wrong on {n} of {pairs}{skipped}{expected}")?;
            for (pair, why) in &own.wrong {
                writeln!(out, "  {pair}: {why}")?;
            }
        }
        if wrong.len() > Report::SHOWN {
            writeln!(out, "and {} more that are wrong", wrong.len() - Report::SHOWN)?;
        }
        if !wrong.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn print_elsewhere(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let elsewhere = self.elsewhere();
        for (name, tasks) in elsewhere.iter().take(Report::SHOWN) {
            writeln!(out, "{name} also solves {}", tasks.join(", "))?;
        }
        if elsewhere.len() > Report::SHOWN {
            writeln!(out, "and {} more, all of them with --json", elsewhere.len() - Report::SHOWN)?;
        }
        if self.args.all_pairs && elsewhere.is_empty() {
            writeln!(out, "no program solves a task that is not its own")?;
        }
        if self.args.all_pairs {
            writeln!(out)?;
        }
        Ok(())
    }

    /// The programs that solve tasks other than their own, in the order of the programs.
    fn elsewhere(&self) -> Vec<(&str, Vec<&str>)> {
        let mut solved: Vec<Vec<&str>> = vec![Vec::new(); self.outcome.programs.len()];
        for (program, task) in &self.summary().elsewhere {
            solved[program.index()].push(task);
        }
        let named = self.outcome.programs.iter().map(Program::name).zip(solved);
        named.filter(|(_, tasks)| !tasks.is_empty()).collect()
    }

    fn print_table(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let summary = self.summary();
        let mut row = |label: &str, text: String| writeln!(out, "{label:<33} {text}");
        let of_own = |n: usize| format!("{n} of {}", count(summary.own.runs, "program"));
        row("tasks", format!("{}, {} with programs", summary.tasks, summary.attempted))?;
        row("right on demos", of_own(summary.own.on_demos))?;
        row("right on tests", of_own(summary.own.on_tests))?;
        for (label, score) in summary::scores(&summary.scores) {
            row(label, score)?;
        }
        let failures = self.failures().into_iter().map(|(verdict, n)| format!("{verdict} {}", grouped(n)));
        let failures: Vec<_> = failures.collect();
        row("not right", if failures.is_empty() { "none".to_owned() } else { failures.join(", ") })?;
        let most_fuel = summary.most_fuel.iter().map(|(fuel, id)| format!("{id} {}", grouped(*fuel)));
        if !summary.most_fuel.is_empty() {
            row("most fuel", most_fuel.collect::<Vec<_>>().join(", "))?;
        }
        let slowest = self.outcome.slowest.iter().map(|(took, id)| format!("{id} {}", time::brief(*took)));
        row("slowest", slowest.collect::<Vec<_>>().join(", "))?;
        let threads = count(self.outcome.threads, "thread");
        let (runs, per_second) = (grouped(summary.runs), grouped(self.per_second()));
        let elapsed = time::brief(self.outcome.elapsed);
        row("throughput", format!("{runs} runs in {elapsed}, {per_second} a second on {threads}"))?;
        Ok(())
    }

    fn print_notes(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Summary { tasks, left, .. } = self.summary();
        let RunOutcome { skipped, resumed, saved, .. } = self.outcome;
        if output::quiet() {
            return summary::write_notes(out, self.job, saved, *left > 0);
        }
        if *resumed > 0 {
            writeln!(out, "note: {} finished by an earlier part of this run", count(*resumed, "task"))?;
        }
        if *left > 0 {
            writeln!(out, "note: stopped after {tasks} of {}", count(tasks + left, "task"))?;
        }
        if !skipped.is_empty() {
            writeln!(out, "note: {} skipped, see above", count(skipped.len(), "broken task"))?;
        }
        let without = self.without_task();
        if without > 0 && !self.args.all_pairs {
            let are = if without == 1 { "program is" } else { "programs are" };
            writeln!(out, "note: {without} {are} named after no task of this run, and did not run")?;
        }
        let unsolved = self.summary().scores.unsolved;
        if unsolved > 0 {
            writeln!(out, "note: {} without solutions, not counted in the scores", count(unsolved, "task"))?;
        }
        let better = self.better();
        if let (Some(path), false) = (&self.args.expect, better.is_empty()) {
            writeln!(out, "note: right, although {} lists them: {}", path.display(), better.join(", "))?;
        }
        summary::write_notes(out, self.job, saved, *left > 0)
    }

    fn document(&self) -> Document {
        let summary = self.summary();
        let wrong = |own: &Own| WrongEntry {
            program: self.name(own).to_owned(),
            task: own.task.clone(),
            expected: self.is_expected(own),
            pairs: own.pairs,
            skipped: own.skipped,
            wrong: own
                .wrong
                .iter()
                .map(|(pair, why)| WrongPair { pair: pair.clone(), why: why.clone() })
                .collect(),
        };
        let elsewhere = self.elsewhere().into_iter().map(|(program, tasks)| ElsewhereEntry {
            program: program.to_owned(),
            tasks: tasks.into_iter().map(str::to_owned).collect(),
        });
        let most_fuel = summary.most_fuel.iter();
        let most_fuel = most_fuel.map(|(fuel, task)| FuelEntry { task: task.clone(), fuel: *fuel });
        let slowest = self.outcome.slowest.iter();
        let slowest = slowest
            .map(|(took, task)| SlowEntry { task: task.clone(), microseconds: took.as_micros() as u64 });
        Document {
            right: document::right(summary),
            fine: self.outcome.is_right(),
            errors: self.errors(),
            skipped: data::skipped(&self.outcome.skipped),
            tasks: summary.tasks,
            attempted: summary.attempted,
            programs: self.outcome.programs.len(),
            without_task: self.without_task(),
            plan: self.outcome.plan.into(),
            scores: record::scores(&summary.scores),
            verdicts: record::verdict_counts(&summary.tally),
            wrong: summary.wrong.iter().map(wrong).collect(),
            better_than_expected: self.better().into_iter().map(str::to_owned).collect(),
            also_solves: elsewhere.collect(),
            runs: summary.runs,
            fuel: summary.fuel,
            most_fuel: most_fuel.collect(),
            time: TimeEntry {
                threads: self.outcome.threads,
                microseconds: self.outcome.elapsed.as_micros() as u64,
                runs_per_second: self.per_second(),
                slowest: slowest.collect(),
            },
        }
    }
}

/// The results of a run.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Whether the programs are right on their own tasks.
    right: record::Right,
    /// True if the exit code is 0.
    fine: bool,
    /// Number of errors in the program files.
    errors: usize,
    /// Problems that were skipped (`--skip-bad`).
    skipped: Vec<data::Skipped>,
    /// Number of finished tasks.
    tasks: usize,
    /// Tasks on which a program ran.
    attempted: usize,
    /// Number of programs.
    programs: usize,
    /// Programs that are named after no task of the run.
    without_task: usize,
    /// How much the programs share.
    plan: record::PlanCounts,
    /// The scores of the attempts, one for each rule.
    scores: Vec<record::Score>,
    /// Counts of the verdicts over all programs and pairs.
    verdicts: Vec<record::VerdictCount>,
    /// Programs that are not right on their own tasks.
    wrong: Vec<WrongEntry>,
    /// Names of programs that `--expect` lists as wrong and that are right.
    better_than_expected: Vec<String>,
    /// Programs that are right on tasks that are not their own (`--all-pairs`).
    also_solves: Vec<ElsewhereEntry>,
    /// Pairs of a program and a pair that were run.
    runs: u64,
    /// Fuel used by all of them.
    fuel: u64,
    /// The tasks that used the most fuel.
    most_fuel: Vec<FuelEntry>,
    /// How long the run took.
    time: TimeEntry,
}

/// A program that is not right on its own task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "WrongProgram")]
struct WrongEntry {
    /// Name of the program.
    program: String,
    /// Id of the task.
    task: String,
    /// True if `--expect` lists the program.
    expected: bool,
    /// Number of pairs of the task.
    pairs: usize,
    /// Pairs that were skipped after a wrong demonstration pair.
    skipped: usize,
    /// The pairs on which it is wrong.
    wrong: Vec<WrongPair>,
}

/// A program that solves tasks that are not its own.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "OtherTasks")]
struct ElsewhereEntry {
    /// Name of the program.
    program: String,
    /// Ids of the tasks.
    tasks: Vec<String>,
}

/// The fuel of a task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TaskFuel")]
struct FuelEntry {
    /// Id of the task.
    task: String,
    /// Fuel used by all its programs.
    fuel: u64,
}

/// How long a run took.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RunTime")]
struct TimeEntry {
    /// Number of threads.
    threads: usize,
    /// Wall time in microseconds.
    microseconds: u64,
    /// `runs` divided by the wall time.
    runs_per_second: u64,
    /// The slowest tasks.
    slowest: Vec<SlowEntry>,
}

/// The time of a task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TaskTime")]
struct SlowEntry {
    /// Id of the task.
    task: String,
    /// Time in microseconds.
    microseconds: u64,
}
