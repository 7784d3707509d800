//! The lanes of a run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::clock::Clock;
use crate::data::{NodeRuns, SpotSum, Tasks};
use crate::histogram::Histogram;
use crate::lane::{Closed, Lane};
use crate::spot::{Category, Spot};
use crate::totals::Event;

/// How closely to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// A stamp for each node.
    Nodes,
    /// A stamp for each call of a primitive.
    Deep,
}

/// Takes events in batches: the number of the lane, tasks that are new on it, and the events.
pub type Sink = Box<dyn FnMut(usize, &[(u32, String)], &[Event]) + Send>;

/// The recorder of a run. Lane 0 is the thread that made it.
pub struct Trace {
    clock: Clock,
    level: Level,
    n_primitives: usize,
    sink: Option<Arc<Mutex<Sink>>>,
    costs: Costs,
    handicap: Option<Arc<[u64]>>,
    by_spot: bool,
    main: Mutex<Lane>,
    workers: OnceLock<Vec<Mutex<Lane>>>,
}

/// What the recorder's own steps cost, in nanoseconds, tried out before the recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    pub stamp: f64,
    /// To count a call through a function value, without a stamp.
    pub call: f64,
}

/// The result of a recording.
#[derive(Clone, Debug)]
pub struct TraceData {
    pub level: Level,
    pub costs: Costs,
    pub lanes: Vec<LaneData>,
}

#[derive(Clone, Debug)]
pub struct LaneData {
    pub start: u64,
    pub end: u64,
    /// What was booked outside of tasks.
    pub between: Vec<(Spot, SpotSum)>,
    pub tasks: Tasks,
    /// For each primitive its first time here, and the others.
    pub primitives: Vec<(u16, Option<u64>, Histogram)>,
    /// When the lane waited for others to do its work.
    pub waits: Vec<(u64, u64)>,
    pub stamps: u64,
    /// Calls that were counted.
    pub calls: u64,
}

impl TraceData {
    /// What part of all lanes' time went to each category, the largest first.
    pub fn shares(&self) -> Vec<(Category, f64)> {
        let mut sums: BTreeMap<Category, u64> = BTreeMap::new();
        for lane in &self.lanes {
            for (spot, ns) in lane.laps() {
                *sums.entry(spot.info().category).or_default() += ns;
            }
        }
        let whole = sums.values().sum::<u64>().max(1) as f64;
        let mut shares: Vec<_> =
            sums.into_iter().map(|(category, ns)| (category, ns as f64 / whole)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }
}

impl LaneData {
    pub fn wall(&self) -> u64 {
        self.end - self.start
    }

    /// Everything that was booked.
    pub fn booked(&self) -> u64 {
        self.laps().map(|(_, ns)| ns).sum()
    }

    /// Time and whose it is, each moment once.
    fn laps(&self) -> impl Iterator<Item = (Spot, u64)> {
        let spots = self.between.iter().chain(&self.tasks.spots).map(|(spot, sum)| (*spot, sum.ns));
        spots.chain(self.tasks.nodes.iter().map(|node| (node.spot, node.ns)))
    }
}

impl Trace {
    /// `n_primitives`: how many there are; they are known by number.
    pub fn new(clock: Clock, level: Level, n_primitives: usize, sink: Option<Sink>) -> Trace {
        let costs = costs(&clock, n_primitives);
        let sink = sink.map(|sink| Arc::new(Mutex::new(sink)));
        let main =
            Lane::new(clock.clone(), level == Level::Deep, Spot::UNACCOUNTED, n_primitives, 0, sink.clone());
        Trace {
            clock,
            level,
            n_primitives,
            sink,
            costs,
            handicap: None,
            by_spot: false,
            main: Mutex::new(main),
            workers: OnceLock::new(),
        }
    }

    /// Makes nodes wait on the workers, to try out a prediction: so many nanoseconds each time, by their number. Only
    /// with a real clock: one that stands still would be waited for.
    pub fn with_handicap(self, waits: &[u64]) -> Trace {
        let waits = waits.iter().map(|ns| self.clock.ticks(*ns)).collect();
        Trace { handicap: Some(waits), ..self }
    }

    /// Nodes are known by the number of their spot, not by their place in a plan: for work in which plans come and go.
    pub fn with_nodes_by_spot(self) -> Trace {
        Trace { by_spot: true, ..self }
    }

    /// The lane of the thread that made the trace.
    pub fn main(&self) -> MutexGuard<'_, Lane> {
        self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the main lane's time goes to `spot`, until the answer is dropped. In between others may write to
    /// the lane.
    pub fn enter(&self, spot: Spot) -> MainSpan<'_> {
        let (outer, start) = self.main().begin(spot);
        MainSpan { trace: self, outer, start }
    }

    /// From now on there are worker threads. Only the first call counts.
    pub fn start_workers(&self, workers: usize) {
        self.workers
            .get_or_init(|| (1..=workers).map(|number| Mutex::new(self.worker_lane(number))).collect());
    }

    /// The lane of a worker, from 0.
    pub fn worker(&self, worker: usize) -> Option<MutexGuard<'_, Lane>> {
        let lane = self.workers.get()?.get(worker)?;
        Some(lane.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn worker_lane(&self, number: usize) -> Lane {
        let deep = self.level == Level::Deep;
        Lane::new(self.clock.clone(), deep, Spot::IDLE, self.n_primitives, number, self.sink.clone())
            .with_handicap(self.handicap.as_ref())
            .with_nodes_by_spot(self.by_spot)
    }

    /// Ends the recording. Later events are not recorded.
    pub fn finish(&self) -> TraceData {
        let workers = self.workers.get().map_or(&[][..], |workers| workers);
        // The workers are waiting by now. The main lane ends last, so that it holds them all; what it takes to close
        // them, the last events included, is the recorder's own time.
        let span = self.enter(Spot::PROFILE);
        let mut lanes: Vec<_> = workers.iter().map(closed).collect();
        drop(span);
        lanes.insert(0, closed(&self.main));
        TraceData { level: self.level, costs: self.costs, lanes: lanes.into_iter().map(data).collect() }
    }
}

/// Until it is dropped, the time of the main lane goes to its spot.
pub struct MainSpan<'t> {
    trace: &'t Trace,
    outer: Spot,
    start: u64,
}

impl Drop for MainSpan<'_> {
    fn drop(&mut self) {
        self.trace.main().end(self.outer, self.start);
    }
}

fn closed(lane: &Mutex<Lane>) -> Closed {
    lane.lock().unwrap_or_else(PoisonError::into_inner).close()
}

fn data(lane: Closed) -> LaneData {
    let Closed { start, end, between, tasks, primitives, waits, stamps, calls } = lane;
    let between = between.into_iter().enumerate().filter(|(_, sum)| sum.stamps > 0);
    let between = between.map(|(spot, sum)| (Spot::from_index(spot), sum)).collect();
    let primitives = primitives.into_iter().enumerate().filter(|(_, it)| it.cold.is_some());
    let primitives = primitives.map(|(id, it)| (id as u16, it.cold, it.warm)).collect();
    let lane = LaneData { start, end, between, tasks, primitives, waits, stamps, calls };
    assert_eq!(lane.booked(), lane.wall(), "every nanosecond of a lane is booked once");
    lane
}

/// Tries out stamps and counted calls, on a lane that nobody looks at.
fn costs(clock: &Clock, n_primitives: usize) -> Costs {
    const TRIES: usize = 5;
    const STEPS: u64 = 100;
    let lane = Lane::new(clock.clone(), false, Spot::IDLE, n_primitives.max(1), 0, None);
    let time = |step: &dyn Fn()| {
        let once = |_| {
            let start = clock.now();
            (0..STEPS).for_each(|_| step());
            clock.ns(clock.now().saturating_sub(start))
        };
        // The fastest try is the one that nothing else got in the way of.
        (0..TRIES).map(once).min().unwrap_or(0) as f64 / STEPS as f64
    };
    let stamp = time(&|| {
        let open = lane.open_node(0, Spot::primitive(0));
        lane.close_node(open, NodeRuns::default());
    });
    let open = lane.open_node(0, Spot::APPLY);
    let call = time(&|| {
        let call = lane.enter_call(0, 1);
        lane.exit_call(call, 0, 0);
    });
    lane.close_node(open, NodeRuns::default());
    Costs { stamp, call }
}
