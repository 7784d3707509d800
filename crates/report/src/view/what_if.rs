//! Predicts the wall time if something were faster: by arithmetic for one worker, by replaying the schedule
//! for several.

use std::fmt;
use std::str::FromStr;

use batt_base::number::percent;
use batt_base::time::brief_ns;
use batt_record::profile::Function;
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, FunctionTime, ReportError, is_of_device, is_waiting};
use crate::figure::{Measured, Projected};
use crate::noise::Exposed;
use crate::view::device_what_if::{self, DeviceLimits, DeviceWhatIf, device_name};
use crate::view::phases::part_of;

/// A speed-up such as `objects=3x`.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Speedup {
    /// Name of a primitive, family, function, category or phase; for a device, a part of its name after `device:`.
    pub name: String,
    /// How many times faster; below 1 is slower. A device with 0 answers nothing.
    pub factor: f64,
}

impl FromStr for Speedup {
    type Err = String;

    fn from_str(text: &str) -> Result<Speedup, String> {
        let wrong = || format!("`{text}` is not a what-if; write one like `objects=3x`");
        let (name, factor) = text.rsplit_once('=').ok_or_else(wrong)?;
        let factor = factor.trim();
        let factor = factor.strip_suffix(['x', '×']).unwrap_or(factor).parse().map_err(|_| wrong())?;
        let name = name.trim();
        // Only a device can be left out.
        let least = if device_name(name).is_some() { 0.0 } else { f64::MIN_POSITIVE };
        if !(f64::is_finite(factor) && factor >= least) || name.is_empty() {
            return Err(wrong());
        }
        Ok(Speedup { name: name.to_owned(), factor })
    }
}

impl fmt::Display for Speedup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.factor {
            0.0 => write!(f, "{} answers nothing", self.name),
            factor if factor < 1.0 => write!(f, "{} {}× slower", self.name, 1.0 / factor),
            factor => write!(f, "{} {factor}× faster", self.name),
        }
    }
}

/// How long the run would take if something were faster.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct WhatIf {
    /// The requested speed-ups.
    pub speedups: Vec<Speedup>,
    /// The kind of each name.
    pub meant: Vec<Kind>,
    /// Number of threads that ran tasks.
    pub workers: usize,
    /// Wall time of the record.
    pub wall: Measured,
    /// Wall time of the replayed schedule with nothing changed, in nanoseconds.
    pub replayed: f64,
    /// `replayed / wall - 1`.
    pub error: f64,
    /// Predicted wall time. The range contains the error of the replay and the disturbance.
    pub predicted: Projected,
    /// Time by which disturbance may have lengthened the wall time. The range contains it.
    pub disturbed: Measured,
    /// Share of the saved time that is apportioned, not measured; from 0 to 1.
    pub apportioned: f64,
    /// The devices that are changed.
    pub devices: Vec<DeviceWhatIf>,
    /// Wall times without these devices, and with all their answers in time. Null if no device is changed.
    pub device_limits: Option<DeviceLimits>,
}

impl WhatIf {
    /// Largest error of the replay with which it can still predict.
    pub const MAX_ERROR: f64 = 0.03;

    pub fn new(facts: &Facts<'_>, speedups: &[Speedup]) -> Result<WhatIf, ReportError> {
        let (factors, meant) = factors(facts, speedups)?;
        let devices = devices(facts, speedups)?;
        let schedule = Schedule::new(facts)?;
        let savings = Savings::new(&schedule, |function| factors[function as usize]);
        let wall = facts.wall() as f64;
        let disturbed = facts.disturbed_wall() as f64;
        let predict = |devices: &[DeviceWhatIf]| {
            let walls = device_what_if::savings(facts, devices).map(|by_devices| {
                let off = match savings.is_nothing() && by_devices.iter().all(|ns| *ns == 0.0) {
                    true => 0.0,
                    false => (schedule.replayed - wall).abs(),
                };
                // With all the savings, and without those that may be disturbance.
                let [all, least] = [1.0, 0.0].map(|part| schedule.wall(&savings, part, &by_devices));
                (all.min(least) - off, all, all.max(least) + off)
            });
            // The smallest saving gives the longest time.
            let [(.., high), (_, middle, _), (low, ..)] = walls;
            Projected { low: (low - disturbed).max(0.0), middle, high }
        };
        let limit = |factor: f64| {
            predict(&devices.iter().map(|device| device.with_factor(facts, factor)).collect::<Vec<_>>())
        };
        let device_limits = (!devices.is_empty())
            .then(|| DeviceLimits { without: limit(0.0), in_time: limit(f64::INFINITY) });
        Ok(WhatIf {
            speedups: speedups.to_vec(),
            meant,
            workers: facts.workers(),
            wall: Measured(facts.wall()),
            replayed: schedule.replayed,
            error: schedule.error,
            predicted: predict(&devices),
            disturbed: Measured(facts.disturbed_wall()),
            apportioned: savings.apportioned_share(),
            devices,
            device_limits,
        })
    }
}

/// The kind of thing that the name of a speed-up refers to. If several names match a function, the first kind
/// in this list counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SpeedupKind")]
pub enum Kind {
    /// A primitive.
    Primitive,
    /// A function of the engine.
    Function,
    /// A family of primitives.
    Family,
    /// A category of functions.
    Category,
    /// A phase of the job.
    Phase,
    /// A device, or several of a similar name.
    Device,
}

impl Kind {
    /// The kinds of functions.
    const ALL: [Kind; 5] = [Kind::Primitive, Kind::Function, Kind::Family, Kind::Category, Kind::Phase];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Primitive => "primitive",
            Kind::Function => "function",
            Kind::Family => "family",
            Kind::Category => "category",
            Kind::Phase => "phase",
            Kind::Device => "device",
        }
    }

    /// Splits `phase:merge` into the kind and the bare name. The kind is needed if a primitive has the same name.
    fn parse_prefix(name: &str) -> Option<(Kind, &str)> {
        let (kind, bare) = name.split_once(':')?;
        Some((Kind::ALL.into_iter().find(|it| it.name() == kind)?, bare.trim_start()))
    }

    /// Whether a name of this kind refers to the function. Phases also have the names of `batt profile
    /// phases`.
    pub(crate) fn matches(self, name: &str, function: &Function) -> bool {
        let family = function.category.strip_prefix("primitives: ");
        match self {
            Kind::Primitive => function.primitive && function.name == name,
            Kind::Function => !function.primitive && function.name == name,
            Kind::Family => family == Some(name) || family.is_some() && function.category == name,
            Kind::Category if name == Category::Primitives.name() => family.is_some(),
            Kind::Category => function.category == name,
            Kind::Phase => function.phase == name || part_of(&function.phase) == Some(name),
            Kind::Device => false,
        }
    }
}

/// Returns the factor of each function, and the kind of each name.
fn factors(facts: &Facts<'_>, speedups: &[Speedup]) -> Result<(Vec<f64>, Vec<Kind>), ReportError> {
    let fail = |text: String| Err(ReportError::Question(text));
    let functions = &facts.profile.functions;
    let mut factors: Vec<(Option<Kind>, f64)> = vec![(None, 1.0); functions.len()];
    let mut meant = Vec::new();
    for (i, Speedup { name, factor }) in speedups.iter().enumerate() {
        if speedups[..i].iter().any(|other| other.name == *name) {
            return fail(format!("`{name}` is given twice"));
        }
        if device_name(name).is_some() {
            meant.push(Kind::Device);
            continue;
        }
        let known = |kind: &Kind, bare: &str| functions.iter().any(|function| kind.matches(bare, function));
        let (kind, bare) = match Kind::parse_prefix(name) {
            Some((kind, bare)) => (Some(kind).filter(|kind| known(kind, bare)), bare),
            None => (Kind::ALL.into_iter().find(|kind| known(kind, name)), name.as_str()),
        };
        let Some(kind) = kind else {
            if let Some(other) = Kind::ALL.into_iter().find(|kind| bare != name && known(kind, bare)) {
                let other = other.name();
                return fail(format!("`{bare}` is a {other}; write `{other}:{bare}={factor}x`"));
            }
            return fail(format!(
                "nothing is called `{name}`; name a primitive or its family, a function or category of `batt profile framework`, a phase of `batt profile phases`, or `device:` and the name of a device; `batt profile what-if RECORD` lists names"
            ));
        };
        for (function, entry) in functions.iter().zip(&mut factors) {
            if !kind.matches(bare, function) {
                continue;
            }
            if is_waiting(function) || function.category == Category::Unaccounted.name() {
                return fail(format!(
                    "`{name}` includes idle, network or unaccounted time, which cannot be made faster"
                ));
            }
            if is_of_device(function) && kind != Kind::Phase {
                return fail(format!(
                    "`{name}` is time of devices, for which threads do not wait; ask for a device, such as \
                     `device:NAME=2x`"
                ));
            }
            if entry.0.is_none_or(|closest| kind < closest) {
                *entry = (Some(kind), *factor);
            }
        }
        meant.push(kind);
    }
    Ok((factors.into_iter().map(|(_, factor)| factor).collect(), meant))
}

/// Returns the devices that are changed. Each may be changed only once.
fn devices(facts: &Facts<'_>, speedups: &[Speedup]) -> Result<Vec<DeviceWhatIf>, ReportError> {
    let mut changed: Vec<DeviceWhatIf> = Vec::new();
    for what in speedups.iter().filter(|what| device_name(&what.name).is_some()) {
        let found = DeviceWhatIf::find(facts, what)?;
        if let Some(twice) = found.iter().find(|it| changed.iter().any(|other| other.is_same_device(it))) {
            let (name, device) = (&what.name, &twice.name);
            return Err(ReportError::Question(format!("`{name}` changes device {device} a second time")));
        }
        changed.extend(found);
    }
    Ok(changed)
}

/// The recorded schedule, by which savings become a shorter wall time.
pub(crate) struct Schedule<'f, 'r> {
    facts: &'f Facts<'r>,
    /// The times of functions in each task.
    costs: Vec<Vec<Cost>>,
    /// Time of the tasks with nothing changed, as replayed.
    unchanged: f64,
    /// Wall time with nothing changed, as replayed.
    replayed: f64,
    /// `replayed / wall - 1`.
    pub(crate) error: f64,
}

impl<'f, 'r> Schedule<'f, 'r> {
    /// Returns the schedule, unless its replay differs too much from the record.
    pub(crate) fn new(facts: &'f Facts<'r>) -> Result<Schedule<'f, 'r>, ReportError> {
        let costs = costs(facts);
        let mut schedule = Schedule { facts, costs, unchanged: 0.0, replayed: 0.0, error: 0.0 };
        let wall = facts.wall() as f64;
        schedule.unchanged = schedule.tasks(&vec![0.0; facts.profile.tasks.len()]);
        schedule.replayed = wall + schedule.unchanged - waited(facts);
        schedule.error = schedule.replayed / wall.max(1.0) - 1.0;
        if schedule.error.abs() > WhatIf::MAX_ERROR {
            return Err(ReportError::Question(format!(
                "the replay of the recorded schedule is off by {} without any change, so it cannot predict \
                 anything; record again, with --threads 1 for an exact result",
                percent(schedule.error)
            )));
        }
        Ok(schedule)
    }

    /// Returns how long the tasks would take in all. With one worker all savings count.
    fn tasks(&self, saved: &[f64]) -> f64 {
        match self.facts.workers() {
            1 => waited(self.facts) - saved.iter().sum::<f64>(),
            _ => replay(self.facts, saved),
        }
    }

    /// Returns the wall time with these savings. Of the savings that may be disturbance, only a part counts.
    fn wall(&self, savings: &Savings, part: f64, by_devices: &[f64]) -> f64 {
        let tasks = savings.tasks.iter().zip(by_devices);
        let tasks: Vec<f64> = tasks.map(|(saved, by_devices)| saved.of(part) + by_devices).collect();
        self.facts.wall() as f64 - savings.main.of(part) + self.tasks(&tasks) - self.unchanged
    }

    /// Returns the wall time that is saved if each function is faster by a factor. The range contains the disturbance,
    /// and differences between recordings by the factor `spread`.
    pub(crate) fn saved(&self, factor: impl Fn(u32) -> f64, spread: f64) -> Projected {
        let savings = Savings::new(self, factor);
        let none = vec![0.0; savings.tasks.len()];
        let wall = self.facts.wall() as f64;
        let [all, least] = [1.0, 0.0].map(|part| wall - self.wall(&savings, part, &none));
        let least = least.min(all).max(0.0);
        Projected {
            low: least * (1.0 - spread).max(0.0),
            middle: all,
            high: (all * (1.0 + spread)).min(wall),
        }
    }
}

/// The time saved on the main lane, and in each task of the profile.
struct Savings {
    main: Saved,
    tasks: Vec<Saved>,
    apportioned: f64,
}

/// A saved time, and the part of it that may be disturbance.
#[derive(Clone, Copy, Default)]
struct Saved {
    ns: f64,
    disturbed: f64,
}

impl Saved {
    /// Returns the saving from the times of functions, of which `disturbed` nanoseconds may be disturbance. Also
    /// returns the time of the functions that change.
    fn new(times: impl Iterator<Item = (f64, u64)>, disturbed: u64) -> (Saved, u64) {
        let (mut ns, mut changed) = (0.0, 0);
        for (gain, time) in times.filter(|(gain, _)| *gain != 0.0) {
            ns += gain * time as f64;
            changed += time;
        }
        let disturbed = ns * disturbed.min(changed) as f64 / changed.max(1) as f64;
        (Saved { ns, disturbed }, changed)
    }

    /// Returns the saving with a part of what may be disturbance.
    fn of(self, part: f64) -> f64 {
        self.ns - (1.0 - part) * self.disturbed
    }
}

impl Savings {
    fn new(schedule: &Schedule<'_, '_>, factor: impl Fn(u32) -> f64) -> Savings {
        let gain = |function: u32| 1.0 - 1.0 / factor(function);
        let Schedule { facts, costs, .. } = schedule;
        let disturbance = &facts.disturbance;
        let mut main = facts.main_alone().map(|(function, ns)| (gain(function), ns));
        let apportioned = costs.iter().flatten().map(|cost| gain(cost.function) * cost.apportioned as f64);
        let mut changed = Exposed::default();
        let mut saved = |times: &mut dyn Iterator<Item = (f64, u64)>, disturbed| {
            let (saved, time) = Saved::new(times, disturbed);
            changed.add(time, disturbed);
            saved
        };
        let tasks = costs.iter().zip(&disturbance.tasks).map(|(costs, disturbed)| {
            saved(&mut costs.iter().map(|cost| (gain(cost.function), cost.ns)), *disturbed)
        });
        let mut tasks: Vec<Saved> = tasks.collect();
        let mut main = saved(&mut main, disturbance.lanes[0].between());
        // Of the whole disturbance, functions have their share.
        let (_, most) = facts.exposed_run().stolen(changed);
        let part = if changed.disturbed > 0 { most / changed.disturbed as f64 } else { 1.0 };
        tasks.iter_mut().chain([&mut main]).for_each(|saved| saved.disturbed *= part);
        Savings { main, tasks, apportioned: apportioned.sum() }
    }

    fn is_nothing(&self) -> bool {
        self.main.ns == 0.0 && self.tasks.iter().all(|saved| saved.ns == 0.0)
    }

    /// Returns the share of the savings that is apportioned.
    fn apportioned_share(&self) -> f64 {
        let saved = self.main.ns + self.tasks.iter().map(|saved| saved.ns).sum::<f64>();
        if saved == 0.0 { 0.0 } else { self.apportioned / saved }
    }
}

/// The time of a function in a task.
pub(crate) struct Cost {
    pub(crate) function: u32,
    pub(crate) ns: u64,
    /// The apportioned part of it.
    pub(crate) apportioned: u64,
}

/// Returns the times of the functions in each task of the profile.
pub(crate) fn costs(facts: &Facts<'_>) -> Vec<Vec<Cost>> {
    let of_task = |task: &batt_record::profile::Task| {
        let functions = facts.task_functions(task).into_iter();
        let cost = |(function, sum): (u32, FunctionTime)| Cost {
            function,
            ns: sum.time(),
            apportioned: sum.apportioned,
        };
        functions.map(cost).collect()
    };
    facts.profile.tasks.iter().map(of_task).collect()
}

/// Returns how long tasks would run in all if each were shorter by `saved`. Tasks begin in the
/// recorded order, each on the first free worker, after the same pause as in the record.
fn replay(facts: &Facts<'_>, saved: &[f64]) -> f64 {
    let tasks = &facts.profile.tasks;
    let n_lanes = facts.profile.lanes.len();
    let mut used = vec![false; n_lanes];
    tasks.iter().for_each(|task| used[task.lane as usize] = true);
    let lanes: Vec<usize> = (1..n_lanes).filter(|lane| used[*lane]).collect();
    let mut total = 0.0;
    for (from, to) in facts.windows() {
        let (from, to) = (from as f64, to as f64);
        let mut ended = vec![from; n_lanes];
        let mut free = vec![from; n_lanes];
        let (mut last, mut last_replayed) = (from, from);
        // Tasks are in the order in which they began.
        let [first, after] = [from, to].map(|time| tasks.partition_point(|task| (task.start as f64) < time));
        for (task, saved) in tasks[first..after.max(first)].iter().zip(&saved[first..]) {
            let (start, end) = (task.start as f64, task.end as f64);
            let pause = start - ended[task.lane as usize];
            ended[task.lane as usize] = end;
            let lane = lanes.iter().copied().min_by(|a, b| free[*a].total_cmp(&free[*b])).unwrap_or(0);
            free[lane] += pause + (end - start - saved).max(0.0);
            last = f64::max(last, end);
            last_replayed = f64::max(last_replayed, free[lane]);
        }
        total += last_replayed - from + (to - last);
    }
    total
}

/// Returns how long tasks ran, on any lane.
fn waited(facts: &Facts<'_>) -> f64 {
    facts.windows().iter().map(|(from, to)| (to - from) as f64).sum()
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.meant.iter().zip(&self.speedups).map(|(kind, it)| {
            // A prefix already names the kind.
            if *kind == Kind::Device || Kind::parse_prefix(&it.name).is_some() {
                it.to_string()
            } else {
                format!("{} {it}", kind.name())
            }
        });
        writeln!(f, "{}", what.collect::<Vec<_>>().join(", "))?;
        let change = self.predicted.middle / self.wall.0.max(1) as f64 - 1.0;
        writeln!(f, "wall {} → {}, {}", self.wall, self.predicted, percent(change))?;
        match self.workers {
            1 if self.devices.is_empty() => writeln!(f, "one worker: exact arithmetic")?,
            1 => writeln!(f, "one worker: exact arithmetic, except for devices")?,
            n => writeln!(
                f,
                "{n} workers: replayed schedule; without any change it gives {}, off by {}",
                brief_ns(self.replayed),
                percent(self.error)
            )?,
        }
        if self.apportioned > 0.0 {
            writeln!(f, "~ {} of the saving is apportioned, not measured", percent(self.apportioned))?;
        }
        self.devices.iter().try_for_each(|device| write!(f, "{device}"))?;
        self.device_limits.iter().try_for_each(|limits| write!(f, "{limits}"))
    }
}
