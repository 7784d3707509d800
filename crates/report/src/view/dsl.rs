//! The cost of primitives: calls, self time, priority.

use std::fmt;

use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use batt_trace::Histogram;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::{Apportioned, Measured};
use crate::table::Table;

/// The cost of each primitive.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Dsl {
    /// The time that shares refer to: the busy time of all threads, or the time of the selected tasks.
    pub base: Measured,
    /// True if all tasks are selected.
    pub whole: bool,
    /// Number of selected tasks.
    pub tasks: usize,
    /// True if every call was timed (`--deep`), so that nothing is apportioned.
    pub deep: bool,
    /// Time of all primitives together.
    pub primitives: Measured,
    /// The primitives, slowest first.
    pub rows: Vec<Row>,
    /// Time of the first computation of each primitive on each thread. Null unless all tasks are selected.
    pub cold: Option<Measured>,
}

/// The cost of a primitive.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "PrimitiveRow")]
pub struct Row {
    /// Name of the primitive.
    pub name: String,
    /// Category of its family, such as `primitives: object`.
    pub family: String,
    /// Nodes computed.
    pub hits: u64,
    /// Calls through function values.
    pub calls: u64,
    /// Nodes that failed.
    pub fails: u64,
    /// Number of tasks that use it.
    pub tasks: u64,
    /// Measured self time.
    pub measured: Measured,
    /// Apportioned self time.
    pub apportioned: Apportioned,
    /// Fuel used.
    pub fuel: u64,
    /// Bytes that its nodes allocated.
    pub bytes: u64,
    /// Median time of one computation in nanoseconds, first ones excluded. Null unless all tasks are selected.
    pub median: Option<u64>,
    /// 99th percentile of the same times.
    pub p99: Option<u64>,
    /// Share of the base, from 0 to 1.
    pub share: f64,
    /// How much a speed-up would matter, by the share.
    pub priority: Priority,
    /// Share of the base that a speed-up would save, `[low, high]`, for assumed factors. Null for low priorities.
    pub saves: Option<(f64, f64)>,
}

/// How much a speed-up would matter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Priority {
    /// Above 10 % of the base.
    High,
    /// 5 % to 10 %.
    Medium,
    /// 1 % to 5 %.
    Low,
    /// Below 1 %.
    Minimal,
}

impl Priority {
    /// Returns the priority for a share of self time.
    pub fn of(share: f64) -> Priority {
        match share {
            share if share > 0.10 => Priority::High,
            share if share >= 0.05 => Priority::Medium,
            share if share >= 0.01 => Priority::Low,
            _ => Priority::Minimal,
        }
    }

    /// Assumed speed-ups for such a primitive; guesses.
    fn assumed(self) -> Option<(f64, f64)> {
        match self {
            Priority::High => Some((3.0, 6.0)),
            Priority::Medium => Some((2.0, 4.0)),
            Priority::Low | Priority::Minimal => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Priority::High => "HIGH",
            Priority::Medium => "MEDIUM",
            Priority::Low => "LOW",
            Priority::Minimal => "",
        }
    }
}

impl Dsl {
    pub fn new(facts: &Facts<'_>) -> Dsl {
        let base = facts.base();
        let functions = facts.functions();
        let primitives = functions.iter().filter(|(function, _)| facts.function(**function).primitive);
        let mut rows: Vec<Row> = primitives
            .map(|(function, sum)| {
                let share = sum.time() as f64 / base.max(1) as f64;
                let priority = Priority::of(share);
                let saved = |factor: f64| share * (1.0 - 1.0 / factor);
                let warm = facts.whole.then(|| warm(facts, *function));
                let quantile = |share: f64| warm.as_ref().and_then(|warm| warm.quantile(share));
                Row {
                    name: facts.function(*function).name.clone(),
                    family: facts.function(*function).category.clone(),
                    hits: sum.hits,
                    calls: sum.calls,
                    fails: sum.fails,
                    tasks: sum.tasks,
                    measured: Measured(sum.measured),
                    apportioned: Apportioned(sum.apportioned),
                    fuel: sum.fuel,
                    bytes: sum.bytes,
                    median: quantile(0.5),
                    p99: quantile(0.99),
                    share,
                    priority,
                    saves: priority.assumed().map(|(low, high)| (saved(low), saved(high))),
                }
            })
            .collect();
        rows.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
        let primitives = facts.profile.lanes.iter().flat_map(|lane| &lane.primitives);
        let cold = facts.whole.then(|| Measured(primitives.map(|it| it.cold).sum()));
        Dsl {
            base: Measured(base),
            whole: facts.whole,
            tasks: facts.tasks.len(),
            deep: facts.profile.deep,
            primitives: Measured(rows.iter().map(|row| row.measured.0 + row.apportioned.0).sum()),
            rows,
            cold,
        }
    }
}

/// Returns the times of single computations of a primitive on all lanes, without the first of each lane.
pub(crate) fn warm(facts: &Facts<'_>, function: u32) -> Histogram {
    let mut all = Histogram::default();
    let primitives = facts.profile.lanes.iter().flat_map(|lane| &lane.primitives);
    for (step, count) in primitives.filter(|it| it.function == function).flat_map(|it| &it.warm) {
        all.add_step(*step, *count);
    }
    all
}

impl fmt::Display for Dsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.primitives.0 as f64 / self.base.0.max(1) as f64;
        writeln!(
            f,
            "primitives take {} of {} {}, {}, over {} tasks",
            self.primitives,
            self.base,
            if self.whole { "busy time" } else { "in these tasks" },
            percent(share),
            self.tasks
        )?;
        let mut table = Table::new(
            &[
                "primitive",
                "nodes",
                "calls",
                "self",
                "apportioned",
                "median",
                "p99",
                "per task",
                "share",
                "priority",
                "if faster",
            ],
            9,
        );
        let shown = self.rows.iter().filter(|row| row.share >= 0.001);
        for row in shown.clone() {
            let maybe = |ns: Option<u64>| ns.map_or(String::new(), |ns| brief_ns(ns as f64));
            let total = row.measured.0 + row.apportioned.0;
            let saves = match (row.priority.assumed(), row.saves) {
                (Some((low, high)), Some((least, most))) => {
                    format!("{low:.0}–{high:.0}× assumed: −{} to −{}", percent(least), percent(most))
                }
                _ => String::new(),
            };
            let mark = if row.apportioned.0 > 0 { "~" } else { "" };
            table.row([
                row.name.clone(),
                if row.hits > 0 { grouped(row.hits) } else { String::new() },
                if row.calls > 0 { grouped(row.calls) } else { String::new() },
                row.measured.to_string(),
                row.apportioned.to_string(),
                maybe(row.median),
                maybe(row.p99),
                format!("{mark}{}", brief_ns(total as f64 / row.tasks.max(1) as f64)),
                format!("{mark}{}", percent(row.share)),
                row.priority.name().to_owned(),
                saves,
            ]);
        }
        write!(f, "{table}")?;
        let rest = self.rows.len() - shown.count();
        if rest > 0 {
            writeln!(f, "and {rest} primitives below 0.1 %")?;
        }
        if self.rows.iter().any(|row| row.apportioned.0 > 0) {
            writeln!(
                f,
                "~ apportioned: the time of a node with nested calls is split by fuel, at each primitive's rate; \
                 --deep measures it"
            )?;
        }
        match self.cold {
            Some(cold) => {
                writeln!(
                    f,
                    "first computations (cold), {cold} in all, are in the sums but not in median and p99"
                )
            }
            None => writeln!(f, "median and p99 are available only for all tasks together"),
        }
    }
}
