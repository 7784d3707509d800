//! Recorders for jobs, and the profiles made from them.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use batt_dsl::registry;
use batt_exec::spot;
use batt_plan::{NodeId, Plan};
use batt_record::Device;
use batt_record::events::{self, TaskStart, Writer};
use batt_record::profile::{Costs, Function, Lane, Node, PrimitiveTimes, Profile, Repeat, Task, VERSION};
use batt_trace::{Clock, LaneData, LaneKind, Level, Sink, Spot, SpotSum, TaskData, Trace, TraceData, spots};

use crate::battery::{Battery, cells};

/// Returns a recorder for a run.
pub fn trace(clock: Clock, level: Level, events: Option<&Events>) -> Trace {
    Trace::new(clock, level, registry().iter().len(), events.map(Events::sink))
}

/// Returns a recorder for a solve or a search. Their plans are short-lived, so nodes are identified by function.
pub fn trace_of_search(clock: Clock, level: Level, events: Option<&Events>) -> Trace {
    trace(clock, level, events).with_nodes_by_spot()
}

/// Runs `work` on a task, on the lane of the current thread.
pub(crate) fn on_lane<T>(
    trace: Option<&Trace>,
    task: &batt_task::Task,
    work: impl FnOnce(Option<&batt_trace::Lane>) -> T,
) -> T {
    let worker = rayon::current_thread_index().unwrap_or(0);
    let lane = trace.and_then(|trace| trace.worker(worker));
    let lane = lane.as_deref();
    if let Some(lane) = lane {
        lane.begin_task(&task.id, cells(task));
    }
    let result = work(lane);
    if let Some(lane) = lane {
        lane.end_task(Spot::IDLE);
    }
    result
}

/// The file of events while it is written. Write errors are reported by [`Events::finish`].
#[derive(Clone)]
pub struct Events(Arc<Mutex<Option<io::Result<Writer>>>>);

impl Events {
    pub fn create(path: &Path) -> io::Result<Events> {
        let names = functions().into_iter().map(|function| function.name).collect();
        Ok(Events(Arc::new(Mutex::new(Some(Ok(Writer::create(path, names)?))))))
    }

    fn sink(&self) -> Sink {
        let Events(writer) = self.clone();
        Box::new(move |lane, begins, events| {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Ok(open)) = &mut *writer
                && let Err(error) = write(open, lane as u32, begins, events)
            {
                *writer = Some(Err(error));
            }
        })
    }

    pub fn finish(self) -> io::Result<()> {
        let writer = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        writer.map_or(Ok(()), |writer| writer?.finish())
    }
}

fn write(
    writer: &mut Writer,
    lane: u32,
    begins: &[(u32, String)],
    events: &[batt_trace::Event],
) -> io::Result<()> {
    for (task, id) in begins {
        writer.task_start(&TaskStart { lane, task: *task, id: id.clone() })?;
    }
    events.iter().try_for_each(|event| {
        let batt_trace::Event { start, ns, spot, task, node } = *event;
        writer.event(&events::Event { lane, start, ns, function: number(spot), task, node })
    })
}

/// Lists everything that time can be booked to: the engine's functions, then the primitives.
fn functions() -> Vec<Function> {
    let engine = spots().map(|(_, info)| Function {
        name: info.name.to_owned(),
        phase: info.phase.name().to_owned(),
        category: info.category.name().to_owned(),
        primitive: false,
    });
    let primitives = registry().iter().map(|primitive| Function {
        name: primitive.name.to_owned(),
        phase: Spot::primitive(primitive.symbol.id).info().phase.name().to_owned(),
        category: format!("primitives: {}", primitive.family.name),
        primitive: true,
    });
    engine.chain(primitives).collect()
}

fn number(spot: Spot) -> u32 {
    spot.index() as u32
}

/// Returns the profile of a run. `earlier` are its previous repetitions.
pub fn profile(
    data: TraceData,
    battery: &Battery<'_>,
    excused: usize,
    earlier: &[Repeat],
    events: Option<String>,
) -> Profile {
    let (nodes, lines) = (nodes(battery.plan()), lines(battery));
    Profile { excused, ..filled(data, nodes, lines, earlier, events) }
}

/// Returns the profile of a solve or a search.
pub fn profile_of_search(data: TraceData, events: Option<String>) -> Profile {
    let nodes = (0..functions().len() as u32).map(|function| Node { function, programs: 0 }).collect();
    filled(data, nodes, Vec::new(), &[], events)
}

/// Returns the lane of the only worker, and its tasks.
pub(crate) fn worker_times(data: TraceData) -> (Lane, Vec<Task>) {
    let mut lanes = data.lanes.into_iter();
    let worker = lanes.find(|lane| lane.kind == LaneKind::Worker(0));
    let worker = worker.unwrap_or_else(|| unreachable!("a worker was started"));
    let tasks = worker.tasks.iter().map(|it| task(it, 0)).collect();
    (lane(worker, &[]), tasks)
}

fn filled(
    data: TraceData,
    nodes: Vec<Node>,
    lines: Vec<Vec<(u32, u32)>>,
    earlier: &[Repeat],
    events: Option<String>,
) -> Profile {
    let mut tasks: Vec<Task> = Vec::new();
    let mut devices: Vec<Device> = Vec::new();
    for lane in &data.lanes {
        if let LaneKind::Device { name, .. } = &lane.kind {
            devices.push(Device::named(name, &devices));
        }
    }
    let mut lanes = Vec::new();
    for (i, lane) in data.lanes.into_iter().enumerate() {
        tasks.extend(lane.tasks.iter().map(|it| task(it, i as u32)));
        lanes.push(self::lane(lane, &devices));
    }
    tasks.sort_by_key(|task| (task.start, task.lane));
    let deep = data.level == Level::Deep;
    let repeats = earlier.iter().cloned().chain([repeat(&lanes, &tasks, &nodes, deep)]).collect();
    Profile {
        version: VERSION,
        deep,
        excused: 0,
        costs: Costs { stamp: data.costs.stamp, call: data.costs.call },
        functions: functions(),
        nodes,
        lines,
        machines: Vec::new(),
        devices,
        lanes,
        tasks,
        repeats,
        events,
    }
}

fn nodes(plan: &Plan) -> Vec<Node> {
    let node =
        |(node, uses): (&batt_plan::Node, u32)| Node { function: number(spot(&node.op)), programs: uses };
    plan.nodes().iter().zip(plan.uses()).map(node).collect()
}

/// Returns the line of every node, for each program.
fn lines(battery: &Battery<'_>) -> Vec<Vec<(u32, u32)>> {
    let entries = battery.plan().programs().iter().zip(battery.programs());
    let lines = entries.map(|(entry, program)| {
        let places = entry.nodes.iter().zip(program.nodes());
        let calls = places.filter(|(id, _)| battery.plan().node(**id).is_computed());
        calls.map(|(NodeId(id), node)| (*id, node.line.saturating_sub(program.line()))).collect()
    });
    lines.collect()
}

fn lane(lane: LaneData, devices: &[Device]) -> Lane {
    let (name, device) = match lane.kind {
        LaneKind::Main => ("main".to_owned(), None),
        LaneKind::Worker(number) => (format!("worker {}", number + 1), None),
        LaneKind::Device { number, name } => {
            (devices.get(number as usize).map_or(name, |it| it.name.clone()), Some(number))
        }
    };
    let touched = |(id, cold, warm): &(u16, Option<u64>, batt_trace::Histogram)| PrimitiveTimes {
        function: self::number(Spot::primitive(*id)),
        cold: cold.unwrap_or_default(),
        warm: warm.steps().collect(),
    };
    Lane {
        name,
        machine: None,
        device,
        start: lane.start,
        end: lane.end,
        between: booked(lane.between),
        primitives: lane.primitives.iter().map(touched).collect(),
        waits: lane.waits,
        stamps: lane.stamps,
        counted: lane.calls,
        cpu: lane.thread.cpu,
        queued: lane.thread.queued,
        preemptions: lane.thread.preemptions,
    }
}

fn booked(spots: impl IntoIterator<Item = (Spot, SpotSum)>) -> Vec<(u32, u64, u64)> {
    spots.into_iter().map(|(spot, sum)| (number(spot), sum.ns, sum.stamps)).collect()
}

fn task(task: TaskData<'_>, lane: u32) -> Task {
    let nodes = task.nodes.iter();
    let inner = task.inner.iter();
    Task {
        id: task.id.to_owned(),
        lane,
        start: task.start,
        end: task.end,
        cold: task.cold,
        cells: task.cells,
        cpu: task.cpu,
        samples: task.samples.to_vec(),
        booked: booked(task.booked()),
        nodes: nodes.map(|it| (it.id, it.hits, it.fails, it.ns, it.fuel, it.bytes)).collect(),
        inner: inner
            .map(|(id, primitive, it)| (*id, number(Spot::primitive(*primitive)), it.calls, it.fuel, it.ns))
            .collect(),
    }
}

/// Sums up one repetition: time and fuel by function, over all lanes. The idle time of devices is not that of threads,
/// so it is not included. Unless calls are timed separately (`deep`), the
/// fuel of a node includes the calls inside it.
pub(crate) fn repeat(lanes: &[Lane], tasks: &[Task], nodes: &[Node], deep: bool) -> Repeat {
    let list = functions();
    let mut sums = vec![(0, 0); list.len()];
    let idle = number(Spot::IDLE);
    let between = |lane| {
        let Lane { between, device, .. }: &Lane = lane;
        between.iter().filter(|it| device.is_none() || it.0 != idle)
    };
    for (function, ns, _) in lanes.iter().flat_map(between).chain(tasks.iter().flat_map(|task| &task.booked))
    {
        sums[*function as usize].0 += ns;
    }
    for (node, .., fuel, _) in tasks.iter().flat_map(|task| &task.nodes) {
        sums[nodes[*node as usize].function as usize].1 += fuel;
    }
    for (node, function, _, fuel, _) in tasks.iter().filter(|_| deep).flat_map(|task| &task.inner) {
        let outer = &mut sums[nodes[*node as usize].function as usize].1;
        *outer = outer.saturating_sub(*fuel);
        sums[*function as usize].1 += fuel;
    }
    let functions = sums.into_iter().enumerate().filter(|(_, sum)| *sum != (0, 0));
    Repeat {
        wall: lanes.first().map_or(0, |main| main.end - main.start),
        functions: functions.map(|(function, (ns, fuel))| (function as u32, ns, fuel)).collect(),
        disturbed: batt_report::disturbance(&list, lanes, tasks),
    }
}
