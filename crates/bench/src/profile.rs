//! What the recorder and the log cost, and whether a prediction comes true.
//!
//! Everything runs on one thread, in turn with what it is compared to, and of each task the fastest round counts: what
//! else the machine does can only make it slower.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use arcbatt::battery::{Battery, Pool, PoolError, Setup, Watch};
use arcbatt::dsl::{Limits, registry};
use arcbatt::lang::{self, Op};
use arcbatt::profile;
use arcbatt::task::{Dataset, Task};
use arcbatt::trace::{Clock, Level, Seen, Spot, Trace};
use serde::Serialize;

#[derive(Debug, thiserror::Error)]
pub enum ProfileBenchError {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("no program has the name of a task, so there is nothing to measure")]
    NothingToRun,
}

/// What was found out.
#[derive(Debug, Serialize)]
pub struct ProfileFigures {
    pub tasks: usize,
    pub rounds: usize,
    /// Without a recorder, in nanoseconds.
    pub plain_ns: u64,
    /// To load the tasks and to read and merge the programs, which the recorder stamps a few times in all.
    pub before_ns: u64,
    /// Times as long with one, and with a stamp for each call.
    pub recorded: f64,
    pub deep: f64,
    /// The same, of a whole run: load, read, merge and execute.
    pub whole: f64,
    pub what_if: Prediction,
    pub logging: Logging,
}

/// One primitive made slower by waiting, against what the recording before said would happen.
#[derive(Debug, Serialize)]
pub struct Prediction {
    pub primitive: String,
    /// How many times as long its nodes take.
    pub factor: f64,
    pub before_ns: u64,
    pub predicted_ns: u64,
    pub measured_ns: u64,
    /// Of the predicted change, how much the measured one is off.
    pub change_error: f64,
    /// Of the time.
    pub error: f64,
}

/// The same work with events of the log compiled in and switched off, and without them.
#[derive(Debug, Serialize)]
pub struct Logging {
    pub compiled_in_ns: u64,
    pub compiled_out_ns: u64,
    pub ratio: f64,
    /// Of one event that is switched off, from a loop of nothing else.
    pub event_ns: f64,
}

/// Measures. `text`: a file of programs; `load`: how long it takes to load the tasks.
pub fn measure_profile(
    dataset: &Dataset,
    text: &[u8],
    load: Duration,
    rounds: usize,
) -> Result<ProfileFigures, ProfileBenchError> {
    let text = String::from_utf8_lossy(text);
    let ids = || dataset.tasks.iter().map(|task| task.id.as_str());
    let read = |_| {
        let start = Instant::now();
        let programs = lang::parse(&text).programs;
        black_box(Battery::new(&programs, ids()).plan().nodes().len());
        start.elapsed()
    };
    let read = (0..rounds).map(read).min().unwrap_or_default();
    let programs = lang::parse(&text).programs;
    let battery = Battery::new(&programs, ids());
    let tasks: Vec<&Task> = dataset.tasks.iter().filter(|task| !battery.own(&task.id).is_empty()).collect();
    if tasks.is_empty() {
        return Err(ProfileBenchError::NothingToRun);
    }
    let bench = Bench { pool: Pool::new(1)?, battery, tasks };
    let trace = |level| profile::trace(Clock::real(), level, None);
    let mut plain = Fastest::default();
    let (mut nodes, mut deep) = (Fastest::default(), Fastest::default());
    let mut seen = Vec::new();
    bench.run(None);
    for _ in 0..rounds {
        plain.add(bench.run(None));
        let recorder = trace(Level::Nodes);
        nodes.add(bench.run(Some(&recorder)));
        seen.push(recorder.finish());
        deep.add(bench.run(Some(&trace(Level::Deep))));
    }
    let what_if = bench.predict(&seen, rounds);
    let logging = bench.logging(rounds);
    let ratio = |of: &Fastest| of.sum().as_secs_f64() / plain.sum().as_secs_f64();
    let before = load + read;
    let whole = (before + nodes.sum()).as_secs_f64() / (before + plain.sum()).as_secs_f64();
    Ok(ProfileFigures {
        tasks: bench.tasks.len(),
        rounds,
        plain_ns: plain.sum().as_nanos() as u64,
        before_ns: before.as_nanos() as u64,
        recorded: ratio(&nodes),
        deep: ratio(&deep),
        whole,
        what_if,
        logging,
    })
}

struct Bench<'b> {
    pool: Pool,
    battery: Battery<'b>,
    tasks: Vec<&'b Task>,
}

impl Bench<'_> {
    /// How long each task took, from the end of the one before it.
    fn run(&self, trace: Option<&Trace>) -> Vec<Duration> {
        let watch = Laps(Mutex::new((Instant::now(), Vec::new())));
        let setup = Setup {
            limits: Limits::STANDARD,
            all_pairs: false,
            go_on: true,
            sharing: true,
            kernels: true,
            answers: false,
            watch: &watch,
            trace,
            chunk: Setup::CHUNK,
        };
        if let Some(trace) = trace {
            trace.start_workers(1);
        }
        self.battery.run(&self.pool, self.tasks.iter().copied(), &setup, |_, result| {
            black_box(result);
        });
        watch.0.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Slows the dearest primitive that calls no others, and looks whether the prediction comes true.
    fn predict(&self, seen: &[Seen], rounds: usize) -> Prediction {
        const FACTOR: f64 = 3.0;
        let primitive = self.dearest(seen);
        let spot = Spot::primitive(primitive);
        let before = tasks(seen, |task| (task.end - task.start, self.self_time(task, primitive)));
        let mut slowed = Vec::new();
        for _ in 0..rounds {
            let trace = profile::trace(Clock::real(), Level::Nodes, None).with_handicap(spot, FACTOR);
            self.run(Some(&trace));
            slowed.push(trace.finish());
        }
        let after = tasks(&slowed, |task| (task.end - task.start, 0));
        let sum = |list: &[(u64, u64)]| list.iter().map(|it| it.0).sum::<u64>();
        let own: u64 = before.iter().map(|it| it.1).sum();
        let before_ns = sum(&before);
        let measured_ns = sum(&after);
        // What a what-if computes for one worker: its self time, so many times as long.
        let predicted_ns = before_ns + (own as f64 * (FACTOR - 1.0)) as u64;
        let [before, predicted, measured] = [before_ns, predicted_ns, measured_ns].map(|ns| ns as f64);
        Prediction {
            primitive: registry().iter().nth(usize::from(primitive)).map_or("", |it| it.name).to_owned(),
            factor: FACTOR,
            before_ns,
            predicted_ns,
            measured_ns,
            change_error: (measured - predicted) / (predicted - before).max(1.0),
            error: measured / predicted - 1.0,
        }
    }

    fn dearest(&self, seen: &[Seen]) -> u16 {
        let mut sums = vec![0; registry().iter().len()];
        for task in seen.iter().flat_map(|seen| &seen.lanes).flat_map(|lane| &lane.tasks) {
            for (id, node) in &task.nodes {
                let op = &self.battery.plan().nodes()[*id as usize].op;
                if let (Op::Call(symbol), false) = (op, task.inner.iter().any(|(inner, ..)| inner == id)) {
                    sums[usize::from(symbol.id)] += node.ns;
                }
            }
        }
        sums.iter().enumerate().max_by_key(|(_, ns)| **ns).map_or(0, |(id, _)| id as u16)
    }

    /// The time of the nodes of a primitive.
    fn self_time(&self, task: &arcbatt::trace::TaskSeen, primitive: u16) -> u64 {
        let mine = |id: u32| match &self.battery.plan().nodes()[id as usize].op {
            Op::Call(symbol) => symbol.id == primitive,
            _ => false,
        };
        task.nodes.iter().filter(|(id, _)| mine(*id)).map(|(_, node)| node.ns).sum()
    }

    fn logging(&self, rounds: usize) -> Logging {
        let (mut with, mut without) = (Fastest::default(), Fastest::default());
        let work: Vec<u64> = self.tasks.iter().map(|task| task.train.len() as u64 * 400).collect();
        for _ in 0..rounds.max(5) {
            with.add(pass::<true>(&work));
            without.add(pass::<false>(&work));
        }
        let tight = |log: bool| {
            let once = |_| {
                let start = Instant::now();
                (0..100_000u64).for_each(|i| if log { event(black_box(i)) } else { _ = black_box(i) });
                start.elapsed().as_nanos() as f64 / 100_000.0
            };
            (0..9).map(once).fold(f64::INFINITY, f64::min)
        };
        let [compiled_in_ns, compiled_out_ns] = [&with, &without].map(|it| it.sum().as_nanos() as u64);
        Logging {
            compiled_in_ns,
            compiled_out_ns,
            ratio: compiled_in_ns as f64 / compiled_out_ns.max(1) as f64,
            event_ns: tight(true) - tight(false),
        }
    }
}

/// For each task what `of` says of its fastest round.
fn tasks(seen: &[Seen], of: impl Fn(&arcbatt::trace::TaskSeen) -> (u64, u64)) -> Vec<(u64, u64)> {
    let mut fastest = std::collections::BTreeMap::new();
    for task in seen.iter().flat_map(|seen| &seen.lanes).flat_map(|lane| &lane.tasks) {
        let new = of(task);
        let best = fastest.entry(task.id.as_str()).or_insert(new);
        *best = (*best).min(new);
    }
    fastest.into_values().collect()
}

#[inline(always)]
fn event(i: u64) {
    tracing::debug!(task = i, "task is through");
}

/// Pieces of work about as long as a task, each followed by an event of the log or by none.
fn pass<const LOG: bool>(work: &[u64]) -> Vec<Duration> {
    let piece = |steps: &u64| {
        let start = Instant::now();
        let sum = (0..*steps).fold(*steps, |sum, i| black_box(sum.wrapping_mul(31) ^ i));
        if LOG {
            event(sum);
        }
        start.elapsed()
    };
    work.iter().map(piece).collect()
}

/// The fastest round of each piece of work.
#[derive(Default)]
struct Fastest(Vec<Duration>);

impl Fastest {
    fn add(&mut self, round: Vec<Duration>) {
        if self.0.is_empty() {
            self.0 = round;
            return;
        }
        self.0.iter_mut().zip(round).for_each(|(best, time)| *best = (*best).min(time));
    }

    fn sum(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// The time from the end of each task to the end of the next.
struct Laps(Mutex<(Instant, Vec<Duration>)>);

impl Watch for Laps {
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        None
    }

    fn done(&self, _: usize, _: &str) {
        let (last, laps) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        laps.push(now - *last);
        *last = now;
    }
}
