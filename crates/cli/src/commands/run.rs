//! `batt run`

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arcbatt::battery::{Battery, Own, Pool, Setup, Summary, TaskResult};
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Program};
use arcbatt::record::live::Now;
use arcbatt::record::profile::Repeat;
use arcbatt::record::{self, Profile, Record};
use arcbatt::score::{Rule, Verdict};
use arcbatt::task::submission::{Form, stand_ins};
use arcbatt::task::{Grid, Index, Problem, Spool, Task, write_aside_with};
use arcbatt::trace::Spot;
use arcbatt::{DEMO_PROGRAMS, Due, document};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::data::{self, DEMO, Which};
use crate::files::{self, Source};
use crate::live::{Pulse, SAVE_EVERY};
use crate::output::count;
use crate::recording::{Keep, Recording, Wish};
use crate::watchdog::Clocks;
use crate::{Answer, commands, output, signal};

#[derive(Clone, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Program files; for the built-in set, its own programs if none are given
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    /// Seconds after which the programs of a task are stopped, a backstop for slow machines
    #[arg(short = 't', long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Fuel for each program and pair
    #[arg(long, default_value_t = Limits::STANDARD.fuel)]
    fuel: u64,
    /// Run every program on every task, not only on the one it is named after
    #[arg(long)]
    all_pairs: bool,
    /// Run a program on the later pairs too when it was not right on a demonstration pair
    #[arg(long)]
    go_on: bool,
    /// Threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Compute what several programs need for each of them (the same results, slower)
    #[arg(long)]
    no_sharing: bool,
    /// Run the bodies of the primitives instead of their faster kernels (the same results, slower)
    #[arg(long)]
    no_kernels: bool,
    #[command(flatten)]
    keep: Keep,
    /// Stamp every call of a primitive, not only every node of the plan (exact, and slower)
    #[arg(long, requires = "profile")]
    deep: bool,
    /// Keep every stamped interval in a file beside the record
    #[arg(long, requires = "profile")]
    events: bool,
    /// Run so many times; the record tells of the last, and how much the others differ
    #[arg(long, value_name = "N", default_value_t = 1, requires = "profile",
        value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Write a submission: two attempts for each test input (Kaggle's JSON, or the CSV of 2020)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Names of programs that may be wrong on their own tasks, one a line
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    signal::note()?;
    match &args.keep.report {
        Some(report) => with_report(args, report),
        None => repeated(args),
    }
}

/// Runs like `batt run LINE`, and says nothing.
pub(crate) fn silently(line: &[OsString]) -> anyhow::Result<()> {
    #[derive(clap::Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let Line { args } = Line::try_parse_from(line)?;
    let mut repeats = Vec::new();
    (0..args.repeat).try_for_each(|_| once(&args, &mut repeats, false).map(drop))
}

/// A report is made from a record; where nobody asked for one it lies beside the report for a moment.
fn with_report(args: &Args, report: &Path) -> Answer {
    let beside = report.with_extension("record.json");
    let record = args.keep.record.clone().unwrap_or_else(|| beside.clone());
    let keep = Keep { record: Some(record.clone()), profile: true, report: None };
    let args = Args { keep, ..args.clone() };
    let answer = repeated(&args).and_then(|fine| commands::report::of_file(&record, report).map(|()| fine));
    if record == beside {
        // It is there unless the run went wrong, which the answer tells.
        let _ = std::fs::remove_file(&beside);
    }
    answer
}

fn repeated(args: &Args) -> Answer {
    let mut repeats = Vec::new();
    for _ in 1..args.repeat {
        once(args, &mut repeats, false)?;
    }
    once(args, &mut repeats, true)
}

/// Runs everything once, from the files to the files. `repeats`: how the repetitions went so far.
fn once(args: &Args, repeats: &mut Vec<Repeat>, tell: bool) -> Answer {
    let wish = args.keep.record.as_deref().filter(|_| args.keep.profile);
    let wish = wish.map(|record| Wish { record, deep: args.deep, events: args.events });
    let recording = Recording::new(wish)?;
    let span = recording.enter(Spot::PARSE);
    let builtin = args.which.data == DEMO;
    let programs = Programs::read(args, builtin)?;
    let expected = Expected::read(args.expect.as_deref(), &programs.list)?;
    drop(span);
    let span = recording.enter(Spot::START);
    let pool = Pool::new(args.threads)?;
    if let Some(trace) = recording.trace() {
        trace.start_workers(pool.threads());
    }
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let index = args.which.index()?;
    drop(span);
    let span = recording.enter(Spot::MERGE);
    let battery = Battery::new(&programs.list, index.ids());
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let (index, skipped) = args.which.readable(index, &pool)?;
    drop(span);
    let span = recording.enter(Spot::WRITE);
    let mut files = Files::new(args, &index)?;
    drop(span);
    let mut summary = Summary::new();
    let bar = bar(index.len());
    let mut broken = None;
    let tasks = index.tasks(0).map_while(|task| task.map_err(|error| broken = Some(error)).ok());
    // Threads are started and stopped around the run; what happens inside has spots of its own.
    let span = recording.enter(Spot::START);
    let pulse = Pulse::new(args.keep.record.as_deref());
    let solved = AtomicUsize::new(0);
    let told = |done: usize, elapsed: Duration| {
        pulse.tell(|| Now {
            what: "run".to_owned(),
            data: args.which.data.clone(),
            seconds: elapsed.as_secs_f64(),
            done,
            total: index.len(),
            solved: solved.load(Ordering::Relaxed),
            tried: 0,
        });
    };
    let time = Duration::from_secs(args.timeout);
    let (slowest, elapsed) = Clocks::watch(&pool, time, bar.clone(), &told, |clocks| {
        let setup = Setup {
            limits: Limits { fuel: args.fuel, ..Limits::STANDARD },
            all_pairs: args.all_pairs,
            go_on: args.go_on,
            sharing: !args.no_sharing,
            kernels: !args.no_kernels,
            answers: args.keep.record.is_some(),
            trace: recording.trace(),
            ..Setup::new(clocks)
        };
        battery.run(&pool, tasks, &setup, |task, result| {
            let span = recording.enter(Spot::SUM_UP);
            summary.add(task, &result);
            drop(span);
            let _span = recording.enter(Spot::WRITE);
            files.add(&battery, task, &result);
            solved.store(summary.scores.right_tasks(), Ordering::Relaxed);
            files.bring_up_to_date(|tasks| {
                let mut record = record(args, &battery, &pool, &summary, tasks);
                record.right.left = index.len() - summary.tasks;
                record
            });
        });
        (clocks.slowest(), clocks.elapsed())
    });
    drop(span);
    if let Some(bar) = bar {
        let _span = recording.enter(Spot::PROGRESS);
        bar.finish_and_clear();
    }
    // A task that could be read a moment ago.
    if let Some(error) = broken {
        return Err(error.into());
    }
    summary.left = index.len() - summary.tasks;
    let excused = summary.wrong.iter().filter(|own| expected.allows(&battery, own)).count();
    let span = recording.enter(Spot::WRITE);
    let profile = || {
        drop(span);
        recording.profile(&battery, excused, repeats)
    };
    files.finish(|tasks| record(args, &battery, &pool, &summary, tasks), profile)?;
    recording.close()?;
    if !tell {
        return Ok(true);
    }
    let report = Report {
        args,
        battery: &battery,
        summary: &summary,
        expected: &expected,
        errors: programs.errors,
        skipped,
        slowest,
        elapsed,
        threads: pool.threads(),
    };
    if args.json {
        output::json(report.document())?;
    } else {
        report.print()?;
    }
    Ok(report.fine())
}

struct Programs {
    list: Vec<Program>,
    /// Mistakes in the files.
    errors: usize,
}

impl Programs {
    fn read(args: &Args, builtin: bool) -> anyhow::Result<Programs> {
        if args.programs.is_empty() {
            if !builtin {
                bail!("which programs? Name their files: `batt run {} --programs FILE…`", args.which.data);
            }
            return Ok(Programs { list: lang::parse(DEMO_PROGRAMS).programs, errors: 0 });
        }
        let sources =
            args.programs.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let errors = sources.iter().map(Source::errors).sum();
        let list: Vec<_> = sources.into_iter().flat_map(|source| source.parsed.programs).collect();
        if list.is_empty() && errors == 0 {
            bail!("there is no program in these files");
        }
        Ok(Programs { list, errors })
    }
}

/// Programs that may be wrong.
struct Expected(BTreeSet<String>);

impl Expected {
    fn read(path: Option<&Path>, programs: &[Program]) -> anyhow::Result<Expected> {
        let Some(path) = path else { return Ok(Expected(BTreeSet::new())) };
        let text = String::from_utf8(files::read(path)?)
            .with_context(|| format!("{} is not a list of names", path.display()))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let names: BTreeSet<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let known: BTreeSet<&str> = programs.iter().map(Program::name).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) {
            bail!("{} names {name}, and no program is called that; take the line out", path.display());
        }
        Ok(Expected(names))
    }

    fn allows(&self, battery: &Battery<'_>, own: &Own) -> bool {
        self.0.contains(battery.programs()[own.program.index()].name())
    }
}

/// A bar on a terminal, none in a pipe.
fn bar(n_tasks: usize) -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} tasks, {eta} left").ok()?;
    std::io::stderr().is_terminal().then(|| ProgressBar::new(n_tasks as u64).with_style(style))
}

/// The files that a run writes. Each is complete whenever it is there: it is written aside and then renamed.
struct Files<'a> {
    submission: Option<Growing<'a>>,
    record: Option<(&'a Path, record::Tasks)>,
    /// When the record is brought up to date.
    due: Due,
    /// What could not be written; it is told at the end.
    failed: Option<anyhow::Error>,
}

impl<'a> Files<'a> {
    fn new(args: &'a Args, index: &'a Index) -> anyhow::Result<Files<'a>> {
        let submission = args.output.as_deref().map(|path| Growing::new(path, index)).transpose()?;
        let tasks = |path: &'a PathBuf| {
            Ok::<_, anyhow::Error>((
                path.as_path(),
                record::Tasks::new(path).with_context(|| cannot_write(path))?,
            ))
        };
        Ok(Files {
            submission,
            record: args.keep.record.as_ref().map(tasks).transpose()?,
            due: Due::new(Instant::now(), SAVE_EVERY),
            failed: None,
        })
    }

    fn add(&mut self, battery: &Battery<'_>, task: &Task, result: &TaskResult) {
        let added = self.try_add(battery, task, result);
        self.failed = self.failed.take().or(added.err());
    }

    fn try_add(&mut self, battery: &Battery<'_>, task: &Task, result: &TaskResult) -> anyhow::Result<()> {
        if let Some(submission) = &mut self.submission {
            submission.add(&task.id, &result.attempts)?;
        }
        if let (Some((path, tasks)), true) = (&mut self.record, result.finished) {
            tasks.add(&document::task(battery, task, result)).with_context(|| cannot_write(path))?;
        }
        Ok(())
    }

    /// Writes the record of the tasks that are through, from time to time: whoever looks sees how the run goes.
    fn bring_up_to_date(&mut self, record: impl FnOnce(&record::Tasks) -> Record) {
        let Files { record: Some((path, tasks)), due, failed, .. } = self else { return };
        // A pipe is written to only once, at the end.
        if due.is_now(Instant::now()) && files::is_plain(path) {
            let begun = Instant::now();
            let saved = tasks.write(&record(tasks), || None).with_context(|| cannot_write(path));
            *failed = failed.take().or(saved.err());
            due.done(begun, Instant::now());
        }
    }

    fn finish(
        self,
        record: impl FnOnce(&record::Tasks) -> Record,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> anyhow::Result<()> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        if let Some(mut submission) = self.submission {
            submission.save()?;
        }
        if let Some((path, mut tasks)) = self.record {
            let record = record(&tasks);
            tasks.write(&record, profile).with_context(|| cannot_write(path))?;
        }
        Ok(())
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// A submission that gets better task by task. What is known of it lies in a file of its own, in the order of the
/// tasks; for the others it has stand-ins.
struct Growing<'a> {
    path: &'a Path,
    form: Form,
    index: &'a Index,
    known: Spool,
    n_known: usize,
    saved: Instant,
    /// When it is due to be saved again.
    every: Duration,
}

impl<'a> Growing<'a> {
    /// How often the file is brought up to date, so that little is lost when the machine goes down …
    const EVERY: Duration = Duration::from_secs(10);
    /// … and what part of the time this may take.
    const SHARE: u32 = 50;

    fn new(path: &'a Path, index: &'a Index) -> anyhow::Result<Growing<'a>> {
        let known = Spool::for_file(path).with_context(|| cannot_write(path))?;
        let (saved, every) = (Instant::now(), Growing::EVERY);
        let mut growing = Growing { path, form: Form::of(path), index, known, n_known: 0, saved, every };
        // There is something to hand in from the first moment on. A pipe is written to only once, at the end.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            growing.every = Duration::MAX;
        } else if !signal::stopped() {
            growing.save()?;
        }
        Ok(growing)
    }

    fn add(&mut self, id: &str, attempts: &[[Grid; 2]]) -> anyhow::Result<()> {
        let entry = self.form.entry(self.n_known, id, attempts);
        self.known.write_all(entry.as_bytes()).with_context(|| cannot_write(self.path))?;
        self.n_known += 1;
        if self.saved.elapsed() >= self.every {
            self.save()?;
        }
        Ok(())
    }

    fn save(&mut self) -> anyhow::Result<()> {
        let Growing { path, form, index, ref mut known, n_known, .. } = *self;
        let started = Instant::now();
        write_aside_with(path, |out| {
            out.write_all(form.start().as_bytes())?;
            known.copy_to(out)?;
            for (i, task) in (n_known..).zip(index.tasks(n_known)) {
                let task = task.map_err(std::io::Error::other)?;
                out.write_all(form.entry(i, &task.id, &stand_ins(&task)).as_bytes())?;
            }
            out.write_all(form.end().as_bytes())
        })
        .with_context(|| cannot_write(path))?;
        self.saved = Instant::now();
        self.every = self.every.max(started.elapsed() * Growing::SHARE);
        Ok(())
    }
}

fn record(
    args: &Args,
    battery: &Battery<'_>,
    pool: &Pool,
    summary: &Summary,
    tasks: &record::Tasks,
) -> Record {
    let options = record::Options {
        fuel: args.fuel,
        seconds: args.timeout,
        all_pairs: args.all_pairs,
        go_on: args.go_on,
    };
    let (sharing, kernels) = (!args.no_sharing, !args.no_kernels);
    let made = document::Made { data: &args.which.data, options, threads: pool.threads(), sharing, kernels };
    document::record(&made, battery, summary, tasks)
}

struct Report<'r> {
    args: &'r Args,
    battery: &'r Battery<'r>,
    summary: &'r Summary,
    expected: &'r Expected,
    errors: usize,
    skipped: Vec<Problem>,
    slowest: Vec<(Duration, String)>,
    elapsed: Duration,
    threads: usize,
}

impl Report<'_> {
    /// How many lines of one kind are shown.
    const SHOWN: usize = 20;

    fn fine(&self) -> bool {
        self.errors == 0 && self.summary.left == 0 && self.unexpected().next().is_none()
    }

    fn name(&self, own: &Own) -> &str {
        self.battery.programs()[own.program.index()].name()
    }

    fn wrong(&self) -> impl Iterator<Item = &Own> {
        self.summary.wrong.iter()
    }

    fn unexpected(&self) -> impl Iterator<Item = &Own> {
        self.wrong().filter(|own| !self.expected.0.contains(self.name(own)))
    }

    /// Those that may be wrong, and are not.
    fn better(&self) -> Vec<&str> {
        let wrong: BTreeSet<&str> = self.wrong().map(|own| self.name(own)).collect();
        let ran = self.summary.own.programs.iter();
        let names: BTreeSet<&str> = ran.map(|id| self.battery.programs()[id.index()].name()).collect();
        names.into_iter().filter(|name| self.expected.0.contains(*name) && !wrong.contains(name)).collect()
    }

    /// Programs that are not named after any task that was run.
    fn without_task(&self) -> usize {
        self.battery.programs().len() - self.summary.own.programs.len()
    }

    /// Verdicts other than right, most interesting first, in the order of [`Verdict::ALL`].
    fn failures(&self) -> Vec<(Verdict, u64)> {
        self.summary.tally.iter().filter(|(verdict, _)| !verdict.is_right()).collect()
    }

    fn per_second(&self) -> u64 {
        (self.summary.runs as f64 / self.elapsed.as_secs_f64().max(1e-6)) as u64
    }

    fn print(&self) -> anyhow::Result<()> {
        let mut out = output::stdout();
        if self.errors > 0 {
            let files: Vec<_> = self.args.programs.iter().map(|path| path.display().to_string()).collect();
            let see = format!("batt programs check {}", files.join(" "));
            writeln!(
                out,
                "{} in the program files, see `{see}`; the other programs:",
                count(self.errors, "error")
            )?;
        }
        self.print_wrong(&mut out)?;
        self.print_elsewhere(&mut out)?;
        self.print_table(&mut out)?;
        self.print_notes(&mut out)?;
        Ok(out.flush()?)
    }

    fn print_wrong(&self, out: &mut impl Write) -> anyhow::Result<()> {
        for own in self.wrong().take(Report::SHOWN) {
            let (pairs, skipped) = (count(own.pairs, "pair"), own.skipped);
            let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
            let expected = if self.expected.0.contains(self.name(own)) { " (expected)" } else { "" };
            let on =
                if self.name(own).ends_with(&own.task) { String::new() } else { format!(" on {}", own.task) };
            writeln!(
                out,
                "{}{on}: wrong on {} of {pairs}{skipped}{expected}",
                self.name(own),
                own.wrong.len()
            )?;
            for (pair, why) in &own.wrong {
                writeln!(out, "  {pair}: {why}")?;
            }
        }
        let n = self.wrong().count();
        if n > Report::SHOWN {
            writeln!(out, "and {} more that are wrong", n - Report::SHOWN)?;
        }
        if n > 0 {
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

    /// Which programs solve tasks that are not their own, in the order of the programs.
    fn elsewhere(&self) -> Vec<(&str, Vec<&str>)> {
        let mut solved: Vec<Vec<&str>> = vec![Vec::new(); self.battery.programs().len()];
        for (program, task) in &self.summary.elsewhere {
            solved[program.index()].push(task);
        }
        let named = self.battery.programs().iter().map(Program::name).zip(solved);
        named.filter(|(_, tasks)| !tasks.is_empty()).collect()
    }

    fn print_table(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Report { summary, .. } = self;
        let mut row = |label: &str, text: String| writeln!(out, "{label:<33} {text}");
        let of_own = |n: usize| format!("{n} of {}", count(summary.own.runs, "program"));
        row("tasks", format!("{}, {} with programs", summary.tasks, summary.attempted))?;
        row("right on demos", of_own(summary.own.on_demos))?;
        row("right on tests", of_own(summary.own.on_tests))?;
        for rule in Rule::ALL {
            row(rule.label(), self.score(rule))?;
        }
        let failures = self.failures().into_iter().map(|(verdict, n)| format!("{verdict} {}", grouped(n)));
        let failures: Vec<_> = failures.collect();
        row("not right", if failures.is_empty() { "none".to_owned() } else { failures.join(", ") })?;
        let dearest = summary.dearest.iter().map(|(fuel, id)| format!("{id} {}", grouped(*fuel)));
        if !summary.dearest.is_empty() {
            row("most fuel", dearest.collect::<Vec<_>>().join(", "))?;
        }
        let slowest = self.slowest.iter().map(|(took, id)| format!("{id} {}", time(*took)));
        row("slowest", slowest.collect::<Vec<_>>().join(", "))?;
        let threads = count(self.threads, "thread");
        let runs = grouped(summary.runs);
        let per_second = grouped(self.per_second());
        row(
            "throughput",
            format!("{runs} runs in {}, {per_second} a second on {threads}", time(self.elapsed)),
        )?;
        Ok(())
    }

    fn score(&self, rule: Rule) -> String {
        let scores = &self.summary.scores;
        let Some(score) = scores.under(rule) else { return "no solutions known".to_owned() };
        let exact = match rule {
            Rule::Outputs => format!("{} of {}", scores.right_outputs(), scores.outputs()),
            Rule::Fractions => format!("{}/{}", score.numerator(), score.denominator()),
            Rule::Tasks => format!("{} of {}", scores.right_tasks(), scores.tasks()),
        };
        format!("{} %, {exact}", score.percent())
    }

    fn print_notes(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Summary { tasks, left, .. } = self.summary;
        if *left > 0 {
            writeln!(out, "note: stopped after {tasks} of {}", count(tasks + left, "task"))?;
            self.print_saved(out)?;
        }
        if !self.skipped.is_empty() {
            writeln!(out, "note: {} skipped, see above", count(self.skipped.len(), "broken task"))?;
        }
        for bug in arcbatt::exec::bugs() {
            writeln!(out, "note: a bug of batt, please report it: {bug}")?;
        }
        let without = self.without_task();
        if without > 0 && !self.args.all_pairs {
            let are = if without == 1 { "program is" } else { "programs are" };
            writeln!(out, "note: {without} {are} named after no task of this run, and did not run")?;
        }
        let unsolved = self.summary.scores.unsolved;
        if unsolved > 0 {
            writeln!(out, "note: {} without solutions, not counted in the scores", count(unsolved, "task"))?;
        }
        let better = self.better();
        if let (Some(path), false) = (&self.args.expect, better.is_empty()) {
            writeln!(out, "note: right, though {} lists them: {}", path.display(), better.join(", "))?;
        }
        Ok(())
    }

    /// What there is of a run that was stopped.
    fn print_saved(&self, out: &mut impl Write) -> anyhow::Result<()> {
        if let Some(path) = &self.args.keep.record {
            writeln!(out, "note: {} has the finished tasks", path.display())?;
        }
        if let Some(path) = &self.args.output {
            writeln!(out, "note: {} has stand-ins for the others, and can be handed in", path.display())?;
        }
        Ok(())
    }

    fn document(&self) -> impl Serialize + use<'_> {
        let Report { summary, .. } = self;
        let wrong = |own: &Own| WrongEntry {
            program: self.name(own).to_owned(),
            task: own.task.clone(),
            expected: self.expected.0.contains(self.name(own)),
            pairs: own.pairs,
            skipped: own.skipped,
            wrong: own
                .wrong
                .iter()
                .map(|(pair, why)| PairEntry { pair: pair.clone(), why: why.clone() })
                .collect(),
        };
        let elsewhere = self.elsewhere().into_iter().map(|(program, tasks)| ElsewhereEntry {
            program: program.to_owned(),
            tasks: tasks.into_iter().map(str::to_owned).collect(),
        });
        Document {
            right: document::right(summary),
            fine: self.fine(),
            errors: self.errors,
            skipped: data::skipped(&self.skipped),
            tasks: summary.tasks,
            attempted: summary.attempted,
            programs: self.battery.programs().len(),
            without_task: self.without_task(),
            plan: self.battery.plan().counts().into(),
            scores: record::scores(&summary.scores),
            verdicts: record::verdict_counts(&summary.tally),
            wrong: self.wrong().map(wrong).collect(),
            better_than_expected: self.better().into_iter().map(str::to_owned).collect(),
            also_solves: elsewhere.collect(),
            runs: summary.runs,
            fuel: summary.fuel,
            most_fuel: summary
                .dearest
                .iter()
                .map(|(fuel, task)| FuelEntry { task: task.clone(), fuel: *fuel })
                .collect(),
            time: TimeEntry {
                threads: self.threads,
                microseconds: self.elapsed.as_micros() as u64,
                runs_per_second: self.per_second(),
                slowest: self
                    .slowest
                    .iter()
                    .map(|(took, task)| SlowEntry {
                        task: task.clone(),
                        microseconds: took.as_micros() as u64,
                    })
                    .collect(),
            },
        }
    }
}

#[derive(Serialize)]
struct Document {
    right: record::Right,
    /// What the exit code says.
    fine: bool,
    errors: usize,
    skipped: Vec<data::Skipped>,
    tasks: usize,
    attempted: usize,
    programs: usize,
    without_task: usize,
    plan: record::PlanCounts,
    scores: Vec<record::Score>,
    verdicts: Vec<record::VerdictCount>,
    wrong: Vec<WrongEntry>,
    better_than_expected: Vec<String>,
    also_solves: Vec<ElsewhereEntry>,
    runs: u64,
    fuel: u64,
    most_fuel: Vec<FuelEntry>,
    time: TimeEntry,
}

#[derive(Serialize)]
struct WrongEntry {
    program: String,
    task: String,
    expected: bool,
    pairs: usize,
    skipped: usize,
    wrong: Vec<PairEntry>,
}

#[derive(Serialize)]
struct PairEntry {
    pair: String,
    why: String,
}

#[derive(Serialize)]
struct ElsewhereEntry {
    program: String,
    tasks: Vec<String>,
}

#[derive(Serialize)]
struct FuelEntry {
    task: String,
    fuel: u64,
}

#[derive(Serialize)]
struct TimeEntry {
    threads: usize,
    microseconds: u64,
    runs_per_second: u64,
    slowest: Vec<SlowEntry>,
}

#[derive(Serialize)]
struct SlowEntry {
    task: String,
    microseconds: u64,
}

/// `1,234,567`
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(time: Duration) -> String {
    match time.as_micros() {
        0..1_000 => format!("{} µs", time.as_micros()),
        1_000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}
