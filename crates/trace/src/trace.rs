//! The recorder of a run and its data.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::clock::Clock;
use crate::data::{NodeRuns, SpotSum, Tasks};
use crate::device::{DeviceLane, SharedState};
use crate::histogram::Histogram;
use crate::lane::{ClosedLane, Lane};
use crate::spot::{Category, Spot};
use crate::thread::{ThreadMeter, ThreadUse};
use crate::totals::Event;

/// The level of detail of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// One stamp per node.
    Nodes,
    /// One stamp per call of a primitive.
    Deep,
}

/// Receives events in batches: the number of the lane, its new tasks, and the events.
pub type Sink = Box<dyn FnMut(usize, &[(u32, String)], &[Event]) + Send>;

/// The recorder of a run. Lane 0 is the thread that created it.
pub struct Trace {
    clock: Clock,
    level: Level,
    n_primitives: usize,
    sink: Option<Arc<Mutex<Sink>>>,
    costs: Costs,
    delays: Option<Arc<[u64]>>,
    nodes_by_spot: bool,
    main: Mutex<Lane>,
    workers: OnceLock<Workers>,
    devices: Mutex<Vec<Device>>,
    /// The number of lanes so far. Lanes are numbered in the order in which they were started.
    n_lanes: AtomicUsize,
}

struct Workers {
    /// The number of the first lane. The others follow.
    first: usize,
    lanes: Vec<Mutex<Lane>>,
}

struct Device {
    name: String,
    /// The number of its lane.
    number: usize,
    lane: SharedState,
}

/// The cost of the recorder's own steps in nanoseconds, measured before the recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    pub stamp: f64,
    /// Counting a call through a function value, without a stamp.
    pub call: f64,
}

/// The result of a recording.
#[derive(Clone, Debug)]
pub struct TraceData {
    pub level: Level,
    pub costs: Costs,
    /// The main lane, then the others in the order in which they were started.
    pub lanes: Vec<LaneData>,
}

/// The owner of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LaneKind {
    /// The thread that created the trace.
    Main,
    /// A worker thread, counted from 0.
    Worker(usize),
    /// A device, with its [number](DeviceLane::number).
    Device { number: u32, name: String },
}

#[derive(Clone, Debug)]
pub struct LaneData {
    pub kind: LaneKind,
    pub start: u64,
    pub end: u64,
    /// Time booked outside tasks.
    pub between: Vec<(Spot, SpotSum)>,
    pub tasks: Tasks,
    /// For each primitive, the time of its first call on this lane and those of the others.
    pub primitives: Vec<(u16, Option<u64>, Histogram)>,
    /// Intervals in which the lane was idle. Of a device, only the longest are kept.
    pub waits: Vec<(u64, u64)>,
    pub stamps: u64,
    /// The number of times that calls were counted.
    pub calls: u64,
    /// Empty for a device.
    pub thread: ThreadUse,
}

impl TraceData {
    /// Returns each category's share of the time of all threads, largest first. Devices are not included.
    pub fn shares(&self) -> Vec<(Category, f64)> {
        let mut sums: BTreeMap<Category, u64> = BTreeMap::new();
        for lane in self.lanes.iter().filter(|lane| !matches!(lane.kind, LaneKind::Device { .. })) {
            for (spot, ns) in lane.times() {
                *sums.entry(spot.info().category).or_default() += ns;
            }
        }
        let total = sums.values().sum::<u64>().max(1) as f64;
        let mut shares: Vec<_> =
            sums.into_iter().map(|(category, ns)| (category, ns as f64 / total)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }
}

impl LaneData {
    pub fn wall(&self) -> u64 {
        self.end - self.start
    }

    /// Returns the sum of all booked times.
    pub fn booked(&self) -> u64 {
        self.times().map(|(_, ns)| ns).sum()
    }

    /// Returns all booked times with their spots, each moment once.
    fn times(&self) -> impl Iterator<Item = (Spot, u64)> {
        let spots = self.between.iter().chain(&self.tasks.spots).map(|(spot, sum)| (*spot, sum.ns));
        spots.chain(self.tasks.nodes.iter().map(|node| (node.spot, node.ns)))
    }
}

impl Trace {
    /// Starts a recording. Primitives are identified by numbers below `n_primitives`.
    pub fn new(clock: Clock, level: Level, n_primitives: usize, sink: Option<Sink>) -> Trace {
        let costs = measure_costs(&clock, n_primitives);
        let sink = sink.map(|sink| Arc::new(Mutex::new(sink)));
        let thread = ThreadMeter::new(clock.clone());
        thread.begin_work(clock.ns(clock.now()));
        let main =
            Lane::new(clock.clone(), level == Level::Deep, Spot::UNACCOUNTED, n_primitives, 0, sink.clone())
                .with_thread(thread);
        Trace {
            clock,
            level,
            n_primitives,
            sink,
            costs,
            delays: None,
            nodes_by_spot: false,
            main: Mutex::new(main),
            workers: OnceLock::new(),
            devices: Mutex::default(),
            n_lanes: AtomicUsize::new(1),
        }
    }

    /// Returns the time since the recording began, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.clock.ns(self.clock.now())
    }

    /// Delays each node on the workers by a number of nanoseconds, to test a prediction; `waits` is indexed
    /// by node. Only for a real clock: a manual clock would never reach the end of a delay.
    pub fn with_delays(self, waits: &[u64]) -> Trace {
        let waits = waits.iter().map(|ns| self.clock.ticks(*ns)).collect();
        Trace { delays: Some(waits), ..self }
    }

    /// Identifies nodes by their spot, not by their index in a plan: for work that uses many plans.
    pub fn with_nodes_by_spot(self) -> Trace {
        Trace { nodes_by_spot: true, ..self }
    }

    /// Returns the lane of the thread that created the trace.
    pub fn main(&self) -> MutexGuard<'_, Lane> {
        self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Books the main lane's time to `spot` until the returned span is dropped. Meanwhile other code may
    /// write to the lane.
    pub fn enter(&self, spot: Spot) -> MainSpan<'_> {
        let (outer, start) = self.main().begin(spot);
        MainSpan { trace: self, outer, start }
    }

    /// Starts the lanes of the worker threads. Only the first call has an effect.
    pub fn start_workers(&self, workers: usize) {
        self.workers.get_or_init(|| {
            let first = self.n_lanes.fetch_add(workers, Ordering::Relaxed);
            let lanes = (0..workers).map(|i| Mutex::new(self.worker_lane(first + i))).collect();
            Workers { first, lanes }
        });
    }

    /// Starts the lane of a device, at any time. Its host thread takes it along.
    pub fn device_lane(&self, name: &str) -> DeviceLane {
        let mut devices = self.devices();
        let number = self.n_lanes.fetch_add(1, Ordering::Relaxed);
        let lane = Lane::new(self.clock.clone(), false, Spot::IDLE, 0, number, self.sink.clone());
        let (device, lane) = DeviceLane::new(devices.len() as u32, lane);
        devices.push(Device { name: name.to_owned(), number, lane });
        device
    }

    fn devices(&self) -> MutexGuard<'_, Vec<Device>> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lane of a worker, counted from 0.
    pub fn worker(&self, worker: usize) -> Option<MutexGuard<'_, Lane>> {
        let lane = self.workers.get()?.lanes.get(worker)?;
        Some(lane.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn worker_lane(&self, number: usize) -> Lane {
        let deep = self.level == Level::Deep;
        Lane::new(self.clock.clone(), deep, Spot::IDLE, self.n_primitives, number, self.sink.clone())
            .with_delays(self.delays.as_ref())
            .with_nodes_by_spot(self.nodes_by_spot)
            .with_thread(ThreadMeter::new(self.clock.clone()))
    }

    /// Ends the recording. Later events are not recorded.
    pub fn finish(&self) -> TraceData {
        // The workers are idle by now. The main lane ends last, so that it encloses all others. Closing them,
        // with the last events, is the recorder's own time.
        let span = self.enter(Spot::PROFILE);
        let mut lanes = Vec::new();
        if let Some(workers) = self.workers.get() {
            let closed = |(i, lane)| (workers.first + i, data(LaneKind::Worker(i), close(lane)));
            lanes.extend(workers.lanes.iter().enumerate().map(closed));
        }
        for (i, Device { name, number, lane }) in self.devices().drain(..).enumerate() {
            let kind = LaneKind::Device { number: i as u32, name };
            lanes.extend(lane.take().map(|lane| (number, data(kind, lane))));
        }
        lanes.sort_by_key(|(number, _)| *number);
        drop(span);
        let main = data(LaneKind::Main, close(&self.main));
        let lanes = std::iter::once(main).chain(lanes.into_iter().map(|(_, lane)| lane)).collect();
        TraceData { level: self.level, costs: self.costs, lanes }
    }
}

/// Books the time of the main lane to a spot until it is dropped.
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

fn close(lane: &Mutex<Lane>) -> ClosedLane {
    lane.lock().unwrap_or_else(PoisonError::into_inner).close()
}

fn data(kind: LaneKind, lane: ClosedLane) -> LaneData {
    let ClosedLane { start, end, between, tasks, primitives, waits, stamps, calls, thread } = lane;
    let between = between.into_iter().enumerate().filter(|(_, sum)| sum.stamps > 0);
    let between = between.map(|(spot, sum)| (Spot::from_index(spot), sum)).collect();
    let primitives = primitives.into_iter().enumerate().filter(|(_, it)| it.cold.is_some());
    let primitives = primitives.map(|(id, it)| (id as u16, it.cold, it.warm)).collect();
    let lane = LaneData { kind, start, end, between, tasks, primitives, waits, stamps, calls, thread };
    assert_eq!(lane.booked(), lane.wall(), "every nanosecond of a lane is booked once");
    lane
}

/// Measures the cost of stamps and counted calls on a lane whose data is not used.
fn measure_costs(clock: &Clock, n_primitives: usize) -> Costs {
    const TRIES: usize = 5;
    const STEPS: u64 = 100;
    let lane = Lane::new(clock.clone(), false, Spot::IDLE, n_primitives.max(1), 0, None);
    let time = |step: &dyn Fn()| {
        let once = |_| {
            let start = clock.now();
            (0..STEPS).for_each(|_| step());
            clock.ns(clock.now().saturating_sub(start))
        };
        // The fastest try is the one with the least interference.
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
