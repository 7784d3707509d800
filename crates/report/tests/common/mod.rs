//! Records for tests: tasks on one worker with a manual clock, so that all times are known.

#![allow(dead_code, reason = "not every test file uses all of it")]

use batt_record::profile::{
    Costs, Function, Lane, Machine, Node, PrimitiveTimes, Profile, Repeat, Task, VERSION,
};
use batt_record::{
    Data, Device, Environment, Options, Outcome, Pair, PlanCounts, Program, Record, Right, SCHEMA, Setup,
};
use batt_trace::{Clock, LaneKind, Level, ManualClock, NodeRuns, Spot, Trace, TraceData, spots};

/// The primitives; each is a node of the plan, in this order.
pub(crate) const PRIMITIVES: [&str; 4] = ["objects", "shift", "mapply", "fill"];
pub(crate) const OBJECTS: u16 = 0;
pub(crate) const SHIFT: u16 = 1;
pub(crate) const MAPPLY: u16 = 2;

/// A recorder with one worker and a manual clock.
pub(crate) struct World {
    pub(crate) trace: Trace,
    pub(crate) hand: ManualClock,
}

impl World {
    pub(crate) fn new(level: Level) -> World {
        let (clock, hand) = Clock::manual();
        let trace = Trace::new(clock, level, PRIMITIVES.len(), None);
        trace.start_workers(1);
        World { trace, hand }
    }

    /// Spends time on the main lane.
    pub(crate) fn main(&self, spot: Spot, ns: u64) {
        let _span = self.trace.enter(spot);
        self.hand.advance(ns);
    }

    /// Runs a task of these nodes on the worker, while the main lane waits.
    pub(crate) fn task(&self, id: &str, nodes: &[(u16, u64)]) {
        self.task_of(id, |world, lane| {
            nodes.iter().for_each(|(primitive, ns)| world.node(lane, *primitive, *ns))
        });
    }

    pub(crate) fn task_of(&self, id: &str, work: impl FnOnce(&World, &batt_trace::Lane)) {
        let _wait = self.trace.enter(Spot::IDLE);
        let lane = self.trace.worker(0).unwrap();
        lane.begin_task(id, 100);
        work(self, &lane);
        lane.end_batch(std::iter::once(1));
        lane.end_task(Spot::IDLE);
    }

    /// Runs a node without nested calls, at one unit of fuel per nanosecond.
    pub(crate) fn node(&self, lane: &batt_trace::Lane, primitive: u16, ns: u64) {
        let open = lane.open_node(u32::from(primitive), Spot::primitive(primitive));
        self.hand.advance(ns);
        lane.close_node(open, NodeRuns::once(ns, 8, false));
    }

    /// Runs a node in the middle of which other programs have the CPU for `stolen` nanoseconds.
    pub(crate) fn suspended_node(&self, lane: &batt_trace::Lane, primitive: u16, ns: u64, stolen: u64) {
        let open = lane.open_node(u32::from(primitive), Spot::primitive(primitive));
        self.hand.advance(ns / 2);
        self.hand.suspend(stolen);
        self.hand.advance(ns - ns / 2);
        lane.close_node(open, NodeRuns::once(ns, 8, false));
    }

    /// Runs `mapply` with `calls` calls of `shift` of `each` nanoseconds.
    pub(crate) fn mapply(&self, lane: &batt_trace::Lane, own: u64, calls: u64, each: u64) {
        let open = lane.open_node(u32::from(MAPPLY), Spot::primitive(MAPPLY));
        let mut left = 1_000_000;
        let outer = lane.enter_call(MAPPLY, left);
        self.hand.advance(own);
        left -= own;
        for _ in 0..calls {
            let call = lane.enter_call(SHIFT, left);
            self.hand.advance(each);
            left -= each;
            lane.exit_call(call, SHIFT, left);
        }
        lane.exit_call(outer, MAPPLY, left);
        lane.close_node(open, NodeRuns::once(own + calls * each, 8, false));
    }

    pub(crate) fn finish(self) -> Record {
        record(profile(&self.trace.finish()))
    }
}

pub(crate) fn functions() -> Vec<Function> {
    let engine = spots().map(|(_, info)| Function {
        name: info.name.to_owned(),
        phase: info.phase.name().to_owned(),
        category: info.category.name().to_owned(),
        primitive: false,
    });
    let primitives = PRIMITIVES.iter().map(|name| Function {
        name: (*name).to_owned(),
        phase: "execute".to_owned(),
        category: "primitives: test".to_owned(),
        primitive: true,
    });
    engine.chain(primitives).collect()
}

pub(crate) fn number(spot: Spot) -> u32 {
    spot.index() as u32
}

fn profile(data: &TraceData) -> Profile {
    let booked = |(spot, sum): (Spot, batt_trace::SpotSum)| (number(spot), sum.ns, sum.stamps);
    let mut tasks = Vec::new();
    let mut lanes = Vec::new();
    for (i, lane) in data.lanes.iter().enumerate() {
        tasks.extend(lane.tasks.iter().map(|task| {
            Task {
                id: task.id.to_owned(),
                lane: i as u32,
                start: task.start,
                end: task.end,
                cold: task.cold,
                cells: task.cells,
                cpu: task.cpu,
                samples: task.samples.to_vec(),
                booked: task.booked().into_iter().map(booked).collect(),
                nodes: task
                    .nodes
                    .iter()
                    .map(|it| (it.id, it.hits, it.fails, it.ns, it.fuel, it.bytes))
                    .collect(),
                inner: task
                    .inner
                    .iter()
                    .map(|(id, primitive, it)| {
                        (*id, number(Spot::primitive(*primitive)), it.calls, it.fuel, it.ns)
                    })
                    .collect(),
            }
        }));
        lanes.push(Lane {
            name: match &lane.kind {
                LaneKind::Main => "main".to_owned(),
                LaneKind::Worker(i) => format!("worker {}", i + 1),
                LaneKind::Device { name, .. } => name.clone(),
            },
            machine: None,
            device: match lane.kind {
                LaneKind::Device { number, .. } => Some(number),
                _ => None,
            },
            start: lane.start,
            end: lane.end,
            between: lane.between.iter().copied().map(booked).collect(),
            primitives: lane
                .primitives
                .iter()
                .map(|(id, cold, warm)| PrimitiveTimes {
                    function: number(Spot::primitive(*id)),
                    cold: cold.unwrap(),
                    warm: warm.steps().collect(),
                })
                .collect(),
            waits: lane.waits.clone(),
            stamps: lane.stamps,
            counted: lane.calls,
            cpu: lane.thread.cpu,
            queued: lane.thread.queued,
            preemptions: lane.thread.preemptions,
        });
    }
    let mut devices = Vec::new();
    for lane in lanes.iter().filter(|lane| lane.device.is_some()) {
        devices.push(Device::named(&lane.name, &devices));
    }
    let wall = lanes[0].end - lanes[0].start;
    let nodes = (0..PRIMITIVES.len() as u16)
        .map(|id| Node { function: number(Spot::primitive(id)), programs: if id == OBJECTS { 2 } else { 1 } })
        .collect();
    Profile {
        version: VERSION,
        deep: data.level == Level::Deep,
        excused: 0,
        costs: Costs { stamp: 0.0, call: 0.0 },
        functions: functions(),
        nodes,
        lines: vec![vec![(0, 1), (1, 2)], vec![(0, 1)]],
        machines: Vec::new(),
        devices,
        lanes,
        tasks,
        repeats: vec![Repeat { wall, functions: Vec::new(), disturbed: None }],
        events: None,
    }
}

/// Makes a record of two programs that are right on all tasks of the profile.
pub(crate) fn record(profile: Profile) -> Record {
    let outcome = |program| {
        let pair = Pair { verdict: "ok".to_owned(), fuel: Some(1), why: None, answer: None };
        Outcome { program, own: program == 0, train: vec![pair], test: Vec::new() }
    };
    let tasks = profile.tasks.iter().map(|task| batt_record::Task {
        id: task.id.clone(),
        programs: vec![outcome(0), outcome(1)],
        ..batt_record::Task::default()
    });
    let program = |name: &str, text: &str| Program {
        name: name.to_owned(),
        hash: name.to_owned(),
        text: text.to_owned(),
        made: None,
    };
    Record {
        right: Right { all: true, programs: 2, on_demos: 2, on_tests: 2, on_all: 2, left: 0 },
        schema: SCHEMA,
        finished: true,
        setup: Setup {
            version: "0".to_owned(),
            dsl: String::new(),
            data: Data {
                name: "small; world".to_owned(),
                hash: String::new(),
                tasks: profile.tasks.len(),
                shard: None,
            },
            options: Options { fuel: Some(1), timeout: Some(1.0), ..Options::default() },
        },
        environment: Environment { threads: 1, sharing: true, kernels: true, ..Environment::default() },
        plan: PlanCounts { programs: 2, calls: 4, distinct: 4, shared: 1, folded: 0, per_task: 0 },
        programs: vec![
            program("a", "def a(I):\n    x = objects(I)\n    return shift(x)"),
            program("b", "def b(I):\n    return objects(I)"),
        ],
        tasks: tasks.collect(),
        profile: Some(Box::new(profile)),
        ..Record::default()
    }
}

/// Makes a record of tasks with these times, one after another on one worker.
pub(crate) fn tasks(times: &[u64]) -> Record {
    let world = World::new(Level::Nodes);
    world.main(Spot::LOAD, 1_000);
    times.iter().enumerate().for_each(|(i, ns)| world.task(&format!("t{i}"), &[(OBJECTS, *ns)]));
    world.finish()
}

/// Makes a record of four tasks on a cluster of two machines. `alpha` has two cores, `beta` has one and was lost.
/// The tasks ran from 150 to 860, while the driver was busy for 40 ns.
pub(crate) fn cluster() -> Record {
    let mut record = tasks(&[1]);
    let profile = record.profile.as_mut().unwrap();
    let template =
        Lane { stamps: 0, counted: 0, primitives: Vec::new(), cpu: None, ..profile.lanes[0].clone() };
    let main = [(Spot::IDLE, 700), (Spot::LOAD, 100), (Spot::HAND_OUT, 60), (Spot::WRITE, 140)];
    let main = main.map(|(spot, ns)| (number(spot), ns, 1)).to_vec();
    let waits = vec![(120, 470), (490, 600), (620, 860)];
    let lane = |name: &str, machine, idle, network| Lane {
        name: name.to_owned(),
        machine: Some(machine),
        start: 100,
        end: 900,
        between: vec![(number(Spot::IDLE), idle, 0), (number(Spot::NETWORK), network, 0)],
        waits: Vec::new(),
        ..template.clone()
    };
    profile.lanes = vec![
        Lane { start: 0, end: 1_000, between: main, waits, ..template.clone() },
        lane("core 1", 0, 40, 100),
        lane("core 1", 1, 660, 40),
        lane("core 2", 0, 140, 60),
    ];
    let machine = |name: &str, cores, clock_offset, round_trip, stayed| Machine {
        name: name.to_owned(),
        cores,
        clock_offset,
        round_trip,
        stayed,
    };
    profile.machines = vec![
        machine("alpha", 2, 1_500_000, Some(400_000), true),
        machine("<b>beta</b>", 1, -2_000, None, false),
    ];
    let objects = number(Spot::primitive(OBJECTS));
    let times = [("a", 1, 150, 450), ("b", 3, 160, 760), ("d", 2, 200, 300), ("c", 1, 500, 860)];
    let task = |(id, lane, start, end): (&str, u32, u64, u64)| Task {
        id: id.to_owned(),
        lane,
        start,
        end,
        cold: false,
        cells: 1,
        cpu: None,
        samples: vec![end - start],
        booked: vec![(objects, end - start, 1)],
        nodes: vec![(0, 1, 0, end - start, end - start, 0)],
        inner: Vec::new(),
    };
    profile.tasks = times.into_iter().map(task).collect();
    profile.repeats = vec![Repeat { wall: 1_000, functions: Vec::new(), disturbed: None }];
    self::record(*record.profile.unwrap())
}

/// Makes a record of two tasks on one worker, with two devices beside it. The T4 is there from 100 to 1,000 and has
/// a batch from 200 to 400. The L4 is there from 100 to 500, when it was lost, and had no batch.
pub(crate) fn devices() -> Record {
    let world = World::new(Level::Nodes);
    world.main(Spot::LOAD, 100);
    let (t4, l4) = (world.trace.device_lane("Tesla T4"), world.trace.device_lane("NVIDIA L4"));
    world.task_of("a", |world, lane| {
        world.node(lane, OBJECTS, 100);
        t4.begin_batch();
        world.node(lane, OBJECTS, 50);
        t4.mark_split(&[(Spot::UPLOAD, 30)], Spot::DRIVER);
        world.node(lane, SHIFT, 150);
        t4.mark_split(&[(Spot::KERNEL, 110), (Spot::DOWNLOAD, 20)], Spot::DRIVER);
        t4.end_batch();
        world.node(lane, OBJECTS, 100);
    });
    drop(l4);
    world.task("b", &[(OBJECTS, 400)]);
    world.main(Spot::WRITE, 100);
    let mut record = world.finish();
    let profile = record.profile.as_mut().unwrap();
    let t4 = Device {
        driver: "NVIDIA CUDA 550.54".to_owned(),
        kind: "gpu".to_owned(),
        batches: 1,
        asked: 130,
        answered: 100,
        passed: 5,
        late: 20,
        cpu_ns_per_job: Some(3.5),
        replay_ns_per_job: Some(1.5),
        break_even: Some(1_500),
        stayed: true,
        ..Device::default()
    };
    let reason = Some("out of memory (-4)".to_owned());
    profile.describe_device(0, t4);
    profile.describe_device(1, Device { kind: "gpu".to_owned(), stayed: false, reason, ..Device::default() });
    record
}
