//! Recorded data: sums by spot, node and call, grouped by task.

use std::collections::BTreeMap;

use crate::spot::Spot;

/// The time booked to a spot, and the number of stamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpotSum {
    pub ns: u64,
    pub stamps: u64,
}

impl SpotSum {
    #[inline]
    pub(crate) fn add(&mut self, ns: u64, stamps: u64) {
        self.ns += ns;
        self.stamps += stamps;
    }
}

/// The time and fuel of a node of the plan in one task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeSum {
    pub id: u32,
    pub spot: Spot,
    pub stamps: u32,
    /// The number of times it was computed.
    pub hits: u32,
    pub fails: u32,
    /// Without calls that have their own stamps.
    pub ns: u64,
    /// Including all calls inside the node.
    pub fuel: u64,
    /// Allocated memory.
    pub bytes: u64,
}

/// Several computations of a node without a stamp in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeRuns {
    pub hits: u16,
    pub fails: u16,
    /// Allocated memory, capped at 4 GB.
    pub bytes: u32,
    pub fuel: u64,
}

impl NodeRuns {
    pub(crate) const NONE: NodeRuns = NodeRuns { hits: 0, fails: 0, bytes: 0, fuel: 0 };

    pub fn once(fuel: u64, bytes: u32, failed: bool) -> NodeRuns {
        NodeRuns { hits: 1, fails: failed.into(), bytes, fuel }
    }

    /// Adds one computation.
    pub fn add(&mut self, fuel: u64, failed: bool) {
        self.hits += 1;
        self.fails += u16::from(failed);
        self.fuel += fuel;
    }
}

/// Calls of one primitive through function values inside one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InnerCalls {
    pub calls: u64,
    /// Without the calls inside them.
    pub fuel: u64,
    /// Measured with [`Level::Deep`](crate::Level::Deep) only; otherwise 0.
    pub ns: u64,
}

impl InnerCalls {
    pub(crate) fn add(&mut self, other: InnerCalls) {
        self.calls += other.calls;
        self.fuel += other.fuel;
        self.ns += other.ns;
    }
}

/// The data of one task on a lane. Each moment from start to end is booked once, in `spots` or `nodes`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskData<'t> {
    pub id: &'t str,
    pub start: u64,
    pub end: u64,
    /// Whether it is the first task of its lane, which runs with cold caches.
    pub cold: bool,
    /// The number of cells in its inputs.
    pub cells: u64,
    /// The CPU time of the thread, if the system tells it.
    pub cpu: Option<u64>,
    /// In order of first use.
    pub spots: &'t [(Spot, SpotSum)],
    pub nodes: &'t [NodeSum],
    /// By node and primitive.
    pub inner: &'t [(u32, u16, InnerCalls)],
    /// The time of each sample. Samples that ran together share their time in proportion to fuel.
    pub samples: &'t [u64],
}

impl TaskData<'_> {
    /// Returns all time of the task by spot, including that of nodes.
    pub fn booked(&self) -> BTreeMap<Spot, SpotSum> {
        let mut sums: BTreeMap<Spot, SpotSum> = BTreeMap::new();
        for (spot, sum) in self.spots {
            sums.entry(*spot).or_default().add(sum.ns, sum.stamps);
        }
        for node in self.nodes {
            sums.entry(node.spot).or_default().add(node.ns, node.stamps.into());
        }
        sums
    }
}

/// The tasks of a lane, with one list per kind of data for all tasks. PERF: separate lists for each task cost
/// more than filling them.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    pub(crate) rows: Vec<TaskRow>,
    pub(crate) ids: String,
    pub(crate) spots: Vec<(Spot, SpotSum)>,
    pub(crate) nodes: Vec<NodeSum>,
    pub(crate) inner: Vec<(u32, u16, InnerCalls)>,
    pub(crate) samples: Vec<u64>,
}

/// A task, and the ends of its parts of the lists. They start where those of the previous task end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskRow {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) cells: u64,
    pub(crate) cpu: Option<u64>,
    pub(crate) ends: Ends,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    pub(crate) id: usize,
    pub(crate) spots: usize,
    pub(crate) nodes: usize,
    pub(crate) inner: usize,
    pub(crate) samples: usize,
}

impl Tasks {
    /// Reserves memory for a run of several hundred tasks. PERF: moving growing lists is expensive; unused
    /// memory is free.
    pub(crate) fn reserve(&mut self) {
        const CAPACITY: usize = 1 << 13;
        self.rows.reserve(CAPACITY / 8);
        self.ids.reserve(CAPACITY);
        self.samples.reserve(CAPACITY);
        self.spots.reserve(CAPACITY);
        self.nodes.reserve(CAPACITY);
        self.inner.reserve(CAPACITY);
    }

    pub fn iter(&self) -> impl Iterator<Item = TaskData<'_>> {
        let mut from = Ends::default();
        self.rows.iter().enumerate().map(move |(number, row)| {
            let (from, to) = (std::mem::replace(&mut from, row.ends), row.ends);
            TaskData {
                id: &self.ids[from.id..to.id],
                start: row.start,
                end: row.end,
                cold: number == 0,
                cells: row.cells,
                cpu: row.cpu,
                spots: &self.spots[from.spots..to.spots],
                nodes: &self.nodes[from.nodes..to.nodes],
                inner: &self.inner[from.inner..to.inner],
                samples: &self.samples[from.samples..to.samples],
            }
        })
    }
}
