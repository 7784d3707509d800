//! `batt run`

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use arcbatt::base::number::{count, grouped};
use arcbatt::base::time;
use arcbatt::battery::{Summary, WrongProgram};
use arcbatt::dsl::Limits;
use arcbatt::lang::Program;
use arcbatt::record;
use arcbatt::score::Verdict;
use arcbatt::{Job, JobError, Outcome, Profiling, ProgramErrors, Run, RunOutcome, Save, Work, document};
use clap::Parser;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::programs::WrongPair;
use crate::job::{DeviceArgs, SaveArgs, TaskArgs, command, sources};
use crate::watch::{self, Inputs};
use crate::{Answer, data, files, output, progress, signal, summary};

#[derive(Clone, clap::Args)]
#[command(after_help = "Examples:
  batt run                                        run the built-in programs on the built-in tasks
  batt run arc1-training --programs solvers.py    check solvers on the tasks they are named after
  batt run tasks/ --programs mine.py --watch      run again after every change of a file
  batt run DATA --programs solvers.py --all-pairs --record run.json --profile")]
pub(crate) struct Args {
    #[command(flatten)]
    tasks: TaskArgs,
    /// Program files [default for the built-in set: its own programs]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    /// Stop the programs of a task after this time even if fuel is left (60s, 5m)
    #[arg(short = 't', long, value_name = "TIME", value_parser = time::parse, default_value = "60s")]
    timeout: Duration,
    /// Fuel for each program and pair
    #[arg(long, value_name = "N", default_value_t = Limits::STANDARD.fuel)]
    fuel: u64,
    /// Run every program on every task, not only on the task it is named after
    #[arg(long)]
    all_pairs: bool,
    /// Run programs on all pairs, even after a wrong demonstration pair
    #[arg(long, visible_alias = "go-on")]
    all_demos: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Do not share calls between programs (same results, slower)
    #[arg(long)]
    no_sharing: bool,
    /// Use reference implementations of primitives instead of fast kernels (same results, slower)
    #[arg(long)]
    no_kernels: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    save: SaveArgs,
    /// Time every call of a primitive, not only every node of the plan (exact, slower)
    #[arg(long, requires = "profile")]
    deep: bool,
    /// Write every timed interval to a file next to the record
    #[arg(long, requires = "profile")]
    events: bool,
    /// Run N times; the record describes the last run and has the times of the others
    #[arg(long, value_name = "N", default_value_t = 1, requires = "profile",
        value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Write a submission in Kaggle's JSON format, or in the CSV format of 2020 if FILE ends in .csv
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File with names of programs that may be wrong on their tasks, one per line
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Run again when a program file or a task file changes, until Ctrl-C
    #[arg(long, conflicts_with = "resume")]
    watch: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Returns the files that the command reads.
    fn inputs(&self) -> anyhow::Result<Inputs> {
        let outputs = [&self.output, &self.save.record, &self.save.report];
        if let Some(path) = outputs.into_iter().flatten().next()
            && !files::overwrite()
        {
            let path = path.display();
            anyhow::bail!("--watch would replace {path} after every change; add --overwrite to allow that");
        }
        let mut inputs = Inputs::default();
        inputs.add_data(&self.tasks.data)?;
        let files = self.programs.iter().chain(&self.expect).cloned().chain(files::aliases());
        files.into_iter().try_for_each(|path| inputs.add_file(&path))?;
        Ok(inputs)
    }

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
            command: Some(command()),
            work: Work::Run(work),
            threads: self.threads,
            memory: Job::DEFAULT_MEMORY,
            devices: self.device.choice.clone(),
            save: Save { profile, events: self.events, ..save },
        })
    }
}

/// Returns the lines of a file, without comments.
fn names(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = String::from_utf8(files::read(path)?)
        .with_context(|| format!("{} is not a text file", path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

pub(crate) fn run(args: &Args) -> Answer {
    if !args.watch {
        return run_once(args);
    }
    signal::install_handler()?;
    watch::watch(&args.inputs()?, || run_once(args))
}

fn run_once(args: &Args) -> Answer {
    let job = args.job()?;
    let followed = progress::follow(job.clone());
    let followed = followed.map_err(|error| match (error.downcast_ref(), &args.expect) {
        (Some(JobError::Expected(_)), Some(path)) => error.context(path.display().to_string()),
        _ => error,
    });
    let Outcome::Run(outcome) = followed? else {
        anyhow::bail!("bug in batt, please report it: a run returned the result of another job");
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

/// Runs `batt run LINE` without printing anything.
pub(crate) fn run_silently(line: &[OsString]) -> anyhow::Result<()> {
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
    /// Maximum number of lines of one kind.
    const SHOWN: usize = 20;

    fn summary(&self) -> &Summary {
        &self.outcome.summary
    }

    fn name(&self, wrong: &WrongProgram) -> &str {
        self.outcome.name(wrong)
    }

    fn is_expected(&self, wrong: &WrongProgram) -> bool {
        self.outcome.expect_wrong.contains(self.name(wrong))
    }

    /// Returns the programs that are right although `--expect` lists them.
    fn better(&self) -> Vec<&str> {
        let wrong: BTreeSet<&str> = self.summary().wrong.iter().map(|wrong| self.name(wrong)).collect();
        let ran = self.summary().own.programs.iter();
        let names: BTreeSet<&str> = ran.map(|id| self.outcome.programs[id.index()].name()).collect();
        let expected = &self.outcome.expect_wrong;
        names.into_iter().filter(|name| expected.contains(*name) && !wrong.contains(name)).collect()
    }

    /// Returns the number of programs that are not named after a task of the run.
    fn without_task(&self) -> usize {
        self.outcome.programs.len() - self.summary().own.programs.len()
    }

    /// Returns the counts of verdicts other than right, in the order of [`Verdict::ALL`].
    fn failures(&self) -> Vec<(Verdict, u64)> {
        self.summary().tally.iter().filter(|(verdict, _)| !verdict.is_right()).collect()
    }

    fn per_second(&self) -> u64 {
        (self.summary().runs as f64 / self.outcome.elapsed.as_secs_f64().max(1e-6)) as u64
    }

    /// Returns the number of errors in the program files.
    fn errors(&self) -> usize {
        self.outcome.errors.iter().map(|it| it.errors).sum()
    }

    fn print(&self) -> anyhow::Result<()> {
        let mut out = output::stdout();
        summary::write_disturbance(&mut out, &self.outcome.saved)?;
        for ProgramErrors { file, errors } in &self.outcome.errors {
            let file = file.as_deref().unwrap_or_default();
            let errors = count(*errors, "error");
            writeln!(
                out,
                "{errors} in {file} (see `batt programs check {file}`); results of the other programs:"
            )?;
        }
        self.print_wrong(&mut out)?;
        self.print_on_other_tasks(&mut out)?;
        self.print_table(&mut out)?;
        self.print_notes(&mut out)?;
        Ok(out.flush()?)
    }

    fn print_wrong(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let wrong = &self.summary().wrong;
        for program in wrong.iter().take(Report::SHOWN) {
            let (pairs, skipped) = (count(program.pairs, "pair"), program.skipped);
            let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
            let expected = if self.is_expected(program) { " (expected)" } else { "" };
            let (name, n) = (self.name(program), program.wrong.len());
            let on =
                if name.ends_with(&program.task) { String::new() } else { format!(" on {}", program.task) };
            writeln!(out, "{name}{on}: wrong on {n} of {pairs}{skipped}{expected}")?;
            for (pair, why) in &program.wrong {
                writeln!(out, "  {pair}: {why}")?;
            }
        }
        if wrong.len() > Report::SHOWN {
            writeln!(out, "and {} more wrong", wrong.len() - Report::SHOWN)?;
        }
        if !wrong.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn print_on_other_tasks(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let solved = self.on_other_tasks();
        for (name, tasks) in solved.iter().take(Report::SHOWN) {
            writeln!(out, "{name} also solves {}", tasks.join(", "))?;
        }
        if solved.len() > Report::SHOWN {
            writeln!(out, "and {} more; --json lists all", solved.len() - Report::SHOWN)?;
        }
        if self.args.all_pairs && solved.is_empty() {
            writeln!(out, "no program solves a task other than its own")?;
        }
        if self.args.all_pairs {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Returns the programs that solve tasks other than their own, in the order of the programs.
    fn on_other_tasks(&self) -> Vec<(&str, Vec<&str>)> {
        let mut solved: Vec<Vec<&str>> = vec![Vec::new(); self.outcome.programs.len()];
        for (program, task) in &self.summary().on_other_tasks {
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
        let plural = if summary.runs == 1 { "" } else { "s" };
        row("throughput", format!("{runs} run{plural} in {elapsed}, {per_second} per second on {threads}"))?;
        Ok(())
    }

    fn print_notes(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Summary { tasks, left, .. } = self.summary();
        let RunOutcome { skipped, resumed, saved, .. } = self.outcome;
        if output::quiet() {
            return summary::write_notes(out, self.job, saved, *left > 0);
        }
        if *resumed > 0 {
            writeln!(out, "note: resumed, with {} finished before", count(*resumed, "task"))?;
        }
        if *left > 0 {
            writeln!(out, "note: stopped after {tasks} of {}", count(tasks + left, "task"))?;
        }
        if !skipped.is_empty() {
            writeln!(out, "note: {} skipped, see above", count(skipped.len(), "broken task"))?;
        }
        let without = self.without_task();
        if without > 0 && !self.args.all_pairs {
            let programs = count(without, "program");
            writeln!(out, "note: {programs} did not run: not named after a task of this run")?;
        }
        let unsolved = self.summary().scores.unsolved;
        if unsolved > 0 {
            writeln!(out, "note: {} without solutions, not counted in the scores", count(unsolved, "task"))?;
        }
        let better = self.better();
        if let (Some(path), false) = (&self.args.expect, better.is_empty()) {
            writeln!(out, "note: right, but listed in {}: {}", path.display(), better.join(", "))?;
        }
        summary::write_notes(out, self.job, saved, *left > 0)
    }

    fn document(&self) -> Document {
        let summary = self.summary();
        let wrong = |program: &WrongProgram| WrongEntry {
            program: self.name(program).to_owned(),
            task: program.task.clone(),
            expected: self.is_expected(program),
            pairs: program.pairs,
            skipped: program.skipped,
            wrong: program
                .wrong
                .iter()
                .map(|(pair, why)| WrongPair { pair: pair.clone(), why: why.clone() })
                .collect(),
        };
        let also_solves = self.on_other_tasks().into_iter().map(|(program, tasks)| OtherTasksEntry {
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
            also_solves: also_solves.collect(),
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
    /// Programs that are not named after a task of the run.
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
    also_solves: Vec<OtherTasksEntry>,
    /// Number of runs of a program on a pair.
    runs: u64,
    /// Fuel used by all runs.
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
struct OtherTasksEntry {
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
