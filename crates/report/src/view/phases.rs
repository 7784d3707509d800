//! The phases of a job: fixed cost, cost per task, and a projection.

use std::fmt;

use batt_base::number::percent;
use batt_base::time::brief_ns;
use batt_trace::{Category, Phase};
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError, is_waiting};
use crate::figure::{Measured, Projected};
use crate::stats::{Resampler, line, mean, quantile};
use crate::table::Table;

/// Fixed and marginal cost of each phase, and a projection.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Phases {
    /// Wall time of the last record.
    pub wall: Measured,
    /// Number of tasks of the last record.
    pub tasks: usize,
    /// Time that lanes of the last record waited for other lanes. It is in no row.
    pub idle: Measured,
    /// Time that machines of a cluster waited for work in transit. It is in no row.
    pub network: Measured,
    /// Number of tasks of each record.
    pub sizes: Vec<usize>,
    /// The phases.
    pub rows: Vec<PhaseRow>,
    /// Cost of all phases that does not depend on the number of tasks. The range contains what the records cannot
    /// separate.
    pub fixed: Projected,
    /// Cost of one more task in all phases, with the same kind of range.
    pub per_task: Projected,
    /// How to separate the rest, in words. Null if nothing is left to separate.
    pub remedy: Option<String>,
    /// The projection to a larger run.
    pub projection: Projection,
    /// The five slowest tasks: `[task, time]`.
    pub slowest: Vec<(String, Measured)>,
    /// Reasons to doubt the projection, in words.
    pub warnings: Vec<String>,
}

/// A phase of the job.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct PhaseRow {
    /// Name of the phase.
    pub name: &'static str,
    /// Time over all threads.
    pub time: Measured,
    /// Share of the busy time, from 0 to 1.
    pub share: f64,
    /// Cost that does not depend on the number of tasks, in nanoseconds. Null if unknown.
    pub fixed: Option<f64>,
    /// Cost of one more task, in nanoseconds. Null if unknown.
    pub per_task: Option<f64>,
    /// How the two costs are known, in words.
    pub how: &'static str,
    /// Projected time.
    pub projected: Projected,
}

/// A projection to a larger run.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Projection {
    /// Number of tasks of the projected run.
    pub to_tasks: usize,
    /// Number of tasks of the record.
    pub from_tasks: usize,
    /// Projected time of all threads.
    pub busy: Projected,
    /// Projected wall time, with threads as busy as in the record.
    pub wall: Projected,
    /// Mean number of threads at work while tasks ran.
    pub parallel: f64,
}

/// The rows of the view, with the phases that each includes.
pub(crate) const PARTS: [(&str, &[Phase]); 6] = [
    ("data load", &[Phase::Load]),
    ("code generation", &[Phase::Parse, Phase::Merge]),
    ("execution", &[Phase::WarmUp, Phase::Execute]),
    ("validation", &[Phase::Score]),
    ("output", &[Phase::Write]),
    ("around it", &[Phase::None]),
];

/// Returns the row that a phase belongs to.
pub(crate) fn part_of(phase: &str) -> Option<&'static str> {
    PARTS.iter().find(|(_, phases)| phases.iter().any(|it| it.name() == phase)).map(|(name, _)| *name)
}

/// Maximum number of rounds of resampling.
const ROUNDS: usize = 2000;
/// Maximum number of tasks that are drawn in a round; larger sums are extrapolated.
const DRAWN: usize = 10_000;

impl Phases {
    /// Creates the view of one record, or of several of different sizes.
    pub fn new(recordings: &[Facts<'_>], to_tasks: usize) -> Result<Phases, ReportError> {
        let facts = recordings.last().ok_or(ReportError::Empty)?;
        let sizes: Vec<usize> = recordings.iter().map(|facts| facts.every.len()).collect();
        let n = facts.every.len();
        let busy = facts.busy();
        let draws = TaskProjection::new(facts, to_tasks);
        let mut rows = Vec::new();
        let [mut in_tasks, mut outside, mut all_fixed, mut all_per_task] = [Projected::exactly(0.0); 4];
        for (place, (name, _)) in PARTS.iter().enumerate() {
            let [total, within] = part(facts, place);
            let fit = line(
                &recordings
                    .iter()
                    .zip(&sizes)
                    .map(|(facts, size)| {
                        let [total, within] = part(facts, place);
                        (*size as f64, (total - within) as f64)
                    })
                    .collect::<Vec<_>>(),
            );
            let rest = (total - within) as f64;
            let (scale, to) = (to_tasks as f64 / n as f64, to_tasks as f64);
            let per_task_inside = draws.mean[place];
            let (fixed, per_task, how, rest_projected) = match fit {
                _ if rest == 0.0 => {
                    (Some(0.0), Some(per_task_inside), "measured task by task", Projected::exactly(0.0))
                }
                Some((fixed, slope)) => {
                    let (fixed, slope) = (fixed.max(0.0), slope.max(0.0));
                    let projected = Projected::exactly(fixed + slope * to);
                    (Some(fixed), Some(slope + per_task_inside), "fitted over sizes", projected)
                }
                // Warm-up happens once, so it is fixed.
                None if *name == "execution" => (
                    Some(rest),
                    Some(per_task_inside),
                    "warm-up once, the rest task by task",
                    Projected::exactly(rest),
                ),
                // Programs are read and merged once, before the tasks.
                None if *name == "code generation" => {
                    (Some(rest), Some(per_task_inside), "once, before the tasks", Projected::exactly(rest))
                }
                // Results are summed up task by task.
                None if *name == "validation" => (
                    Some(0.0),
                    Some(per_task_inside + rest / n as f64),
                    "task by task",
                    Projected::exactly(rest * scale),
                ),
                // With one size the fixed part is unknown: between nothing and all of it.
                None => {
                    let (low, high) = (rest.min(rest * scale), rest.max(rest * scale));
                    let projected = Projected { low, middle: (low + high) / 2.0, high };
                    (None, None, "one size cannot separate fixed from marginal cost", projected)
                }
            };
            let between =
                |least: f64, most: f64| Projected { low: least, middle: (least + most) / 2.0, high: most };
            all_fixed = all_fixed.plus(fixed.map_or_else(|| between(0.0, rest), Projected::exactly));
            let most = per_task_inside + rest / n as f64;
            all_per_task = all_per_task
                .plus(per_task.map_or_else(|| between(per_task_inside, most), Projected::exactly));
            in_tasks = in_tasks.plus(draws.projected[place]);
            outside = outside.plus(rest_projected);
            rows.push(PhaseRow {
                name,
                time: Measured(total),
                share: total as f64 / busy.max(1) as f64,
                fixed,
                per_task,
                how,
                projected: draws.projected[place].plus(rest_projected),
            });
        }
        // Adding intervals would be too wide; the interval of the sum is resampled by itself.
        let in_tasks = Projected { low: draws.total.low, high: draws.total.high, ..in_tasks };
        let parallel = parallel(facts);
        // Without the disturbance, everything may have been shorter.
        let quiet = 1.0 - facts.disturbance.share().unwrap_or(0.0);
        let lowered = |it: Projected| Projected { low: it.low * quiet, ..it };
        rows.iter_mut().for_each(|row| row.projected = lowered(row.projected));
        let projection = Projection {
            to_tasks,
            from_tasks: n,
            busy: lowered(in_tasks.plus(outside)),
            wall: lowered(in_tasks.over(parallel).plus(outside)),
            parallel,
        };
        let remedy = rows.iter().any(|row| row.fixed.is_none()).then(|| {
            let (kind, data) = (facts.record.kind.name(), &facts.record.setup.data.name);
            format!(
                "to separate fixed from marginal cost, record half of the tasks with the same options \
                 (`batt {kind} {data} … -n {} --record half.json --profile`), then run \
                 `batt profile phases half.json RECORD`",
                n.div_ceil(2)
            )
        });
        let (fixed, per_task) = (lowered(all_fixed), lowered(all_per_task));
        let mut slowest = slowest(facts);
        let warnings = warnings(&slowest, to_tasks);
        slowest.truncate(5);
        let wall = Measured(facts.wall());
        let [idle, network] = [Category::Idle, Category::Network].map(|it| Measured(facts.in_category(it)));
        Ok(Phases {
            wall,
            tasks: n,
            idle,
            network,
            sizes,
            rows,
            fixed,
            per_task,
            remedy,
            projection,
            slowest,
            warnings,
        })
    }
}

/// Returns the time of a row without waiting: in all, and within tasks.
fn part(facts: &Facts<'_>, place: usize) -> [u64; 2] {
    let (_, phases) = PARTS[place];
    let mine = |function: u32| {
        let function = facts.function(function);
        !is_waiting(function) && phases.iter().any(|phase| phase.name() == function.phase)
    };
    let sum = |booked: &[(u32, u64, u64)]| -> u64 {
        booked.iter().filter(|it| mine(it.0)).map(|(_, ns, _)| ns).sum()
    };
    let within: u64 = facts.profile.tasks.iter().map(|task| sum(&task.booked)).sum();
    let between: u64 = facts.threads().map(|lane| sum(&lane.between)).sum();
    [within + between, within]
}

/// The projected time of the tasks of a larger run, resampled from the recorded ones. The first task of a
/// lane is skipped if there are others, because it includes one-time costs.
struct TaskProjection {
    /// Mean time of a task, by row.
    mean: Vec<f64>,
    projected: Vec<Projected>,
    total: Projected,
}

impl TaskProjection {
    fn new(facts: &Facts<'_>, to_tasks: usize) -> TaskProjection {
        let warm: Vec<_> = facts.every.iter().filter(|task| !task.cold).collect();
        let tasks = if warm.is_empty() { facts.every.iter().collect() } else { warm };
        let parts: Vec<[f64; PARTS.len()]> = tasks
            .iter()
            .map(|task| {
                let mut parts = [0.0; PARTS.len()];
                for (function, ns, _) in &task.booked {
                    let part = part_of(&facts.function(*function).phase);
                    let place = PARTS.iter().position(|(name, _)| Some(*name) == part);
                    parts[place.unwrap_or(PARTS.len() - 1)] += *ns as f64;
                }
                parts
            })
            .collect();
        // The tasks of a larger run are unknown too: first draw a population, then a run from it.
        let drawn = to_tasks.min(DRAWN);
        let rounds = (4_000_000 / drawn.max(1)).clamp(100, ROUNDS);
        let mut resampler = Resampler::new();
        let mut sums: Vec<Vec<f64>> = vec![Vec::new(); PARTS.len() + 1];
        for _ in 0..rounds {
            let population: Vec<_> = (0..parts.len()).map(|_| resampler.pick(&parts)).collect();
            let mut sum = [0.0; PARTS.len()];
            for _ in 0..drawn {
                let task = resampler.pick(&population);
                sum.iter_mut().zip(task).for_each(|(sum, ns)| *sum += ns);
            }
            // The deviation of a sum grows with the square root of the number of tasks.
            let (more, root) = (to_tasks as f64, (to_tasks as f64 / drawn.max(1) as f64).sqrt());
            for (place, sum) in sum.iter_mut().enumerate() {
                let mean = population.iter().map(|task| task[place]).sum::<f64>() / population.len() as f64;
                *sum = mean * more + (*sum - mean * drawn as f64) * root;
            }
            for (sums, sum) in sums.iter_mut().zip(sum.iter().copied().chain([sum.iter().sum()])) {
                sums.push(sum);
            }
        }
        let column = |place: usize| parts.iter().map(|parts| parts[place]).collect::<Vec<_>>();
        let mean: Vec<f64> = (0..PARTS.len()).map(|place| mean(&column(place)).unwrap_or(0.0)).collect();
        let interval = |sums: &[f64], middle: f64| Projected {
            low: quantile(sums, 0.025).unwrap_or(middle),
            middle,
            high: quantile(sums, 0.975).unwrap_or(middle),
        };
        let to = to_tasks as f64;
        let total = interval(&sums[PARTS.len()], mean.iter().sum::<f64>() * to);
        let projected = (0..PARTS.len()).map(|place| interval(&sums[place], mean[place] * to)).collect();
        TaskProjection { mean, projected, total }
    }
}

/// Returns the mean number of busy workers while tasks ran.
fn parallel(facts: &Facts<'_>) -> f64 {
    let waited: u64 = facts.windows().iter().map(|(from, to)| to - from).sum();
    let worked: u64 = facts.profile.tasks.iter().map(|task| task.end - task.start).sum();
    (worked as f64 / waited.max(1) as f64).max(1.0).min(facts.workers() as f64)
}

/// Returns all tasks with their times, the slowest first.
pub(crate) fn slowest(facts: &Facts<'_>) -> Vec<(String, Measured)> {
    let mut slowest: Vec<(String, Measured)> =
        facts.every.iter().map(|task| (task.id.clone(), Measured(task.end - task.start))).collect();
    slowest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    slowest
}

/// Returns reasons to doubt a projection. `slowest` has all tasks, the slowest first.
pub(crate) fn warnings(slowest: &[(String, Measured)], to_tasks: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let total: u64 = slowest.iter().map(|(_, ns)| ns.0).sum();
    let mut sum = 0;
    let heavy = slowest.iter().take_while(|(_, ns)| {
        let more = 2 * sum < total;
        sum += ns.0;
        more
    });
    let heavy = heavy.count();
    let n = slowest.len();
    if heavy * 20 <= n {
        warnings.push(format!(
            "heavy tail: {heavy} of {n} tasks take half of the time; the projection depends on how many \
             such tasks there are"
        ));
    }
    // With a probability of 5 %, n tasks include none of a kind that makes up this share of all tasks.
    let unseen = 1.0 - 0.05f64.powf(1.0 / n as f64);
    if to_tasks > n && unseen > 0.01 {
        warnings.push(format!(
            "{n} tasks are too few to show rare kinds: up to {} of all tasks may be of a kind not seen \
             here, however slow",
            percent(unseen)
        ));
    }
    warnings
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Projection { to_tasks, from_tasks, busy, wall, parallel } = &self.projection;
        writeln!(f, "wall {} for {} tasks; time of all lanes, without waiting:", self.wall, self.tasks)?;
        let to = format!("for {to_tasks} tasks");
        let mut table = Table::new(&["phase", "time", "share", "fixed", "per task", &to, ""], 5);
        for row in &self.rows {
            let maybe = |ns: Option<f64>| ns.map_or("?".to_owned(), brief_ns);
            table.row([
                row.name.to_owned(),
                row.time.to_string(),
                percent(row.share),
                maybe(row.fixed),
                maybe(row.per_task),
                row.projected.to_string(),
                row.how.to_owned(),
            ]);
        }
        write!(f, "{table}")?;
        if self.network.0 > 0 {
            writeln!(f, "not in the table: idle {}, network {}", self.idle, self.network)?;
        }
        writeln!(f, "projected from {from_tasks} to {to_tasks} tasks (95 % interval): lane time {busy}")?;
        writeln!(f, "wall {wall}, with {parallel:.2} workers busy on average, as recorded")?;
        writeln!(f, "fixed cost {}, each further task {}, of lane time", self.fixed, self.per_task)?;
        if let Some(remedy) = &self.remedy {
            writeln!(f, "{remedy}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        let slowest: Vec<_> = self.slowest.iter().map(|(id, ns)| format!("{id} {ns}")).collect();
        writeln!(f, "slowest: {}", slowest.join(", "))
    }
}
