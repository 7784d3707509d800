//! The lane of one thread, which books its time by stamps.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};

use crate::clock::Clock;
use crate::data::{InnerCalls, NodeRuns, SpotSum, Tasks};
use crate::spot::Spot;
use crate::thread::{ThreadMeter, ThreadUse};
use crate::totals::{Boundary, BoundaryKind, Events, Lap, PrimitiveTimes, Totals};
use crate::trace::Sink;

/// The recorder of one thread. Only code on that thread writes to it, through shared references.
///
/// Each stamp books the time since the previous one: to the spot that was [entered](Lane::enter) last, or to
/// the one passed to [`mark`](Lane::mark) or [`mark_lazily`](Lane::mark_lazily).
pub struct Lane {
    clock: Clock,
    /// The time of the last stamp. Times are in ticks until they are summed up.
    last: Cell<u64>,
    /// The laps since the log was last read.
    log: Box<[Cell<Lap>]>,
    log_len: Cell<usize>,
    /// The spot to book at the next stamp, from [`mark_lazily`](Lane::mark_lazily).
    pending: Cell<Option<Spot>>,
    current: Cell<Spot>,
    deep: bool,
    /// Whether nodes are identified by their spot.
    nodes_by_spot: bool,
    node: Node,
    delays: Option<Delays>,
    started: u64,
    /// `None` for a device.
    thread: Option<ThreadMeter>,
    /// The CPU time of the thread when the running task began.
    task_cpu: Cell<Option<u64>>,
    /// The start of the running samples, in nanoseconds.
    batch_start: Cell<u64>,
    totals: RefCell<Totals>,
}

/// The log is read when it has this length. PERF: long enough to make good use of the caches while reading.
const LOG_LEN: usize = 1 << 10;

/// Artificial delays of nodes, to test a prediction.
pub(crate) struct Delays {
    /// The delay of each node, in ticks.
    waits: Arc<[u64]>,
    /// The time by which the last delay was too long; the next one is shortened by it.
    excess: Cell<u64>,
}

/// The node that is being computed, and the calls inside it.
struct Node {
    /// The fuel of the calls inside the running call.
    nested_fuel: Cell<u64>,
    /// By primitive.
    inner_calls: Box<[Cell<InnerCalls>]>,
    /// The primitives that were called, in order of their first call.
    called: Box<[Cell<u16>]>,
    n_called: Cell<usize>,
    /// The number of times that calls were counted.
    n_counted: Cell<u64>,
    // Used if calls have stamps:
    id: Cell<u32>,
    running: Cell<Spot>,
    /// Self time of the running call so far.
    self_ns: Cell<u64>,
    /// The calls around the running one, each with its self time so far. The outermost is the node.
    open: RefCell<Vec<(Spot, u64)>>,
}

/// Books time to a spot until it is dropped.
pub struct Span<'l> {
    lane: &'l Lane,
    outer: Spot,
    start: u64,
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        self.lane.end(self.outer, self.start);
    }
}

/// A node that is being computed; see [`Lane::open_node`].
#[must_use]
pub struct Open {
    id: u32,
    spot: Spot,
}

/// A call that is running; see [`Lane::enter_call`].
#[must_use]
pub struct Call {
    /// The fuel left before the call.
    fuel_left: u64,
    /// The nested fuel of the call around it.
    nested_fuel: u64,
}

/// The data of a closed lane.
pub(crate) struct ClosedLane {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) tasks: Tasks,
    pub(crate) primitives: Vec<PrimitiveTimes>,
    pub(crate) waits: Vec<(u64, u64)>,
    pub(crate) stamps: u64,
    pub(crate) calls: u64,
    pub(crate) thread: ThreadUse,
}

impl Lane {
    /// Creates a lane that books time to `base` unless another spot is named.
    pub(crate) fn new(
        clock: Clock,
        deep: bool,
        base: Spot,
        n_primitives: usize,
        number: usize,
        sink: Option<Arc<Mutex<Sink>>>,
    ) -> Lane {
        let now = clock.now();
        let time = clock.ns(now);
        Lane {
            clock,
            deep,
            thread: None,
            task_cpu: Cell::new(None),
            started: now,
            last: Cell::new(now),
            current: Cell::new(base),
            pending: Cell::new(None),
            log: vec![Cell::new(Lap::NONE); LOG_LEN].into(),
            log_len: Cell::new(0),
            node: Node {
                nested_fuel: Cell::new(0),
                id: Cell::new(Lap::NO_NODE),
                running: Cell::new(base),
                self_ns: Cell::new(0),
                open: RefCell::default(),
                inner_calls: vec![Cell::default(); n_primitives].into(),
                called: vec![Cell::default(); n_primitives].into(),
                n_called: Cell::new(0),
                n_counted: Cell::new(0),
            },
            batch_start: Cell::new(time),
            delays: None,
            nodes_by_spot: false,
            totals: RefCell::new(Totals::new(
                time,
                n_primitives,
                !deep,
                sink.map(|sink| Events { lane: number, sink, list: Vec::new(), ids: Vec::new() }),
            )),
        }
    }

    pub(crate) fn with_delays(self, waits: Option<&Arc<[u64]>>) -> Lane {
        let delays = waits.map(|waits| Delays { waits: Arc::clone(waits), excess: Cell::new(0) });
        Lane { delays, ..self }
    }

    pub(crate) fn with_nodes_by_spot(self, nodes_by_spot: bool) -> Lane {
        Lane { nodes_by_spot, ..self }
    }

    /// Measures the CPU time of the thread that writes to the lane.
    pub(crate) fn with_thread(self, thread: ThreadMeter) -> Lane {
        Lane { thread: Some(thread), ..self }
    }

    /// Books time to `spot` until the returned span is dropped.
    pub fn enter(&self, spot: Spot) -> Span<'_> {
        let (outer, start) = self.begin(spot);
        Span { lane: self, outer, start }
    }

    /// Enters a spot. Returns the arguments for [`end`](Lane::end).
    pub(crate) fn begin(&self, spot: Spot) -> (Spot, u64) {
        self.flush();
        let outer = self.current.replace(spot);
        self.switch(outer, spot);
        (outer, self.last.get())
    }

    pub(crate) fn end(&self, outer: Spot, start: u64) {
        self.flush();
        let spot = self.current.replace(outer);
        self.switch(spot, outer);
        if spot == Spot::IDLE {
            let wait = (self.clock.ns(start), self.clock.ns(self.last.get()));
            self.totals.borrow_mut().waits.push(wait);
        }
    }

    /// Reads the CPU time of the thread if a wait begins or ends.
    fn switch(&self, from: Spot, to: Spot) {
        let Some(thread) = &self.thread else { return };
        let is_wait = |spot: Spot| spot == Spot::IDLE || spot == Spot::NETWORK;
        if is_wait(from) && !is_wait(to) && thread.begin_work(self.last_ns()) {
            self.stamp(Spot::PROFILE);
        }
        if !is_wait(from) && is_wait(to) {
            thread.end_work(self.last_ns());
        }
    }

    /// Books the time since the last stamp to `spot`.
    pub fn mark(&self, spot: Spot) {
        match self.pending.take() {
            Some(pending) if pending != spot => {
                self.stamp(pending);
            }
            _ => {}
        }
        self.stamp(spot);
    }

    /// Books the time since the last stamp: the given nanoseconds to the given spots, in this order, and the
    /// rest to `rest`. Durations that do not fit are cut off.
    pub(crate) fn mark_split(&self, parts: &[(Spot, u64)], rest: Spot) {
        self.flush_pending();
        let now = self.clock.now();
        // Reading the log in between would take the time of the parts that follow.
        let full = self.log_len.get() + parts.len() + 1 >= LOG_LEN;
        if full {
            self.read();
        }
        let now_ns = self.clock.ns(now);
        let mut time = self.last_ns();
        for (spot, ns) in parts {
            time = time.saturating_add(*ns).min(now_ns);
            self.stamp_at(*spot, self.clock.ticks(time).min(now));
        }
        self.stamp_at(rest, now);
        if full {
            self.stamp(Spot::PROFILE);
        }
    }

    /// Books the time since the last stamp, and all time from now on to `spot`.
    pub(crate) fn set_current(&self, spot: Spot) {
        self.flush();
        self.current.set(spot);
    }

    /// Returns the time of the last stamp in nanoseconds.
    pub(crate) fn last_ns(&self) -> u64 {
        self.clock.ns(self.last.get())
    }

    /// Books the time from the last stamp to the next one to `spot`. It takes a stamp only if another spot is
    /// pending, so a series of small steps of the same kind costs one stamp.
    #[inline]
    pub fn mark_lazily(&self, spot: Spot) {
        if self.pending.get() != Some(spot) {
            self.flush_pending();
            self.pending.set(Some(spot));
        }
    }

    /// Starts the computation of a node, which owns the time until it is closed. Its spot never changes.
    #[inline]
    pub fn open_node(&self, id: u32, spot: Spot) -> Open {
        self.flush_pending();
        let open = Open { id, spot };
        if self.deep {
            self.open_deep(&open);
        }
        open
    }

    #[cold]
    fn open_deep(&self, open: &Open) {
        let node = &self.node;
        node.id.set(self.number(open));
        node.running.set(open.spot);
        node.self_ns.set(0);
        // A panic may have left calls open.
        node.open.borrow_mut().clear();
    }

    /// Returns the number that identifies the node.
    #[inline]
    fn number(&self, open: &Open) -> u32 {
        if self.nodes_by_spot { open.spot.index() as u32 } else { open.id }
    }

    /// Ends the computation of a node.
    #[inline]
    pub fn close_node(&self, open: Open, runs: NodeRuns) {
        if let Some(delays) = &self.delays {
            self.delay(delays, open.id, runs.hits);
        }
        let (node, spot) = (self.number(&open), open.spot);
        let start = self.last.get();
        let end = self.write(|end| Lap { end, node, spot, runs });
        if self.deep {
            self.close_deep(spot, self.ns(start, end), runs.hits);
        }
        if self.node.n_called.get() > 0 {
            self.log_inner_calls(node);
        }
    }

    #[cold]
    fn delay(&self, delays: &Delays, id: u32, hits: u16) {
        let wait = delays.waits.get(id as usize).copied().unwrap_or(0);
        self.wait(wait * u64::from(hits), &delays.excess);
    }

    /// Also ends calls that a panic left open.
    #[cold]
    fn close_deep(&self, spot: Spot, last: u64, hits: u16) {
        if let Some(primitive) = spot.as_primitive() {
            let ns = self.node.self_ns.get() + last;
            self.totals.borrow_mut().add_calls(primitive, ns, hits.into());
        }
    }

    /// Moves the calls inside a node to the totals, which sum them up at the end of the task.
    fn log_inner_calls(&self, id: u32) {
        let node = &self.node;
        let totals = &mut *self.totals.borrow_mut();
        for called in &node.called[..node.n_called.replace(0)] {
            let primitive = called.get();
            totals.inner_calls.push((id, primitive, node.inner_calls[usize::from(primitive)].take()));
        }
    }

    /// Starts a call of a primitive inside the node.
    #[inline]
    pub fn enter_call(&self, primitive: u16, fuel_left: u64) -> Call {
        if self.deep {
            self.enter_deep(primitive);
        }
        Call { fuel_left, nested_fuel: self.node.nested_fuel.replace(0) }
    }

    #[cold]
    fn enter_deep(&self, primitive: u16) {
        let node = &self.node;
        let running = node.running.replace(Spot::primitive(primitive));
        let mut open = node.open.borrow_mut();
        let id = if open.is_empty() { node.id.get() } else { Lap::NO_NODE };
        let start = self.last.get();
        let end = self.write(|end| Lap { end, node: id, spot: running, ..Lap::NONE });
        open.push((running, node.self_ns.replace(0) + self.ns(start, end)));
    }

    /// Ends a call. Only its own fuel is counted: the calls inside it have been counted already.
    #[inline]
    pub fn exit_call(&self, call: Call, primitive: u16, fuel_left: u64) {
        self.exit_calls(call, primitive, fuel_left, 1);
    }

    /// Ends `calls` calls that were made at once; 0 if the attempt gave no result.
    #[inline]
    pub fn exit_calls(&self, call: Call, primitive: u16, fuel_left: u64, calls: u64) {
        let node = &self.node;
        let used = call.fuel_left.saturating_sub(fuel_left);
        // The fuel of failed attempts is refunded, so the calls inside may have used more than the whole.
        let fuel = used.saturating_sub(node.nested_fuel.get());
        node.nested_fuel.set(call.nested_fuel + used);
        let ns = if self.deep { self.exit_deep(primitive, calls) } else { 0 };
        if calls == 0 {
            return;
        }
        let cell = &node.inner_calls[usize::from(primitive)];
        let mut inner = cell.get();
        if inner.calls == 0 {
            let n_called = node.n_called.get();
            node.called[n_called].set(primitive);
            node.n_called.set(n_called + 1);
        }
        inner.add(InnerCalls { calls, fuel, ns });
        cell.set(inner);
        node.n_counted.set(node.n_counted.get() + 1);
    }

    #[cold]
    fn exit_deep(&self, primitive: u16, calls: u64) -> u64 {
        let node = &self.node;
        let start = self.last.get();
        let ns = node.self_ns.get() + self.ns(start, self.stamp(Spot::primitive(primitive)));
        if calls > 0 {
            self.totals.borrow_mut().add_calls(primitive, ns, calls.try_into().unwrap_or(u32::MAX));
        }
        let (running, self_ns) = node.open.borrow_mut().pop().unwrap_or((node.running.get(), 0));
        node.running.set(running);
        node.self_ns.set(self_ns);
        ns
    }

    /// Starts a task. `cells` is the number of cells in its inputs.
    pub fn begin_task(&self, id: &str, cells: u64) {
        self.flush();
        self.task_cpu.set(self.cpu());
        self.switch(self.current.replace(Spot::SET_UP), Spot::SET_UP);
        self.batch_start.set(self.clock.ns(self.last.get()));
        self.add_boundary(|totals| {
            totals.tasks.ids.push_str(id);
            BoundaryKind::TaskStart { id: totals.tasks.ids.len(), cells }
        });
    }

    fn add_boundary(&self, kind: impl Fn(&mut Totals) -> BoundaryKind) {
        let totals = &mut *self.totals.borrow_mut();
        let kind = kind(totals);
        totals.boundaries.push(Boundary { lap: self.log_len.get(), kind });
    }

    /// Ends a batch of samples that ran together. The time since the last batch, or since the start of the
    /// task, is split among them in proportion to `fuel`.
    pub fn end_batch(&self, fuel: impl Iterator<Item = u64>) {
        let now = self.clock.ns(self.last.get());
        let start = self.batch_start.replace(now);
        let samples = &mut self.totals.borrow_mut().tasks.samples;
        let first = samples.len();
        samples.extend(fuel);
        split_by_weight(now - start, &mut samples[first..]);
    }

    /// Ends the task. From now on, time goes to `base`.
    pub fn end_task(&self, base: Spot) {
        self.flush();
        self.switch(self.current.replace(base), base);
        let cpu = self.task_cpu.take().and_then(|start| Some(self.cpu()?.saturating_sub(start)));
        self.add_boundary(|totals| BoundaryKind::TaskEnd {
            samples: totals.tasks.samples.len(),
            inner_calls: totals.inner_calls.len(),
            cpu,
        });
    }

    /// Returns the CPU time of the thread outside of waits so far.
    fn cpu(&self) -> Option<u64> {
        self.thread.as_ref()?.worked(self.last_ns())
    }

    pub(crate) fn close(&self) -> ClosedLane {
        self.flush();
        self.read();
        let totals = &mut *self.totals.borrow_mut();
        totals.end_open_task();
        if let Some(events) = &mut totals.events {
            events.flush();
        }
        let within = totals.tasks.spots.iter().map(|(_, sum)| sum.stamps);
        let nodes = totals.tasks.nodes.iter().map(|node| u64::from(node.stamps));
        let stamps = totals.between.iter().map(|sum| sum.stamps).chain(within).chain(nodes).sum();
        ClosedLane {
            start: self.clock.ns(self.started),
            end: self.clock.ns(self.last.get()),
            between: std::mem::take(&mut totals.between),
            tasks: std::mem::take(&mut totals.tasks),
            primitives: std::mem::take(&mut totals.primitives),
            waits: std::mem::take(&mut totals.waits),
            stamps,
            calls: self.node.n_counted.get(),
            thread: self.thread.as_ref().map(|it| it.finish(self.last_ns())).unwrap_or_default(),
        }
    }

    /// Waits for a number of ticks, less the excess of the previous wait.
    fn wait(&self, ticks: u64, excess: &Cell<u64>) {
        let credit = excess.get();
        excess.set(credit.saturating_sub(ticks));
        let ticks = ticks.saturating_sub(credit);
        if ticks == 0 {
            return;
        }
        let start = self.clock.now();
        let mut waited = 0;
        while waited < ticks {
            waited = self.clock.now().saturating_sub(start);
        }
        // A large excess means that the thread was suspended, which must not shorten the next wait.
        let too_long = waited - ticks;
        excess.set(if too_long < 1_000 { too_long } else { 0 });
    }

    /// Books the time since the last stamp to the pending or the current spot.
    fn flush(&self) {
        let spot = self.pending.take().unwrap_or(self.current.get());
        self.stamp(spot);
    }

    #[inline]
    fn flush_pending(&self) {
        if let Some(spot) = self.pending.take() {
            self.stamp(spot);
        }
    }

    fn stamp(&self, spot: Spot) -> u64 {
        self.write(|end| Lap { end, spot, ..Lap::NONE })
    }

    /// Books the time from the last stamp to `end` to `spot`, if there is any.
    fn stamp_at(&self, spot: Spot, end: u64) {
        if end > self.last.get() {
            self.write_at(end, |end| Lap { end, spot, ..Lap::NONE });
        }
    }

    /// Returns the nanoseconds between two times in ticks.
    fn ns(&self, start: u64, end: u64) -> u64 {
        self.clock.ns(end) - self.clock.ns(start)
    }

    /// Logs a lap that ends now and returns its end. `last` may be later than that, if the log was full.
    #[inline(always)]
    fn write(&self, lap: impl Fn(u64) -> Lap) -> u64 {
        // The counter may differ between cores by a few ticks, but time must not run backwards.
        self.write_at(self.clock.now().max(self.last.get()), lap)
    }

    #[inline(always)]
    fn write_at(&self, end: u64, lap: impl Fn(u64) -> Lap) -> u64 {
        self.last.set(end);
        let len = self.log_len.get();
        self.log[len].set(lap(end));
        self.log_len.set(len + 1);
        if len + 1 == LOG_LEN {
            self.read_early();
        }
        end
    }

    fn read(&self) {
        self.totals.borrow_mut().read(&self.log[..self.log_len.replace(0)], &self.clock);
    }

    /// Reads a full log. This is the recorder's own time, even inside a task.
    #[cold]
    fn read_early(&self) {
        self.read();
        self.stamp(Spot::PROFILE);
    }
}

/// Splits a total by weights, and replaces these by the parts.
fn split_by_weight(total: u64, weights: &mut [u64]) {
    let sum: u64 = weights.iter().map(|weight| weight + 1).sum();
    let each = total as f64 / sum as f64;
    let mut left = total;
    if let Some((last, others)) = weights.split_last_mut() {
        for weight in others {
            *weight = (((*weight + 1) as f64 * each) as u64).min(left);
            left -= *weight;
        }
        *last = left;
    }
}
