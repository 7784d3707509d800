//! The section `profile` of a record: where the time of a job went.
//!
//! Functions (of the engine, and primitives), nodes of the plan and programs are referred to by index. Times
//! are nanoseconds since the recording began. For each lane the times between tasks and within tasks add up
//! to the time from its start to its end, including idle and unaccounted time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::Device;

/// Version of the section.
pub const VERSION: u32 = 1;

/// The profile of a job: where the time went. Times are nanoseconds since the recording began.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Profile {
    /// Version of this section, 1.
    pub version: u32,
    /// True if every call was timed, not only every node (`--deep`).
    pub deep: bool,
    /// Programs that are wrong on their own tasks and were expected to be.
    pub excused: usize,
    /// Costs of the recorder itself.
    pub costs: Costs,
    /// Functions of the engine and primitives. Other fields refer to them by index.
    pub functions: Vec<Function>,
    /// Nodes of the plan. Other fields refer to them by index.
    pub nodes: Vec<Node>,
    /// For each program `[node, line]` for every node that does work; lines count from 0.
    pub lines: Vec<Vec<(u32, u32)>>,
    /// The machines of a cluster that took part. Absent if the job ran on one machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<Machine>,
    /// The devices that answered jobs. Absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
    /// The threads and devices. The first thread started the others.
    pub lanes: Vec<Lane>,
    /// The tasks, in the order in which they began.
    pub tasks: Vec<Task>,
    /// The sums of each repetition of the run. The last one is described by the other fields.
    pub repeats: Vec<Repeat>,
    /// Name of the file of events, in the folder of the record. Absent without `--events`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
}

impl Profile {
    /// Returns the number of lanes that ran tasks.
    pub fn workers(&self) -> usize {
        let mut lanes: Vec<u32> = self.tasks.iter().map(|task| task.lane).collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes.len()
    }

    /// Returns the repetitions. If there are several, the first is left out because it is cold.
    pub fn warm_repeats(&self) -> &[Repeat] {
        if self.repeats.len() > 1 { &self.repeats[1..] } else { &self.repeats }
    }

    /// Adds the facts of a device to its entry, which keeps its name. `number` is that of its lane.
    pub fn describe_device(&mut self, number: u32, device: Device) {
        if let Some(entry) = self.devices.get_mut(number as usize) {
            *entry = Device { name: std::mem::take(&mut entry.name), ..device };
        }
    }
}

/// Costs of the recorder itself, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "RecorderCosts")]
pub struct Costs {
    /// Cost of reading the clock once.
    pub stamp: f64,
    /// Cost of counting a call.
    pub call: f64,
}

/// A function of the engine or a primitive. It belongs to exactly one category.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ProfileFunction")]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Phase of the job, such as `load` or `execute`.
    pub phase: String,
    /// Category of the function; for a primitive its family, such as `primitives: object`.
    pub category: String,
    /// True for a primitive of the DSL.
    pub primitive: bool,
}

/// A node of the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ProfileNode")]
pub struct Node {
    /// Index into the list of functions.
    pub function: u32,
    /// Number of programs that need it.
    pub programs: u32,
}

/// A machine of a cluster, or a shard that was joined.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ClusterMachine")]
pub struct Machine {
    /// Name of the machine; unique in the profile.
    pub name: String,
    /// Number of pieces of work that it takes at a time.
    pub cores: usize,
    /// Time on its clock minus the time on the clock of the profile, in ns. Times in the profile are corrected by it.
    pub clock_offset: i64,
    /// Time for a message to the machine and back, in ns. The offset is uncertain by half of it. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<u64>,
    /// False if it was lost or dropped before the end.
    pub stayed: bool,
}

/// A thread or a device. The times of its functions sum to `end - start`.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Lane {
    /// Name of the thread or device.
    pub name: String,
    /// Index of its machine in the list of machines. Absent for threads of the process that started the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<u32>,
    /// Index of the device in the list of devices. Absent for threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// When it started, in ns.
    pub start: u64,
    /// When it ended, in ns.
    pub end: u64,
    /// Time outside of tasks: `[function, self time in ns, stamps]`.
    pub between: Vec<Booked>,
    /// Times of single computations, for each primitive.
    pub primitives: Vec<PrimitiveTimes>,
    /// When it waited for other threads: `[from, to]` in ns. Of a device, only the longest waits.
    pub waits: Vec<(u64, u64)>,
    /// Number of times that the recorder read the clock.
    pub stamps: u64,
    /// Number of calls that the recorder counted.
    pub counted: u64,
    /// CPU time of the thread outside of waits, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// Time in which the thread was ready to run but waited for a CPU, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// Number of times that the thread was stopped to let another one run. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u64>,
}

/// `[function, self time in ns, stamps]`. The stamps are the number of times that the clock was read.
pub type Booked = (u32, u64, u64);

/// The durations of single computations of a primitive. They include nested calls unless those were timed
/// themselves.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "PrimitiveTimes")]
pub struct PrimitiveTimes {
    /// Index into the list of functions.
    pub function: u32,
    /// The first one on this thread, in ns.
    pub cold: u64,
    /// The others, as a histogram: `[step, count]`.
    pub warm: Vec<(u32, u32)>,
}

/// The times of one task.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ProfileTask")]
pub struct Task {
    /// Id of the task.
    pub id: String,
    /// Index of its thread.
    pub lane: u32,
    /// When it began, in ns.
    pub start: u64,
    /// When it ended, in ns.
    pub end: u64,
    /// True for the first task of a thread. Absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cold: bool,
    /// Number of cells in all input grids.
    pub cells: u64,
    /// CPU time of its thread meanwhile, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// Time of each sample, in ns.
    pub samples: Vec<u64>,
    /// Time by function: `[function, self time in ns, stamps]`.
    pub booked: Vec<Booked>,
    /// Time by node: `[node, hits, failures, self time in ns, fuel with nested calls, bytes]`.
    pub nodes: Vec<NodeTime>,
    /// Calls through function values: `[node, function, calls, own fuel, self time in ns]`. The time is 0 unless
    /// every call was timed.
    pub inner: Vec<Inner>,
}

impl Task {
    /// Adds another part of the same task. The task then ends as if the two parts had followed each other.
    pub fn join(&mut self, other: &Task) {
        self.end += other.end - other.start;
        self.cold |= other.cold;
        self.cpu = self.cpu.zip(other.cpu).map(|(a, b)| a + b);
        self.samples.extend(&other.samples);
        add(
            &mut self.booked,
            &other.booked,
            |it| it.0,
            |sum, it| {
                sum.1 += it.1;
                sum.2 += it.2;
            },
        );
        add(
            &mut self.nodes,
            &other.nodes,
            |it| it.0,
            |sum, it| {
                let (_, hits, fails, ns, fuel, bytes) = *it;
                *sum = (sum.0, sum.1 + hits, sum.2 + fails, sum.3 + ns, sum.4 + fuel, sum.5 + bytes);
            },
        );
        add(
            &mut self.inner,
            &other.inner,
            |it| (it.0, it.1),
            |sum, it| {
                let (.., calls, fuel, ns) = *it;
                *sum = (sum.0, sum.1, sum.2 + calls, sum.3 + fuel, sum.4 + ns);
            },
        );
    }
}

/// Adds up two lists that are sorted by a key.
fn add<T: Copy, K: Ord>(to: &mut Vec<T>, from: &[T], key: impl Fn(&T) -> K, sum: impl Fn(&mut T, &T)) {
    for it in from {
        match to.binary_search_by(|other| key(other).cmp(&key(it))) {
            Ok(place) => sum(&mut to[place], it),
            Err(place) => to.insert(place, *it),
        }
    }
}

/// The figures of a node in a task: node, hits, failures, self time, fuel with nested calls, bytes.
pub type NodeTime = (u32, u32, u32, u64, u64, u64);

/// Calls through function values inside a node: node, function, calls, own fuel, self time (0 if not timed).
pub type Inner = (u32, u32, u64, u64, u64);

/// The sums of one repetition of the run.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "RepeatSums")]
pub struct Repeat {
    /// Wall time in ns.
    pub wall: u64,
    /// `[function, self time in ns over all threads, fuel]`. The busy time of devices is included, with functions of its own.
    pub functions: Vec<(u32, u64, u64)>,
    /// Part of the busy time in which threads were ready to run and did not, in ns. Absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<u64>,
}
