//! The times of all machines on one clock.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use batt_record::profile::{Lane, Machine, PrimitiveTimes, Profile, Task};
use batt_trace::{Histogram, Spot, Trace};

use crate::cluster::MachineInfo;
use crate::cluster::piece::Times;
use crate::profile;

/// Collects the times that machines send with their answers.
pub(crate) struct Timeline {
    /// The time at which the profile begins, in nanoseconds since 1970; `None` without a profile.
    zero: Option<u64>,
    /// When machines joined, in nanoseconds since the beginning of the profile.
    joined: BTreeMap<String, u64>,
    batches: BTreeMap<String, Vec<BatchTimes>>,
}

struct BatchTimes {
    /// On our clock, in nanoseconds since 1970.
    sent: u64,
    received: u64,
    times: Times,
}

pub(crate) fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

impl Timeline {
    pub(crate) fn new(trace: Option<&Trace>) -> Timeline {
        let zero = trace.map(|trace| unix_now().saturating_sub(trace.now()));
        Timeline { zero, joined: BTreeMap::new(), batches: BTreeMap::new() }
    }

    pub(crate) fn join(&mut self, machine: &str) {
        if let Some(zero) = self.zero {
            self.joined.entry(machine.to_owned()).or_insert(unix_now().saturating_sub(zero));
        }
    }

    pub(crate) fn add(&mut self, machine: &str, sent: u64, received: u64, times: Times) {
        if self.zero.is_some() {
            let batch = BatchTimes { sent, received, times };
            self.batches.entry(machine.to_owned()).or_default().push(batch);
        }
    }

    /// Adds the machines, their threads and their tasks to the profile of this process.
    pub(crate) fn add_to(mut self, profile: &mut Profile, machines: &[(String, MachineInfo, bool)]) {
        let Some(zero) = self.zero else { return };
        let end = profile.lanes.first().map_or(0, |main| main.end);
        for (id, info, stayed) in machines {
            let number = profile.machines.len() as u32;
            profile.machines.push(Machine {
                name: unique_name(&profile.machines, &info.name),
                cores: info.cores,
                clock_offset: info.clock_offset,
                round_trip: info.round_trip,
                stayed: *stayed,
            });
            let mut by_slot: BTreeMap<usize, Vec<BatchTimes>> =
                (0..info.cores).map(|i| (i, Vec::new())).collect();
            for batch in self.batches.remove(id).unwrap_or_default() {
                by_slot.entry(batch.times.slot).or_default().push(batch);
            }
            let joined = self.joined.get(id).copied().unwrap_or(0).min(end);
            for (slot, batches) in by_slot {
                let shift = |unix: u64| {
                    (unix as i128 - i128::from(info.clock_offset) - i128::from(zero)).max(0) as u64
                };
                let lane = profile.lanes.len() as u32;
                let (lane, tasks) = joined_lane(LaneSpan { number: lane, joined, end, zero }, batches, shift);
                let name = format!("worker {}", slot + 1);
                profile.lanes.push(Lane { name, machine: Some(number), ..lane });
                profile.tasks.extend(tasks);
            }
        }
        profile.tasks.sort_by_key(|task| (task.start, task.lane));
        profile.repeats = vec![profile::repeat(&profile.lanes, &profile.tasks, &profile.nodes, profile.deep)];
    }
}

fn unique_name(machines: &[Machine], name: &str) -> String {
    let taken = |name: &str| machines.iter().any(|machine| machine.name == name);
    let mut names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name} ({n})")));
    names.find(|name| !taken(name)).unwrap_or_default()
}

struct LaneSpan {
    number: u32,
    joined: u64,
    end: u64,
    zero: u64,
}

/// Joins the batches of one thread. Time between them is spent waiting for work that is on its way, or idle.
fn joined_lane(
    span: LaneSpan,
    mut batches: Vec<BatchTimes>,
    shift: impl Fn(u64) -> u64,
) -> (Lane, Vec<Task>) {
    batches.sort_by_key(|batch| batch.times.began);
    let LaneSpan { number, joined, end, zero } = span;
    let mut gaps = Gaps { idle: 0, network: 0, set_up: 0, waits: Vec::new() };
    let (mut at, mut tasks) = (joined, Vec::new());
    let (mut primitives, mut stamps, mut counted): (BTreeMap<u32, (u64, Histogram)>, _, _) =
        (BTreeMap::new(), 0, 0);
    let mut last_received = None;
    let (mut cpu, mut queued, mut preemptions) = (Some(0), Some(0), Some(0));
    for BatchTimes { sent, received, times } in batches {
        let Times { began, lane, tasks: of_batch, .. } = times;
        let (start, length) = (shift(began + lane.start).max(at), lane.end - lane.start);
        gaps.add(at, start, sent.saturating_sub(zero));
        let set_up: u64 = lane.between.iter().map(|(_, ns, _)| ns).sum();
        gaps.set_up += set_up;
        // The recorder of a batch waits while the batch is set up, so nothing is known about that time.
        let in_tasks: Option<u64> = of_batch.iter().map(|task| task.cpu).sum();
        let add = |sum: &mut Option<u64>, more: Option<u64>| *sum = sum.zip(more).map(|(a, b)| a + b);
        add(&mut cpu, in_tasks.map(|ns| ns + set_up));
        add(&mut queued, lane.queued);
        add(&mut preemptions, lane.preemptions);
        tasks.extend(of_batch.into_iter().map(|task| Task {
            lane: number,
            start: start + (task.start - lane.start),
            end: start + (task.end - lane.start),
            cold: task.cold && last_received.is_none(),
            ..task
        }));
        for times in lane.primitives {
            let (_, warm) = primitives
                .entry(times.function)
                .and_modify(|(_, warm)| warm.add(times.cold, 1))
                .or_insert_with(|| (times.cold, Histogram::default()));
            times.warm.iter().for_each(|(step, count)| warm.add_step(*step, *count));
        }
        (stamps, counted) = (stamps + lane.stamps, counted + lane.counted);
        at = start + length;
        last_received = Some(received.saturating_sub(zero));
    }
    let end = end.max(at);
    // The last answer is on its way until it is received.
    let received = last_received.map_or(at, |received| received.clamp(at, end));
    gaps.network += received - at;
    gaps.idle += end - received;
    gaps.waits.push((at, end));
    let between = [(Spot::IDLE, gaps.idle), (Spot::NETWORK, gaps.network), (Spot::SET_UP, gaps.set_up)];
    let between = between.into_iter().filter(|(_, ns)| *ns > 0);
    let mut between: Vec<_> = between.map(|(spot, ns)| (spot.index() as u32, ns, 0)).collect();
    between.sort_unstable();
    let primitives = primitives.into_iter().map(|(function, (cold, warm))| PrimitiveTimes {
        function,
        cold,
        warm: warm.steps().collect(),
    });
    let lane = Lane {
        name: String::new(),
        machine: None,
        device: None,
        start: joined,
        end,
        between,
        primitives: primitives.collect(),
        waits: gaps.waits,
        stamps,
        counted,
        cpu,
        queued,
        preemptions,
    };
    (lane, tasks)
}

struct Gaps {
    idle: u64,
    network: u64,
    set_up: u64,
    waits: Vec<(u64, u64)>,
}

impl Gaps {
    /// Adds the time between two batches. The next one was sent at `sent`.
    fn add(&mut self, from: u64, to: u64, sent: u64) {
        let sent = sent.clamp(from, to);
        self.idle += sent - from;
        self.network += to - sent;
        if to > from {
            self.waits.push((from, to));
        }
    }
}
