//! Measures the overhead of the recorder and the log, and the accuracy of a what-if prediction.
//!
//! Everything runs on one thread, alternating with its baseline. The fastest round of each task counts,
//! because other load on the machine can only make it slower. A recorder adds up its log now and then, in the
//! same tasks each time, so the times of the tasks include that; the time to add up the rest at the end is
//! added to them. The time to make a recorder and to close it, once a run, is reported separately.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use batt_dsl::registry;
use batt_job::battery::{Battery, Setup, Watch};
use batt_job::profile;
use batt_job::{Pool, PoolError};
use batt_lang::{self as lang, Op};
use batt_record::{self as record, Record};
use batt_report::view::{Speedup, WhatIf};
use batt_report::{Facts, ReportError, Selection};
use batt_task::{Dataset, Task};
use batt_trace::{Clock, LaneData, Level, NodeSum, Spot, TaskData, Trace, TraceData};
use schemars::JsonSchema;
use serde::Serialize;

use crate::work::timed;

#[derive(Debug, thiserror::Error)]
pub enum ProfileBenchError {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("no program has the name of a task, so there is nothing to measure")]
    NothingToRun,
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// Overhead and accuracy of the recorder.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ProfileFigures {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of rounds; times are those of the fastest.
    pub rounds: usize,
    /// Time to run and score without a recorder.
    pub plain_ns: u64,
    /// Time to load the tasks and to read and merge the programs.
    pub before_ns: u64,
    /// Time with the recorder, divided by `plain_ns`.
    pub recorded: f64,
    /// Time with every call timed (`--deep`), divided by `plain_ns`.
    pub deep: f64,
    /// Time of a whole run with the recorder, divided by the time without.
    pub whole: f64,
    /// Time to start and to close the recorder, once a run.
    pub once_ns: u64,
    pub what_if: Prediction,
    pub logging: Logging,
}

/// A what-if prediction, compared with a primitive that was really slowed down.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Prediction {
    /// The primitive that was slowed down.
    pub primitive: String,
    /// How many times as long its nodes took.
    pub factor: f64,
    /// Time before.
    pub before_ns: u64,
    /// Predicted time.
    pub predicted_ns: u64,
    /// Measured time.
    pub measured_ns: u64,
    /// Error of the predicted change, relative to it.
    pub change_error: f64,
    /// Error of the predicted time, relative to it.
    pub error: f64,
}

/// The cost of logging that is switched off.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Logging {
    /// Time with log events compiled in and switched off.
    pub compiled_in_ns: u64,
    /// Time without log events.
    pub compiled_out_ns: u64,
    /// `compiled_in_ns / compiled_out_ns`.
    pub ratio: f64,
    /// Cost of one event that is switched off.
    pub event_ns: f64,
}

/// Measures the recorder on a program file. `load` is the time it takes to load the tasks.
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
    let [mut plain, mut nodes, mut deep] = [const { Fastest::new() }; 3];
    let mut once = Duration::MAX;
    let mut fastest: Option<TraceData> = None;
    bench.run(None);
    for _ in 0..rounds {
        plain.add(&bench.run(None), Duration::ZERO);
        let recorded = bench.recorded(Level::Nodes, None);
        nodes.add(&recorded.task_times, closing_time(&recorded.data));
        once = once.min(recorded.once);
        fastest = fastest.into_iter().chain([recorded.data]).min_by_key(wall);
        let recorded = bench.recorded(Level::Deep, None);
        deep.add(&recorded.task_times, closing_time(&recorded.data));
    }
    let [plain, nodes, deep] = [plain, nodes, deep].map(|it| it.sum());
    let what_if = bench.predict(fastest.ok_or(ProfileBenchError::NothingToRun)?, rounds)?;
    let logging = bench.logging(rounds);
    let ratio = |of: Duration| of.as_secs_f64() / plain.as_secs_f64();
    let before = load + read;
    let whole = (before + nodes).as_secs_f64() / (before + plain).as_secs_f64();
    Ok(ProfileFigures {
        tasks: bench.tasks.len(),
        rounds,
        plain_ns: plain.as_nanos() as u64,
        before_ns: before.as_nanos() as u64,
        recorded: ratio(nodes),
        deep: ratio(deep),
        whole,
        once_ns: once.as_nanos() as u64,
        what_if,
        logging,
    })
}

/// A run with a recorder.
struct Recorded {
    data: TraceData,
    /// The time of each task.
    task_times: Vec<Duration>,
    /// The time to make the recorder and to close it.
    once: Duration,
}

struct Bench<'b> {
    pool: Pool,
    battery: Battery<'b>,
    tasks: Vec<&'b Task>,
}

impl Bench<'_> {
    /// Returns the time of each task, from the end of the one before it.
    fn run(&self, trace: Option<&Trace>) -> Vec<Duration> {
        let watch = TaskTimes(Mutex::new((Instant::now(), Vec::new())));
        let setup = Setup { all_demos: true, trace, ..Setup::new(&watch) };
        if let Some(trace) = trace {
            trace.start_workers(1);
        }
        self.battery.run(&self.pool, self.tasks.iter().copied(), &setup, |_, result| {
            black_box(result);
        });
        watch.0.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Runs with a recorder. `waits` slows each node down by a number of nanoseconds.
    fn recorded(&self, level: Level, waits: Option<&[u64]>) -> Recorded {
        let start = Instant::now();
        let mut trace = profile::trace(Clock::real(), level, None);
        if let Some(waits) = waits {
            trace = trace.with_delays(waits);
        }
        let opening = start.elapsed();
        let task_times = self.run(Some(&trace));
        let start = Instant::now();
        let data = trace.finish();
        Recorded { data, task_times, once: opening + start.elapsed() }
    }

    /// Predicts from the fastest recording what happens if the most expensive primitive gets slower, then
    /// slows down its nodes by that much and compares.
    fn predict(&self, fastest: TraceData, rounds: usize) -> Result<Prediction, ProfileBenchError> {
        let primitive = self.most_expensive(&fastest);
        let name = registry().iter().nth(usize::from(primitive)).map_or("", |it| it.name).to_owned();
        // The factor makes the run take about twice as long: a smaller change would be lost in the noise.
        let own: u64 = self.nodes_of(&fastest, primitive).map(|node| node.ns).sum();
        let factor = 1.0 + (wall(&fastest) as f64 / own.max(1) as f64).ceil();
        let waits = self.waits(&fastest, primitive, factor - 1.0);
        let profile = profile::profile(fastest, &self.battery, 0, &[], None);
        let task = |task: &&Task| record::Task { id: task.id.clone(), ..record::Task::default() };
        let tasks = self.tasks.iter().map(task).collect();
        let record = Record { tasks, profile: Some(Box::new(profile)), ..Record::default() };
        let slower = Speedup { name: name.clone(), factor: 1.0 / factor };
        let what_if = WhatIf::new(&Facts::new(&record, &Selection::default())?, &[slower])?;
        let (mut before, mut measured) = (Fastest::new(), Fastest::new());
        for _ in 0..rounds {
            before.add(&self.recorded(Level::Nodes, None).task_times, Duration::ZERO);
            measured.add(&self.recorded(Level::Nodes, Some(&waits)).task_times, Duration::ZERO);
        }
        let [before_ns, measured_ns] = [before, measured].map(|it| it.sum().as_nanos() as u64);
        let change = what_if.predicted.middle - what_if.wall.0 as f64;
        let predicted = before_ns as f64 + change;
        Ok(Prediction {
            primitive: name,
            factor,
            before_ns,
            predicted_ns: predicted as u64,
            measured_ns,
            change_error: (measured_ns as f64 - predicted) / change.max(1.0),
            error: measured_ns as f64 / predicted - 1.0,
        })
    }

    /// Returns the primitive whose nodes take the most time. Primitives that make or receive calls inside a
    /// node are excluded: only whole nodes can be slowed down.
    fn most_expensive(&self, data: &TraceData) -> u16 {
        let mut sums = vec![0; registry().iter().len()];
        for node in tasks(data).flat_map(|task| task.nodes) {
            if let Some(primitive) = self.primitive(node.id) {
                sums[usize::from(primitive)] += node.ns;
            }
        }
        for task in tasks(data) {
            for (id, called, _) in task.inner {
                sums[usize::from(*called)] = 0;
                // The time of a node includes the calls inside it.
                self.primitive(*id).into_iter().for_each(|primitive| sums[usize::from(primitive)] = 0);
            }
        }
        sums.iter().enumerate().max_by_key(|(_, ns)| **ns).map_or(0, |(id, _)| id as u16)
    }

    /// Returns the nanoseconds that each node of the plan has to wait, so that those of a primitive take
    /// `times` times as long in addition.
    fn waits(&self, data: &TraceData, primitive: u16, times: f64) -> Vec<u64> {
        let mut sums = vec![(0, 0); self.battery.plan().nodes().len()];
        for node in self.nodes_of(data, primitive) {
            let (ns, hits) = &mut sums[node.id as usize];
            *ns += node.ns;
            *hits += u64::from(node.hits);
        }
        sums.iter().map(|(ns, hits)| (*ns as f64 * times / (*hits).max(1) as f64) as u64).collect()
    }

    /// Returns the nodes of a primitive in all tasks.
    fn nodes_of<'s>(
        &self,
        data: &'s TraceData,
        primitive: u16,
    ) -> impl Iterator<Item = &'s NodeSum> + use<'s, '_> {
        let nodes = tasks(data).flat_map(|task| task.nodes);
        nodes.filter(move |node| self.primitive(node.id) == Some(primitive))
    }

    /// Returns the primitive that a node calls.
    fn primitive(&self, node: u32) -> Option<u16> {
        match &self.battery.plan().nodes()[node as usize].op {
            Op::Call(symbol) => Some(symbol.id),
            _ => None,
        }
    }

    /// Measures the cost of log events that are compiled in and switched off.
    fn logging(&self, rounds: usize) -> Logging {
        let [mut with, mut without] = [Duration::MAX; 2];
        let work: Vec<u64> = self.tasks.iter().map(|task| task.train.len() as u64 * 400).collect();
        for _ in 0..rounds.max(5) {
            with = with.min(timed(|| pass::<true>(&work)));
            without = without.min(timed(|| pass::<false>(&work)));
        }
        let ns_per_step = |log: bool| {
            let once = |_| {
                let start = Instant::now();
                (0..100_000u64).for_each(|i| if log { event(black_box(i)) } else { _ = black_box(i) });
                start.elapsed().as_nanos() as f64 / 100_000.0
            };
            (0..9).map(once).fold(f64::INFINITY, f64::min)
        };
        let [compiled_in_ns, compiled_out_ns] = [with, without].map(|it| it.as_nanos() as u64);
        Logging {
            compiled_in_ns,
            compiled_out_ns,
            ratio: compiled_in_ns as f64 / compiled_out_ns.max(1) as f64,
            event_ns: ns_per_step(true) - ns_per_step(false),
        }
    }
}

/// The fastest round of each task, and the fastest closing of the recorder.
struct Fastest {
    tasks: Vec<Duration>,
    closing: Duration,
}

impl Fastest {
    const fn new() -> Fastest {
        Fastest { tasks: Vec::new(), closing: Duration::MAX }
    }

    fn add(&mut self, tasks: &[Duration], closing: Duration) {
        self.tasks.resize(tasks.len(), Duration::MAX);
        self.tasks.iter_mut().zip(tasks).for_each(|(best, time)| *best = (*best).min(*time));
        self.closing = self.closing.min(closing);
    }

    fn sum(&self) -> Duration {
        self.tasks.iter().sum::<Duration>() + self.closing
    }
}

/// Collects the time from the end of each task to the end of the next. Holds the last end and the times so
/// far.
struct TaskTimes(Mutex<(Instant, Vec<Duration>)>);

impl Watch for TaskTimes {
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        None
    }

    fn done(&self, _: usize, _: &str) {
        let (last, times) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        times.push(now - *last);
        *last = now;
    }
}

/// Returns the recorder's own time after the last task.
fn closing_time(data: &TraceData) -> Duration {
    let spots = data.lanes.iter().take(1).flat_map(|lane| &lane.between);
    Duration::from_nanos(spots.filter(|(spot, _)| *spot == Spot::PROFILE).map(|(_, sum)| sum.ns).sum())
}

fn wall(data: &TraceData) -> u64 {
    data.lanes.first().map_or(0, LaneData::wall)
}

fn tasks(data: &TraceData) -> impl Iterator<Item = TaskData<'_>> {
    data.lanes.iter().flat_map(|lane| lane.tasks.iter())
}

#[inline(always)]
fn event(i: u64) {
    tracing::debug!(task = i, "ran programs");
}

/// Does pieces of work about as long as a task, each followed by a log event if `LOG`.
fn pass<const LOG: bool>(work: &[u64]) {
    for steps in work {
        let sum = (0..*steps).fold(*steps, |sum, i| black_box(sum.wrapping_mul(31) ^ i));
        if LOG {
            event(sum);
        }
    }
}
