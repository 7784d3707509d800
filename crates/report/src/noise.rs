//! Disturbance: time in which threads of a job were ready to run, but did not because other work had the CPU.
//!
//! The clock goes on while a thread does not run, so disturbance is booked to whatever function was interrupted.

use std::fmt;

use batt_base::number::{count, percent};
use batt_record::Kind;
use batt_record::profile::{Booked, Function, Lane, Profile, Repeat, Task};
use batt_trace::{Category, Phase};
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, FunctionTime, is_of_device, is_waiting};
use crate::figure::Measured;

/// How much other work disturbed the recording.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Noise {
    /// True if the share is above the limit of 2 %. Then figures are uncertain.
    pub disturbed: bool,
    /// Time in which threads were ready to run and did not. Null if not measured.
    pub time: Option<Measured>,
    /// That time as a share of the busy time, from 0 to 1. Null if not measured.
    pub share: Option<f64>,
    /// Time that threads waited for a CPU, by the counts of the scheduler. Null if not measured.
    pub queued: Option<Measured>,
    /// Number of times that a thread was stopped to let another one run. Null if not measured.
    pub preemptions: Option<u64>,
    /// The first line of every view if the recording was disturbed. Null if it was not.
    pub warning: Option<String>,
    /// The threads.
    pub lanes: Vec<LaneNoise>,
}

/// How much other work disturbed a thread.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct LaneNoise {
    /// Name of the thread, after that of its machine.
    pub name: String,
    /// Its time without waiting.
    pub busy: Measured,
    /// Its CPU time outside of waits. Null if not measured.
    pub cpu: Option<Measured>,
    /// Time that it waited for a CPU. Null if not measured.
    pub queued: Option<Measured>,
    /// Number of times that it was stopped to let another thread run. Null if not measured.
    pub preemptions: Option<u64>,
    /// Time in which it was ready to run and did not. Null if not measured.
    pub disturbed: Option<Measured>,
    /// That time as a share of the busy time, from 0 to 1. Null if not measured.
    pub share: Option<f64>,
}

impl Noise {
    /// Largest share of disturbance in a recording that counts as undisturbed. It is the limit for unaccounted
    /// time too, because both have the same effect: that much time is not where it belongs.
    pub const LIMIT: f64 = 0.02;

    pub fn new(facts: &Facts<'_>) -> Noise {
        let lanes = facts.profile.lanes.iter().zip(&facts.disturbance.lanes).enumerate();
        let lanes =
            lanes.filter(|(_, (lane, _))| lane.device.is_none()).map(|(number, (lane, noise))| LaneNoise {
                name: facts.lane_name(number),
                busy: Measured(noise.busy),
                cpu: lane.cpu.map(Measured),
                queued: lane.queued.map(Measured),
                preemptions: lane.preemptions,
                disturbed: noise.all.map(Measured),
                share: noise.all.map(|ns| ns as f64 / noise.busy.max(1) as f64),
            });
        let sum = |of: fn(&Lane) -> Option<u64>| facts.threads().filter_map(of).reduce(|sum, n| sum + n);
        let cores = facts.record.environment.machine.cores;
        let share = facts.disturbance.share();
        Noise {
            disturbed: facts.disturbance.is_large(),
            time: facts.disturbance.time.map(Measured),
            share,
            queued: sum(|lane| lane.queued).map(Measured),
            preemptions: sum(|lane| lane.preemptions),
            warning: warning(facts.profile, &facts.disturbance, facts.record.kind, cores),
            lanes: lanes.collect(),
        }
    }
}

/// Returns the first line of every view of a profile that was disturbed. `cores` is the number of cores of the
/// machine.
pub fn disturbance_warning(profile: &Profile, kind: Kind, cores: usize) -> Option<String> {
    let disturbance = Disturbance::new(&profile.functions, &profile.lanes, &profile.tasks);
    warning(profile, &disturbance, kind, cores)
}

fn warning(profile: &Profile, disturbance: &Disturbance, kind: Kind, cores: usize) -> Option<String> {
    let share = percent(disturbance.share().filter(|_| disturbance.is_large())?);
    let threads = profile.lanes.iter().filter(|lane| lane.device.is_none());
    let preemptions = threads.filter_map(|lane| lane.preemptions).reduce(|sum, n| sum + n);
    let times = preemptions.map(|n| format!(" ({})", count(n as usize, "preemption"))).unwrap_or_default();
    let remedy = match kind {
        _ if profile.machines.is_empty() && cores > 0 && profile.workers() > cores => {
            format!("record with at most {}", count(cores, "thread"))
        }
        // Repetitions show how much the figures differ.
        Kind::Run if profile.repeats.len() < 5 => "repeat with `--repeat 5`".to_owned(),
        Kind::Run | Kind::Solve | Kind::Search => "record again on a quiet machine".to_owned(),
    };
    Some(format!(
        "disturbed: other work had the CPU for {share} of the busy time{times}; figures are uncertain by that \
         much; {remedy}"
    ))
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.share {
            Some(share) => write!(f, "disturbed {}", percent(share)),
            None => f.write_str("disturbance not measured"),
        }
    }
}

/// Returns the disturbance of all threads in nanoseconds, or `None` if it was not measured.
pub fn disturbance(functions: &[Function], lanes: &[Lane], tasks: &[Task]) -> Option<u64> {
    Disturbance::new(functions, lanes, tasks).time
}

/// The disturbance of a recording.
pub(crate) struct Disturbance {
    /// The disturbance of all threads. `None` if it is unknown for one that worked.
    pub(crate) time: Option<u64>,
    /// The busy time of all threads.
    busy: u64,
    /// Number of stops of equal length that have the same effect; 0 if not measured.
    stops: f64,
    pub(crate) lanes: Vec<LaneDisturbance>,
    /// The disturbance of each task of the profile.
    pub(crate) tasks: Vec<u64>,
}

/// The disturbance of a lane.
#[derive(Default)]
pub(crate) struct LaneDisturbance {
    busy: u64,
    /// Time of functions that wait for files or the terminal.
    files: u64,
    /// Disturbance of its tasks.
    in_tasks: u64,
    /// Busy time in which the thread did not run; 0 if not measured.
    not_running: u64,
    /// The whole disturbance. `None` if not measured.
    pub(crate) all: Option<u64>,
}

impl Disturbance {
    pub(crate) fn new(functions: &[Function], lanes: &[Lane], tasks: &[Task]) -> Disturbance {
        let mut list: Vec<LaneDisturbance> = Vec::new();
        for lane in lanes {
            let mut noise = LaneDisturbance::default();
            noise.add(functions, &lane.between);
            list.push(noise);
        }
        let of_tasks: Vec<u64> = tasks.iter().map(|task| of_task(functions, task)).collect();
        for (task, disturbed) in tasks.iter().zip(&of_tasks) {
            let noise = &mut list[task.lane as usize];
            noise.add(functions, &task.booked);
            noise.in_tasks += disturbed;
        }
        let (mut time, mut busy) = (Some(0), 0);
        for (lane, noise) in lanes.iter().zip(&mut list) {
            noise.finish(lane);
            // A thread that did not work was not disturbed, and a device is no thread.
            if noise.busy > 0 && lane.device.is_none() {
                busy += noise.busy;
                time = time.zip(noise.all).map(|(sum, ns)| sum + ns);
            }
        }
        let stops = stops(lanes, tasks, &list, &of_tasks);
        Disturbance { time, busy, stops, lanes: list, tasks: of_tasks }
    }

    /// Returns the busy time in which threads did not run: disturbance, and waits for files.
    pub(crate) fn not_running(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.not_running).sum()
    }

    /// Returns the disturbance as a share of the busy time.
    pub(crate) fn share(&self) -> Option<f64> {
        self.time.map(|ns| (ns as f64 / self.busy.max(1) as f64).min(1.0))
    }

    /// Returns whether there is so much disturbance that figures are uncertain.
    pub(crate) fn is_large(&self) -> bool {
        self.share().is_some_and(|share| share > Noise::LIMIT)
    }
}

/// Returns the number of stops of equal length that would disturb as unevenly as the recorded ones.
///
/// The preemptions of a lane are split over its tasks by their disturbance. A task has no more than fit into its CPU
/// time, because a thread runs for a while before it is stopped again.
fn stops(lanes: &[Lane], tasks: &[Task], noise: &[LaneDisturbance], of_tasks: &[u64]) -> f64 {
    // The scheduler of Linux lets a thread run for 0.7 ms or more, unless another one wakes up.
    const LEAST_RUN: f64 = 500_000.0;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut add = |lane: usize, disturbed: u64, cpu: u64| {
        let (disturbed, all) = (disturbed as f64, noise[lane].all.unwrap_or(0).max(1) as f64);
        let preemptions = lanes[lane].preemptions.unwrap_or(0) as f64 * disturbed / all;
        sum += disturbed;
        squares += disturbed * disturbed / preemptions.min(cpu as f64 / LEAST_RUN).max(1.0);
    };
    let mut rest: Vec<u64> = lanes.iter().map(|lane| lane.cpu.unwrap_or(0)).collect();
    for (task, disturbed) in tasks.iter().zip(of_tasks) {
        let (lane, cpu) = (task.lane as usize, task.cpu.unwrap_or(0));
        add(lane, *disturbed, cpu);
        rest[lane] = rest[lane].saturating_sub(cpu);
    }
    for (lane, cpu) in rest.into_iter().enumerate() {
        add(lane, noise[lane].between(), cpu);
    }
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// Returns the disturbance of a task; 0 if not measured.
pub(crate) fn of_task(functions: &[Function], task: &Task) -> u64 {
    let busy = task.booked.iter().filter(|it| !is_waiting(&functions[it.0 as usize])).map(|it| it.1);
    task.cpu.map_or(0, |cpu| busy.sum::<u64>().saturating_sub(cpu))
}

impl LaneDisturbance {
    fn add(&mut self, functions: &[Function], booked: &[Booked]) {
        for (function, ns, _) in booked {
            let function = &functions[*function as usize];
            self.busy += if is_waiting(function) { 0 } else { *ns };
            self.files += if uses_files(function) { *ns } else { 0 };
        }
    }

    /// A thread that does not run waits for a CPU, for a file, or for the host of a virtual machine. The scheduler
    /// counts the first, but also after waits; the second takes at most the time of the functions that use files.
    fn finish(&mut self, lane: &Lane) {
        self.all = lane.cpu.filter(|_| lane.device.is_none()).map(|cpu| {
            self.not_running = self.busy.saturating_sub(cpu).max(self.in_tasks);
            let unexplained = self.not_running.saturating_sub(self.files);
            unexplained.max(lane.queued.unwrap_or(0).min(self.not_running))
        });
    }

    /// Returns the disturbance outside of tasks.
    pub(crate) fn between(&self) -> u64 {
        self.all.unwrap_or(0).saturating_sub(self.in_tasks)
    }
}

/// Returns whether the function reads or writes files, or the terminal.
fn uses_files(function: &Function) -> bool {
    let phases = [Phase::Load, Phase::Parse, Phase::Write].map(Phase::name);
    let categories = [Category::Logging, Category::Progress].map(Category::name);
    phases.contains(&&*function.phase) || categories.contains(&&*function.category)
}

/// The range of a share that contains the disturbance, waits for files, and the usual difference between recordings.
pub type Range = (f64, f64);

/// A time, and the disturbance that may be part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Exposed {
    pub(crate) time: u64,
    pub(crate) disturbed: u64,
    /// Time in which a thread waited for files or was disturbed, in functions that use files.
    files: u64,
}

impl Exposed {
    /// Returns the time of a function in tasks.
    pub(crate) fn of(time: &FunctionTime) -> Exposed {
        Exposed { time: time.time(), disturbed: time.disturbed, files: 0 }
    }

    /// Adds a part of a time in which a thread was disturbed for `disturbed` nanoseconds.
    pub(crate) fn add(&mut self, time: u64, disturbed: u64) {
        self.time += time;
        self.disturbed += disturbed.min(time);
    }

    /// Adds the time of functions that use files, in which a thread did not run for `files` nanoseconds.
    fn add_files(&mut self, time: u64, files: u64) {
        self.time += time;
        self.files += files.min(time);
    }

    /// Adds another time.
    pub(crate) fn join(&mut self, other: Exposed) {
        self.time += other.time;
        self.disturbed += other.disturbed;
        self.files += other.files;
    }

    /// Returns the range of the share of `base`, given that recordings differ by the factor `spread`.
    pub(crate) fn share_of(self, base: &Base, spread: f64) -> Range {
        let time = self.time as f64;
        let share = time / base.time.max(1) as f64;
        let (least, most) = base.stolen(self);
        let undisturbed = base.time.saturating_sub(base.disturbed).max(1) as f64;
        let without_files = (undisturbed - base.files as f64).max(1.0);
        let low = ((time - most - self.files as f64) / undisturbed).min(share).max(0.0);
        let high = ((time - least) / without_files).max(share);
        (low * (1.0 - spread).max(0.0), (high * (1.0 + spread)).min(1.0))
    }
}

/// The time that shares refer to, and the disturbance of the busy time in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Base {
    pub(crate) time: u64,
    busy: u64,
    disturbed: u64,
    /// Time that threads waited for files.
    files: u64,
    /// Number of stops of equal length that have the same effect; 0 if not measured.
    stops: f64,
}

impl Base {
    /// Returns how much of the disturbance can be in a part of the busy time, at least and at most.
    ///
    /// Threads are stopped at random, so a part is hit in proportion to its time, and the number of hits varies by its
    /// square root. Four deviations, and four hits more, leave room for what is not known about the stops.
    pub(crate) fn stolen(&self, part: Exposed) -> (f64, f64) {
        let worst = part.disturbed as f64;
        if self.stops == 0.0 {
            return (0.0, worst);
        }
        let share = (part.time as f64 / self.busy.max(1) as f64).min(1.0);
        let (all, stops) = (self.disturbed as f64, self.stops);
        let deviation = 4.0 * all / stops * ((stops * share).sqrt() + 1.0);
        let most = (all * share + deviation).min(worst);
        ((all * share - deviation).clamp(0.0, most), most)
    }

    /// Returns the busy time, its disturbance, and the number of stops.
    pub(crate) fn disturbance(&self) -> (u64, u64, f64) {
        (self.busy, self.disturbed, self.stops)
    }

    /// Returns the same busy time as a part of a longer one.
    pub(crate) fn within(self, time: u64) -> Base {
        Base { time, ..self }
    }
}

impl Facts<'_> {
    /// Returns the time of some functions over all threads, as booked.
    pub(crate) fn exposed(&self, of: impl Fn(&Function) -> bool) -> Exposed {
        let mut sum = Exposed::default();
        let time = |booked: &[Booked], of: &dyn Fn(&Function) -> bool| {
            booked.iter().filter(|it| of(self.function(it.0))).map(|it| it.1).sum::<u64>()
        };
        for (lane, noise) in self.profile.lanes.iter().zip(&self.disturbance.lanes) {
            if lane.device.is_none() {
                let is_work = |it: &Function| !uses_files(it) && !is_waiting(it);
                sum.add(time(&lane.between, &|it| of(it) && is_work(it)), noise.between());
                sum.add(time(&lane.between, &|it| of(it) && is_waiting(it)), 0);
                // How long files take differs between recordings too.
                let files = noise.not_running.saturating_sub(noise.in_tasks);
                sum.add_files(time(&lane.between, &|it| of(it) && uses_files(it)), files);
            }
        }
        for (task, disturbed) in self.profile.tasks.iter().zip(&self.disturbance.tasks) {
            sum.add(time(&task.booked, &of), *disturbed);
        }
        sum
    }

    /// Returns by how much the disturbance may have lengthened the wall time.
    pub(crate) fn disturbed_wall(&self) -> u64 {
        let lanes = self.profile.lanes.iter().zip(&self.disturbance.lanes);
        let mut threads = lanes.filter(|(lane, _)| lane.device.is_none());
        // The main lane may also start late after a wait, which is not busy time.
        let main = threads.next().map_or(0, |(lane, noise)| noise.all.max(lane.queued).unwrap_or(0));
        // The others work at the same time.
        let others = threads.map(|(_, noise)| noise.all.unwrap_or(0)).max().unwrap_or(0);
        (main + others).min(self.wall())
    }

    /// Returns the time that shares refer to: the busy time of all threads, or the time of the selected tasks.
    pub(crate) fn exposed_base(&self) -> Base {
        if self.whole {
            return self.exposed_run();
        }
        let mut sum = Exposed::default();
        for task in &self.tasks {
            sum.add(task.end - task.start, of_task(&self.profile.functions, task));
        }
        self.part(sum)
    }

    /// Returns the busy time of all threads.
    pub(crate) fn exposed_run(&self) -> Base {
        let disturbed = self.disturbance.time.unwrap_or(0);
        let files = self.disturbance.not_running().saturating_sub(disturbed);
        let stops = self.disturbance.stops;
        Base { time: self.busy(), busy: self.busy(), disturbed, files, stops }
    }

    /// Returns a part of the busy time. Threads were stopped in it as often as in the rest, for the same disturbance.
    pub(crate) fn part(&self, part: Exposed) -> Base {
        let run = self.exposed_run();
        let share = part.disturbed as f64 / run.disturbed.max(1) as f64;
        let stops = run.stops * share;
        Base { time: part.time, busy: part.time, disturbed: part.disturbed, files: part.files, stops }
    }

    /// Returns by which factor the share of some functions differs between recordings: as the repetitions show, or
    /// as usual if there are too few.
    pub(crate) fn spread(&self, of: impl Fn(&Function) -> bool) -> f64 {
        self.repeated_spread(of).unwrap_or(USUAL_SPREAD)
    }

    /// Returns by which factor the share of a primitive differs, which was computed `hits` times.
    pub(crate) fn primitive_spread(&self, primitive: u32, hits: u64) -> f64 {
        let is_mine = |it: &Function| std::ptr::eq(it, self.function(primitive));
        self.repeated_spread(is_mine).unwrap_or_else(|| usual_spread(hits))
    }

    fn repeated_spread(&self, of: impl Fn(&Function) -> bool) -> Option<f64> {
        let share = |repeat: &Repeat| {
            let is_busy = |function: &Function| !is_waiting(function) && !is_of_device(function);
            let sum = |of: &dyn Fn(&Function) -> bool| -> u64 {
                repeat.functions.iter().filter(|it| of(self.function(it.0))).map(|it| it.1).sum()
            };
            sum(&|function| is_busy(function) && of(function)) as f64 / sum(&is_busy).max(1) as f64
        };
        let repeats = self.profile.warm_repeats();
        let last = repeats.last().map(share).filter(|share| *share > 0.0 && repeats.len() >= 3)?;
        Some(repeats.iter().map(|repeat| (share(repeat) / last - 1.0).abs()).fold(0.0, f64::max))
    }
}

/// Returns by which factor the time of nodes that were computed `hits` times differs. The times of a few depend on
/// the caches, which the first computations fill.
pub(crate) fn usual_spread(hits: u64) -> f64 {
    USUAL_SPREAD + 1.0 / (hits.max(1) as f64).sqrt()
}

/// The factor by which CPU times differ between recordings of the same run, because other work slows down caches and
/// cores. Of twenty recordings on two busy cores, the slowest primitive was up to 18 % off the median.
const USUAL_SPREAD: f64 = 0.15;
