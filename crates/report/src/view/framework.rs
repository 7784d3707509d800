//! The time of all lanes by category. Every function is in exactly one category.

use std::collections::BTreeMap;
use std::fmt;

use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::Measured;
use crate::table::Table;
use crate::validity::recorder_inside;

/// The time of all threads by category.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Framework {
    /// Wall time.
    pub wall: Measured,
    /// Number of threads.
    pub lanes: usize,
    /// Wall times of all threads together. The categories sum to it.
    pub lane_time: Measured,
    /// Time of all threads without waiting.
    pub busy: Measured,
    /// The categories: unaccounted time first, then the largest.
    pub categories: Vec<CategoryRow>,
    /// Estimated cost of the recorder in nanoseconds. The categories include it.
    pub recorder_inside: f64,
    /// Number of times that the recorder read the clock.
    pub stamps: u64,
    /// Number of calls that the recorder counted.
    pub counted: u64,
}

/// A category of functions.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct CategoryRow {
    /// Name of the category.
    pub name: String,
    /// Self time of its functions.
    pub time: Measured,
    /// Share of the time of all threads, from 0 to 1.
    pub share: f64,
    /// Its functions, slowest first.
    pub functions: Vec<FunctionRow>,
}

/// The self time of a function.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct FunctionRow {
    /// Name of the function.
    pub name: String,
    /// Phase of the job.
    pub phase: String,
    /// Self time.
    pub time: Measured,
    /// Number of intervals.
    pub stamps: u64,
}

impl Framework {
    pub fn new(facts: &Facts<'_>) -> Framework {
        let profile = facts.profile;
        let lane_time: u64 = profile.lanes.iter().map(|lane| lane.end - lane.start).sum();
        let mut sums = vec![(0, 0); profile.functions.len()];
        let within = profile.tasks.iter().flat_map(|task| &task.booked);
        for (function, ns, stamps) in profile.lanes.iter().flat_map(|lane| &lane.between).chain(within) {
            let sum = &mut sums[*function as usize];
            *sum = (sum.0 + ns, sum.1 + stamps);
        }
        let mut categories: BTreeMap<&str, CategoryRow> = BTreeMap::new();
        for (function, (ns, stamps)) in profile.functions.iter().zip(sums) {
            let row = categories.entry(&function.category).or_insert_with(|| CategoryRow {
                name: function.category.clone(),
                time: Measured(0),
                share: 0.0,
                functions: Vec::new(),
            });
            row.time.0 += ns;
            if stamps > 0 {
                let (name, phase) = (function.name.clone(), function.phase.clone());
                row.functions.push(FunctionRow { name, phase, time: Measured(ns), stamps });
            }
        }
        let mut categories: Vec<CategoryRow> = categories.into_values().collect();
        for row in &mut categories {
            row.share = row.time.0 as f64 / lane_time.max(1) as f64;
            row.functions.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
        }
        // Unaccounted time comes first, then the largest category.
        let is_accounted = |row: &CategoryRow| row.name != Category::Unaccounted.name();
        categories.sort_by(|a, b| {
            is_accounted(a)
                .cmp(&is_accounted(b))
                .then_with(|| b.time.cmp(&a.time))
                .then_with(|| a.name.cmp(&b.name))
        });
        Framework {
            wall: Measured(facts.wall()),
            lanes: profile.lanes.len(),
            lane_time: Measured(lane_time),
            busy: Measured(facts.busy()),
            categories,
            recorder_inside: recorder_inside(facts),
            stamps: profile.lanes.iter().map(|lane| lane.stamps).sum(),
            counted: profile.lanes.iter().map(|lane| lane.counted).sum(),
        }
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TOP: usize = 5;
        let Framework { wall, lanes, lane_time, busy, .. } = self;
        writeln!(f, "wall {wall} · {lanes} lanes · {lane_time} of lane time, {busy} busy")?;
        let mut table = Table::new(&["category", "self", "share", "top functions"], 3);
        for row in &self.categories {
            let top = row.functions.iter().take(TOP).filter(|it| it.time.0 > 0);
            let top: Vec<_> = top.map(|it| format!("{} {}", it.name, it.time)).collect();
            table.row([row.name.clone(), row.time.to_string(), percent(row.share), top.join(" · ")]);
        }
        table.row(["sum".to_owned(), self.lane_time.to_string(), percent(1.0)]);
        write!(f, "{table}")?;
        writeln!(
            f,
            "these rows include about {} for the recorder's {} stamps and {} counted calls, by calibration",
            brief_ns(self.recorder_inside),
            grouped(self.stamps),
            grouped(self.counted)
        )
    }
}
