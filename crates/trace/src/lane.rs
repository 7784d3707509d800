//! One thread's time, booked by chained stamps.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::histogram::Histogram;
use crate::spot::Spot;
use crate::trace::Sink;

/// One thread. It is written to by whoever runs there, through shared references, and by nobody else.
///
/// Each stamp books the time since the last one: to the spot that was [entered](Lane::enter) last, or to the one
/// that the caller names with [`mark`](Lane::mark) or has named with [`owe`](Lane::owe).
pub struct Lane {
    clock: Clock,
    deep: bool,
    started: u64,
    last: Cell<u64>,
    current: Cell<Spot>,
    owed: Cell<Option<Spot>>,
    /// What was booked since the log was read last.
    log: RefCell<Vec<Lap>>,
    node: Node,
    sample: Cell<(u32, u64)>,
    /// How often calls inside nodes were counted.
    counted: Cell<u64>,
    /// A spot whose nodes are made to take so many times as long.
    handicap: Option<(Spot, f64)>,
    /// A node is known by the number of its spot.
    by_spot: bool,
    book: RefCell<Book>,
}

/// Time booked to a spot, and by how many stamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpotSum {
    pub ns: u64,
    pub stamps: u64,
}

/// What a node of the plan took in one task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeSum {
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

/// Calls of one primitive through function values inside one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inner {
    pub calls: u64,
    /// Without the calls inside.
    pub fuel: u64,
    /// Measured with [`Level::Deep`](crate::Level::Deep) only, else 0.
    pub ns: u64,
}

/// What a lane saw of one task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskSeen {
    pub id: String,
    pub start: u64,
    pub end: u64,
    /// The first task of its lane, which meets empty caches.
    pub cold: bool,
    /// How much there is to look at.
    pub cells: u64,
    /// They sum to the time between start and end.
    pub spots: Vec<(Spot, SpotSum)>,
    pub nodes: Vec<(u32, NodeSum)>,
    /// By node and primitive.
    pub inner: Vec<(u32, u16, Inner)>,
    /// The time of each sample.
    pub samples: Vec<u64>,
}

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
struct Lap {
    spot: Spot,
    failed: bool,
    /// The node that was computed; [`NO_NODE`] if it was something else.
    node: u32,
    ns: u64,
    /// Self time of the node from before calls inside that have stamps of their own.
    earlier: u64,
    fuel: u64,
    bytes: u64,
}

const NO_NODE: u32 = u32::MAX;

/// A log is read when its task is over, or when it is this long.
const LOG: usize = 1 << 12;

/// The node that is being computed, and the calls inside it.
struct Node {
    spot: Cell<Spot>,
    /// Fuel of the calls inside the running call.
    nested: Cell<u64>,
    /// Self time of the running call so far, when calls have stamps.
    own_ns: Cell<u64>,
    running: Cell<Spot>,
    inner: Box<[Cell<Inner>]>,
    /// Which primitives of `inner` are in use: a bit for each.
    used: Box<[Cell<u64>]>,
    any: Cell<bool>,
}

/// What the log comes to.
struct Book {
    /// When the next lap of the log began.
    time: u64,
    /// Of the task, or of the stretch between two tasks. By spot.
    sums: Vec<SpotSum>,
    /// The spots of `sums` that have something.
    stamped: Vec<Spot>,
    nodes: Vec<NodeSum>,
    touched: Vec<u32>,
    inner: Vec<(u32, u16, Inner)>,
    primitives: Vec<Primitive>,
    between: Vec<SpotSum>,
    tasks: Vec<TaskSeen>,
    task: Option<(String, u64, u64)>,
    samples: Vec<u64>,
    waits: Vec<(u64, u64)>,
    events: Option<Events>,
}

/// First touch is kept apart from what comes after it.
#[derive(Clone, Default)]
pub(crate) struct Primitive {
    pub(crate) cold: Option<u64>,
    pub(crate) warm: Histogram,
}

struct Events {
    lane: usize,
    list: Vec<Event>,
    ids: Vec<(u32, String)>,
    sink: Arc<Mutex<Sink>>,
}

impl Events {
    /// Events are handed on in batches of this many, so that a long run takes no more memory.
    const BATCH: usize = 1 << 14;

    fn hand_on(&mut self) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(self.lane, &self.ids, &self.list);
        self.ids.clear();
        self.list.clear();
    }
}

/// Until it is dropped, time goes to its spot.
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

/// A node that is being computed.
#[must_use]
pub struct Open(());

/// A call that is open.
#[must_use]
pub struct Call {
    left: u64,
    nested: u64,
    own_ns: u64,
    running: Spot,
}

/// What is left of a lane when it is closed.
pub(crate) struct Closed {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) tasks: Vec<TaskSeen>,
    pub(crate) primitives: Vec<Primitive>,
    pub(crate) waits: Vec<(u64, u64)>,
    pub(crate) stamps: u64,
    pub(crate) calls: u64,
}

impl Lane {
    /// A lane whose time goes to `base` when nobody claims it.
    pub(crate) fn new(
        clock: Clock,
        deep: bool,
        base: Spot,
        n_primitives: usize,
        number: usize,
        sink: Option<Arc<Mutex<Sink>>>,
    ) -> Lane {
        let n_spots = Spot::primitive(n_primitives as u16).index();
        let now = clock.now();
        Lane {
            clock,
            deep,
            started: now,
            last: Cell::new(now),
            current: Cell::new(base),
            owed: Cell::new(None),
            log: RefCell::new(Vec::with_capacity(LOG)),
            node: Node {
                spot: Cell::new(base),
                nested: Cell::new(0),
                own_ns: Cell::new(0),
                running: Cell::new(base),
                inner: vec![Cell::default(); n_primitives].into(),
                used: vec![Cell::default(); n_primitives.div_ceil(64)].into(),
                any: Cell::new(false),
            },
            sample: Cell::new((u32::MAX, now)),
            counted: Cell::new(0),
            handicap: None,
            by_spot: false,
            book: RefCell::new(Book {
                time: now,
                sums: vec![SpotSum::default(); n_spots],
                stamped: Vec::new(),
                nodes: Vec::new(),
                touched: Vec::new(),
                inner: Vec::new(),
                primitives: vec![Primitive::default(); n_primitives],
                between: vec![SpotSum::default(); n_spots],
                tasks: Vec::new(),
                task: None,
                samples: Vec::new(),
                waits: Vec::new(),
                events: sink.map(|sink| Events { lane: number, list: Vec::new(), ids: Vec::new(), sink }),
            }),
        }
    }

    pub(crate) fn with_handicap(self, handicap: Option<(Spot, f64)>) -> Lane {
        Lane { handicap, ..self }
    }

    pub(crate) fn with_nodes_by_spot(self, by_spot: bool) -> Lane {
        Lane { by_spot, ..self }
    }

    /// From now on time goes to `spot`, until the span is dropped.
    pub fn enter(&self, spot: Spot) -> Span<'_> {
        let (outer, start) = self.begin(spot);
        Span { lane: self, outer, start }
    }

    /// Enters a spot; the answer is what [`end`](Lane::end) wants to know.
    pub(crate) fn begin(&self, spot: Spot) -> (Spot, u64) {
        self.settle();
        (self.current.replace(spot), self.last.get())
    }

    pub(crate) fn end(&self, outer: Spot, start: u64) {
        self.settle();
        let spot = self.current.replace(outer);
        if spot == Spot::IDLE {
            self.book.borrow_mut().waits.push((start, self.last.get()));
        }
    }

    /// The time since the last stamp was `spot`'s.
    pub fn mark(&self, spot: Spot) {
        match self.owed.take() {
            Some(owed) if owed != spot => {
                self.stamp(owed);
            }
            _ => {}
        }
        self.stamp(spot);
    }

    /// The time from the last stamp to the next one is `spot`'s. A stamp is taken only when somebody else was named
    /// before, so that a row of small steps of the same kind costs one.
    #[inline]
    pub fn owe(&self, spot: Spot) {
        if self.owed.get() != Some(spot) {
            self.settle_owed();
            self.owed.set(Some(spot));
        }
    }

    /// A node is about to be computed. What comes until it is closed is its own.
    #[inline]
    pub fn open_node(&self, spot: Spot) -> Open {
        self.settle_owed();
        let node = &self.node;
        node.spot.set(spot);
        node.running.set(spot);
        node.nested.set(0);
        node.own_ns.set(0);
        Open(())
    }

    /// The node is computed.
    pub fn close_node(&self, _: Open, id: u32, fuel: u64, bytes: u64, failed: bool) {
        let spot = self.node.spot.get();
        if let Some((slow, factor)) = self.handicap
            && slow == spot
        {
            self.spin(factor);
        }
        // Calls that a panic left open end here.
        let earlier = self.node.own_ns.get();
        let id = if self.by_spot { spot.index() as u32 } else { id };
        self.write(|ns| Lap { spot, failed, node: id, ns, earlier, fuel, bytes });
        if self.node.any.replace(false) {
            self.book.borrow_mut().take_inner(id, &self.node);
        }
    }

    /// A primitive is called inside the node; `left` is what is left of the fuel.
    #[inline]
    pub fn enter_call(&self, primitive: u16, left: u64) -> Call {
        let node = &self.node;
        let mut own_ns = 0;
        let running = node.running.get();
        if self.deep {
            own_ns = node.own_ns.get() + self.stamp(running);
            node.own_ns.set(0);
            node.running.set(Spot::primitive(primitive));
        }
        Call { left, nested: node.nested.replace(0), own_ns, running }
    }

    /// The call is over. Its fuel is what it used itself: a call inside it, to the same primitive or another, has
    /// been noted already.
    #[inline]
    pub fn exit_call(&self, call: Call, primitive: u16, left: u64) {
        self.exit_calls(call, primitive, left, 1);
    }

    /// It stood for `calls` calls at once; none if it came to nothing.
    #[inline]
    pub fn exit_calls(&self, call: Call, primitive: u16, left: u64, calls: u64) {
        let node = &self.node;
        let used = call.left.saturating_sub(left);
        // What was tried in vain is given back, so the calls inside may have cost more than the whole.
        let fuel = used.saturating_sub(node.nested.get());
        node.nested.set(call.nested + used);
        let mut ns = 0;
        if self.deep {
            ns = node.own_ns.get() + self.stamp(Spot::primitive(primitive));
            self.book.borrow_mut().touch(primitive, ns);
            node.own_ns.set(call.own_ns);
            node.running.set(call.running);
        }
        self.tell(primitive, Inner { calls, fuel, ns });
    }

    /// Whether a call that calls nothing else may be told of when it is over, by [`leaf`](Lane::leaf): it has no stamp
    /// of its own.
    #[inline]
    pub fn takes_leaves(&self) -> bool {
        !self.deep
    }

    /// A call that called nothing else is over.
    #[inline]
    pub fn leaf(&self, primitive: u16, fuel: u64) {
        self.node.nested.set(self.node.nested.get() + fuel);
        self.tell(primitive, Inner { calls: 1, fuel, ns: 0 });
    }

    #[inline]
    fn tell(&self, primitive: u16, new: Inner) {
        let inner = &self.node.inner[usize::from(primitive)];
        let sum = inner.get();
        inner.set(Inner { calls: sum.calls + new.calls, fuel: sum.fuel + new.fuel, ns: sum.ns + new.ns });
        let used = &self.node.used[usize::from(primitive) / 64];
        used.set(used.get() | 1 << (primitive % 64));
        self.node.any.set(true);
        self.counted.set(self.counted.get() + 1);
    }

    /// A task of so many cells begins on this lane.
    pub fn begin_task(&self, id: &str, cells: u64) {
        self.settle();
        self.current.set(Spot::SET_UP);
        let start = self.last.get();
        self.sample.set((u32::MAX, start));
        self.read();
        let book = &mut *self.book.borrow_mut();
        book.sum_between();
        book.task = Some((id.to_owned(), cells, start));
        let number = book.tasks.len() as u32;
        if let Some(events) = &mut book.events {
            events.ids.push((number, id.to_owned()));
        }
    }

    /// The samples of a task follow each other; this one begins with the last stamp.
    pub fn begin_sample(&self, sample: u32) {
        self.end_sample(Some(sample));
    }

    /// The last sample is over: the rest of the task's time belongs to none.
    pub fn end_samples(&self) {
        self.settle();
        self.end_sample(None);
    }

    fn end_sample(&self, next: Option<u32>) {
        let now = self.last.get();
        let (sample, start) = self.sample.replace((next.unwrap_or(u32::MAX), now));
        if sample != u32::MAX {
            let samples = &mut self.book.borrow_mut().samples;
            let place = sample as usize;
            if place >= samples.len() {
                samples.resize(place + 1, 0);
            }
            samples[place] += now - start;
        }
    }

    /// The task is over. What it takes to remember it is the recorder's own time.
    pub fn end_task(&self, base: Spot) {
        self.settle();
        self.end_sample(None);
        self.current.set(base);
        let end = self.last.get();
        self.read();
        self.book.borrow_mut().end_task(end);
        self.stamp(Spot::PROFILE);
    }

    pub(crate) fn close(&self) -> Closed {
        self.settle();
        self.read();
        let book = &mut *self.book.borrow_mut();
        if let Some(events) = &mut book.events {
            events.hand_on();
        }
        book.sum_between();
        let within = book.tasks.iter().flat_map(|task| &task.spots).map(|(_, sum)| sum);
        let stamps = book.between.iter().chain(within).map(|sum| sum.stamps).sum();
        Closed {
            start: self.started,
            end: self.last.get(),
            between: std::mem::take(&mut book.between),
            tasks: std::mem::take(&mut book.tasks),
            primitives: std::mem::take(&mut book.primitives),
            waits: std::mem::take(&mut book.waits),
            stamps,
            calls: self.counted.get(),
        }
    }

    /// Waits until the time since the last stamp is so many times as long.
    #[cold]
    fn spin(&self, factor: f64) {
        let start = self.last.get();
        let until = start + (self.clock.now().saturating_sub(start) as f64 * factor) as u64;
        while self.clock.now() < until {
            std::hint::spin_loop();
        }
    }

    /// Books what is open to whom it belongs.
    fn settle(&self) {
        let spot = self.owed.take().unwrap_or(self.current.get());
        self.stamp(spot);
    }

    #[inline]
    fn settle_owed(&self) {
        if let Some(spot) = self.owed.take() {
            self.stamp(spot);
        }
    }

    fn stamp(&self, spot: Spot) -> u64 {
        self.write(|ns| Lap { spot, failed: false, node: NO_NODE, ns, earlier: 0, fuel: 0, bytes: 0 })
    }

    /// Writes down a lap, which ends now. The answer is how long it was.
    #[inline(always)]
    fn write(&self, lap: impl Fn(u64) -> Lap) -> u64 {
        let start = self.last.get();
        // Between cores the counter may lag by a few ticks; time does not run backwards here.
        let now = self.clock.now().max(start);
        self.last.set(now);
        if self.log_with(lap(now - start)) == LOG {
            self.read_early();
        }
        now - start
    }

    /// How long the log is with one more lap.
    #[inline]
    fn log_with(&self, lap: Lap) -> usize {
        let mut log = self.log.borrow_mut();
        log.push(lap);
        log.len()
    }

    fn read(&self) {
        self.book.borrow_mut().read(&mut self.log.borrow_mut());
    }

    /// To read the log in the midst of a task is the recorder's own time.
    #[cold]
    fn read_early(&self) {
        self.read();
        self.stamp(Spot::PROFILE);
    }
}

impl Book {
    /// Adds up the laps of the log, and empties it.
    fn read(&mut self, log: &mut Vec<Lap>) {
        for lap in log.drain(..) {
            let sum = &mut self.sums[lap.spot.index()];
            if sum.stamps == 0 {
                self.stamped.push(lap.spot);
            }
            sum.ns += lap.ns;
            sum.stamps += 1;
            if lap.node != NO_NODE {
                self.node(&lap);
            }
            if self.events.is_some() {
                self.event(&lap);
            }
            self.time += lap.ns;
        }
    }

    fn node(&mut self, lap: &Lap) {
        let ns = lap.earlier + lap.ns;
        if let Some(primitive) = lap.spot.as_primitive() {
            self.touch(primitive, ns);
        }
        let place = lap.node as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, NodeSum::default());
        }
        let sum = &mut self.nodes[place];
        if sum.hits == 0 {
            self.touched.push(lap.node);
        }
        sum.hits += 1;
        sum.fails += u32::from(lap.failed);
        sum.ns += ns;
        sum.fuel += lap.fuel;
        sum.bytes += lap.bytes;
    }

    #[cold]
    fn event(&mut self, lap: &Lap) {
        let task = self.task.is_some().then_some(self.tasks.len() as u32);
        let node = (lap.node != NO_NODE).then_some(lap.node);
        let Some(events) = &mut self.events else { return };
        events.list.push(Event { start: self.time, ns: lap.ns, spot: lap.spot, task, node });
        if events.list.len() >= Events::BATCH {
            events.hand_on();
        }
    }

    #[inline]
    fn touch(&mut self, primitive: u16, ns: u64) {
        let primitive = &mut self.primitives[usize::from(primitive)];
        match primitive.cold {
            None => primitive.cold = Some(ns),
            Some(_) => primitive.warm.add(ns),
        }
    }

    /// Moves the calls inside a node to the task's list; there they are summed up when the task is over.
    fn take_inner(&mut self, id: u32, node: &Node) {
        for (first, used) in (0..).step_by(64).zip(&node.used) {
            let mut bits = used.take();
            while bits != 0 {
                let primitive = first + bits.trailing_zeros() as u16;
                self.inner.push((id, primitive, node.inner[usize::from(primitive)].take()));
                bits &= bits - 1;
            }
        }
    }

    fn sum_between(&mut self) {
        for spot in self.stamped.drain(..) {
            let SpotSum { ns, stamps } = std::mem::take(&mut self.sums[spot.index()]);
            let total = &mut self.between[spot.index()];
            total.ns += ns;
            total.stamps += stamps;
        }
    }

    fn end_task(&mut self, end: u64) {
        let Some((id, cells, start)) = self.task.take() else { return };
        self.stamped.sort_unstable();
        let sums = &mut self.sums;
        let spots =
            self.stamped.drain(..).map(|spot| (spot, std::mem::take(&mut sums[spot.index()]))).collect();
        self.touched.sort_unstable();
        let nodes = &mut self.nodes;
        let nodes = self.touched.drain(..).map(|id| (id, std::mem::take(&mut nodes[id as usize]))).collect();
        let cold = self.tasks.is_empty();
        let mut inner = std::mem::take(&mut self.inner);
        inner.sort_unstable_by_key(|(node, primitive, _)| (*node, *primitive));
        let inner = inner.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(sum_up).collect();
        let samples = std::mem::take(&mut self.samples);
        self.tasks.push(TaskSeen { id, start, end, cold, cells, spots, nodes, inner, samples });
    }
}

/// Entries of the same node and primitive.
fn sum_up(entries: &[(u32, u16, Inner)]) -> (u32, u16, Inner) {
    let (node, primitive, _) = entries[0];
    let add = |sum: Inner, (.., it): &(u32, u16, Inner)| Inner {
        calls: sum.calls + it.calls,
        fuel: sum.fuel + it.fuel,
        ns: sum.ns + it.ns,
    };
    (node, primitive, entries.iter().fold(Inner::default(), add))
}
