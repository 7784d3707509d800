//! What was seen: sums by spot, node and call, and the tasks they belong to.

use std::collections::BTreeMap;

use crate::spot::Spot;

/// Time booked to a spot, and by how many stamps.
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

/// What a node of the plan took in one task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeSum {
    pub id: u32,
    pub spot: Spot,
    pub stamps: u32,
    /// How often it was computed.
    pub hits: u32,
    pub fails: u32,
    /// Without the calls that have stamps of their own.
    pub ns: u64,
    /// With all calls inside.
    pub fuel: u64,
    /// Memory handed out.
    pub bytes: u64,
}

/// What a node was computed on, one after another without a stamp in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeRuns {
    pub hits: u16,
    pub fails: u16,
    /// Memory handed out, up to 4 GB.
    pub bytes: u32,
    pub fuel: u64,
}

impl NodeRuns {
    pub(crate) const NONE: NodeRuns = NodeRuns { hits: 0, fails: 0, bytes: 0, fuel: 0 };

    pub fn once(fuel: u64, bytes: u32, failed: bool) -> NodeRuns {
        NodeRuns { hits: 1, fails: failed.into(), bytes, fuel }
    }

    /// Once more.
    pub fn add(&mut self, fuel: u64, failed: bool) {
        self.hits += 1;
        self.fails += u16::from(failed);
        self.fuel += fuel;
    }
}

/// Calls of one primitive through function values inside one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inner {
    pub calls: u64,
    /// Without the calls inside.
    pub fuel: u64,
    /// Measured with [`Level::Deep`](crate::Level::Deep) only, else 0.
    pub ns: u64,
}

impl Inner {
    pub(crate) fn add(&mut self, other: Inner) {
        self.calls += other.calls;
        self.fuel += other.fuel;
        self.ns += other.ns;
    }
}

/// What a lane saw of one task. The time between start and end is in `spots` and `nodes`, each moment once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskData<'t> {
    pub id: &'t str,
    pub start: u64,
    pub end: u64,
    /// The first task of its lane, which meets empty caches.
    pub cold: bool,
    /// How much there is to look at.
    pub cells: u64,
    /// In the order in which they came.
    pub spots: &'t [(Spot, SpotSum)],
    pub nodes: &'t [NodeSum],
    /// By node and primitive.
    pub inner: &'t [(u32, u16, Inner)],
    /// The time of each sample, split by fuel over those that were run together.
    pub samples: &'t [u64],
}

impl TaskData<'_> {
    /// All of its time by spot, that of nodes included.
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

/// The tasks of a lane: all that there is of one kind in one list, task after task. PERF: lists of their own for each
/// task cost more than all that goes into them.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    pub(crate) rows: Vec<TaskRow>,
    pub(crate) ids: String,
    pub(crate) spots: Vec<(Spot, SpotSum)>,
    pub(crate) nodes: Vec<NodeSum>,
    pub(crate) inner: Vec<(u32, u16, Inner)>,
    pub(crate) samples: Vec<u64>,
}

/// A task, and where its part of each list ends. It begins where that of the task before it ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskRow {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) cells: u64,
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
    /// Makes room for a run of some hundred tasks. PERF: memory that is not written to costs nothing, to move lists that
    /// grow does.
    pub(crate) fn make_room(&mut self) {
        const ROOM: usize = 1 << 13;
        self.rows.reserve(ROOM / 8);
        self.ids.reserve(ROOM);
        self.samples.reserve(ROOM);
        self.spots.reserve(ROOM);
        self.nodes.reserve(ROOM);
        self.inner.reserve(ROOM);
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
                spots: &self.spots[from.spots..to.spots],
                nodes: &self.nodes[from.nodes..to.nodes],
                inner: &self.inner[from.inner..to.inner],
                samples: &self.samples[from.samples..to.samples],
            }
        })
    }
}
