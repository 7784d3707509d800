//! `batt solve`

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arcbatt::Due;
use arcbatt::battery::Pool;
use arcbatt::document::{example, machine};
use arcbatt::dsl::Limits;
use arcbatt::exec::{Options, Prepared};
use arcbatt::found::of_solve;
use arcbatt::lang::{self, Program};
use arcbatt::plan::{Plan, ProgramId};
use arcbatt::record::live::Now;
use arcbatt::record::{self, CurvePoint, Solve, SolveMeans, SolveRun, SolvedTask};
use arcbatt::score::{Rule, Scores, Totals};
use arcbatt::search::{self, Known, Progress, Searcher};
use arcbatt::solve::{Campaign, hand_in};
use arcbatt::store::{Origin, Store};
use arcbatt::task::submission::{Form, Submission, stand_ins};
use arcbatt::task::{Grid, Task, write_aside, write_aside_with};
use arcbatt::trace::{Spot, Trace};
use arcbatt::value::Arena;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::programs_store::{self, Find, Reader};
use crate::data::Which;
use crate::files::{self, Source};
use crate::live::{Pulse, SAVE_EVERY};
use crate::means::{Means, time};
use crate::output::count;
use crate::recording::{Keep, Recording};
use crate::signal::Ender;
use crate::{Answer, output, signal};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Program files that are tried first, every program on every task
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    /// A store: its best programs for a task are tried first on it, and what is found is filed
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Leave out a step of the search, to see what it is worth; its fuel goes to those that follow
    #[arg(long, value_enum, value_name = "STEP", num_args = 1..)]
    without: Vec<Without>,
    #[command(flatten)]
    means: Means,
    /// The submission: there from the first second on, and it only gets better. What is needed to go on lies beside
    /// it in FILE.state
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Go on from what FILE.state beside the submission says
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    keep: Keep,
    /// Write the programs that give the attempts, for `batt run` and `batt programs explain`
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Without {
    /// The search from the task
    Enumerate,
    /// Breeding from known programs
    Breed,
}

impl Without {
    fn step(self) -> search::Step {
        match self {
            Without::Enumerate => search::Step::Enumerate,
            Without::Breed => search::Step::Breed,
        }
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    signal::note()?;
    let started = Instant::now();
    let recording = Recording::of_search(&args.keep);
    let span = recording.enter(Spot::PARSE);
    let programs = known(&args.programs)?;
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let pool = Pool::new(args.means.threads())?;
    let (index, _) = args.which.readable(args.which.index()?, &pool)?;
    let tasks: Vec<Task> = index.tasks(0).collect::<Result<_, _>>()?;
    drop(span);
    let span = recording.enter(Spot::SET_UP);
    let mut campaign = Campaign::new(&tasks);
    let without = args.without.iter().map(|without| without.step().name().to_owned()).collect();
    let what = campaign.what(&args.which.data, &programs, args.means.fuel(), args.means.seed);
    let run = SolveRun { without, ..what };
    let resumed = if args.resume { resume(args, &mut campaign, &run)? } else { 0 };

    let mut store = args.store.as_deref().map(Store::open).transpose()?;
    let general = programs.len();
    let (stored, of_task) = stored(store.as_ref(), &tasks, general)?;
    let programs: Vec<Program> = programs.into_iter().chain(stored).collect();
    let plan = Plan::merge(&programs);
    let arena = Arena::new(Limits::STANDARD.caps);
    let limits = Limits::STANDARD;
    let options = Options { limits, go_on: false, sharing: true, kernels: true, stop: None };
    let prepared = Prepared::new(&plan, &arena, &options);
    let known = (!programs.is_empty()).then_some(Known {
        programs: &programs,
        prepared: &prepared,
        general,
        of_task: &of_task,
    });
    let searcher = Searcher::new(known, args.means.seed)
        .without(args.without.iter().map(|without| without.step()).collect());

    let desk = Desk::new(args, &campaign, run, started, pool.threads())?;
    drop(span);
    desk.search(&campaign, &pool, &searcher, recording.trace());
    let span = recording.enter(Spot::WRITE);
    let told = desk.finish(&campaign, &tasks, resumed, &recording);
    drop(span);
    // The files come first: whatever is wrong with the store, they are there.
    let filed = match &mut store {
        Some(store) => file(store, args.means.seed, &campaign, &tasks, &pool),
        None => Ok(()),
    };
    programs_store::after(told, filed)
}

/// Programs, and which of them have a place on a task, by its id.
type Placed = (Vec<Program>, BTreeMap<String, Vec<ProgramId>>);

/// The programs of a store that have a place on a task, and for each task which they are; they come after `first`
/// others.
fn stored(store: Option<&Store>, tasks: &[Task], first: usize) -> anyhow::Result<Placed> {
    let (mut programs, mut of_task) = (Vec::new(), BTreeMap::new());
    let Some(store) = store else { return Ok((programs, of_task)) };
    let mut reader = Reader::new(store);
    for task in tasks {
        let mut ids = Vec::new();
        for ranked in store.best_for(task.sealed_hash())? {
            let Some(program) = reader.read(&ranked.stored) else { continue };
            ids.push(ProgramId((first + programs.len()) as u32));
            programs.push(program);
        }
        of_task.insert(task.id.clone(), ids);
    }
    reader.tell();
    Ok((programs, of_task))
}

/// Files the programs behind the attempts that were not known before.
fn file(
    store: &mut Store,
    seed: u64,
    campaign: &Campaign,
    tasks: &[Task],
    pool: &Pool,
) -> anyhow::Result<()> {
    let mut finds = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        let progress = campaign.progress(place);
        let attempts = progress.attempts(task.test.len());
        let places: BTreeSet<usize> =
            attempts.iter().flat_map(|output| &output.attempts).map(|attempt| attempt.answer).collect();
        let answers = places.into_iter().map(|place| &progress.answers[place]);
        for answer in answers.filter(|answer| answer.mechanism != search::KNOWN) {
            let origin = Origin::Found {
                seed,
                operator: answer.mechanism.clone(),
                parents: Vec::new(),
                saw: vec![task.sealed_hash()],
            };
            let programs = lang::parse(&answer.program).programs.into_iter();
            finds.extend(programs.map(|program| Find { task, program, origin: origin.clone() }));
        }
    }
    programs_store::file(store, finds, pool)?;
    Ok(())
}

/// The programs that are known before the search.
pub(crate) fn known(files: &[PathBuf]) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for path in files {
        let source = Source::read(path)?;
        if source.errors() > 0 {
            let file = path.display();
            output::warning(&format!(
                "{} in {file}, see `batt programs check {file}`; the other programs are used",
                count(source.errors(), "error")
            ));
        }
        programs.extend(source.parsed.programs);
    }
    if programs.is_empty() && !files.is_empty() {
        bail!("there is no program in these files");
    }
    Ok(programs)
}

/// The state of a run lies beside its submission.
fn state_path(submission: &Path) -> PathBuf {
    let mut name = submission.as_os_str().to_owned();
    name.push(".state");
    PathBuf::from(name)
}

/// Goes on from the state file: how many tasks it knows.
fn resume(args: &Args, campaign: &mut Campaign, run: &SolveRun) -> anyhow::Result<usize> {
    let Some(submission) = &args.output else { return Ok(0) };
    let path = state_path(submission);
    if !path.exists() {
        output::warning(&format!("{} is not there; everything starts anew", path.display()));
        return Ok(0);
    }
    let state = Solve::read(&path).with_context(|| format!("cannot go on from {}", path.display()))?;
    campaign.go_on(&state, run).with_context(|| {
        format!(
            "{} is from a run with another version, other programs, other steps or another seed; leave out --resume to start anew",
            path.display()
        )
    })
}

/// Where the results come together: files, screen, clock.
struct Desk<'d> {
    args: &'d Args,
    run: SolveRun,
    started: Instant,
    threads: usize,
    bar: Option<ProgressBar>,
    pulse: Pulse,
    tried: AtomicU64,
    answered: AtomicUsize,
    /// Used by all tasks, and left for those that are not sure yet; for runs on fuel.
    fuel_used: AtomicU64,
    fuel_left: AtomicU64,
    ledger: Mutex<Ledger>,
}

/// What is known of each task at the moment.
struct Ledger {
    outputs: Vec<Vec<[Grid; 2]>>,
    /// As a line of the record; nothing yet where no step is done.
    answered: Vec<bool>,
    /// How sure the outputs of each task are.
    sure: Vec<f64>,
    tried: Vec<u64>,
    /// Used and left.
    fuel: Vec<(u64, u64)>,
    curve: Vec<CurvePoint>,
    due: Due,
    failed: Option<anyhow::Error>,
}

impl<'d> Desk<'d> {
    fn new(
        args: &'d Args,
        campaign: &Campaign,
        run: SolveRun,
        started: Instant,
        threads: usize,
    ) -> anyhow::Result<Desk<'d>> {
        let n = campaign.len();
        let ledger = Ledger {
            outputs: campaign.puzzles().iter().map(|puzzle| stand_ins(puzzle.task())).collect(),
            answered: vec![false; n],
            sure: vec![0.0; n],
            tried: vec![0; n],
            fuel: vec![(0, 0); n],
            curve: Vec::new(),
            due: Due::new(Instant::now(), SAVE_EVERY),
            failed: None,
        };
        let desk = Desk {
            args,
            run,
            started,
            threads,
            bar: bar(n),
            pulse: Pulse::new(args.keep.record.as_deref()),
            tried: AtomicU64::new(0),
            answered: AtomicUsize::new(0),
            fuel_used: AtomicU64::new(0),
            fuel_left: AtomicU64::new(0),
            ledger: Mutex::new(ledger),
        };
        let mut ledger = desk.ledger();
        for task in 0..n {
            desk.enter(&mut ledger, campaign, task, &campaign.progress(task));
        }
        // There is something to hand in from the first moment on.
        desk.save(&mut ledger, campaign)?;
        drop(ledger);
        Ok(desk)
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches until everything is through or the time is over.
    fn search(&self, campaign: &Campaign, pool: &Pool, searcher: &Searcher<'_>, trace: Option<&Trace>) {
        let stop = Arc::new(AtomicBool::new(false));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if signal::stopped() || self.args.means.late(self.started.elapsed()) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    self.show(campaign.len());
                    std::thread::park_timeout(Duration::from_millis(50));
                }
            });
            let end = Ender::new(&over, watcher.thread().clone());
            campaign.run(pool, searcher, self.args.means.fuel(), &stop, trace, &|task, progress| {
                let mut ledger = self.ledger();
                self.enter(&mut ledger, campaign, task, progress);
                if ledger.due.is_now(Instant::now()) {
                    let saved = self.save(&mut ledger, campaign);
                    ledger.failed = ledger.failed.take().or(saved.err());
                }
            });
            drop(end);
        });
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Tasks that have an answer; whether more comes of them nobody knows before the end.
    fn now(&self, tasks: usize) -> Now {
        let solved = self.answered.load(Ordering::Relaxed);
        Now {
            what: "solve".to_owned(),
            data: self.args.which.data.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            done: solved,
            total: tasks,
            solved,
            tried: self.tried.load(Ordering::Relaxed),
        }
    }

    fn show(&self, tasks: usize) {
        self.pulse.tell(|| self.now(tasks));
        let Some(bar) = &self.bar else { return };
        let (answered, tried) = (self.answered.load(Ordering::Relaxed), self.tried.load(Ordering::Relaxed));
        let per_second = tried as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let elapsed = self.started.elapsed();
        let (used, left) = (self.fuel_used.load(Ordering::Relaxed), self.fuel_left.load(Ordering::Relaxed));
        let left = match self.args.means.budget {
            Some(budget) => format!(", {} left", time(budget.saturating_sub(elapsed))),
            // At the pace so far; tasks that become sure before their fuel is used make it less.
            None if used > 0 => {
                format!(", at most {} left", time(elapsed.mul_f64(left as f64 / used as f64)))
            }
            None => String::new(),
        };
        bar.set_position(answered as u64);
        bar.set_message(format!("{answered} of {tasks} solved on demos, {per_second:.0} candidates/s{left}"));
    }

    /// Takes in what is known of a task.
    fn enter(&self, ledger: &mut Ledger, campaign: &Campaign, task: usize, progress: &Progress) {
        let puzzle = &campaign.puzzles()[task];
        let attempts = progress.attempts(puzzle.task().test.len());
        let answered = attempts.iter().any(|output| !output.attempts.is_empty());
        ledger.outputs[task] = hand_in(puzzle, &attempts);
        ledger.answered[task] = answered;
        ledger.sure[task] = attempts.iter().map(|output| f64::from(output.sure()) / 1000.0).sum();
        ledger.tried[task] = progress.tried;
        let seconds = self.started.elapsed().as_secs_f64();
        let tried: u64 = ledger.tried.iter().sum();
        let solved_on_demos = ledger.answered.iter().filter(|answered| **answered).count();
        self.tried.store(tried, Ordering::Relaxed);
        self.answered.store(solved_on_demos, Ordering::Relaxed);
        let least = attempts.iter().map(|output| output.sure()).min().unwrap_or(0);
        let open = !progress.ended && least < search::SURE;
        let limit = self.args.means.fuel().unwrap_or(0);
        let left = if open { limit.saturating_sub(progress.fuel) } else { 0 };
        ledger.fuel[task] = (progress.fuel, left);
        let sum = |of: fn(&(u64, u64)) -> u64| ledger.fuel.iter().map(of).sum();
        self.fuel_used.store(sum(|it| it.0), Ordering::Relaxed);
        self.fuel_left.store(sum(|it| it.1), Ordering::Relaxed);
        // Ever farther apart, so that the curve of a long run stays short.
        if ledger.curve.last().is_none_or(|last| seconds >= last.seconds * 1.1 + 0.1) {
            let expected_outputs = ledger.sure.iter().sum();
            ledger.curve.push(CurvePoint { seconds, solved_on_demos, expected_outputs, tried });
        }
    }

    /// Brings the files up to date: the submission, then what is needed to go on, then the record.
    fn save(&self, ledger: &mut Ledger, campaign: &Campaign) -> anyhow::Result<()> {
        let begun = Instant::now();
        self.save_files(ledger, campaign)?;
        ledger.due.done(begun, Instant::now());
        Ok(())
    }

    fn save_files(&self, ledger: &Ledger, campaign: &Campaign) -> anyhow::Result<()> {
        let Args { output, keep: Keep { record, .. }, .. } = self.args;
        if output.is_none() && record.is_none() {
            return Ok(());
        }
        let mut document = self.document(ledger, campaign, Vec::new());
        if let Some(path) = output {
            write_submission(path, campaign, &ledger.outputs)?;
            let state = state_path(path);
            document.write(&state).with_context(|| cannot_write(&state))?;
        }
        // A pipe is written to only once, at the end.
        if let Some(path) = record.as_deref().filter(|path| files::is_plain(path)) {
            // Test outputs are sealed until the end.
            for (entry, puzzle) in document.tasks.iter_mut().zip(campaign.puzzles()) {
                entry.train = puzzle.task().train.iter().map(example).collect();
                entry.test = puzzle.task().test.iter().map(example).collect();
            }
            document.write(path).with_context(|| cannot_write(path))?;
        }
        Ok(())
    }

    fn document(&self, ledger: &Ledger, campaign: &Campaign, scores: Vec<record::Score>) -> Solve {
        let means = SolveMeans {
            threads: self.threads,
            machine: machine(),
            seconds: self.started.elapsed().as_secs_f64(),
            curve: ledger.curve.clone(),
        };
        campaign.document(&self.run, means, scores)
    }

    fn finish(self, campaign: &Campaign, tasks: &[Task], resumed: usize, recording: &Recording) -> Answer {
        let mut ledger = self.ledger();
        for task in 0..campaign.len() {
            self.enter(&mut ledger, campaign, task, &campaign.progress(task));
        }
        self.save(&mut ledger, campaign)?;
        if let Some(failed) = ledger.failed.take() {
            return Err(failed);
        }
        // Nothing is left to choose: the sealed step.
        let answers = Submission::parse(submission(campaign, &ledger.outputs).as_bytes())?;
        let scores = Scores::open(&answers, tasks);
        let mut totals = Totals::default();
        totals.add(&scores);
        let mut document = self.document(&ledger, campaign, record::scores(&totals));
        let reliability = reliability(&document.tasks, &scores);
        for (entry, task) in document.tasks.iter_mut().zip(tasks) {
            entry.train = task.train.iter().map(example).collect();
            entry.test = task.test.iter().map(example).collect();
        }
        document.profile = recording.profile_of_search();
        if let Some(path) = &self.args.keep.record {
            document.write(path).with_context(|| cannot_write(path))?;
        }
        if let Some(path) = &self.args.keep.report {
            super::report::of_record("solve", of_solve(document.clone()), path)?;
        }
        if let Some(path) = &self.args.export {
            write_aside(path, exported(&document.tasks).as_bytes()).with_context(|| cannot_write(path))?;
        }
        if self.args.json {
            output::json(Report::new(&document, &totals, reliability))?;
        } else {
            self.print(&document, &totals, &reliability, resumed)?;
        }
        Ok(!signal::stopped())
    }

    fn print(
        &self,
        document: &Solve,
        totals: &Totals,
        reliability: &[Reliability],
        resumed: usize,
    ) -> anyhow::Result<()> {
        let mut out = output::stdout();
        let rows: Vec<Row> = document.tasks.iter().filter_map(Row::new).collect();
        let wide = rows.iter().map(|row| row.task.chars().count()).max().unwrap_or(4);
        if !rows.is_empty() {
            writeln!(out, "{:<wide$}  sure  {:<28} rule", "task", "found by")?;
        }
        for row in rows.iter().take(SHOWN) {
            let line = format!(
                "{:<wide$} {:>4.0}%  {:<28} {}",
                row.task,
                row.sure * 100.0,
                row.mechanism,
                row.words
            );
            writeln!(out, "{}", shortened(&line, output::width()))?;
        }
        if rows.len() > SHOWN {
            writeln!(out, "and {} more; --record FILE has all", rows.len() - SHOWN)?;
        }
        writeln!(out)?;
        let mut row = |label: &str, text: String| writeln!(out, "{label:<33} {text}");
        row("solved on demos", format!("{} of {}", rows.len(), count(document.tasks.len(), "task")))?;
        // The sum of nothing is -0.
        let expected = 0.0 + document.tasks.iter().map(expected).sum::<f64>();
        row("right outputs to expect", format!("{expected:.0}"))?;
        for rule in Rule::ALL {
            row(rule.label(), score(totals, rule))?;
        }
        for line in reliability {
            let said = line.said * 100.0;
            row(&line.class, format!("{} of {} right, {said:.0} % said", line.right, line.attempts))?;
        }
        let tried: u64 = document.tasks.iter().map(|task| task.tried).sum();
        let elapsed = self.started.elapsed();
        let per_second = tried as f64 / elapsed.as_secs_f64().max(1e-3);
        let threads = count(self.threads, "thread");
        row(
            "throughput",
            format!("{tried} candidates in {}, {per_second:.0} a second on {threads}", time(elapsed)),
        )?;
        if resumed > 0 {
            writeln!(out, "note: went on from what was known of {}", count(resumed, "task"))?;
        }
        if signal::stopped() {
            writeln!(out, "note: stopped before the end")?;
        }
        for bug in arcbatt::exec::bugs() {
            writeln!(out, "note: a bug of batt, please report it: {bug}")?;
        }
        match &self.args.output {
            Some(path) => writeln!(out, "note: {} can be handed in", path.display())?,
            None => writeln!(out, "note: no file was written; -o submission.json writes one")?,
        }
        Ok(out.flush()?)
    }
}

/// How many lines of the table are shown.
const SHOWN: usize = 100;

fn bar(n_tasks: usize) -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{wide_bar} {msg}").ok()?;
    std::io::stderr().is_terminal().then(|| ProgressBar::new(n_tasks as u64).with_style(style))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn submission(campaign: &Campaign, outputs: &[Vec<[Grid; 2]>]) -> String {
    let form = Form::Json;
    let entries = campaign.puzzles().iter().zip(outputs).enumerate();
    let entries: String = entries.map(|(i, (puzzle, outputs))| form.entry(i, puzzle.id(), outputs)).collect();
    format!("{}{entries}{}", form.start(), form.end())
}

fn write_submission(path: &Path, campaign: &Campaign, outputs: &[Vec<[Grid; 2]>]) -> anyhow::Result<()> {
    let form = Form::of(path);
    write_aside_with(path, |out| {
        out.write_all(form.start().as_bytes())?;
        for (i, (puzzle, outputs)) in campaign.puzzles().iter().zip(outputs).enumerate() {
            out.write_all(form.entry(i, puzzle.id(), outputs).as_bytes())?;
        }
        out.write_all(form.end().as_bytes())
    })
    .with_context(|| cannot_write(path))
}

/// The programs behind the attempts, each once.
fn exported(tasks: &[SolvedTask]) -> String {
    let mut text = String::new();
    for task in tasks {
        let mut places: Vec<usize> = Vec::new();
        for attempt in task.attempts.iter().flatten() {
            if !places.contains(&attempt.answer) {
                places.push(attempt.answer);
            }
        }
        for (n, place) in places.into_iter().enumerate() {
            let answer = &task.answers[place];
            let head = answer.program.find('(').unwrap_or(0);
            let own = arcbatt::search::name(&task.id);
            // A program belongs to the task that its name ends with.
            let name = if n == 0 { own } else { own.replacen("solve", &format!("attempt_{}", n + 1), 1) };
            let words = answer.words.replace('\n', " ");
            text.push_str(&format!("# {words}\ndef {name}{}\n\n", &answer.program[head..]));
        }
    }
    text
}

/// Right outputs, as far as the solver can tell.
fn expected(task: &SolvedTask) -> f64 {
    let sure =
        |attempts: &Vec<record::SolvedAttempt>| attempts.iter().map(|it| it.sure).sum::<f64>().min(1.0);
    task.attempts.iter().map(sure).sum()
}

/// Attempts of which something similar was said, and how many of them are right.
#[derive(Serialize)]
struct Reliability {
    class: String,
    attempts: usize,
    right: usize,
    /// The mean of what was said.
    said: f64,
}

/// First attempts by how sure they are; nothing where no solution is known.
fn reliability(tasks: &[SolvedTask], scores: &Scores) -> Vec<Reliability> {
    let mut first: Vec<(f64, bool)> = Vec::new();
    for scored in &scores.tasks {
        let Some(task) = tasks.iter().find(|task| task.id == scored.id) else { continue };
        for (attempts, output) in task.attempts.iter().zip(&scored.outputs) {
            let Some(attempt) = attempts.first() else { continue };
            first.push((attempt.sure, output.right_attempt() == Some(0)));
        }
    }
    let class = |(from, to): (f64, f64)| {
        let inside = first.iter().filter(|(sure, _)| (from..to).contains(sure));
        let (attempts, said) = inside.clone().fold((0, 0.0), |(n, sum), (sure, _)| (n + 1, sum + sure));
        let right = inside.filter(|(_, right)| *right).count();
        let class = format!("first attempts, {:.0} to {:.0} % sure", from * 100.0, to.min(1.0) * 100.0);
        Reliability { class, attempts, right, said: said / f64::max(attempts as f64, 1.0) }
    };
    let classes = [(0.95, 2.0), (0.8, 0.95), (0.5, 0.8), (0.2, 0.5), (0.0, 0.2)].map(class);
    classes.into_iter().filter(|class| class.attempts > 0).collect()
}

/// What is said of one task.
#[derive(Serialize)]
struct Row {
    task: String,
    sure: f64,
    mechanism: String,
    words: String,
    program: String,
}

impl Row {
    fn new(task: &SolvedTask) -> Option<Row> {
        let first = task.attempts.iter().flatten().next()?;
        let answer = task.answers.get(first.answer)?;
        let surest = |attempts: &Vec<record::SolvedAttempt>| attempts.first().map_or(0.0, |it| it.sure);
        Some(Row {
            task: task.id.clone(),
            sure: task.attempts.iter().map(surest).fold(1.0, f64::min),
            mechanism: answer.mechanism.clone(),
            words: answer.words.replace('\n', " "),
            program: answer.program.clone(),
        })
    }
}

#[derive(Serialize)]
struct Report {
    tasks: usize,
    solved_on_demos: usize,
    expected_outputs: f64,
    scores: Vec<record::Score>,
    seconds: f64,
    tried: u64,
    curve: Vec<CurvePoint>,
    reliability: Vec<Reliability>,
    answers: Vec<Row>,
}

impl Report {
    fn new(document: &Solve, totals: &Totals, reliability: Vec<Reliability>) -> Report {
        let answers: Vec<Row> = document.tasks.iter().filter_map(Row::new).collect();
        Report {
            tasks: document.tasks.len(),
            solved_on_demos: answers.len(),
            expected_outputs: document.tasks.iter().map(expected).sum(),
            scores: record::scores(totals),
            seconds: document.means.seconds,
            tried: document.tasks.iter().map(|task| task.tried).sum(),
            curve: document.means.curve.clone(),
            reliability,
            answers,
        }
    }
}

fn score(totals: &Totals, rule: Rule) -> String {
    let Some(score) = totals.under(rule) else { return "no solutions known".to_owned() };
    let exact = match rule {
        Rule::Outputs => format!("{} of {}", totals.right_outputs(), totals.outputs()),
        Rule::Fractions => format!("{}/{}", score.numerator(), score.denominator()),
        Rule::Tasks => format!("{} of {}", totals.right_tasks(), totals.tasks()),
    };
    format!("{} %, {exact}", score.percent())
}

fn shortened(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
