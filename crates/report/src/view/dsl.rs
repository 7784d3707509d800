//! The cost of primitives: calls, self time, priority.

use std::fmt;

use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use batt_trace::Histogram;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::{Apportioned, Measured};
use crate::noise::{Exposed, Range};
use crate::table::Table;
use crate::view::framework::between;

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
    /// Names of the first primitives, if the recording cannot tell which of them is the slowest. Otherwise empty.
    pub tied: Vec<String>,
    /// Time of the first computation of each primitive on each thread. Null unless all tasks are selected.
    pub cold: Option<Measured>,
    /// Whether the ranges are shown.
    #[serde(skip)]
    ranges: bool,
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
    /// Range of the share, which contains the disturbance and the usual difference between recordings.
    pub range: Range,
    /// How much a speed-up would matter, by the share; `UNCLEAR` if the range does not tell.
    pub priority: Priority,
    /// The priorities at both ends of the range.
    pub priority_range: (Priority, Priority),
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
    /// The recording cannot tell.
    Unclear,
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
            Priority::Low | Priority::Minimal | Priority::Unclear => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Priority::High => "HIGH",
            Priority::Medium => "MEDIUM",
            Priority::Low => "LOW",
            Priority::Minimal => "",
            Priority::Unclear => "UNCLEAR",
        }
    }
}

impl Row {
    /// Returns the priority in words, or those between which the recording cannot tell.
    fn priority_text(&self) -> String {
        match self.priority_range {
            (least, most) if least == most => most.name().to_owned(),
            (Priority::Minimal, most) => format!("{} or less", most.name()),
            (Priority::Low, Priority::High) => "LOW to HIGH".to_owned(),
            (least, most) => format!("{} or {}", least.name(), most.name()),
        }
    }
}

impl Dsl {
    pub fn new(facts: &Facts<'_>) -> Dsl {
        let base = facts.base();
        let whole = facts.exposed_base();
        let functions = facts.functions();
        let primitives = functions.iter().filter(|(function, _)| facts.function(**function).primitive);
        let mut rows: Vec<Row> = primitives
            .map(|(function, sum)| {
                let share = sum.time() as f64 / base.max(1) as f64;
                let name = &facts.function(*function).name;
                let spread = facts.primitive_spread(*function, sum.hits);
                let range = Exposed::of(sum).share_of(&whole, spread);
                let priority_range = (Priority::of(range.0), Priority::of(range.1));
                let sure = priority_range.0 == priority_range.1;
                let saved = |share: f64, factor: f64| share * (1.0 - 1.0 / factor);
                let warm = facts.whole.then(|| warm(facts, *function));
                let quantile = |share: f64| warm.as_ref().and_then(|warm| warm.quantile(share));
                Row {
                    name: name.clone(),
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
                    range,
                    priority: if sure { priority_range.0 } else { Priority::Unclear },
                    priority_range,
                    saves: priority_range
                        .0
                        .assumed()
                        .map(|(low, high)| (saved(range.0, low), saved(range.1, high))),
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
            tied: tied(rows.iter().map(|row| (&*row.name, row.range))),
            rows,
            cold,
            ranges: facts.disturbance.is_large(),
        }
    }
}

/// Returns the names of the rows that may be the first by their ranges. Returns none if only one may.
pub(crate) fn tied<'n>(rows: impl Iterator<Item = (&'n str, Range)> + Clone) -> Vec<String> {
    let least = rows.clone().map(|(_, (low, _))| low).fold(0.0, f64::max);
    let may_be_first = rows.filter(|(_, (_, high))| *high > 0.0 && *high >= least);
    let names: Vec<String> = may_be_first.map(|(name, _)| name.to_owned()).collect();
    if names.len() > 1 { names } else { Vec::new() }
}

/// Formats names that cannot be told apart.
pub(crate) fn tie(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = names.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("cannot tell apart: {}{more}", names[..names.len().min(SHOWN)].join(", "))
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
            let saves = match (row.priority_range.0.assumed(), row.saves) {
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
                format!("{mark}{}", if self.ranges { between(row.range) } else { percent(row.share) }),
                row.priority_text(),
                saves,
            ]);
        }
        write!(f, "{table}")?;
        if !self.tied.is_empty() {
            writeln!(f, "{}", tie(&self.tied))?;
        }
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
