//! The lanes of devices: every nanosecond is booked once, whenever they start and end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use batt_trace::{Category, Clock, DeviceLane, Event, LaneData, LaneKind, Level, ManualClock, Spot, Trace};
use proptest::prelude::*;

type Sums = BTreeMap<Spot, u64>;

fn sums(lane: &LaneData) -> Sums {
    lane.between.iter().filter(|(_, sum)| sum.ns > 0).map(|(spot, sum)| (*spot, sum.ns)).collect()
}

fn device(number: u32, name: &str) -> LaneKind {
    LaneKind::Device { number, name: name.to_owned() }
}

/// A batch of a device: how long the device waited for it, how long its host was blocked in each of three calls
/// and how long the device says that it was busy meanwhile, which may be wrong.
#[derive(Clone, Debug)]
struct Batch {
    wait: u64,
    calls: [(u64, u64); 3],
    after: u64,
}

const PARTS: [Spot; 3] = [Spot::UPLOAD, Spot::KERNEL, Spot::DOWNLOAD];

impl Batch {
    fn run(&self, lane: &DeviceLane, clock: &ManualClock, expected: &mut Sums) {
        let mut add = |spot, ns| *expected.entry(spot).or_default() += ns;
        clock.advance(self.wait);
        add(Spot::IDLE, self.wait);
        lane.begin_batch();
        for (spot, (blocked, busy)) in PARTS.into_iter().zip(self.calls) {
            clock.advance(blocked);
            lane.mark_split(&[(spot, busy)], Spot::DRIVER);
            add(spot, busy.min(blocked));
            add(Spot::DRIVER, blocked.saturating_sub(busy));
        }
        clock.advance(self.after);
        add(Spot::DRIVER, self.after);
        lane.end_batch();
    }
}

fn batch() -> impl Strategy<Value = Batch> {
    let busy = prop_oneof![8 => 0..60u64, 1 => Just(u64::MAX)];
    let calls = prop::array::uniform3((0..60u64, busy));
    (0..60u64, calls, 0..9u64).prop_map(|(wait, calls, after)| Batch { wait, calls, after })
}

proptest! {
    #[test]
    fn every_nanosecond_of_a_device_is_booked_once(
        early in 0..50u64,
        batches in prop::collection::vec((0..2usize, batch()), 0..400),
        late in 0..50u64,
        lost in any::<bool>(),
    ) {
        let (clock, hand) = Clock::manual();
        let trace = Trace::new(clock, Level::Nodes, 0, None);
        hand.advance(early);
        let lanes = [trace.device_lane("a"), trace.device_lane("b")];
        let mut expected = [Sums::new(), Sums::new()];
        for (number, batch) in &batches {
            let mut passed = Sums::new();
            batch.run(&lanes[*number], &hand, &mut passed);
            // The other one waits meanwhile.
            *expected[1 - number].entry(Spot::IDLE).or_default() += passed.values().sum::<u64>();
            passed.into_iter().for_each(|(spot, ns)| *expected[*number].entry(spot).or_default() += ns);
        }
        let [a, b] = lanes;
        if lost {
            drop(a);
        }
        hand.advance(late);
        let data = trace.finish();
        drop(b);
        let busy: u64 = expected[0].values().sum();
        *expected[0].entry(Spot::IDLE).or_default() += if lost { 0 } else { late };
        *expected[1].entry(Spot::IDLE).or_default() += late;
        for (lane, mut expected) in data.lanes[1..].iter().zip(expected) {
            expected.retain(|_, ns| *ns > 0);
            prop_assert_eq!(lane.start, early);
            prop_assert_eq!(lane.booked(), lane.wall());
            prop_assert_eq!(sums(lane), expected);
        }
        prop_assert_eq!(data.lanes[1].end, early + busy + if lost { 0 } else { late });
        prop_assert_eq!(data.lanes[2].end, data.lanes[0].end);
    }
}

#[test]
fn a_trace_may_end_within_a_batch() {
    let (clock, hand) = Clock::manual();
    let trace = Trace::new(clock, Level::Nodes, 0, None);
    let lane = trace.device_lane("T4");
    hand.advance(5);
    lane.begin_batch();
    hand.advance(30);
    let data = trace.finish();
    assert_eq!(sums(&data.lanes[1]), Sums::from([(Spot::IDLE, 5), (Spot::DRIVER, 30)]));
    assert_eq!(data.lanes[1].waits, [(0, 5)]);
    // The device does not know yet. Many stamps would fill the log.
    for _ in 0..5_000 {
        hand.advance(3);
        lane.mark_split(&[(Spot::KERNEL, 1)], Spot::DRIVER);
        lane.end_batch();
        lane.begin_batch();
    }
}

#[test]
fn lanes_are_in_the_order_in_which_they_started() {
    let (clock, hand) = Clock::manual();
    let events: Arc<Mutex<Vec<(usize, Event)>>> = Arc::default();
    let list = Arc::clone(&events);
    let sink = Box::new(move |lane: usize, _: &[(u32, String)], events: &[Event]| {
        list.lock().unwrap().extend(events.iter().map(|event| (lane, *event)));
    });
    let trace = Trace::new(clock, Level::Nodes, 1, Some(sink));
    let early = trace.device_lane("early");
    hand.advance(10);
    trace.start_workers(2);
    let late = trace.device_lane("late");
    assert_eq!((early.number(), late.number()), (0, 1));
    hand.advance(10);
    late.begin_batch();
    hand.advance(10);
    late.mark_split(&[(Spot::UPLOAD, 4), (Spot::KERNEL, 5)], Spot::DRIVER);
    late.end_batch();
    let data = trace.finish();
    let kinds: Vec<_> = data.lanes.iter().map(|lane| lane.kind.clone()).collect();
    let workers = [LaneKind::Worker(0), LaneKind::Worker(1)];
    let [first, second] = workers;
    assert_eq!(kinds, [LaneKind::Main, device(0, "early"), first, second, device(1, "late")]);
    assert_eq!(data.lanes.iter().map(|lane| lane.start).collect::<Vec<_>>(), [0, 0, 10, 10, 10]);
    // Events have the number of the lane in this list, without gaps and overlaps.
    for (number, lane) in data.lanes.iter().enumerate() {
        let mut end = lane.start;
        for (_, event) in events.lock().unwrap().iter().filter(|(lane, _)| *lane == number) {
            assert_eq!(event.start, end);
            end += event.ns;
        }
        assert_eq!(end, lane.end);
    }
    let late: Vec<_> = events.lock().unwrap().iter().filter(|it| it.0 == 4).map(|it| it.1).collect();
    assert_eq!(
        late.iter().map(|event| (event.spot, event.ns)).filter(|it| it.1 > 0).collect::<Vec<_>>(),
        [(Spot::IDLE, 10), (Spot::UPLOAD, 4), (Spot::KERNEL, 5), (Spot::DRIVER, 1)]
    );
}

#[test]
fn shares_are_of_threads() {
    let (clock, hand) = Clock::manual();
    let trace = Trace::new(clock, Level::Nodes, 0, None);
    let lane = trace.device_lane("T4");
    {
        let _span = trace.enter(Spot::LOAD);
        hand.advance(100);
    }
    lane.begin_batch();
    assert_eq!(trace.finish().shares()[0], (Category::Loading, 1.0));
}

#[test]
fn only_the_longest_waits_of_a_device_are_kept() {
    let (clock, hand) = Clock::manual();
    let trace = Trace::new(clock, Level::Nodes, 0, None);
    let lane = trace.device_lane("T4");
    for i in 0..100_000 {
        hand.advance(if i % 1_000 == 0 { 1_000_000 } else { 900 + i % 7 });
        lane.begin_batch();
        hand.advance(5);
        lane.end_batch();
    }
    let data = trace.finish();
    let waits = &data.lanes[1].waits;
    assert!(waits.len() <= 1_000);
    assert_eq!(waits.iter().filter(|(from, to)| to - from == 1_000_000).count(), 100);
    assert!(waits.windows(2).all(|it| it[0].1 < it[1].0));
}

#[test]
fn a_host_thread_takes_the_lane_along() {
    let trace = Trace::new(Clock::real(), Level::Nodes, 0, None);
    let lane = trace.device_lane("T4");
    let host = std::thread::spawn(move || {
        for _ in 0..3_000 {
            lane.begin_batch();
            lane.mark_split(&[(Spot::UPLOAD, 10), (Spot::KERNEL, 1 << 40)], Spot::DRIVER);
            lane.end_batch();
        }
    });
    host.join().unwrap();
    let data = trace.finish();
    let device = &data.lanes[1];
    assert_eq!(device.booked(), device.wall());
    assert!(device.end <= data.lanes[0].end);
    assert!(sums(device).contains_key(&Spot::KERNEL));
}
