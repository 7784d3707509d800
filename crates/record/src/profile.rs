//! Where the time of a run went: the section `profile` of a record.
//!
//! Functions (of the engine, and primitives), nodes of the plan and programs are known by their places in the lists.
//! Times are nanoseconds since the recording began. For each lane the functions between tasks and those within its
//! tasks sum to the time from its start to its end, idle and unaccounted time included.

use serde::{Deserialize, Serialize};

/// The version of the section.
pub const VERSION: u32 = 1;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Profile {
    pub version: u32,
    /// Every call has a stamp of its own, not only every node.
    pub deep: bool,
    /// Programs that are wrong on their own tasks and were expected to be.
    pub excused: usize,
    pub costs: Costs,
    pub functions: Vec<Function>,
    pub nodes: Vec<Node>,
    /// For each program its nodes that do work, with the line of its text on which they stand, from 0.
    pub lines: Vec<Vec<(u32, u32)>>,
    /// The first is the thread that started the others.
    pub lanes: Vec<Lane>,
    /// In the order in which they began.
    pub tasks: Vec<Task>,
    /// What each repetition of the run came to; the last one is told in detail above.
    pub repeats: Vec<Repeat>,
    /// The name of the file of events, which lies beside the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
}

/// What the recorder's own steps cost, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Costs {
    pub stamp: f64,
    pub call: f64,
}

/// A function of the engine or a primitive, in exactly one category.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub phase: String,
    pub category: String,
    pub primitive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    pub function: u32,
    /// How many programs need it.
    pub programs: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lane {
    pub name: String,
    pub start: u64,
    pub end: u64,
    /// What happened between tasks.
    pub between: Vec<Booked>,
    pub primitives: Vec<Touched>,
    /// When it waited for the others to do their tasks: from, to.
    pub waits: Vec<(u64, u64)>,
    /// What the recorder did here.
    pub stamps: u64,
    pub counted: u64,
}

/// Self time of a function, and by how many stamps it was booked.
pub type Booked = (u32, u64, u64);

/// How long single computations of a primitive took, calls inside included unless they have stamps of their own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    pub function: u32,
    /// The first on this lane.
    pub cold: u64,
    /// The others: steps of the scale, with counts.
    pub warm: Vec<(u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    pub lane: u32,
    pub start: u64,
    pub end: u64,
    /// The first of its lane.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cold: bool,
    pub cells: u64,
    /// The time of each sample.
    pub samples: Vec<u64>,
    pub booked: Vec<Booked>,
    pub nodes: Vec<NodeTime>,
    pub inner: Vec<Inner>,
}

impl Task {
    /// Adds another stretch of the same task. It then ends as if both had followed each other.
    pub fn join(&mut self, other: &Task) {
        self.end += other.end - other.start;
        self.cold |= other.cold;
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

/// Adds up lists that are ordered by a key.
fn add<T: Copy, K: Ord>(to: &mut Vec<T>, from: &[T], key: impl Fn(&T) -> K, sum: impl Fn(&mut T, &T)) {
    for it in from {
        match to.binary_search_by(|other| key(other).cmp(&key(it))) {
            Ok(place) => sum(&mut to[place], it),
            Err(place) => to.insert(place, *it),
        }
    }
}

/// What a node took in a task: node, hits, failures, self time, fuel with all calls inside, bytes.
pub type NodeTime = (u32, u32, u32, u64, u64, u64);

/// Calls through function values inside a node: node, function, calls, own fuel, self time (0 without a stamp).
pub type Inner = (u32, u32, u64, u64, u64);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeat {
    pub wall: u64,
    /// Function, self time over all lanes, fuel.
    pub functions: Vec<(u32, u64, u64)>,
}
