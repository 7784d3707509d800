//! One thread's time, booked by chained stamps.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};

use crate::clock::Clock;
use crate::data::{Inner, NodeRuns, SpotSum, Tasks};
use crate::spot::Spot;
use crate::totals::{Begins, Events, Lap, Primitive, Totals, Turn};
use crate::trace::Sink;

/// One thread. It is written to by whoever runs there, through shared references, and by nobody else.
///
/// Each stamp books the time since the last one: to the spot that was [entered](Lane::enter) last, or to the one
/// that the caller names with [`mark`](Lane::mark) or has named with [`owe`](Lane::owe).
pub struct Lane {
    clock: Clock,
    /// In ticks, as all times are until they go into the book.
    last: Cell<u64>,
    /// What was booked since the log was read last.
    log: Box<[Cell<Lap>]>,
    log_len: Cell<usize>,
    owed: Cell<Option<Spot>>,
    current: Cell<Spot>,
    deep: bool,
    /// A node is known by the number of its spot.
    by_spot: bool,
    node: Node,
    handicap: Option<Handicap>,
    started: u64,
    /// When the samples that are being run began, in nanoseconds.
    batch: Cell<u64>,
    book: RefCell<Totals>,
}

/// A log is read when it is this long. PERF: long enough that the caches are the reader's then, and not before.
const LOG: usize = 1 << 10;

/// Nodes that are made to take longer, to try out a prediction.
pub(crate) struct Handicap {
    /// How many ticks a node waits, by number.
    waits: Arc<[u64]>,
    /// How much longer was waited than asked for; the next wait is so much shorter.
    over: Cell<u64>,
}

/// The node that is being computed, and the calls inside it.
struct Node {
    /// Fuel of the calls inside the running call.
    nested: Cell<u64>,
    /// By primitive.
    told: Box<[Cell<Inner>]>,
    /// The primitives of `told` that have something, in the order in which they came.
    called: Box<[Cell<u16>]>,
    n_called: Cell<usize>,
    /// How often calls were counted.
    counted: Cell<u64>,
    // When calls have stamps:
    id: Cell<u32>,
    running: Cell<Spot>,
    /// Self time of the running call so far.
    own_ns: Cell<u64>,
    /// The calls around the running one, each with its self time so far. The outermost is the node.
    open: RefCell<Vec<(Spot, u64)>>,
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
pub struct Open {
    id: u32,
    spot: Spot,
}

/// A call that is open.
#[must_use]
pub struct Call {
    left: u64,
    nested: u64,
}

/// What is left of a lane when it is closed.
pub(crate) struct Closed {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) tasks: Tasks,
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
        let now = clock.now();
        let time = clock.ns(now);
        Lane {
            clock,
            deep,
            started: now,
            last: Cell::new(now),
            current: Cell::new(base),
            owed: Cell::new(None),
            log: vec![Cell::new(Lap::NONE); LOG].into(),
            log_len: Cell::new(0),
            node: Node {
                nested: Cell::new(0),
                id: Cell::new(Lap::NO_NODE),
                running: Cell::new(base),
                own_ns: Cell::new(0),
                open: RefCell::default(),
                told: vec![Cell::default(); n_primitives].into(),
                called: vec![Cell::default(); n_primitives].into(),
                n_called: Cell::new(0),
                counted: Cell::new(0),
            },
            batch: Cell::new(time),
            handicap: None,
            by_spot: false,
            book: RefCell::new(Totals::new(
                time,
                n_primitives,
                !deep,
                sink.map(|sink| Events { lane: number, sink, list: Vec::new(), ids: Vec::new() }),
            )),
        }
    }

    pub(crate) fn with_handicap(self, waits: Option<&Arc<[u64]>>) -> Lane {
        let handicap = waits.map(|waits| Handicap { waits: Arc::clone(waits), over: Cell::new(0) });
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
            let wait = (self.clock.ns(start), self.clock.ns(self.last.get()));
            self.book.borrow_mut().waits.push(wait);
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

    /// A node is about to be computed, whose spot is always the same. What comes until it is closed is its own.
    #[inline]
    pub fn open_node(&self, id: u32, spot: Spot) -> Open {
        self.settle_owed();
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
        node.own_ns.set(0);
        // A panic may have left calls open.
        node.open.borrow_mut().clear();
    }

    /// What the node is known by.
    #[inline]
    fn number(&self, open: &Open) -> u32 {
        if self.by_spot { open.spot.index() as u32 } else { open.id }
    }

    /// The node is computed.
    #[inline]
    pub fn close_node(&self, open: Open, runs: NodeRuns) {
        if let Some(handicap) = &self.handicap {
            self.hold_up(handicap, open.id, runs.hits);
        }
        let (node, spot) = (self.number(&open), open.spot);
        let start = self.last.get();
        let end = self.write(|end| Lap { end, node, spot, runs });
        if self.deep {
            self.close_deep(spot, self.ns(start, end), runs.hits);
        }
        if self.node.n_called.get() > 0 {
            self.take_told(node);
        }
    }

    #[cold]
    fn hold_up(&self, handicap: &Handicap, id: u32, hits: u16) {
        let wait = handicap.waits.get(id as usize).copied().unwrap_or(0);
        self.wait(wait * u64::from(hits), &handicap.over);
    }

    /// Calls that a panic left open end here.
    #[cold]
    fn close_deep(&self, spot: Spot, last: u64, hits: u16) {
        if let Some(primitive) = spot.as_primitive() {
            let ns = self.node.own_ns.get() + last;
            self.book.borrow_mut().touch(primitive, ns, hits.into());
        }
    }

    /// Hands on the calls inside a node; they are summed up when the task is over.
    fn take_told(&self, id: u32) {
        let node = &self.node;
        let book = &mut *self.book.borrow_mut();
        for called in &node.called[..node.n_called.replace(0)] {
            let primitive = called.get();
            book.told.push((id, primitive, node.told[usize::from(primitive)].take()));
        }
    }

    /// A primitive is called inside the node; `left` is what is left of the fuel.
    #[inline]
    pub fn enter_call(&self, primitive: u16, left: u64) -> Call {
        if self.deep {
            self.enter_deep(primitive);
        }
        Call { left, nested: self.node.nested.replace(0) }
    }

    #[cold]
    fn enter_deep(&self, primitive: u16) {
        let node = &self.node;
        let running = node.running.replace(Spot::primitive(primitive));
        let mut open = node.open.borrow_mut();
        let id = if open.is_empty() { node.id.get() } else { Lap::NO_NODE };
        let start = self.last.get();
        let end = self.write(|end| Lap { end, node: id, spot: running, ..Lap::NONE });
        open.push((running, node.own_ns.replace(0) + self.ns(start, end)));
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
        let ns = if self.deep { self.exit_deep(primitive, calls) } else { 0 };
        if calls == 0 {
            return;
        }
        let told = &node.told[usize::from(primitive)];
        let mut inner = told.get();
        if inner.calls == 0 {
            let n_called = node.n_called.get();
            node.called[n_called].set(primitive);
            node.n_called.set(n_called + 1);
        }
        inner.add(Inner { calls, fuel, ns });
        told.set(inner);
        node.counted.set(node.counted.get() + 1);
    }

    #[cold]
    fn exit_deep(&self, primitive: u16, calls: u64) -> u64 {
        let node = &self.node;
        let start = self.last.get();
        let ns = node.own_ns.get() + self.ns(start, self.stamp(Spot::primitive(primitive)));
        if calls > 0 {
            self.book.borrow_mut().touch(primitive, ns, calls.try_into().unwrap_or(u32::MAX));
        }
        let (running, own_ns) = node.open.borrow_mut().pop().unwrap_or((node.running.get(), 0));
        node.running.set(running);
        node.own_ns.set(own_ns);
        ns
    }

    /// A task of so many cells begins on this lane.
    pub fn begin_task(&self, id: &str, cells: u64) {
        self.settle();
        self.current.set(Spot::SET_UP);
        self.batch.set(self.clock.ns(self.last.get()));
        self.turn(|book| {
            book.tasks.ids.push_str(id);
            Begins::Task { id: book.tasks.ids.len(), cells }
        });
    }

    fn turn(&self, what: impl Fn(&mut Totals) -> Begins) {
        let book = &mut *self.book.borrow_mut();
        let what = what(book);
        book.turns.push(Turn { lap: self.log_len.get(), what });
    }

    /// Samples of the task were run side by side from the last batch, or its beginning, to the last stamp; each burnt so
    /// much fuel. The time is split over them by that.
    pub fn end_batch(&self, fuel: impl Iterator<Item = u64>) {
        let now = self.clock.ns(self.last.get());
        let start = self.batch.replace(now);
        let samples = &mut self.book.borrow_mut().tasks.samples;
        let first = samples.len();
        samples.extend(fuel);
        share(now - start, &mut samples[first..]);
    }

    /// The task is over.
    pub fn end_task(&self, base: Spot) {
        self.settle();
        self.current.set(base);
        self.turn(|book| Begins::Rest { samples: book.tasks.samples.len(), told: book.told.len() });
    }

    pub(crate) fn close(&self) -> Closed {
        self.settle();
        self.read();
        let book = &mut *self.book.borrow_mut();
        book.end_open_task();
        if let Some(events) = &mut book.events {
            events.hand_on();
        }
        let within = book.tasks.spots.iter().map(|(_, sum)| sum.stamps);
        let nodes = book.tasks.nodes.iter().map(|node| u64::from(node.stamps));
        let stamps = book.between.iter().map(|sum| sum.stamps).chain(within).chain(nodes).sum();
        Closed {
            start: self.clock.ns(self.started),
            end: self.clock.ns(self.last.get()),
            between: std::mem::take(&mut book.between),
            tasks: std::mem::take(&mut book.tasks),
            primitives: std::mem::take(&mut book.primitives),
            waits: std::mem::take(&mut book.waits),
            stamps,
            calls: self.node.counted.get(),
        }
    }

    /// Waits so many ticks, less what was waited too long before.
    fn wait(&self, ticks: u64, over: &Cell<u64>) {
        let owed = over.get();
        over.set(owed.saturating_sub(ticks));
        let ticks = ticks.saturating_sub(owed);
        if ticks == 0 {
            return;
        }
        let start = self.clock.now();
        let mut waited = 0;
        while waited < ticks {
            waited = self.clock.now().saturating_sub(start);
        }
        // Somebody else had the processor if it is much; that is not to be made up for.
        let too_long = waited - ticks;
        over.set(if too_long < 1_000 { too_long } else { 0 });
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
        self.write(|end| Lap { end, spot, ..Lap::NONE })
    }

    /// From one time in ticks to another.
    fn ns(&self, start: u64, end: u64) -> u64 {
        self.clock.ns(end) - self.clock.ns(start)
    }

    /// Writes down a lap, which ends now. The answer is when that is: the last stamp may be another one, if the log was
    /// full.
    #[inline(always)]
    fn write(&self, lap: impl Fn(u64) -> Lap) -> u64 {
        // Between cores the counter may lag by a few ticks; time does not run backwards here.
        let now = self.clock.now().max(self.last.get());
        self.last.set(now);
        let len = self.log_len.get();
        self.log[len].set(lap(now));
        self.log_len.set(len + 1);
        if len + 1 == LOG {
            self.read_early();
        }
        now
    }

    fn read(&self) {
        self.book.borrow_mut().read(&self.log[..self.log_len.replace(0)], &self.clock);
    }

    /// To read the log in the midst of a task is the recorder's own time.
    #[cold]
    fn read_early(&self) {
        self.read();
        self.stamp(Spot::PROFILE);
    }
}

/// Splits a whole by weights, which the parts take the place of.
fn share(whole: u64, weights: &mut [u64]) {
    let sum: u64 = weights.iter().map(|weight| weight + 1).sum();
    let each = whole as f64 / sum as f64;
    let mut left = whole;
    if let Some((last, others)) = weights.split_last_mut() {
        for weight in others {
            *weight = (((*weight + 1) as f64 * each) as u64).min(left);
            left -= *weight;
        }
        *last = left;
    }
}
