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
    /// Predicted wall time.
    pub predicted: Projected,
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
        let savings = Savings::new(facts, &factors);
        let wall = facts.wall();
        let workers = facts.workers();
        // The total time of the tasks. With one worker all savings count.
        let schedule = |saved: &[f64]| match workers {
            1 => waited(facts) - saved.iter().sum::<f64>(),
            _ => replay(facts, saved),
        };
        let unchanged = schedule(&vec![0.0; facts.profile.tasks.len()]);
        let replayed = wall as f64 + unchanged - waited(facts);
        let error = replayed / wall.max(1) as f64 - 1.0;
        if error.abs() > WhatIf::MAX_ERROR {
            return Err(ReportError::Question(format!(
                "the replay of the recorded schedule is off by {} without any change, so it cannot predict \
                 anything; record again, with --threads 1 for an exact result",
                percent(error)
            )));
        }
        let predict = |devices: &[DeviceWhatIf]| {
            let walls = device_what_if::savings(facts, devices).map(|saved| {
                let saved: Vec<f64> = savings.tasks.iter().zip(saved).map(|(a, b)| a + b).collect();
                let off = if savings.main == 0.0 && saved.iter().all(|ns| *ns == 0.0) {
                    0.0
                } else {
                    (replayed - wall as f64).abs()
                };
                (wall as f64 - savings.main + schedule(&saved) - unchanged, off)
            });
            // The smallest saving gives the longest time.
            let [(high, over), (middle, _), (low, under)] = walls;
            Projected { low: low - under, middle, high: high + over }
        };
        let limit = |factor: f64| {
            predict(&devices.iter().map(|device| device.with_factor(facts, factor)).collect::<Vec<_>>())
        };
        let device_limits = (!devices.is_empty())
            .then(|| DeviceLimits { without: limit(0.0), in_time: limit(f64::INFINITY) });
        let saved = savings.main + savings.tasks.iter().sum::<f64>();
        Ok(WhatIf {
            speedups: speedups.to_vec(),
            meant,
            workers,
            wall: Measured(wall),
            replayed,
            error,
            predicted: predict(&devices),
            apportioned: if saved == 0.0 { 0.0 } else { savings.apportioned / saved },
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

    fn name(self) -> &'static str {
        match self {
            Kind::Primitive => "primitive",
            Kind::Function => "function",
            Kind::Family => "family",
            Kind::Category => "category",
            Kind::Phase => "phase",
            Kind::Device => "device",
        }
    }

    /// Splits `phase: merge` into the kind and the bare name. The kind is needed if a primitive has the same
    /// name.
    fn parse_prefix(name: &str) -> Option<(Kind, &str)> {
        let (kind, bare) = name.split_once(": ")?;
        Some((Kind::ALL.into_iter().find(|it| it.name() == kind)?, bare))
    }

    /// Whether a name of this kind refers to the function. Phases also have the names of `batt profile
    /// phases`.
    fn matches(self, name: &str, function: &Function) -> bool {
        let family = function.category.strip_prefix("primitives: ");
        match self {
            Kind::Primitive => function.primitive && function.name == name,
            Kind::Function => !function.primitive && function.name == name,
            Kind::Family => family == Some(name) || family.is_some() && function.category == name,
            Kind::Category => family.is_none() && function.category == name,
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
            return fail(format!(
                "nothing is called `{name}`; name a primitive or its family, a function or category of `batt profile framework`, a phase of `batt profile phases`, or `device:` and the name of a device"
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

/// The time saved on the main lane, and in each task of the profile.
struct Savings {
    main: f64,
    tasks: Vec<f64>,
    apportioned: f64,
}

impl Savings {
    fn new(facts: &Facts<'_>, factors: &[f64]) -> Savings {
        let saved = |function: u32, ns: u64| ns as f64 * (1.0 - 1.0 / factors[function as usize]);
        let main = facts.main_alone().map(|(function, ns)| saved(function, ns)).sum();
        let costs = costs(facts);
        let all = costs.iter().flatten();
        let apportioned = all.map(|cost| saved(cost.function, cost.apportioned)).sum();
        let tasks = costs.iter().map(|costs| costs.iter().map(|cost| saved(cost.function, cost.ns)).sum());
        Savings { main, tasks: tasks.collect(), apportioned }
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
    let lanes: Vec<usize> =
        (1..n_lanes).filter(|lane| tasks.iter().any(|task| task.lane as usize == *lane)).collect();
    let mut total = 0.0;
    for (from, to) in facts.windows() {
        let (from, to) = (from as f64, to as f64);
        let mut ended = vec![from; n_lanes];
        let mut free = vec![from; n_lanes];
        let (mut last, mut last_replayed) = (from, from);
        for (task, saved) in tasks.iter().zip(saved) {
            let (start, end) = (task.start as f64, task.end as f64);
            if start < from || start >= to {
                continue;
            }
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
