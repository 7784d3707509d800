//! Projects a job to more tasks and more machines than were recorded.

use std::collections::BTreeSet;
use std::fmt;

use batt_base::Rng;
use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError, is_waiting};
use crate::figure::{Measured, Projected};
use crate::simulation::{Bounds, Model, Simulated, simulated_tasks};
use crate::stats::{median, quantile};
use crate::table::Table;
use crate::view::devices::same_devices;
use crate::view::phases;

/// The job to project to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// Number of machines. By default, as recorded.
    pub nodes: Option<u64>,
    /// Number of cores of each. By default, the mean of the recorded machines, or the number of worker threads.
    pub cores: Option<u64>,
    /// Number of tasks. By default, as recorded.
    pub tasks: Option<u64>,
    /// Speed of the machines, relative to the recorded ones.
    pub speed: f64,
    /// Time to fill with tasks, in nanoseconds.
    pub time: Option<f64>,
}

/// A job on a cluster, projected by drawing tasks from the recorded ones.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Scale {
    /// Number of tasks of the projected job.
    pub tasks: u64,
    /// Number of cores of a machine.
    pub cores_per_node: u64,
    /// Speed of the machines, relative to the recorded ones.
    pub speed: f64,
    pub basis: ScaleBasis,
    /// The job on the requested number of machines.
    pub projected: ScaleRow,
    /// The same for one machine, for powers of two and for the requested number.
    pub rows: Vec<ScaleRow>,
    /// The number of tasks that fit into a time. Null if no time was given.
    pub budget: Option<ScaleBudget>,
    /// Limits of the projection, in words.
    pub limits: Vec<String>,
    /// Reasons to doubt the projection, in words.
    pub warnings: Vec<String>,
}

/// The measurements that a projection is based on.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct ScaleBasis {
    /// Number of recorded tasks.
    pub tasks: usize,
    /// Number of recorded machines; 0 if the job did not run on a cluster.
    pub machines: usize,
    /// Mean work of a recorded task, in nanoseconds.
    pub mean_task: f64,
    /// Work of the longest recorded task.
    pub longest_task: Measured,
    /// Busy time of a core between tasks, for each task, in nanoseconds.
    pub set_up_per_task: f64,
    /// Time that a core waited for the network for each task, in nanoseconds.
    pub network_per_task: f64,
    /// Time of the driver for each task, in nanoseconds. The driver handles tasks one after the other.
    pub driver_per_task: f64,
    /// Number of draws. The ranges are from 5 % to 95 % of them.
    pub draws: usize,
    /// Number of tasks of the largest job that are simulated one by one; the tasks before them take their mean
    /// time.
    pub simulated_tasks: u64,
}

/// A projected job. Ranges are from 5 % to 95 % of the draws.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct ScaleRow {
    /// Number of machines.
    pub nodes: u64,
    /// Number of cores of all machines.
    pub cores: u64,
    /// Time from the first task to the last, in nanoseconds.
    pub wall: Projected,
    /// Tasks per second.
    pub throughput: Projected,
    /// Time from the moment when the first core has no more work until the end, in nanoseconds.
    pub tail: Projected,
    /// Share of the time of all cores in which they work, from 0 to 1.
    pub utilisation: Projected,
    /// The part that limits the speed, in words.
    pub bottleneck: String,
}

/// The number of tasks that fit into a time.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct ScaleBudget {
    /// The usable time, in nanoseconds.
    pub time_ns: f64,
    /// The number of tasks, from 5 % to 95 % of the draws.
    pub tasks: Projected,
}

/// Maximum number of cores.
const MAX_CORES: u64 = 1_000_000;
/// Maximum number of tasks.
const MAX_TASKS: u64 = 1_000_000_000_000;
/// Number of tasks to draw in all, which takes about two seconds.
const DRAWN: u64 = 20_000_000;
/// Minimum and maximum number of draws.
const DRAWS: (u64, u64) = (5, 200);
/// The same record always gives the same projection.
const SEED: u64 = 0x5eed;

impl Scale {
    pub fn new(facts: &Facts<'_>, plan: Plan) -> Result<Scale, ReportError> {
        let fail = |text: String| Err(ReportError::Question(text));
        let nodes = plan.nodes.unwrap_or(facts.profile.machines.len().max(1) as u64);
        let cores = plan.cores.unwrap_or_else(|| recorded_cores(facts));
        let tasks = plan.tasks.unwrap_or(facts.every.len() as u64);
        let positive = |number: f64| number.is_finite() && number > 0.0;
        if nodes == 0 || cores == 0 || tasks == 0 {
            return fail("the numbers of nodes, cores and tasks must be above 0".to_owned());
        }
        if !positive(plan.speed) || !plan.time.is_none_or(positive) {
            return fail("time and speed must be above 0, and the quota above 0 and at most 1".to_owned());
        }
        if nodes.saturating_mul(cores) > MAX_CORES || tasks > MAX_TASKS {
            let (cores, tasks) = (grouped(MAX_CORES), grouped(MAX_TASKS));
            return fail(format!("a projection has at most {cores} cores in all, and {tasks} tasks"));
        }
        let n = facts.every.len();
        let works: Vec<u64> = facts.every.iter().map(|task| work(facts, &task.booked)).collect();
        let network_per_task = facts.in_category(Category::Network) as f64 / n as f64;
        let set_up_per_task = set_up_time(facts) as f64 / n as f64;
        let driver_per_task = driver_time(facts) as f64 / n as f64;
        let model = Model {
            work: works.iter().map(|ns| (*ns as f64 / plan.speed).max(1.0)).collect(),
            overhead: set_up_per_task / plan.speed + network_per_task,
            driver: driver_per_task,
        };
        let sizes = sizes(nodes);
        let each = sizes.iter().map(|nodes| simulated_tasks(tasks, nodes * cores));
        let fit = plan.time.map_or(0, |_| simulated_tasks(MAX_TASKS, nodes * cores));
        let draws = (DRAWN / (each.sum::<u64>() + fit)).clamp(DRAWS.0, DRAWS.1);
        let rows: Vec<ScaleRow> =
            sizes.iter().map(|nodes| row(&model, tasks, (*nodes, cores), draws)).collect();
        let budget = plan.time.map(|time_ns| {
            let fitting = |population: &Model, rng: &mut Rng| population.fitting(time_ns, nodes * cores, rng);
            let fitting: Vec<f64> = drawn(&model, draws, fitting).into_iter().map(|n| n as f64).collect();
            ScaleBudget { time_ns, tasks: range(&fitting) }
        });
        let basis = ScaleBasis {
            tasks: n,
            machines: facts.profile.machines.len(),
            mean_task: works.iter().sum::<u64>() as f64 / n as f64,
            longest_task: Measured(works.iter().copied().max().unwrap_or(0)),
            set_up_per_task,
            network_per_task,
            driver_per_task,
            draws: draws as usize,
            simulated_tasks: simulated_tasks(tasks, nodes * cores),
        };
        let Some(projected) = rows.last().cloned() else { return Err(ReportError::Empty) };
        let mut limits = limits(&basis, tasks, plan.speed);
        limits.extend(same_devices(facts));
        if let Some(share) = facts.disturbance.share().filter(|_| facts.disturbance.is_large()) {
            let share = percent(share);
            limits.push(format!(
                "the recorded times include {share} of disturbance; without it, the job is shorter"
            ));
        }
        let warnings = phases::warnings(&phases::slowest(facts), tasks as usize);
        let (cores_per_node, speed) = (cores, plan.speed);
        Ok(Scale { tasks, cores_per_node, speed, basis, projected, rows, budget, limits, warnings })
    }
}

/// Returns the number of cores of a machine as recorded.
fn recorded_cores(facts: &Facts<'_>) -> u64 {
    let machines = &facts.profile.machines;
    match machines.len() {
        0 => facts.threads().count().saturating_sub(1).max(1) as u64,
        n => {
            let cores = machines.iter().map(|machine| machine.cores).sum::<usize>() as f64;
            (cores / n as f64).round().max(1.0) as u64
        }
    }
}

/// Returns the time without waiting.
fn work(facts: &Facts<'_>, booked: &[batt_record::profile::Booked]) -> u64 {
    booked.iter().filter(|it| !is_waiting(facts.function(it.0))).map(|it| it.1).sum()
}

/// Returns how long the lanes that ran tasks were busy between them.
fn set_up_time(facts: &Facts<'_>) -> u64 {
    let lanes: BTreeSet<u32> = facts.profile.tasks.iter().map(|task| task.lane).collect();
    // The main lane is the driver.
    let lanes = lanes.into_iter().filter(|lane| *lane > 0);
    lanes.map(|lane| work(facts, &facts.profile.lanes[lane as usize].between)).sum()
}

/// Returns how long the driver was busy while tasks ran; 0 without a cluster.
fn driver_time(facts: &Facts<'_>) -> u64 {
    if !facts.is_cluster() {
        return 0;
    }
    let main = &facts.profile.lanes[0];
    let within =
        |(from, to): (u64, u64), (start, end): (u64, u64)| to.min(end).saturating_sub(from.max(start));
    let busy = facts.windows().into_iter().map(|window| {
        let waited: u64 = main.waits.iter().map(|wait| within(*wait, window)).sum();
        within((main.start, main.end), window).saturating_sub(waited)
    });
    // Without a list of waits, this is the limit.
    busy.sum::<u64>().min(work(facts, &main.between))
}

/// Returns 1 and the powers of two below `nodes`, and `nodes`.
fn sizes(nodes: u64) -> Vec<u64> {
    let powers = std::iter::successors(Some(1u64), |n| n.checked_mul(2));
    powers.take_while(|n| *n < nodes).chain([nodes]).collect()
}

/// Repeats a simulation, each time with tasks drawn from another population. The random numbers depend only on
/// the number of the draw, so that jobs of different sizes are compared on the same tasks.
fn drawn<T>(model: &Model, draws: u64, simulate: impl Fn(&Model, &mut Rng) -> T) -> Vec<T> {
    let draw = |number| {
        let mut rng = Rng::of(SEED, "scale", number);
        let population = model.resampled(&mut rng);
        simulate(&population, &mut rng)
    };
    (0..draws).map(draw).collect()
}

fn row(model: &Model, tasks: u64, (nodes, cores): (u64, u64), draws: u64) -> ScaleRow {
    let cores = nodes * cores;
    let jobs = drawn(model, draws, |population, rng| population.run(tasks, cores, rng));
    let column = |figure: &dyn Fn(&Simulated) -> f64| jobs.iter().map(figure).collect::<Vec<f64>>();
    let middle = |bound: &dyn Fn(&Bounds) -> f64| median(&column(&|job| bound(&job.bounds))).unwrap_or(0.0);
    let bounds = Bounds {
        cores: middle(&|it| it.cores),
        driver: middle(&|it| it.driver),
        longest: middle(&|it| it.longest),
    };
    ScaleRow {
        nodes,
        cores,
        wall: range(&column(&|job| job.wall)),
        throughput: range(&column(&|job| tasks as f64 / job.wall * 1e9)),
        tail: range(&column(&|job| job.tail)),
        utilisation: range(&column(&|job| job.utilisation)),
        bottleneck: bottleneck(&bounds, model),
    }
}

fn range(values: &[f64]) -> Projected {
    let at = |share| quantile(values, share).unwrap_or(0.0);
    Projected { low: at(0.05), middle: at(0.5), high: at(0.95) }
}

/// Names the largest of the lower bounds.
fn bottleneck(bounds: &Bounds, model: &Model) -> String {
    let Bounds { cores, driver, longest } = *bounds;
    if driver > cores.max(longest) {
        format!("the driver: {} a task", brief_ns(model.driver))
    } else if longest > cores {
        format!("the longest task: {}", brief_ns(longest))
    } else if model.overhead > model.mean() {
        format!("the overhead of a task: {}", brief_ns(model.overhead))
    } else {
        "the cores".to_owned()
    }
}

fn limits(basis: &ScaleBasis, tasks: u64, speed: f64) -> Vec<String> {
    let mut limits = vec![
        format!("no task can be longer than the longest recorded one, {}", basis.longest_task),
        match speed == 1.0 {
            true => "every core is assumed to be as fast as the recorded ones".to_owned(),
            false => format!(
                "every core is assumed to work {speed} times as fast as the recorded ones; driver and \
                 network are as recorded"
            ),
        },
        "the time before the first task and after the last, to load and to write, is not included".to_owned(),
    ];
    if basis.machines == 0 {
        limits.push(
            "no cluster was recorded, so overhead of the network and of the driver is not included"
                .to_owned(),
        );
    } else {
        limits.push(
            "network and driver are assumed to need as long for each task as recorded; a short record includes \
             work that long jobs do less often, such as saving"
                .to_owned(),
        );
        if basis.network_per_task == 0.0 {
            limits.push("no time was recorded for the network, so its overhead is not included".to_owned());
        }
    }
    if basis.simulated_tasks < tasks {
        let simulated = grouped(basis.simulated_tasks);
        limits.push(format!("the last {simulated} tasks are simulated; those before take their mean time"));
    }
    limits
}

/// Formats a number with three digits.
pub(crate) fn brief_number(value: f64) -> String {
    match value {
        value if value >= 100.0 => {
            let step = 10u64.pow(value.log10().floor() as u32 - 2);
            grouped((value / step as f64).round() as u64 * step)
        }
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value if value > 0.0 => format!("{value:.*}", (2.0 - value.log10().floor()) as usize),
        _ => "0".to_owned(),
    }
}

fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// Formats an estimate and its range.
pub(crate) fn estimate(it: &Projected, text: impl Fn(f64) -> String) -> String {
    match it.low == it.high {
        true => format!("≈ {}", text(it.middle)),
        false => format!("≈ {} ({} to {})", text(it.middle), text(it.low), text(it.high)),
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scale { basis, projected, .. } = self;
        let job = format!(
            "{} on {} of {}",
            counted(self.tasks, "task"),
            counted(projected.nodes, "node"),
            counted(self.cores_per_node, "core")
        );
        let from = match basis.machines {
            0 => String::new(),
            n => format!(" on {}", counted(n as u64, "machine")),
        };
        writeln!(f, "projected: {job}, from {} recorded{from}", counted(basis.tasks as u64, "task"))?;
        writeln!(
            f,
            "recorded for each task: work {} (at most {}), set-up {}, network {}, driver {}",
            brief_ns(basis.mean_task),
            basis.longest_task,
            brief_ns(basis.set_up_per_task),
            brief_ns(basis.network_per_task),
            brief_ns(basis.driver_per_task)
        )?;
        let mut table = Table::new(&["", ""], 1);
        for (name, figure) in [
            ("wall", projected.wall.to_string()),
            ("throughput", format!("{} tasks/s", estimate(&projected.throughput, brief_number))),
            ("tail", projected.tail.to_string()),
            ("utilisation", estimate(&projected.utilisation, percent)),
            ("bottleneck", projected.bottleneck.clone()),
        ] {
            table.row([name.to_owned(), figure]);
        }
        write!(f, "{table}")?;
        if let Some(ScaleBudget { time_ns, tasks }) = &self.budget {
            writeln!(f, "in {}: {} tasks", brief_ns(*time_ns), estimate(tasks, brief_number))?;
        }
        let head = ["nodes", "cores", "wall", "tasks/s", "tail", "utilisation", "bottleneck"];
        let mut table = Table::new(&head, head.len() - 1);
        for row in &self.rows {
            table.row([
                grouped(row.nodes),
                grouped(row.cores),
                row.wall.to_string(),
                format!("≈ {}", brief_number(row.throughput.middle)),
                format!("≈ {}", brief_ns(row.tail.middle)),
                format!("≈ {}", percent(row.utilisation.middle)),
                row.bottleneck.clone(),
            ]);
        }
        write!(f, "\n{table}")?;
        writeln!(f, "ranges are from 5 % to 95 % of {} draws", basis.draws)?;
        self.limits.iter().try_for_each(|limit| writeln!(f, "limit: {limit}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}
