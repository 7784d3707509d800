//! What the log of a lane comes to.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::data::{Ends, Inner, NodeRuns, NodeSum, SpotSum, TaskRow, Tasks};
use crate::histogram::Histogram;
use crate::spot::Spot;
use crate::trace::Sink;

/// One booked interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub start: u64,
    pub ns: u64,
    pub spot: Spot,
    /// The number of the task on its lane, from 0.
    pub task: Option<u32>,
    pub node: Option<u32>,
}

/// The time between two stamps, as it is written down at once; what it means is worked out when the log is read.
#[derive(Clone, Copy)]
pub(crate) struct Lap {
    /// In ticks. It began when the one before it ended.
    pub(crate) end: u64,
    /// The node that was computed; [`NO_NODE`](Lap::NO_NODE) if it was something else.
    pub(crate) node: u32,
    pub(crate) spot: Spot,
    pub(crate) runs: NodeRuns,
}

impl Lap {
    pub(crate) const NO_NODE: u32 = u32::MAX;

    pub(crate) const NONE: Lap =
        Lap { end: 0, node: Lap::NO_NODE, spot: Spot::UNACCOUNTED, runs: NodeRuns::NONE };
}

/// A task begins or ends before a lap of the log.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) lap: usize,
    pub(crate) what: Begins,
}

#[derive(Clone, Copy)]
pub(crate) enum Begins {
    /// Of so many cells. Its name ends here in [`Tasks::ids`].
    Task { id: usize, cells: u64 },
    /// The time after a task. What was gathered in it ends here in [`Tasks::samples`] and [`Totals::told`].
    Rest { samples: usize, told: usize },
}

pub(crate) struct Totals {
    /// When the next lap of the log began, in nanoseconds, as all times here are.
    time: u64,
    /// Whether there is a task, the last one of `tasks`.
    in_task: bool,
    /// Where its part of each list begins, or that of the next one.
    starts: Ends,
    /// Where in `tasks` a spot or a node was put last, plus one, by its number. It is in the part of the task if that
    /// begins before it.
    spot_places: Vec<u32>,
    node_places: Vec<u32>,
    /// Calls inside nodes as they came, of tasks whose end was not read yet.
    pub(crate) told: Vec<(u32, u16, Inner)>,
    pub(crate) turns: Vec<Turn>,
    /// How long a node takes can be read off its laps, as it has one for all that it was computed on.
    whole_nodes: bool,
    pub(crate) primitives: Vec<Primitive>,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) tasks: Tasks,
    pub(crate) waits: Vec<(u64, u64)>,
    pub(crate) events: Option<Events>,
}

/// First touch is kept apart from what comes after it.
#[derive(Clone, Default)]
pub(crate) struct Primitive {
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
    /// Events are handed on in batches of this many, so that a long run takes no more memory.
    const BATCH: usize = 1 << 14;

    pub(crate) fn hand_on(&mut self) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(self.lane, &self.ids, &self.list);
        self.ids.clear();
        self.list.clear();
    }
}

impl Totals {
    /// A book that begins at a `time`. `whole_nodes`: a node has one lap for all that it was computed on.
    pub(crate) fn new(time: u64, n_primitives: usize, whole_nodes: bool, events: Option<Events>) -> Totals {
        let n_spots = Spot::primitive(n_primitives as u16).index();
        Totals {
            time,
            in_task: false,
            starts: Ends::default(),
            spot_places: vec![0; n_spots],
            node_places: Vec::new(),
            told: Vec::new(),
            turns: Vec::new(),
            whole_nodes,
            primitives: vec![Primitive::default(); n_primitives],
            between: vec![SpotSum::default(); n_spots],
            tasks: Tasks::default(),
            waits: Vec::new(),
            events,
        }
    }

    /// Adds up the log.
    pub(crate) fn read(&mut self, log: &[Cell<Lap>], clock: &Clock) {
        let mut turns = std::mem::take(&mut self.turns);
        let (mut read, mut read_told) = (0, 0);
        for turn in turns.drain(..) {
            self.laps(&log[read..turn.lap], clock);
            read = turn.lap;
            match turn.what {
                Begins::Task { id, cells } => self.begin_task(id, cells),
                Begins::Rest { samples, told } => {
                    self.end_task(samples, read_told..told);
                    read_told = told;
                }
            }
        }
        self.laps(&log[read..], clock);
        self.turns = turns;
        self.told.drain(..read_told);
    }

    fn laps(&mut self, laps: &[Cell<Lap>], clock: &Clock) {
        for lap in laps {
            let lap = lap.get();
            let end = clock.ns(lap.end);
            let ns = end - self.time;
            match (self.in_task, lap.node) {
                (true, Lap::NO_NODE) => self.spot(lap.spot).add(ns, 1),
                (true, _) => self.node(&lap, ns),
                (false, _) => self.between[lap.spot.index()].add(ns, 1),
            }
            if self.whole_nodes
                && lap.node != Lap::NO_NODE
                && let Some(primitive) = lap.spot.as_primitive()
            {
                self.touch(primitive, ns, lap.runs.hits.into());
            }
            if self.events.is_some() {
                self.event(&lap, ns);
            }
            self.time = end;
        }
    }

    /// The sum of a spot in the task.
    #[inline]
    fn spot(&mut self, spot: Spot) -> &mut SpotSum {
        let (rows, place) = (&mut self.tasks.spots, &mut self.spot_places[spot.index()]);
        if *place as usize <= self.starts.spots {
            rows.push((spot, SpotSum::default()));
            *place = rows.len() as u32;
        }
        &mut rows[*place as usize - 1].1
    }

    /// Adds a lap to the sum of its node in the task.
    #[inline]
    fn node(&mut self, lap: &Lap, ns: u64) {
        let id = lap.node as usize;
        if id >= self.node_places.len() {
            self.node_places.resize(id + 1, 0);
        }
        let (rows, place) = (&mut self.tasks.nodes, &mut self.node_places[id]);
        let NodeRuns { hits, fails, bytes, fuel } = lap.runs;
        let (hits, fails, bytes) = (u32::from(hits), u32::from(fails), u64::from(bytes));
        if *place as usize <= self.starts.nodes {
            rows.push(NodeSum { id: lap.node, spot: lap.spot, stamps: 1, hits, fails, ns, fuel, bytes });
            *place = rows.len() as u32;
            return;
        }
        let sum = &mut rows[*place as usize - 1];
        sum.stamps += 1;
        sum.hits += hits;
        sum.fails += fails;
        sum.ns += ns;
        sum.fuel += fuel;
        sum.bytes += bytes;
    }

    #[cold]
    fn event(&mut self, lap: &Lap, ns: u64) {
        let task = self.in_task.then(|| self.tasks.rows.len() as u32 - 1);
        let node = (lap.node != Lap::NO_NODE).then_some(lap.node);
        let Some(events) = &mut self.events else { return };
        events.list.push(Event { start: self.time, ns, spot: lap.spot, task, node });
        if events.list.len() >= Events::BATCH {
            events.hand_on();
        }
    }

    /// So many calls took so long together. The first ever is told apart if it has a stamp of its own.
    #[inline]
    pub(crate) fn touch(&mut self, primitive: u16, ns: u64, calls: u32) {
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
            self.tasks.make_room();
        }
        if let Some(events) = &mut self.events {
            let id = &self.tasks.ids[self.starts.id..id];
            events.ids.push((self.tasks.rows.len() as u32, id.to_owned()));
        }
        let ends = Ends { id, ..self.starts };
        self.tasks.rows.push(TaskRow { start: self.time, end: self.time, cells, ends });
        self.in_task = true;
    }

    /// A panic may have left a task open.
    pub(crate) fn end_open_task(&mut self) {
        if self.in_task {
            self.end_task(self.starts.samples, 0..0);
        }
    }

    fn end_task(&mut self, samples: usize, told: Range<usize>) {
        let Tasks { rows, spots, nodes, inner, .. } = &mut self.tasks;
        let Some(task) = rows.last_mut().filter(|_| std::mem::take(&mut self.in_task)) else { return };
        // In a plan they are in order; only those of several programs are not.
        let own = &mut nodes[self.starts.nodes..];
        if !own.is_sorted_by_key(|node| node.id) {
            own.sort_unstable_by_key(|node| node.id);
        }
        let told = &mut self.told[told];
        told.sort_unstable_by_key(|(node, primitive, _)| (*node, *primitive));
        for new in told {
            match inner[self.starts.inner..].last_mut() {
                Some(sum) if (sum.0, sum.1) == (new.0, new.1) => sum.2.add(new.2),
                _ => inner.push(*new),
            }
        }
        task.end = self.time;
        let (spots, nodes, inner) = (spots.len(), nodes.len(), inner.len());
        task.ends = Ends { id: task.ends.id, spots, nodes, inner, samples };
        self.starts = task.ends;
    }
}
