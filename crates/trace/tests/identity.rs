//! Every nanosecond is booked once and to the right spot. An oracle that sums up a tree of work confirms it.

use std::collections::BTreeMap;

use batt_trace::{Clock, Lane, LaneData, Level, ManualClock, NodeRuns, Spot, Trace};
use proptest::prelude::*;

const N_PRIMITIVES: u16 = 4;

/// A piece of work that takes time on a lane.
#[derive(Clone, Debug)]
enum Work {
    Pass(u64),
    /// A span with other work inside.
    Span(u8, Vec<Work>),
    /// Work that is marked at its end.
    Marked(u8, u64),
    Node {
        id: u8,
        primitive: u16,
        calls: Calls,
        fails: bool,
    },
}

/// The actions of a call: it takes time, uses fuel and calls other primitives or itself.
#[derive(Clone, Debug)]
struct Calls {
    before: u64,
    fuel: u64,
    inside: Vec<(u16, Calls)>,
    after: u64,
    /// A panic leaves this call and all calls around it open.
    panics: bool,
}

const SPANS: [Spot; 4] = [Spot::MEMORY, Spot::FAIL, Spot::LOG, Spot::PROGRESS];

fn calls() -> impl Strategy<Value = Calls> {
    let flat = (0..50u64, 0..9u64, 0..50u64, prop::bool::weighted(0.1))
        .prop_map(|(before, fuel, after, panics)| Calls { before, fuel, inside: Vec::new(), after, panics });
    flat.prop_recursive(4, 24, 3, |calls| {
        let inside = prop::collection::vec((0..N_PRIMITIVES, calls), 0..3);
        (0..50u64, 0..9u64, inside, 0..50u64).prop_map(|(before, fuel, inside, after)| Calls {
            before,
            fuel,
            inside,
            after,
            panics: false,
        })
    })
}

fn work() -> impl Strategy<Value = Work> {
    let leaf = prop_oneof![
        (0..100u64).prop_map(Work::Pass),
        (0..4u8, 0..100u64).prop_map(|(spot, ns)| Work::Marked(spot, ns)),
        // A node always calls the same primitive.
        (0..6u8, calls(), any::<bool>()).prop_map(|(id, calls, fails)| Work::Node {
            id,
            primitive: u16::from(id) % N_PRIMITIVES,
            calls,
            fails
        }),
    ];
    leaf.prop_recursive(3, 20, 4, |work| {
        (0..4u8, prop::collection::vec(work, 0..4)).prop_map(|(spot, inside)| Work::Span(spot, inside))
    })
}

type Sums = BTreeMap<Spot, u64>;

/// Does the work on a lane, and sums up the times by itself.
struct Oracle<'o> {
    manual: &'o ManualClock,
    deep: bool,
    sums: Sums,
    /// The number of calls and their own fuel, by node and primitive.
    inner: BTreeMap<(u8, u16), (u64, u64)>,
}

impl Oracle<'_> {
    fn pass(&mut self, spot: Spot, ns: u64) {
        self.manual.advance(ns);
        *self.sums.entry(spot).or_default() += ns;
    }

    fn run(&mut self, lane: &Lane, work: &Work, around: Spot) {
        match work {
            Work::Pass(ns) => self.pass(around, *ns),
            Work::Span(spot, inside) => {
                let spot = SPANS[usize::from(*spot)];
                let _span = lane.enter(spot);
                inside.iter().for_each(|work| self.run(lane, work, spot));
            }
            Work::Marked(spot, ns) => {
                // The span books the time before, so that only the marked time is left.
                drop(lane.enter(around));
                let spot = SPANS[usize::from(*spot)];
                self.pass(spot, *ns);
                lane.mark(spot);
            }
            Work::Node { id, primitive, calls, fails } => {
                drop(lane.enter(around));
                let spot = Spot::primitive(*primitive);
                let open = lane.open_node(u32::from(*id), spot);
                let mut left = 1 << 40;
                self.work(lane, (*id, spot), spot, calls, &mut left);
                lane.close_node(open, NodeRuns::once((1 << 40) - left, 0, *fails));
            }
        }
    }

    /// Makes a call inside a node. Returns false if it panicked.
    fn call(&mut self, lane: &Lane, at: (u8, Spot), primitive: u16, calls: &Calls, left: &mut u64) -> bool {
        let (node, node_spot) = at;
        let call = lane.enter_call(primitive, *left);
        let own = if self.deep { Spot::primitive(primitive) } else { node_spot };
        if !self.work(lane, at, own, calls, left) {
            return false;
        }
        lane.exit_call(call, primitive, *left);
        let (n, fuel) = self.inner.entry((node, primitive)).or_default();
        *n += 1;
        *fuel += calls.fuel;
        true
    }

    /// Does the work of a node or a call. Returns false if it panicked.
    fn work(&mut self, lane: &Lane, at: (u8, Spot), own: Spot, calls: &Calls, left: &mut u64) -> bool {
        self.pass(own, calls.before);
        *left -= calls.fuel;
        for (primitive, inside) in &calls.inside {
            if !self.call(lane, at, *primitive, inside, left) {
                return false;
            }
        }
        // Time after a panic would belong to the node, so none passes.
        if calls.panics {
            return false;
        }
        self.pass(own, calls.after);
        true
    }
}

fn booked(lane: &LaneData) -> Sums {
    let mut sums = Sums::new();
    let within = lane.tasks.iter().flat_map(|task| task.booked());
    for (spot, sum) in lane.between.iter().copied().chain(within) {
        *sums.entry(spot).or_default() += sum.ns;
    }
    sums.retain(|_, ns| *ns > 0);
    sums
}

/// Several lanes take turns: while one works, the others are idle.
fn check(rounds: &[(usize, Vec<Work>)], level: Level, panics: bool) {
    let (clock, manual) = Clock::manual();
    let trace = Trace::new(clock, level, usize::from(N_PRIMITIVES), None);
    trace.start_workers(3);
    let deep = level == Level::Deep;
    let mut oracles: Vec<_> =
        (0..3).map(|_| Oracle { manual: &manual, deep, sums: Sums::new(), inner: BTreeMap::new() }).collect();
    let mut wall = 0;
    for (number, (worker, works)) in rounds.iter().enumerate() {
        let lane = trace.worker(*worker).unwrap();
        lane.begin_task(&number.to_string(), 0);
        let before: u64 = oracles[*worker].sums.values().sum();
        works.iter().for_each(|work| oracles[*worker].run(&lane, work, Spot::SET_UP));
        lane.end_task(Spot::IDLE);
        wall += oracles[*worker].sums.values().sum::<u64>() - before;
    }
    let data = trace.finish();
    for (lane, oracle) in data.lanes[1..].iter().zip(&oracles) {
        // Exact to the nanosecond: self + idle + unaccounted = wall.
        assert_eq!(lane.wall(), wall);
        assert_eq!(lane.booked(), wall);
        for task in lane.tasks.iter() {
            assert_eq!(task.booked().values().map(|sum| sum.ns).sum::<u64>(), task.end - task.start);
        }
        let mut expected = oracle.sums.clone();
        expected.retain(|_, ns| *ns > 0);
        let busy: u64 = expected.values().sum();
        if wall > busy {
            expected.insert(Spot::IDLE, wall - busy);
        }
        if !panics {
            assert_eq!(booked(lane), expected);
            let mut inner = BTreeMap::new();
            for (node, primitive, sum) in lane.tasks.iter().flat_map(|task| task.inner) {
                let (n, fuel): &mut (u64, u64) = inner.entry((*node as u8, *primitive)).or_default();
                *n += sum.calls;
                *fuel += sum.fuel;
            }
            assert_eq!(inner, oracle.inner);
        }
    }
    let total: f64 = data.shares().iter().map(|(_, share)| share).sum();
    assert!(wall == 0 || (total - 1.0).abs() < 1e-9, "{total}");
    // The main lane marked nothing.
    let main = &data.lanes[0];
    assert_eq!(booked(main), [(Spot::UNACCOUNTED, wall)].into_iter().filter(|(_, ns)| *ns > 0).collect());
}

fn panics(work: &Work) -> bool {
    fn within(calls: &Calls) -> bool {
        calls.panics || calls.inside.iter().any(|(_, calls)| within(calls))
    }
    match work {
        Work::Node { calls, .. } => within(calls),
        Work::Span(_, inside) => inside.iter().any(panics),
        _ => false,
    }
}

proptest! {
    #[test]
    fn every_nanosecond_is_booked_once(
        rounds in prop::collection::vec((0..3usize, prop::collection::vec(work(), 0..5)), 0..6),
        deep in any::<bool>(),
    ) {
        let panics = rounds.iter().flat_map(|(_, works)| works).any(panics);
        check(&rounds, if deep { Level::Deep } else { Level::Nodes }, panics);
    }
}

#[test]
fn a_recursive_primitive_is_not_counted_twice() {
    // Three nested calls of the same primitive, each taking 10 ns and 5 fuel.
    let leaf = Calls { before: 10, fuel: 5, inside: Vec::new(), after: 0, panics: false };
    let middle = Calls { inside: vec![(1, leaf.clone())], ..leaf.clone() };
    let outer = Calls { inside: vec![(1, middle)], ..leaf };
    let (clock, manual) = Clock::manual();
    let trace = Trace::new(clock, Level::Deep, 4, None);
    trace.start_workers(1);
    let mut oracle = Oracle { manual: &manual, deep: true, sums: Sums::new(), inner: BTreeMap::new() };
    {
        let lane = trace.worker(0).unwrap();
        lane.begin_task("t", 0);
        let node = Work::Node { id: 0, primitive: 1, calls: outer, fails: false };
        oracle.run(&lane, &node, Spot::SET_UP);
        lane.end_task(Spot::IDLE);
    }
    let data = trace.finish();
    let task = data.lanes[1].tasks.iter().next().unwrap();
    let total: u64 =
        task.nodes.iter().map(|node| node.ns).sum::<u64>() + task.inner.iter().map(|it| it.2.ns).sum::<u64>();
    assert_eq!(total, 30, "10 ns for each of three calls");
    assert_eq!((task.nodes[0].ns, task.nodes[0].fuel), (10, 15));
    assert_eq!((task.inner[0].2.calls, task.inner[0].2.fuel, task.inner[0].2.ns), (2, 10, 20));
}

#[test]
fn the_first_call_is_kept_apart() {
    let (clock, manual) = Clock::manual();
    let trace = Trace::new(clock, Level::Nodes, 1, None);
    trace.start_workers(1);
    {
        let lane = trace.worker(0).unwrap();
        for ns in [1_000_000, 8, 8, 8] {
            lane.begin_task("t", 0);
            let open = lane.open_node(0, Spot::primitive(0));
            manual.advance(ns);
            lane.close_node(open, NodeRuns::once(1, 0, false));
            lane.end_task(Spot::IDLE);
        }
    }
    let data = trace.finish();
    let (_, cold, warm) = &data.lanes[1].primitives[0];
    assert_eq!(*cold, Some(1_000_000));
    assert_eq!((warm.len(), warm.quantile(0.99)), (3, Some(8)));
    assert_eq!(
        data.lanes[1].tasks.iter().map(|task| task.cold).collect::<Vec<_>>(),
        [true, false, false, false]
    );
}

#[test]
fn events_have_no_gaps_and_no_overlaps() {
    let (clock, manual) = Clock::manual();
    let all = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = std::sync::Arc::clone(&all);
    let sink = Box::new(move |lane: usize, _: &[(u32, String)], events: &[batt_trace::Event]| {
        list.lock().unwrap().extend(events.iter().map(|event| (lane, *event)));
    });
    let trace = Trace::new(clock, Level::Nodes, 1, Some(sink));
    trace.start_workers(1);
    {
        let lane = trace.worker(0).unwrap();
        for _ in 0..20_000 {
            let _span = lane.enter(Spot::LOG);
            manual.advance(3);
        }
    }
    let data = trace.finish();
    for (number, lane) in data.lanes.iter().enumerate() {
        let mut end = lane.start;
        for (_, event) in all.lock().unwrap().iter().filter(|(lane, _)| *lane == number) {
            assert_eq!(event.start, end, "no gap and no overlap");
            end += event.ns;
        }
        assert_eq!(end, lane.end);
    }
}

#[test]
fn reading_the_log_is_not_booked_to_calls() {
    // With the real clock, because reading takes no time on a manual one.
    let trace = Trace::new(Clock::real(), Level::Deep, 2, None);
    trace.start_workers(1);
    {
        let lane = trace.worker(0).unwrap();
        lane.begin_task("t", 0);
        for i in 0..3_000 {
            let open = lane.open_node(0, Spot::primitive(0));
            // One call or two, so that the log fills up at different kinds of stamps.
            for _ in 0..1 + i % 2 {
                let call = lane.enter_call(1, 2);
                lane.exit_call(call, 1, 1);
            }
            lane.close_node(open, NodeRuns::once(2, 0, false));
        }
        lane.end_task(Spot::IDLE);
    }
    let data = trace.finish();
    let task = data.lanes[1].tasks.iter().next().unwrap();
    let called: u64 = task.inner.iter().map(|(.., inner)| inner.ns).sum();
    assert_eq!(called, task.booked()[&Spot::primitive(1)].ns);
    assert!(task.booked()[&Spot::PROFILE].ns > 0, "the log was read during the task");
}
