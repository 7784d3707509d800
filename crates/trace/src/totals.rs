//! Sums up the log of a lane.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::data::{Ends, InnerCalls, NodeRuns, NodeSum, SpotSum, TaskRow, Tasks};
use crate::histogram::Histogram;
use crate::spot::Spot;
use crate::trace::Sink;

/// One booked interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub start: u64,
    pub ns: u64,
    pub spot: Spot,
    /// The number of the task on its lane, counted from 0.
    pub task: Option<u32>,
    pub node: Option<u32>,
}

/// The interval between two stamps, as logged. Its meaning is worked out when the log is read.
#[derive(Clone, Copy)]
pub(crate) struct Lap {
    /// In ticks. The lap starts where the previous one ends.
    pub(crate) end: u64,
    /// The node that was computed, or [`NO_NODE`](Lap::NO_NODE).
    pub(crate) node: u32,
    pub(crate) spot: Spot,
    pub(crate) runs: NodeRuns,
}

impl Lap {
    pub(crate) const NO_NODE: u32 = u32::MAX;

    pub(crate) const NONE: Lap =
        Lap { end: 0, node: Lap::NO_NODE, spot: Spot::UNACCOUNTED, runs: NodeRuns::NONE };
}

/// The start or the end of a task, before a lap of the log.
#[derive(Clone, Copy)]
pub(crate) struct Boundary {
    pub(crate) lap: usize,
    pub(crate) kind: BoundaryKind,
}

#[derive(Clone, Copy)]
pub(crate) enum BoundaryKind {
    /// `id` is the end of the task's id in [`Tasks::ids`].
    TaskStart { id: usize, cells: u64 },
    /// The ends of the task's data in [`Tasks::samples`] and [`Totals::inner_calls`], and its CPU time.
    TaskEnd { samples: usize, inner_calls: usize, cpu: Option<u64> },
}

pub(crate) struct Totals {
    /// The start of the next lap of the log. All times here are in nanoseconds.
    time: u64,
    /// Whether the last one of `tasks` is still running.
    in_task: bool,
    /// The start of that task's part in each list, or of the next one's.
    starts: Ends,
    /// For each spot or node, the index of its last entry in `tasks` plus one. The entry belongs to the
    /// current task if the task's part starts before it.
    spot_entries: Vec<u32>,
    node_entries: Vec<u32>,
    /// Calls inside nodes in order, of tasks whose end has not been read yet.
    pub(crate) inner_calls: Vec<(u32, u16, InnerCalls)>,
    pub(crate) boundaries: Vec<Boundary>,
    /// Whether a lap covers whole computations of a node, including all calls inside.
    whole_nodes: bool,
    pub(crate) primitives: Vec<PrimitiveTimes>,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) tasks: Tasks,
    pub(crate) waits: Vec<(u64, u64)>,
    pub(crate) events: Option<Events>,
}

/// The durations of calls of a primitive. The first call is kept apart, because it runs with cold caches.
#[derive(Clone, Default)]
pub(crate) struct PrimitiveTimes {
    pub(crate) cold: Option<u64>,
    pub(crate) warm: Histogram,
}

pub(crate) struct Events {
    pub(crate) lane: usize,
    pub(crate) sink: Arc<Mutex<Sink>>,
    pub(crate) list: Vec<Event>,
    pub(crate) ids: Vec<(u32, String)>,
}

impl Events {
    /// The number of events in a batch. Batches keep the memory of a long run constant.
    const BATCH: usize = 1 << 14;

    pub(crate) fn flush(&mut self) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(self.lane, &self.ids, &self.list);
        self.ids.clear();
        self.list.clear();
    }
}

impl Totals {
    /// Creates empty totals that start at `time`. `whole_nodes`: calls inside nodes have no laps.
    pub(crate) fn new(time: u64, n_primitives: usize, whole_nodes: bool, events: Option<Events>) -> Totals {
        let n_spots = Spot::primitive(n_primitives as u16).index();
        Totals {
            time,
            in_task: false,
            starts: Ends::default(),
            spot_entries: vec![0; n_spots],
            node_entries: Vec::new(),
            inner_calls: Vec::new(),
            boundaries: Vec::new(),
            whole_nodes,
            primitives: vec![PrimitiveTimes::default(); n_primitives],
            between: vec![SpotSum::default(); n_spots],
            tasks: Tasks::default(),
            waits: Vec::new(),
            events,
        }
    }

    /// Adds up the log.
    pub(crate) fn read(&mut self, log: &[Cell<Lap>], clock: &Clock) {
        let mut boundaries = std::mem::take(&mut self.boundaries);
        let (mut n_laps, mut n_inner) = (0, 0);
        for boundary in boundaries.drain(..) {
            self.add_laps(&log[n_laps..boundary.lap], clock);
            n_laps = boundary.lap;
            match boundary.kind {
                BoundaryKind::TaskStart { id, cells } => self.begin_task(id, cells),
                BoundaryKind::TaskEnd { samples, inner_calls, cpu } => {
                    self.end_task(samples, n_inner..inner_calls, cpu);
                    n_inner = inner_calls;
                }
            }
        }
        self.add_laps(&log[n_laps..], clock);
        self.boundaries = boundaries;
        self.inner_calls.drain(..n_inner);
    }

    fn add_laps(&mut self, laps: &[Cell<Lap>], clock: &Clock) {
        for lap in laps {
            let lap = lap.get();
            let end = clock.ns(lap.end);
            let ns = end - self.time;
            match (self.in_task, lap.node) {
                (true, Lap::NO_NODE) => self.spot_sum(lap.spot).add(ns, 1),
                (true, _) => self.add_to_node(&lap, ns),
                (false, _) => self.between[lap.spot.index()].add(ns, 1),
            }
            if self.whole_nodes
                && lap.node != Lap::NO_NODE
                && let Some(primitive) = lap.spot.as_primitive()
            {
                self.add_calls(primitive, ns, lap.runs.hits.into());
            }
            if self.events.is_some() {
                self.add_event(&lap, ns);
            }
            self.time = end;
        }
    }

    /// Returns the sum of a spot in the current task.
    #[inline]
    fn spot_sum(&mut self, spot: Spot) -> &mut SpotSum {
        let (rows, entry) = (&mut self.tasks.spots, &mut self.spot_entries[spot.index()]);
        if *entry as usize <= self.starts.spots {
            rows.push((spot, SpotSum::default()));
            *entry = rows.len() as u32;
        }
        &mut rows[*entry as usize - 1].1
    }

    /// Adds a lap to the sum of its node in the current task.
    #[inline]
    fn add_to_node(&mut self, lap: &Lap, ns: u64) {
        let id = lap.node as usize;
        if id >= self.node_entries.len() {
            self.node_entries.resize(id + 1, 0);
        }
        let (rows, entry) = (&mut self.tasks.nodes, &mut self.node_entries[id]);
        let NodeRuns { hits, fails, bytes, fuel } = lap.runs;
        let (hits, fails, bytes) = (u32::from(hits), u32::from(fails), u64::from(bytes));
        if *entry as usize <= self.starts.nodes {
            rows.push(NodeSum { id: lap.node, spot: lap.spot, stamps: 1, hits, fails, ns, fuel, bytes });
            *entry = rows.len() as u32;
            return;
        }
        let sum = &mut rows[*entry as usize - 1];
        sum.stamps += 1;
        sum.hits += hits;
        sum.fails += fails;
        sum.ns += ns;
        sum.fuel += fuel;
        sum.bytes += bytes;
    }

    #[cold]
    fn add_event(&mut self, lap: &Lap, ns: u64) {
        let task = self.in_task.then(|| self.tasks.rows.len() as u32 - 1);
        let node = (lap.node != Lap::NO_NODE).then_some(lap.node);
        let Some(events) = &mut self.events else { return };
        events.list.push(Event { start: self.time, ns, spot: lap.spot, task, node });
        if events.list.len() >= Events::BATCH {
            events.flush();
        }
    }

    /// Adds `calls` calls of a primitive that took `ns` together. The first one ever counts as cold.
    #[inline]
    pub(crate) fn add_calls(&mut self, primitive: u16, ns: u64, calls: u32) {
        let primitive = &mut self.primitives[usize::from(primitive)];
        let each = ns / u64::from(calls.max(1));
        match primitive.cold {
            None => {
                primitive.cold = Some(each);
                primitive.warm.add(each, calls.saturating_sub(1));
            }
            Some(_) => primitive.warm.add(each, calls),
        }
    }

    fn begin_task(&mut self, id: usize, cells: u64) {
        self.end_open_task();
        if self.tasks.rows.is_empty() {
            self.tasks.reserve();
        }
        if let Some(events) = &mut self.events {
            let id = &self.tasks.ids[self.starts.id..id];
            events.ids.push((self.tasks.rows.len() as u32, id.to_owned()));
        }
        let ends = Ends { id, ..self.starts };
        self.tasks.rows.push(TaskRow { start: self.time, end: self.time, cells, cpu: None, ends });
        self.in_task = true;
    }

    /// Ends a task that a panic may have left open.
    pub(crate) fn end_open_task(&mut self) {
        if self.in_task {
            self.end_task(self.starts.samples, 0..0, None);
        }
    }

    fn end_task(&mut self, samples: usize, inner_calls: Range<usize>, cpu: Option<u64>) {
        let Tasks { rows, spots, nodes, inner, .. } = &mut self.tasks;
        let Some(task) = rows.last_mut().filter(|_| std::mem::take(&mut self.in_task)) else { return };
        // The nodes of one program are in order already.
        let own = &mut nodes[self.starts.nodes..];
        if !own.is_sorted_by_key(|node| node.id) {
            own.sort_unstable_by_key(|node| node.id);
        }
        let inner_calls = &mut self.inner_calls[inner_calls];
        inner_calls.sort_unstable_by_key(|(node, primitive, _)| (*node, *primitive));
        for new in inner_calls {
            match inner[self.starts.inner..].last_mut() {
                Some(sum) if (sum.0, sum.1) == (new.0, new.1) => sum.2.add(new.2),
                _ => inner.push(*new),
            }
        }
        task.end = self.time;
        task.cpu = cpu;
        let (spots, nodes, inner) = (spots.len(), nodes.len(), inner.len());
        task.ends = Ends { id: task.ends.id, spots, nodes, inner, samples };
        self.starts = task.ends;
    }
}
