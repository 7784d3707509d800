//! The profile of a run, as the page shows it: the views, and the data for what-ifs.

use serde::Serialize;

use crate::export::Frame;
use crate::facts::{Facts, ReportError};
use crate::validity::Validity;
use crate::view::{Budget, Dsl, Framework, Levers, Phases, Quota, Tasks, costs};

#[derive(Serialize)]
pub(super) struct Cost {
    validity: Validity,
    framework: Framework,
    dsl: Dsl,
    phases: Phases,
    outliers: Tasks,
    budget: Budget,
    /// The reason why there are none, if the schedule cannot be replayed.
    levers: Result<Levers, String>,
    flame: Block,
    schedule: Schedule,
}

/// A box of the flame graph: name, nanoseconds including all parts, parts.
#[derive(Serialize)]
struct Block(String, u64, Vec<Block>);

/// The data from which the page computes a what-if.
#[derive(Serialize)]
struct Schedule {
    wall: u64,
    /// Names of the lanes, after those of their machines.
    lanes: Vec<String>,
    /// The lanes in the order to draw them: those of a machine are together, its devices last.
    order: Vec<usize>,
    workers: usize,
    /// Name, category, phase, whether it is a primitive.
    functions: Vec<(String, String, String, bool)>,
    /// Time of the main lane while no tasks ran: function and time.
    main: Vec<(u32, u64)>,
    /// When the main lane waited.
    waits: Vec<(u64, u64)>,
    /// When tasks ran.
    windows: Vec<(u64, u64)>,
    tasks: Vec<Slot>,
    /// Disturbance of each task.
    disturbed: Vec<u64>,
    /// Disturbance of the main lane outside of tasks.
    disturbed_main: u64,
    /// Time by which disturbance may have lengthened the wall time.
    disturbed_wall: u64,
    /// Busy time, its disturbance, and the number of stops of equal length that have the same effect.
    disturbance: (u64, u64, f64),
    /// When devices had batches: lane, start, end.
    devices: Vec<(usize, u64, u64)>,
}

/// A task: id, lane, start, end, and the time of each function.
type Slot = (String, u32, u64, u64, Vec<(u32, u64)>);

/// A session on Kaggle's accelerators, in nanoseconds.
const HOURS_8: f64 = 8.0 * 3600e9;
/// Number of tasks to project to, the default of `batt profile phases`.
const PROJECTED: usize = 400;
/// The default of `batt profile tasks`.
const DEVIATIONS: f64 = 5.0;

impl Cost {
    pub(super) fn new(facts: &Facts<'_>) -> Result<Cost, ReportError> {
        Ok(Cost {
            validity: Validity::new(facts),
            framework: Framework::new(facts),
            dsl: Dsl::new(facts),
            phases: Phases::new(std::slice::from_ref(facts), PROJECTED)?,
            outliers: Tasks::new(facts, DEVIATIONS)?,
            budget: Budget::new(facts, HOURS_8, Quota { share: 1.0, speed: 1.0 }, &[])?,
            levers: Levers::new(facts).map_err(|error| error.to_string()),
            flame: Block::new("all lanes", &Frame::of(facts)),
            schedule: Schedule::new(facts),
        })
    }
}

impl Block {
    fn new(name: &str, frame: &Frame) -> Block {
        let parts = frame.parts.iter().map(|(name, part)| Block::new(name, part));
        Block(name.to_owned(), frame.width, parts.collect())
    }
}

impl Schedule {
    fn new(facts: &Facts<'_>) -> Schedule {
        let profile = facts.profile;
        let functions = profile
            .functions
            .iter()
            .map(|it| (it.name.clone(), it.category.clone(), it.phase.clone(), it.primitive));
        let slots = profile.tasks.iter().zip(costs(facts));
        let slots = slots.map(|(task, costs)| {
            let costs = costs.iter().filter(|cost| cost.ns > 0).map(|cost| (cost.function, cost.ns));
            (task.id.clone(), task.lane, task.start, task.end, costs.collect())
        });
        let mut order: Vec<usize> = (0..profile.lanes.len()).collect();
        order.sort_by_key(|lane| (profile.lanes[*lane].machine, profile.lanes[*lane].device));
        let devices = profile.lanes.iter().enumerate().filter(|(_, lane)| lane.device.is_some());
        let devices = devices.flat_map(|(number, lane)| {
            Facts::device_work(lane).into_iter().map(move |(from, to)| (number, from, to))
        });
        Schedule {
            wall: facts.wall(),
            lanes: (0..profile.lanes.len()).map(|lane| facts.lane_name(lane)).collect(),
            order,
            workers: facts.workers(),
            functions: functions.collect(),
            main: facts.main_alone().collect(),
            waits: profile.lanes[0].waits.clone(),
            windows: facts.windows(),
            tasks: slots.collect(),
            disturbed: facts.disturbance.tasks.clone(),
            disturbed_main: facts.disturbance.lanes[0].between(),
            disturbed_wall: facts.disturbed_wall(),
            disturbance: facts.exposed_run().disturbance(),
            devices: devices.collect(),
        }
    }
}
