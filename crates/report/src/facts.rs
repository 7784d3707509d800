//! A record whose profile has been checked, with the time of its nodes split over functions.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use batt_record::profile::{self, Function, Profile};
use batt_record::{Record, RecordError};
use batt_trace::{Category, Phase};

use crate::noise::{self, Disturbance};

/// The reasons why a view cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("the record has no profile; make one with `batt run … --record FILE --profile`")]
    NoProfile,
    #[error("the record is empty: no task was run")]
    Empty,
    /// The file was changed after it was written.
    #[error("the profile is damaged: {0}; record again")]
    Damaged(String),
    #[error("the record has no task {0}")]
    NoTask(String),
    #[error("none of the {0} recorded tasks is selected; change -i, -n or --start")]
    NothingSelected(usize),
    #[error("{0}")]
    Question(String),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Selects tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    pub ids: Vec<String>,
    pub start: usize,
    pub limit: Option<usize>,
}

impl Selection {
    pub fn is_all(&self) -> bool {
        *self == Selection::default()
    }
}

/// A record whose profile has been checked.
pub struct Facts<'r> {
    pub record: &'r Record,
    pub profile: &'r Profile,
    /// All tasks in the order in which they began. The parts of a task that was worked on several times are
    /// merged.
    pub every: Vec<Cow<'r, profile::Task>>,
    /// The selected tasks, in the order of the data.
    pub tasks: Vec<Cow<'r, profile::Task>>,
    /// True if all tasks are selected.
    pub whole: bool,
    pub(crate) disturbance: Disturbance,
    rates: Rates,
}

/// The cost of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionTime {
    /// Nodes of the plan that were computed, counted each time.
    pub hits: u64,
    /// Calls through function values.
    pub calls: u64,
    pub fails: u64,
    pub measured: u64,
    pub apportioned: u64,
    /// Its own fuel, without that of nested calls.
    pub fuel: u64,
    pub bytes: u64,
    /// Number of tasks it appears in.
    pub tasks: u64,
    /// Disturbance that may be part of the time.
    pub disturbed: u64,
}

impl FunctionTime {
    /// Returns measured and apportioned time together.
    pub fn time(&self) -> u64 {
        self.measured + self.apportioned
    }

    pub(crate) fn add(&mut self, other: &FunctionTime) {
        self.hits += other.hits;
        self.calls += other.calls;
        self.fails += other.fails;
        self.measured += other.measured;
        self.apportioned += other.apportioned;
        self.fuel += other.fuel;
        self.bytes += other.bytes;
        self.tasks += other.tasks;
        self.disturbed += other.disturbed;
    }
}

/// A part of a task's time.
pub(crate) struct Part {
    pub(crate) function: u32,
    /// The function of the node that made the call.
    pub(crate) inside: Option<u32>,
    pub(crate) time: FunctionTime,
}

/// Nanoseconds per unit of fuel for each function, found from nodes without nested calls; and the fixed cost
/// of a node.
struct Rates {
    by_function: Vec<Option<f64>>,
    overall: f64,
    node: f64,
}

impl<'r> Facts<'r> {
    pub fn new(record: &'r Record, selection: &Selection) -> Result<Facts<'r>, ReportError> {
        let profile = record.profile.as_deref().ok_or(ReportError::NoProfile)?;
        if profile.tasks.is_empty() || profile.lanes.is_empty() {
            return Err(ReportError::Empty);
        }
        check(profile)?;
        let every = merge_parts(profile);
        let tasks = select(record, &every, selection)?;
        let rates = Rates::new(profile);
        let disturbance = Disturbance::new(&profile.functions, &profile.lanes, &profile.tasks);
        Ok(Facts { record, profile, every, tasks, whole: selection.is_all(), disturbance, rates })
    }

    pub fn function(&self, number: u32) -> &'r Function {
        &self.profile.functions[number as usize]
    }

    /// Returns the time from the start of the recording to its end.
    pub fn wall(&self) -> u64 {
        let main = &self.profile.lanes[0];
        main.end - main.start
    }

    /// Returns the number of lanes that ran tasks.
    pub fn workers(&self) -> usize {
        self.profile.workers()
    }

    /// Returns the lanes of threads. Those of devices are not among them, because a device is no thread.
    pub fn threads(&self) -> impl Iterator<Item = &'r profile::Lane> + use<'r> {
        self.profile.lanes.iter().filter(|lane| lane.device.is_none())
    }

    /// Returns the lane of a device, unless it never started.
    pub(crate) fn device_lane(&self, device: usize) -> Option<&'r profile::Lane> {
        self.profile.lanes.iter().find(|lane| lane.device == Some(device as u32))
    }

    /// Returns when a device had batches, between its longest waits.
    pub(crate) fn device_work(lane: &profile::Lane) -> Vec<(u64, u64)> {
        let starts = std::iter::once(lane.start).chain(lane.waits.iter().map(|wait| wait.1));
        let ends = lane.waits.iter().map(|wait| wait.0).chain([lane.end]);
        starts.zip(ends).filter(|(from, to)| from < to).collect()
    }

    /// Returns the self time of every function over all threads and all tasks.
    pub fn booked(&self) -> Vec<u64> {
        let mut sums = vec![0; self.profile.functions.len()];
        let within = self.profile.tasks.iter().flat_map(|task| &task.booked);
        for (function, ns, _) in self.threads().flat_map(|lane| &lane.between).chain(within) {
            sums[*function as usize] += ns;
        }
        sums
    }

    /// Returns the time of all threads without waiting.
    pub fn busy(&self) -> u64 {
        let sums = self.booked();
        sums.iter()
            .zip(&self.profile.functions)
            .filter(|(_, function)| !is_waiting(function))
            .map(|(ns, _)| ns)
            .sum()
    }

    /// Returns the time of all threads in a category.
    pub(crate) fn in_category(&self, category: Category) -> u64 {
        let sums = self.booked().into_iter().zip(&self.profile.functions);
        sums.filter(|(_, function)| function.category == category.name()).map(|(ns, _)| ns).sum()
    }

    /// Returns whether machines of a cluster did the work.
    pub(crate) fn is_cluster(&self) -> bool {
        !self.profile.machines.is_empty()
    }

    /// Returns the name of a lane, after the name of its machine. Names of devices are unique without it.
    pub(crate) fn lane_name(&self, lane: usize) -> String {
        let profile::Lane { name, machine, device, .. } = &self.profile.lanes[lane];
        match (device, machine) {
            (Some(device), _) => self.profile.devices[*device as usize].name.clone(),
            (None, Some(machine)) => format!("{} {name}", self.profile.machines[*machine as usize].name),
            (None, None) => name.clone(),
        }
    }

    /// Returns the times in which tasks ran. On one machine, the main lane waits meanwhile. The driver of a
    /// cluster is busy meanwhile, so there it is the time from the first task to the last.
    pub(crate) fn windows(&self) -> Vec<(u64, u64)> {
        if !self.is_cluster() {
            return self.profile.lanes[0].waits.clone();
        }
        let start = self.profile.tasks.iter().map(|task| task.start).min().unwrap_or(0);
        let end = self.profile.tasks.iter().map(|task| task.end).max().unwrap_or(start);
        vec![(start, end)]
    }

    /// Returns the time of the main lane outside of [windows](Facts::windows), by function. The profile of a
    /// cluster does not tell when the driver ran a function, so its phase decides.
    pub(crate) fn main_alone(&self) -> impl Iterator<Item = (u32, u64)> {
        let during = [Phase::Execute, Phase::Score, Phase::None].map(Phase::name);
        let alone =
            move |function: u32| !self.is_cluster() || !during.contains(&&*self.function(function).phase);
        let main = self.profile.lanes[0].between.iter();
        main.filter(move |it| alone(it.0)).map(|(function, ns, _)| (*function, *ns))
    }

    /// Returns the time that shares refer to: the busy time of all threads, or the time of the selected tasks.
    pub fn base(&self) -> u64 {
        if self.whole { self.busy() } else { self.tasks.iter().map(|task| task.end - task.start).sum() }
    }

    /// Returns the cost of each function over the selected tasks.
    pub fn functions(&self) -> BTreeMap<u32, FunctionTime> {
        let mut sums: BTreeMap<u32, FunctionTime> = BTreeMap::new();
        for task in &self.tasks {
            for (function, time) in self.task_functions(task) {
                sums.entry(function).or_default().add(&time);
            }
        }
        sums
    }

    /// Splits the time of a task into parts that do not overlap: nodes, nested calls, and time outside of
    /// nodes.
    pub(crate) fn parts(&self, task: &profile::Task) -> Vec<Part> {
        let mut parts = Vec::new();
        for ((node, hits, fails, ns, fuel, bytes), inner) in nodes(task) {
            let function = self.profile.nodes[*node as usize].function;
            let own_fuel = fuel.saturating_sub(inner.iter().map(|it| it.3).sum());
            let split = self.split(function, own_fuel, *hits, *ns, inner);
            // Split time is apportioned, other time is measured.
            let time = |place: usize, measured: u64| match &split {
                Some(parts) => FunctionTime { apportioned: parts[place], ..FunctionTime::default() },
                None => FunctionTime { measured, ..FunctionTime::default() },
            };
            let (hits, fails) = (u64::from(*hits), u64::from(*fails));
            let own = FunctionTime { hits, fails, fuel: own_fuel, bytes: *bytes, ..time(0, *ns) };
            parts.push(Part { function, inside: None, time: own });
            parts.extend(inner.iter().enumerate().map(|(i, (_, called, calls, fuel, ns))| {
                let time = FunctionTime { calls: *calls, fuel: *fuel, ..time(i + 1, *ns) };
                Part { function: *called, inside: Some(function), time }
            }));
        }
        let in_nodes = node_times(self.profile, task);
        parts.extend(task.booked.iter().filter_map(|(function, ns, _)| {
            let measured = ns.saturating_sub(in_nodes.get(function).copied().unwrap_or(0));
            let time = FunctionTime { measured, ..FunctionTime::default() };
            (measured > 0).then_some(Part { function: *function, inside: None, time })
        }));
        parts
    }

    /// Returns the cost of each function in a task. The times add up to the task's time.
    pub fn task_functions(&self, task: &profile::Task) -> BTreeMap<u32, FunctionTime> {
        let mut sums: BTreeMap<u32, FunctionTime> = BTreeMap::new();
        for part in self.parts(task) {
            sums.entry(part.function).or_default().add(&part.time);
        }
        let disturbed = noise::of_task(&self.profile.functions, task);
        for sum in sums.values_mut() {
            (sum.tasks, sum.disturbed) = (1, disturbed.min(sum.time()));
        }
        sums
    }

    /// Splits the time of a node over itself and its nested calls. Returns `None` if there is nothing to
    /// split.
    fn split(
        &self,
        function: u32,
        own_fuel: u64,
        hits: u32,
        ns: u64,
        inner: &[profile::Inner],
    ) -> Option<Vec<u64>> {
        if self.profile.deep || inner.is_empty() {
            return None;
        }
        let own = self.rates.of(function) * own_fuel as f64 + self.rates.node * f64::from(hits);
        let weights = inner.iter().map(|(_, function, _, fuel, _)| self.rates.of(*function) * *fuel as f64);
        Some(shares(ns, &std::iter::once(own).chain(weights).collect::<Vec<_>>()))
    }
}

/// Splits `total` into whole numbers in the ratio of the weights.
fn shares(total: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        let mut parts = vec![0; weights.len()];
        parts[0] = total;
        return parts;
    }
    let (mut weight, mut given) = (0.0, 0);
    let mut parts = Vec::with_capacity(weights.len());
    for (i, it) in weights.iter().enumerate() {
        weight += it;
        let until = if i + 1 == weights.len() { total } else { (total as f64 * weight / sum) as u64 };
        let until = until.clamp(given, total);
        parts.push(until - given);
        given = until;
    }
    parts
}

impl Rates {
    /// Minimum cost of a unit of fuel, so that every function that worked gets a share.
    const LEAST: f64 = 0.01;

    fn new(profile: &Profile) -> Rates {
        // Hits, time and fuel of nodes without nested calls.
        let mut sums = vec![(0u64, 0u64, 0u64); profile.functions.len()];
        for task in &profile.tasks {
            for ((node, hits, _, ns, fuel, _), inner) in nodes(task) {
                if inner.is_empty() {
                    let sum = &mut sums[profile.nodes[*node as usize].function as usize];
                    *sum = (sum.0 + u64::from(*hits), sum.1 + ns, sum.2 + fuel);
                }
            }
        }
        // The cheapest frequent node shows the fixed cost of any node. The limit of 20 hits was picked by
        // feel.
        let often = sums.iter().filter(|(hits, ..)| *hits >= 20);
        let node = often.map(|(hits, ns, _)| *ns as f64 / *hits as f64).fold(f64::INFINITY, f64::min);
        let node = if node.is_finite() { node } else { 0.0 };
        let rate = |(hits, ns, fuel): &(u64, u64, u64)| {
            let work = (*ns as f64 - node * *hits as f64).max(0.0);
            (*fuel > 0).then(|| (work / *fuel as f64).max(Rates::LEAST))
        };
        let all = sums.iter().fold((0, 0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1, sum.2 + it.2));
        Rates { by_function: sums.iter().map(rate).collect(), overall: rate(&all).unwrap_or(1.0), node }
    }

    fn of(&self, function: u32) -> f64 {
        self.by_function[function as usize].unwrap_or(self.overall)
    }
}

/// Returns whether time of the function is not work: the lane waits for other lanes or for the network.
pub(crate) fn is_waiting(function: &Function) -> bool {
    [Category::Idle, Category::Network].iter().any(|category| function.category == category.name())
}

/// Returns whether time of the function is time of a device.
pub(crate) fn is_of_device(function: &Function) -> bool {
    Category::DEVICE.iter().any(|category| function.category == category.name())
}

/// Iterates over the nodes of a task, each with its nested calls.
fn nodes(task: &profile::Task) -> impl Iterator<Item = (&profile::NodeTime, &[profile::Inner])> {
    let mut rest = &task.inner[..];
    task.nodes.iter().map(move |node| {
        let (inner, after) = rest.split_at(rest.iter().take_while(|inner| inner.0 == node.0).count());
        rest = after;
        (node, inner)
    })
}

/// Returns for each function how much of its booked time is in nodes of the task.
fn node_times(profile: &Profile, task: &profile::Task) -> BTreeMap<u32, u64> {
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    let nodes = task.nodes.iter().map(|(node, _, _, ns, ..)| (profile.nodes[*node as usize].function, *ns));
    let inner = task.inner.iter().map(|(_, called, .., ns)| (*called, *ns));
    for (function, ns) in nodes.chain(inner) {
        *times.entry(function).or_default() += ns;
    }
    times
}

/// Checks that all indices are in range, and that for every lane the parts add up to the whole.
fn check(profile: &Profile) -> Result<(), ReportError> {
    let damaged = |what: &str| Err(ReportError::Damaged(what.to_owned()));
    let functions = profile.functions.len() as u32;
    let known = |function: &u32| *function < functions;
    if !profile.nodes.iter().all(|node| known(&node.function)) {
        return damaged("a node calls a function that is not listed");
    }
    let mut sums: Vec<u64> = Vec::new();
    for lane in &profile.lanes {
        if lane.end < lane.start || !lane.between.iter().all(|(function, ..)| known(function)) {
            return damaged("a lane ends before it starts, or names a function that is not listed");
        }
        if lane.machine.is_some_and(|machine| machine as usize >= profile.machines.len()) {
            return damaged("a lane is on a machine that is not listed");
        }
        if lane.device.is_some_and(|device| device as usize >= profile.devices.len()) {
            return damaged("a lane is of a device that is not listed");
        }
        sums.push(lane.between.iter().map(|(_, ns, _)| ns).sum());
    }
    if profile.lanes.first().is_some_and(|main| main.device.is_some())
        || profile
            .tasks
            .iter()
            .any(|task| profile.lanes.get(task.lane as usize).is_some_and(|it| it.device.is_some()))
    {
        return damaged("a device has the place of a thread");
    }
    for task in &profile.tasks {
        let Some(sum) = sums.get_mut(task.lane as usize) else {
            return damaged("a task ran on a lane that is not listed");
        };
        let booked: u64 = task.booked.iter().map(|(_, ns, _)| ns).sum();
        *sum += booked;
        let nodes = task.nodes.iter().all(|node| (node.0 as usize) < profile.nodes.len());
        let named = task.booked.iter().all(|it| known(&it.0)) && task.inner.iter().all(|it| known(&it.1));
        if !nodes || !named || task.end.checked_sub(task.start) != Some(booked) {
            return damaged(&format!("the times of task {} do not add up", task.id));
        }
        let booked: BTreeMap<u32, u64> =
            task.booked.iter().map(|(function, ns, _)| (*function, *ns)).collect();
        if node_times(profile, task)
            .iter()
            .any(|(function, ns)| booked.get(function).copied().unwrap_or(0) < *ns)
        {
            return damaged(&format!("nodes of task {} take more time than is booked to them", task.id));
        }
    }
    if profile.lanes.iter().flat_map(|lane| &lane.waits).any(|(from, to)| from > to) {
        return damaged("a lane stops waiting before it starts");
    }
    for (lane, sum) in profile.lanes.iter().zip(sums) {
        if lane.end - lane.start != sum {
            return damaged(&format!("the times of lane {} do not add up", lane.name));
        }
    }
    let listed = |times: &profile::PrimitiveTimes| known(&times.function);
    if !profile.lanes.iter().flat_map(|lane| &lane.primitives).all(listed)
        || !profile.repeats.iter().flat_map(|repeat| &repeat.functions).all(|it| known(&it.0))
        || !profile.lines.iter().flatten().all(|(node, _)| (*node as usize) < profile.nodes.len())
    {
        return damaged("an index is out of range");
    }
    Ok(())
}

/// Merges the parts of each task. A search works on a task several times, on any lane.
fn merge_parts(profile: &Profile) -> Vec<Cow<'_, profile::Task>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tasks: Vec<Cow<'_, profile::Task>> = Vec::with_capacity(profile.tasks.len());
    for task in &profile.tasks {
        match places.get(task.id.as_str()) {
            Some(place) => tasks[*place].to_mut().join(task),
            None => {
                places.insert(&task.id, tasks.len());
                tasks.push(Cow::Borrowed(task));
            }
        }
    }
    tasks
}

fn select<'r>(
    record: &Record,
    every: &[Cow<'r, profile::Task>],
    selection: &Selection,
) -> Result<Vec<Cow<'r, profile::Task>>, ReportError> {
    let by_id: BTreeMap<&str, &Cow<'r, profile::Task>> =
        every.iter().map(|task| (task.id.as_str(), task)).collect();
    if let Some(id) = selection.ids.iter().find(|id| !by_id.contains_key(id.as_str())) {
        return Err(ReportError::NoTask(id.clone()));
    }
    let wanted = |id: &str| selection.ids.is_empty() || selection.ids.iter().any(|it| it == id);
    // In the order of the data. Tasks that are not in the record, because the run was stopped, come last.
    let listed: BTreeSet<&str> = record.tasks.iter().map(|task| task.id.as_str()).collect();
    let others = every.iter().map(|task| task.id.as_str()).filter(|id| !listed.contains(id));
    let ids = record.tasks.iter().map(|task| task.id.as_str()).chain(others).filter(|id| wanted(id));
    let ids = ids.skip(selection.start).take(selection.limit.unwrap_or(usize::MAX));
    let tasks: Vec<_> = ids.filter_map(|id| by_id.get(id).copied().cloned()).collect();
    if tasks.is_empty() {
        return Err(ReportError::NothingSelected(every.len()));
    }
    Ok(tasks)
}
