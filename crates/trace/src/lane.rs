//! One thread's time, booked by chained stamps.

use std::cell::{Cell, RefCell};
use std::ops::Range;
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
    /// In ticks, as all times are until they go into the book.
    started: u64,
    last: Cell<u64>,
    current: Cell<Spot>,
    owed: Cell<Option<Spot>>,
    /// What was booked since the log was read last.
    log: Box<[Cell<Lap>; LOG]>,
    log_len: Cell<usize>,
    node: Node,
    /// When the samples that are being run began, in nanoseconds.
    batch: Cell<u64>,
    handicap: Option<Handicap>,
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

/// What a node was computed on, one after another without a stamp in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeRuns {
    pub hits: u16,
    pub fails: u16,
    pub fuel: u64,
    /// Memory handed out.
    pub bytes: u64,
}

impl NodeRuns {
    pub fn once(fuel: u64, bytes: u64, failed: bool) -> NodeRuns {
        NodeRuns { hits: 1, fails: failed.into(), fuel, bytes }
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
    fn add(&mut self, other: Inner) {
        self.calls += other.calls;
        self.fuel += other.fuel;
        self.ns += other.ns;
    }
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
    /// The time of each sample, split by fuel over those that were run together.
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
    /// In ticks. It began when the one before it ended.
    end: u64,
    /// The node that was computed; [`NO_NODE`] if it was something else.
    node: u32,
    spot: Spot,
    runs: NodeRuns,
}

impl Lap {
    const NONE: Lap = Lap {
        end: 0,
        node: NO_NODE,
        spot: Spot::UNACCOUNTED,
        runs: NodeRuns { hits: 0, fails: 0, fuel: 0, bytes: 0 },
    };
}

const NO_NODE: u32 = u32::MAX;

/// A log is read when it is this long. PERF: long enough that the caches are the reader's then, and not before.
const LOG: usize = 1 << 10;

/// A task begins or ends before a lap of the log.
#[derive(Clone, Copy)]
struct Turn {
    lap: usize,
    what: Begins,
}

#[derive(Clone, Copy)]
enum Begins {
    /// Of so many cells. Its name ends here in [`Rows::ids`].
    Task { id: usize, cells: u64 },
    /// The time after a task. What was gathered in it ends here in [`Rows::samples`] and [`Book::told`].
    Rest { samples: usize, told: usize },
}

/// Nodes that are made to take longer, to try out a prediction.
pub(crate) struct Handicap {
    /// How many ticks a node waits, by number.
    waits: Arc<[u64]>,
    /// How much longer was waited than asked for; the next wait is so much shorter.
    over: Cell<u64>,
}

/// The node that is being computed, and the calls inside it.
struct Node {
    spot: Cell<Spot>,
    /// Fuel of the calls inside the running call.
    nested: Cell<u64>,
    /// Self time of the running call so far, when calls have stamps.
    own_ns: Cell<u64>,
    running: Cell<Spot>,
    /// The calls around the running one, when calls have stamps, each with its self time so far.
    open: RefCell<Vec<(Spot, u64)>>,
    /// By primitive.
    told: Box<[Cell<Told>]>,
    /// The primitives of `told` that have something, in the order in which they came.
    called: Box<[Cell<u16>]>,
    n_called: Cell<usize>,
}

/// What was told of the calls of one primitive, and how often.
#[derive(Clone, Copy, Default)]
struct Told {
    times: u64,
    inner: Inner,
}

/// What the log comes to.
struct Book {
    /// When the next lap of the log began, in nanoseconds, as all times here are.
    time: u64,
    /// For laps of the log, by place: self time of the node from before calls inside that have stamps of their own.
    earlier: Vec<(usize, u64)>,
    /// Whether there is a task, the last one of `rows`.
    in_task: bool,
    /// Where its part of each list begins, or that of the next one.
    starts: Ends,
    /// Where in `rows` a spot or a node was put last, plus one, by its number. It is in the rows of the task if these
    /// begin before it.
    spot_places: Vec<u32>,
    node_places: Vec<u32>,
    /// Calls inside nodes as they came, of tasks whose end was not read yet.
    told: Vec<(u32, u16, Inner)>,
    /// How often calls inside nodes were counted.
    counted: u64,
    turns: Vec<Turn>,
    primitives: Vec<Primitive>,
    between: Vec<SpotSum>,
    rows: Rows,
    waits: Vec<(u64, u64)>,
    events: Option<Events>,
}

/// What was seen of tasks: all that there is of one kind in one list, task after task. PERF: lists of their own for each
/// task cost more than all that goes into them.
#[derive(Default)]
pub(crate) struct Rows {
    tasks: Vec<TaskRow>,
    ids: String,
    spots: Vec<(Spot, SpotSum)>,
    nodes: Vec<(u32, NodeSum)>,
    inner: Vec<(u32, u16, Inner)>,
    samples: Vec<u64>,
}

/// A task, and where its part of each list ends. It begins where that of the task before it ends.
#[derive(Clone, Copy, Default)]
struct TaskRow {
    start: u64,
    end: u64,
    cells: u64,
    ends: Ends,
}

#[derive(Clone, Copy, Default)]
struct Ends {
    id: usize,
    spots: usize,
    nodes: usize,
    inner: usize,
    samples: usize,
}

impl Rows {
    /// Room for a run of some hundred tasks. PERF: memory that is not written to costs nothing, to move lists that grow
    /// does.
    const ROOM: usize = 1 << 13;

    fn with_room() -> Rows {
        Rows {
            spots: Vec::with_capacity(Rows::ROOM),
            nodes: Vec::with_capacity(Rows::ROOM),
            inner: Vec::with_capacity(Rows::ROOM),
            ..Rows::default()
        }
    }

    /// Each task by itself.
    pub(crate) fn seen(&self) -> Vec<TaskSeen> {
        let mut from = Ends::default();
        let seen = |(number, task): (usize, &TaskRow)| {
            let (start, to) = (std::mem::replace(&mut from, task.ends), task.ends);
            TaskSeen {
                id: self.ids[start.id..to.id].to_owned(),
                start: task.start,
                end: task.end,
                cold: number == 0,
                cells: task.cells,
                spots: self.spots[start.spots..to.spots].to_vec(),
                nodes: self.nodes[start.nodes..to.nodes].to_vec(),
                inner: self.inner[start.inner..to.inner].to_vec(),
                samples: self.samples[start.samples..to.samples].to_vec(),
            }
        };
        self.tasks.iter().enumerate().map(seen).collect()
    }
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
}

/// What is left of a lane when it is closed.
pub(crate) struct Closed {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) between: Vec<SpotSum>,
    pub(crate) rows: Rows,
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
        let time = clock.ns(now);
        Lane {
            clock,
            deep,
            started: now,
            last: Cell::new(now),
            current: Cell::new(base),
            owed: Cell::new(None),
            log: Box::new([const { Cell::new(Lap::NONE) }; LOG]),
            log_len: Cell::new(0),
            node: Node {
                spot: Cell::new(base),
                nested: Cell::new(0),
                own_ns: Cell::new(0),
                running: Cell::new(base),
                open: RefCell::default(),
                told: vec![Cell::default(); n_primitives].into(),
                called: vec![Cell::default(); n_primitives].into(),
                n_called: Cell::new(0),
            },
            batch: Cell::new(time),
            handicap: None,
            by_spot: false,
            book: RefCell::new(Book {
                time,
                earlier: Vec::new(),
                in_task: false,
                starts: Ends::default(),
                spot_places: vec![0; n_spots],
                node_places: Vec::new(),
                told: Vec::new(),
                counted: 0,
                turns: Vec::new(),
                primitives: vec![Primitive::default(); n_primitives],
                between: vec![SpotSum::default(); n_spots],
                rows: Rows::with_room(),
                waits: Vec::new(),
                events: sink.map(|sink| Events { lane: number, list: Vec::new(), ids: Vec::new(), sink }),
            }),
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

    /// A node is about to be computed. What comes until it is closed is its own.
    #[inline]
    pub fn open_node(&self, spot: Spot) -> Open {
        self.settle_owed();
        let node = &self.node;
        node.spot.set(spot);
        node.nested.set(0);
        if self.deep {
            self.open_deep(spot);
        }
        Open(())
    }

    #[cold]
    fn open_deep(&self, spot: Spot) {
        let node = &self.node;
        node.running.set(spot);
        node.own_ns.set(0);
        // A panic may have left calls open.
        node.open.borrow_mut().clear();
    }

    /// The node is computed.
    #[inline]
    pub fn close_node(&self, _: Open, id: u32, runs: NodeRuns) {
        let spot = self.node.spot.get();
        if self.deep || self.handicap.is_some() {
            self.before_close(id, runs.hits);
        }
        let node = if self.by_spot { spot.index() as u32 } else { id };
        self.write(|end| Lap { end, node, spot, runs });
        if self.node.n_called.get() > 0 {
            self.book.borrow_mut().take_told(node, &self.node);
        }
    }

    #[cold]
    fn before_close(&self, id: u32, hits: u16) {
        if let Some(handicap) = &self.handicap {
            let wait = handicap.waits.get(id as usize).copied().unwrap_or(0);
            self.wait(wait * u64::from(hits), &handicap.over);
        }
        // Calls that a panic left open end here.
        let earlier = self.node.own_ns.get();
        if earlier > 0 {
            self.book.borrow_mut().earlier.push((self.log_len.get(), earlier));
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
        let own_ns = node.own_ns.replace(0) + self.stamp_ns(running);
        node.open.borrow_mut().push((running, own_ns));
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
        let told = &node.told[usize::from(primitive)];
        let sum = told.get();
        if sum.times == 0 {
            let n_called = node.n_called.get();
            node.called[n_called].set(primitive);
            node.n_called.set(n_called + 1);
        }
        let mut inner = sum.inner;
        inner.add(Inner { calls, fuel, ns });
        told.set(Told { times: sum.times + 1, inner });
    }

    #[cold]
    fn exit_deep(&self, primitive: u16, calls: u64) -> u64 {
        let node = &self.node;
        let ns = node.own_ns.get() + self.stamp_ns(Spot::primitive(primitive));
        if calls > 0 {
            self.book.borrow_mut().touch(primitive, ns, calls.try_into().unwrap_or(u32::MAX));
        }
        let (running, own_ns) = node.open.borrow_mut().pop().unwrap_or((node.spot.get(), 0));
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
            book.rows.ids.push_str(id);
            Begins::Task { id: book.rows.ids.len(), cells }
        });
    }

    fn turn(&self, what: impl Fn(&mut Book) -> Begins) {
        let book = &mut *self.book.borrow_mut();
        let what = what(book);
        book.turns.push(Turn { lap: self.log_len.get(), what });
    }

    /// Samples of the task were run side by side since the last batch, or since it began; each burnt so much fuel. The
    /// time is split over them by that.
    pub fn end_batch(&self, fuel: impl Iterator<Item = u64>) {
        self.settle();
        let now = self.clock.ns(self.last.get());
        let start = self.batch.replace(now);
        let samples = &mut self.book.borrow_mut().rows.samples;
        let first = samples.len();
        samples.extend(fuel);
        share(now - start, &mut samples[first..]);
    }

    /// The task is over.
    pub fn end_task(&self, base: Spot) {
        self.settle();
        self.current.set(base);
        self.turn(|book| Begins::Rest { samples: book.rows.samples.len(), told: book.told.len() });
    }

    pub(crate) fn close(&self) -> Closed {
        self.settle();
        self.read();
        let book = &mut *self.book.borrow_mut();
        book.end_open_task();
        if let Some(events) = &mut book.events {
            events.hand_on();
        }
        let within = book.rows.spots.iter().map(|(_, sum)| sum);
        let stamps = book.between.iter().chain(within).map(|sum| sum.stamps).sum();
        Closed {
            start: self.clock.ns(self.started),
            end: self.clock.ns(self.last.get()),
            between: std::mem::take(&mut book.between),
            rows: std::mem::take(&mut book.rows),
            primitives: std::mem::take(&mut book.primitives),
            waits: std::mem::take(&mut book.waits),
            stamps,
            calls: book.counted,
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

    fn stamp(&self, spot: Spot) {
        self.write(|end| Lap { end, spot, ..Lap::NONE });
    }

    /// The same, and how long the lap was.
    fn stamp_ns(&self, spot: Spot) -> u64 {
        let start = self.last.get();
        let end = self.write(|end| Lap { end, spot, ..Lap::NONE });
        self.clock.ns(end) - self.clock.ns(start)
    }

    /// Writes down a lap, which ends now. The answer is when that is.
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

impl Book {
    /// Adds up the log.
    fn read(&mut self, log: &[Cell<Lap>], clock: &Clock) {
        let mut turns = std::mem::take(&mut self.turns);
        let (mut read, mut read_told) = (0, 0);
        for turn in turns.drain(..) {
            self.laps(log, read..turn.lap, clock);
            read = turn.lap;
            match turn.what {
                Begins::Task { id, cells } => self.begin_task(id, cells),
                Begins::Rest { samples, told } => {
                    self.end_task(samples, read_told..told);
                    read_told = told;
                }
            }
        }
        self.laps(log, read..log.len(), clock);
        self.turns = turns;
        self.told.drain(..read_told);
        self.earlier.clear();
    }

    fn laps(&mut self, log: &[Cell<Lap>], range: Range<usize>, clock: &Clock) {
        for place in range {
            let lap = log[place].get();
            let end = clock.ns(lap.end);
            let ns = end - self.time;
            let sum = match self.in_task {
                true => self.spot(lap.spot),
                false => &mut self.between[lap.spot.index()],
            };
            sum.ns += ns;
            sum.stamps += 1;
            if lap.node != NO_NODE {
                let ns = ns + self.earlier(place);
                if let Some(primitive) = lap.spot.as_primitive() {
                    self.touch(primitive, ns, lap.runs.hits.into());
                }
                self.node(&lap, ns);
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
        let (rows, place) = (&mut self.rows.spots, &mut self.spot_places[spot.index()]);
        if *place as usize <= self.starts.spots {
            rows.push((spot, SpotSum::default()));
            *place = rows.len() as u32;
        }
        &mut rows[*place as usize - 1].1
    }

    #[inline]
    fn earlier(&self, lap: usize) -> u64 {
        if self.earlier.is_empty() {
            return 0;
        }
        self.earlier.binary_search_by_key(&lap, |(lap, _)| *lap).map_or(0, |at| self.earlier[at].1)
    }

    /// Adds a lap to the sum of its node in the task.
    #[inline]
    fn node(&mut self, lap: &Lap, ns: u64) {
        let id = lap.node as usize;
        if id >= self.node_places.len() {
            self.node_places.resize(id + 1, 0);
        }
        let (rows, place) = (&mut self.rows.nodes, &mut self.node_places[id]);
        if *place as usize <= self.starts.nodes {
            rows.push((lap.node, NodeSum::default()));
            *place = rows.len() as u32;
        }
        let (_, sum) = &mut rows[*place as usize - 1];
        let NodeRuns { hits, fails, fuel, bytes } = lap.runs;
        sum.hits += u32::from(hits);
        sum.fails += u32::from(fails);
        sum.ns += ns;
        sum.fuel += fuel;
        sum.bytes += bytes;
    }

    #[cold]
    fn event(&mut self, lap: &Lap, ns: u64) {
        let task = self.in_task.then(|| self.rows.tasks.len() as u32 - 1);
        let node = (lap.node != NO_NODE).then_some(lap.node);
        let Some(events) = &mut self.events else { return };
        events.list.push(Event { start: self.time, ns, spot: lap.spot, task, node });
        if events.list.len() >= Events::BATCH {
            events.hand_on();
        }
    }

    /// So many calls took so long together. The first ever is told apart if it has a stamp of its own.
    #[inline]
    fn touch(&mut self, primitive: u16, ns: u64, calls: u32) {
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

    /// Takes the calls inside a node; they are summed up when the task is over.
    fn take_told(&mut self, id: u32, node: &Node) {
        for called in &node.called[..node.n_called.replace(0)] {
            let primitive = called.get();
            let Told { times, inner } = node.told[usize::from(primitive)].take();
            self.told.push((id, primitive, inner));
            self.counted += times;
        }
    }

    fn begin_task(&mut self, id: usize, cells: u64) {
        self.end_open_task();
        if let Some(events) = &mut self.events {
            let id = &self.rows.ids[self.starts.id..id];
            events.ids.push((self.rows.tasks.len() as u32, id.to_owned()));
        }
        let ends = Ends { id, ..self.starts };
        self.rows.tasks.push(TaskRow { start: self.time, end: self.time, cells, ends });
        self.in_task = true;
    }

    /// A panic may have left a task open.
    fn end_open_task(&mut self) {
        if self.in_task {
            self.end_task(self.starts.samples, 0..0);
        }
    }

    fn end_task(&mut self, samples: usize, told: Range<usize>) {
        let Rows { tasks, spots, nodes, inner, .. } = &mut self.rows;
        let Some(task) = tasks.last_mut().filter(|_| std::mem::take(&mut self.in_task)) else { return };
        spots[self.starts.spots..].sort_unstable_by_key(|(spot, _)| *spot);
        nodes[self.starts.nodes..].sort_unstable_by_key(|(id, _)| *id);
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

/// Splits a whole by weights, which the parts take the place of.
fn share(whole: u64, weights: &mut [u64]) {
    let sum: u64 = weights.iter().map(|weight| weight + 1).sum();
    let (mut passed, mut given) = (0, 0);
    for weight in weights {
        passed += *weight + 1;
        let until = (u128::from(whole) * u128::from(passed) / u128::from(sum)) as u64;
        *weight = until - given;
        given = until;
    }
}
