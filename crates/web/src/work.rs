//! What runs that are started here do, from the request to the record. Either goes on from what the record has.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use arcbatt::battery::{Battery, Pool, Setup, Summary, Watch};
use arcbatt::document::{self, Made, example};
use arcbatt::dsl::Limits;
use arcbatt::exec::{Options, Prepared};
use arcbatt::lang::{self, Program};
use arcbatt::plan::Plan;
use arcbatt::record::live::{Live, Now};
use arcbatt::record::{self, CurvePoint, Record, Solve, SolveMeans, SolveRun};
use arcbatt::score::{Scores, Totals};
use arcbatt::search::{Known, Progress as Step, SURE, Searcher};
use arcbatt::solve::{Campaign, FUEL_PER_SECOND, hand_in};
use arcbatt::task::submission::{Form, Submission};
use arcbatt::task::{Task, write_aside_with};
use arcbatt::trace::{Clock, Level, Spot};
use arcbatt::value::Arena;
use arcbatt::{DEMO_PROGRAMS, Due, profile};

use crate::check::named;
use crate::runs::{Request, Run, RunError, What};

/// How often a record is brought up to date; a server that is killed loses no more.
const EVERY: Duration = Duration::from_secs(2);
/// How many tasks are handed over together: a run that is stopped between loses no more.
const CHUNK: usize = 64;

/// Whether the run came to its end.
pub(crate) fn work(run: &Run, request: &Request, pool: &Pool, live: Live) -> Result<bool, RunError> {
    let live = Mutex::new((live, Instant::now() - PULSE));
    let watch = Clocks::new(run, request, &live, pool.threads());
    watch.during(|| match request.what {
        What::Run => execute(run, request, pool, &watch),
        What::Solve => solve(run, request, pool),
    })
}

/// Runs the programs.
fn execute(run: &Run, request: &Request, pool: &Pool, watch: &Clocks<'_>) -> Result<bool, RunError> {
    let trace = profile::trace(Clock::real(), Level::Nodes, None);
    let span = trace.enter(Spot::PARSE);
    let programs = programs(request)?;
    drop(span);
    trace.start_workers(pool.threads());
    let span = trace.enter(Spot::LOAD);
    let index = named(&request.data)?;
    drop(span);
    let span = trace.enter(Spot::MERGE);
    let battery = Battery::new(&programs, index.ids());
    drop(span);
    let mut tasks = record::Tasks::new(&run.record)?;
    let mut summary = Summary::new();
    let mut known = earlier(run, &battery).into_iter();
    let mut resumed = 0;
    for task in index.tasks(0).take(known.len()) {
        let task = task.map_err(data)?;
        let Some(entry) = known.next() else { break };
        let Some(result) = document::result(&task, &entry) else { break };
        summary.add(&task, &result);
        tasks.add(&entry)?;
        resumed += 1;
    }
    run.tell(|now| {
        (now.done, now.total, now.solved) = (resumed, index.len(), summary.scores.right_tasks());
    });
    let limits = Limits::STANDARD;
    let setup = Setup {
        all_pairs: request.all_pairs,
        answers: true,
        trace: Some(&trace),
        chunk: CHUNK,
        ..Setup::new(watch)
    };
    let options = record::Options {
        fuel: limits.fuel,
        seconds: request.seconds().ceil() as u64,
        all_pairs: request.all_pairs,
        go_on: false,
    };
    let (data_name, threads) = (request.data.as_str(), pool.threads());
    let made = Made { data: data_name, options, threads, sharing: true, kernels: true };
    let of_now = |summary: &Summary, tasks: &record::Tasks| {
        let mut record = document::record(&made, &battery, summary, tasks);
        record.right.left = index.len() - summary.tasks;
        record
    };
    let (mut broken, mut failed) = (None, None);
    let mut due = Due::new(Instant::now(), EVERY);
    let loaded = index.tasks(resumed).map_while(|task| task.map_err(|error| broken = Some(error)).ok());
    battery.run(pool, loaded, &setup, |task, result| {
        let span = trace.enter(Spot::SUM_UP);
        // What came after a task that was cut short is done again, so that the record keeps the order of the data.
        let finished = result.finished && summary.left == 0;
        if finished {
            summary.add(task, &result);
        } else {
            summary.left += 1;
        }
        drop(span);
        let _span = trace.enter(Spot::WRITE);
        if finished {
            failed = failed.take().or(tasks.add(&document::task(&battery, task, &result)).err());
            run.tell(|now| now.solved = summary.scores.right_tasks());
        }
        if due.is_now(Instant::now()) {
            let begun = Instant::now();
            let record = of_now(&summary, &tasks);
            failed = failed.take().or(tasks.write(&record, || None).err());
            due.done(begun, Instant::now());
            run.written();
        }
    });
    if let Some(error) = broken {
        return Err(data(error));
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    summary.left = index.len() - summary.tasks;
    let record = of_now(&summary, &tasks);
    // The times of what ran before a pause are not known any more, and a part of them says little.
    let whole = resumed == 0 && summary.left == 0;
    let profile = || whole.then(|| Box::new(profile::profile(trace.finish(), &battery, 0, &[], None)));
    tasks.write(&record, profile)?;
    run.tell(|now| now.done = summary.tasks);
    run.written();
    Ok(summary.left == 0)
}

/// The tasks of the record of an earlier attempt, if it was made from the same programs.
fn earlier(run: &Run, battery: &Battery<'_>) -> Vec<record::Task> {
    let Ok(record) = Record::read(&run.record) else { return Vec::new() };
    let same = record.run.dsl == arcbatt::dsl::version().to_string()
        && record.programs == document::programs(battery)
        && record.right.left > 0;
    if same { record.tasks } else { Vec::new() }
}

/// Searches programs.
fn solve(run: &Run, request: &Request, pool: &Pool) -> Result<bool, RunError> {
    let started = Instant::now();
    let programs = programs(request)?;
    let index = named(&request.data)?;
    let tasks: Vec<Task> = index.tasks(0).collect::<Result<_, _>>().map_err(data)?;
    let mut campaign = Campaign::new(&tasks);
    let fuel = (request.seconds() * FUEL_PER_SECOND) as u64;
    let what = campaign.what(&request.data, &programs, Some(fuel), 0);
    let mut curve = Vec::new();
    let mut before = 0.0;
    if let Ok(earlier) = Solve::read(&run.record)
        && campaign.go_on(&earlier, &what).is_some()
    {
        (curve, before) = (earlier.means.curve, earlier.means.seconds);
    }
    let plan = Plan::merge(&programs);
    let arena = Arena::new(Limits::STANDARD.caps);
    let options =
        Options { limits: Limits::STANDARD, go_on: false, sharing: true, kernels: true, stop: None };
    let prepared = Prepared::new(&plan, &arena, &options);
    let of_task = std::collections::BTreeMap::new();
    let known = (!programs.is_empty()).then_some(Known {
        programs: &programs,
        prepared: &prepared,
        general: programs.len(),
        of_task: &of_task,
    });
    let searcher = Searcher::new(known, 0);
    let seconds = || before + started.elapsed().as_secs_f64();
    let standing = Standing::new(&campaign, fuel, curve);
    let desk = Mutex::new((standing, Due::new(Instant::now(), EVERY), None));
    let threads = pool.threads();
    let each = |task: usize, step: &Step| {
        let (standing, due, failed) = &mut *lock(&desk);
        standing.enter(&campaign, task, step);
        standing.mark(seconds());
        standing.tell(run, seconds());
        if due.is_now(Instant::now()) {
            let begun = Instant::now();
            let saved = standing.save(run, &campaign, &what, threads, seconds());
            *failed = failed.take().or(saved.err());
            due.done(begun, Instant::now());
            run.written();
        }
    };
    campaign.run(pool, &searcher, Some(fuel), &run.halt, None, &each);
    let (mut standing, _, failed) = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = failed {
        return Err(error.into());
    }
    (0..campaign.len()).for_each(|task| standing.enter(&campaign, task, &campaign.progress(task)));
    standing.tell(run, seconds());
    if run.halt.load(Ordering::Relaxed) {
        standing.save(run, &campaign, &what, threads, seconds())?;
        run.written();
        return Ok(false);
    }
    standing.finish(run, &campaign, &tasks, &what, threads, seconds())?;
    run.written();
    Ok(true)
}

/// How a search stands.
struct Standing {
    fuel: u64,
    /// For each task: it has an answer, it is through, how sure its outputs are, what was tried.
    tasks: Vec<(bool, bool, f64, u64)>,
    curve: Vec<CurvePoint>,
}

impl Standing {
    fn new(campaign: &Campaign, fuel: u64, curve: Vec<CurvePoint>) -> Standing {
        let mut standing = Standing { fuel, tasks: vec![Default::default(); campaign.len()], curve };
        (0..campaign.len()).for_each(|task| standing.enter(campaign, task, &campaign.progress(task)));
        standing
    }

    fn enter(&mut self, campaign: &Campaign, task: usize, step: &Step) {
        let n_tests = campaign.puzzles()[task].task().test.len();
        let attempts = step.attempts(n_tests);
        let answered = attempts.iter().any(|output| !output.attempts.is_empty());
        let sure = attempts.iter().map(|output| f64::from(output.sure()) / 1000.0).sum();
        let through = step.ended || step.fuel >= self.fuel || step.sure(n_tests) >= SURE;
        self.tasks[task] = (answered, through, sure, step.tried);
    }

    /// A point of the curve. They lie ever farther apart, so that the curve of a long run stays short.
    fn mark(&mut self, seconds: f64) {
        if self.curve.last().is_none_or(|last| seconds >= last.seconds * 1.1 + 0.1) {
            self.curve.push(CurvePoint {
                seconds,
                solved_on_demos: self.answered(),
                expected_outputs: self.tasks.iter().map(|it| it.2).sum(),
                tried: self.tried(),
            });
        }
    }

    fn answered(&self) -> usize {
        self.tasks.iter().filter(|it| it.0).count()
    }

    fn tried(&self) -> u64 {
        self.tasks.iter().map(|it| it.3).sum()
    }

    fn tell(&self, run: &Run, seconds: f64) {
        run.tell(|now| {
            now.done = self.tasks.iter().filter(|it| it.1).count();
            (now.total, now.solved) = (self.tasks.len(), self.answered());
            (now.tried, now.seconds) = (self.tried(), seconds);
        });
    }

    fn means(&self, threads: usize, seconds: f64) -> SolveMeans {
        SolveMeans { threads, machine: document::machine(), seconds, curve: self.curve.clone() }
    }

    /// What there is by now. Test outputs are sealed until the end.
    fn save(
        &self,
        run: &Run,
        campaign: &Campaign,
        what: &SolveRun,
        threads: usize,
        seconds: f64,
    ) -> std::io::Result<()> {
        let mut solve = campaign.document(what, self.means(threads, seconds), Vec::new());
        for (entry, puzzle) in solve.tasks.iter_mut().zip(campaign.puzzles()) {
            entry.train = puzzle.task().train.iter().map(example).collect();
            entry.test = puzzle.task().test.iter().map(example).collect();
        }
        solve.write(&run.record)
    }

    /// Nothing is left to choose: the sealed step.
    fn finish(
        &mut self,
        run: &Run,
        campaign: &Campaign,
        tasks: &[Task],
        what: &SolveRun,
        threads: usize,
        seconds: f64,
    ) -> Result<(), RunError> {
        let form = Form::Json;
        let mut text = form.start().to_owned();
        for (i, puzzle) in campaign.puzzles().iter().enumerate() {
            let attempts = campaign.progress(i).attempts(puzzle.task().test.len());
            text.push_str(&form.entry(i, puzzle.id(), &hand_in(puzzle, &attempts)));
        }
        text.push_str(form.end());
        let answers = Submission::parse(text.as_bytes()).map_err(std::io::Error::other)?;
        let mut totals = Totals::default();
        totals.add(&Scores::open(&answers, tasks));
        let mut solve = campaign.document(what, self.means(threads, seconds), record::scores(&totals));
        for (entry, task) in solve.tasks.iter_mut().zip(tasks) {
            entry.train = task.train.iter().map(example).collect();
            entry.test = task.test.iter().map(example).collect();
        }
        solve.write(&run.record)?;
        let beside = run.record.with_file_name("submission.json");
        write_aside_with(&beside, |out| std::io::Write::write_all(out, text.as_bytes()))?;
        Ok(())
    }
}

/// How often other servers are told how far a run is.
const PULSE: Duration = Duration::from_secs(1);

/// The clocks of the workers: each gives every task its time.
struct Clocks<'c> {
    run: &'c Run,
    live: &'c Mutex<(Live, Instant)>,
    started: Instant,
    limit: Duration,
    workers: Vec<(AtomicBool, AtomicU64)>,
    over: AtomicBool,
}

/// No task is at work.
const IDLE: u64 = u64::MAX;

impl<'c> Clocks<'c> {
    fn new(run: &'c Run, request: &Request, live: &'c Mutex<(Live, Instant)>, threads: usize) -> Clocks<'c> {
        let worker = |_| (AtomicBool::new(false), AtomicU64::new(IDLE));
        let limit = Duration::from_secs_f64(request.seconds());
        let workers = (0..threads).map(worker).collect();
        Clocks { run, live, started: Instant::now(), limit, workers, over: AtomicBool::new(false) }
    }

    /// The clocks go while something is done.
    fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let ticker = scope.spawn(|| self.tick());
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            self.over.store(true, Ordering::Relaxed);
            ticker.thread().unpark();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn tick(&self) {
        while !self.over.load(Ordering::Relaxed) {
            let now = self.started.elapsed().as_micros() as u64;
            let halt = self.run.halt.load(Ordering::Relaxed);
            for (flag, began) in &self.workers {
                let began = began.load(Ordering::Relaxed);
                let late = began != IDLE && u128::from(now.saturating_sub(began)) >= self.limit.as_micros();
                if late || halt {
                    flag.store(true, Ordering::Relaxed);
                }
            }
            let (live, told) = &mut *lock(self.live);
            if told.elapsed() >= PULSE {
                let _ = live.tell(&self.run.pulse(self.started.elapsed()));
                *told = Instant::now();
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
}

impl Watch for Clocks<'_> {
    fn begin(&self, worker: usize) -> Option<&AtomicBool> {
        let (flag, began) = self.workers.get(worker)?;
        flag.store(false, Ordering::Relaxed);
        began.store(self.started.elapsed().as_micros() as u64, Ordering::Relaxed);
        Some(flag)
    }

    fn done(&self, worker: usize, _: &str) {
        if let Some((_, began)) = self.workers.get(worker) {
            began.store(IDLE, Ordering::Relaxed);
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.run.tell(|now| (now.done, now.seconds) = (now.done + 1, seconds));
    }

    fn stopped(&self) -> bool {
        self.run.halt.load(Ordering::Relaxed)
    }
}

impl Run {
    /// The record was brought up to date.
    fn written(&self) {
        let changed = std::fs::metadata(&self.record).and_then(|there| there.modified()).ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.tell(|now| now.record = changed.map(|time| time.as_millis() as u64));
    }

    fn pulse(&self, elapsed: Duration) -> Now {
        let now = self.now();
        Now {
            what: now.what,
            data: now.data,
            seconds: elapsed.as_secs_f64(),
            done: now.done,
            total: now.total,
            solved: now.solved,
            tried: now.tried,
        }
    }
}

/// One of the two attempts at each test output is right.
pub(crate) fn is_solved(task: &record::Task) -> bool {
    let mut right = task
        .test
        .iter()
        .zip(&task.attempts)
        .map(|(example, both)| example.output.as_ref().is_some_and(|output| both.contains(output)));
    !task.test.is_empty() && right.all(|it| it)
}

/// The programs of a request.
pub(crate) fn programs(request: &Request) -> Result<Vec<Program>, RunError> {
    let text = match (&request.programs, request.what) {
        (Some(text), _) => text.as_str(),
        (None, What::Solve) => return Ok(Vec::new()),
        (None, What::Run) if request.data == "demo" => DEMO_PROGRAMS,
        (None, What::Run) => {
            return Err(RunError::Programs("which programs? Only the built-in set has its own".to_owned()));
        }
    };
    let parsed = lang::parse(text);
    let errors = parsed.problems.iter().filter(|it| it.severity == lang::Severity::Error).count();
    match parsed.programs.is_empty() {
        true => {
            Err(RunError::Programs(format!("there is no usable program in the text, and {errors} errors")))
        }
        false => Ok(parsed.programs),
    }
}

fn data(error: arcbatt::task::LoadError) -> RunError {
    RunError::Data(error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
