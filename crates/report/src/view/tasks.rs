//! Tasks that take unusually long, and why.

use std::fmt;

use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError};
use crate::figure::Measured;
use crate::noise;
use crate::stats::{mad, mean, median};
use crate::table::Table;

/// Tasks that take unusually long.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Tasks {
    /// The rule for outliers, in words.
    pub rule: String,
    /// Tasks above this time are outliers, in nanoseconds.
    pub threshold: f64,
    /// Sums over all tasks.
    pub all: Sums,
    /// Sums over the tasks that are not outliers.
    pub without: Sums,
    /// The outliers, slowest first.
    pub outliers: Vec<Outlier>,
}

/// Sums over several tasks.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "TaskSums")]
pub struct Sums {
    /// Number of tasks.
    pub tasks: usize,
    /// Sum of their times.
    pub total: Measured,
    /// Mean time in nanoseconds.
    pub mean: f64,
    /// Median time in nanoseconds.
    pub median: f64,
    /// Longest time.
    pub max: Measured,
}

/// A task that takes unusually long.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Outlier {
    /// Id of the task.
    pub task: String,
    /// Its time.
    pub time: Measured,
    /// Its time divided by the median.
    pub times: f64,
    /// True for the first task of a thread.
    pub cold: bool,
    /// The function that took most of the time.
    pub function: String,
    /// The share of that function, from 0 to 1.
    pub share: f64,
    /// True if the share is partly apportioned, not measured.
    pub apportioned: bool,
    /// Number of cells in all input grids.
    pub cells: u64,
    /// Fuel used.
    pub fuel: u64,
    /// Time in which its thread was ready to run and did not. Null if not measured.
    pub disturbed: Option<Measured>,
    /// False if it may be an outlier only because it was disturbed.
    pub sure: bool,
    /// Limits that programs ran into, as names of verdicts: `fuel`, `deadline`, `too_large`.
    pub limits: Vec<String>,
}

impl Tasks {
    /// Finds the tasks that are more than `k` deviations above the median.
    pub fn new(facts: &Facts<'_>, k: f64) -> Result<Tasks, ReportError> {
        if !(k.is_finite() && k > 0.0) {
            return Err(ReportError::Question("the number of deviations must be above 0".to_owned()));
        }
        let times: Vec<f64> = facts.tasks.iter().map(|task| (task.end - task.start) as f64).collect();
        let middle = median(&times).ok_or(ReportError::Empty)?;
        // The factor 1.4826 scales the MAD to the standard deviation of a normal distribution.
        let deviation = 1.4826 * mad(&times).unwrap_or(0.0);
        let threshold = middle + k * deviation;
        // The same for the times without disturbance.
        let quiet = |task: &batt_record::profile::Task| {
            let disturbed = noise::of_task(&facts.profile.functions, task);
            (task.end - task.start).saturating_sub(disturbed) as f64
        };
        let quiet_times: Vec<f64> = facts.tasks.iter().map(|task| quiet(task)).collect();
        let quiet_middle = median(&quiet_times).unwrap_or(0.0);
        let quiet_threshold = quiet_middle + k * 1.4826 * mad(&quiet_times).unwrap_or(0.0);
        let is_out = |task: &&std::borrow::Cow<'_, batt_record::profile::Task>| {
            (task.end - task.start) as f64 > threshold
        };
        let mut outliers: Vec<Outlier> = facts
            .tasks
            .iter()
            .filter(is_out)
            .map(|task| outlier(facts, task, middle, quiet(task) > quiet_threshold))
            .collect();
        outliers.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.task.cmp(&b.task)));
        let within: Vec<f64> = times.iter().copied().filter(|time| *time <= threshold).collect();
        Ok(Tasks {
            rule: format!("time > median + {k} · 1.4826 · MAD"),
            threshold,
            all: sums(&times),
            without: sums(&within),
            outliers,
        })
    }
}

fn sums(times: &[f64]) -> Sums {
    Sums {
        tasks: times.len(),
        total: Measured(times.iter().sum::<f64>() as u64),
        mean: mean(times).unwrap_or(0.0),
        median: median(times).unwrap_or(0.0),
        max: Measured(times.iter().copied().fold(0.0, f64::max) as u64),
    }
}

fn outlier(facts: &Facts<'_>, task: &batt_record::profile::Task, middle: f64, sure: bool) -> Outlier {
    let ns = task.end - task.start;
    let disturbed = noise::of_task(&facts.profile.functions, task);
    // The reason is the function with the most time, of the engine or a primitive.
    let most = facts.task_functions(task).into_iter().max_by_key(|(_, sum)| sum.time());
    let (function, most) = most.unwrap_or_default();
    let outcomes = facts.record.tasks.iter().filter(|it| it.id == task.id).flat_map(|it| &it.programs);
    let verdicts = outcomes.flat_map(|it| it.train.iter().chain(&it.test)).map(|pair| pair.verdict.as_str());
    let limit = |verdict: &&str| ["fuel", "deadline", "too_large"].contains(verdict);
    let mut limits: Vec<String> = verdicts.filter(limit).map(str::to_owned).collect();
    limits.sort();
    limits.dedup();
    Outlier {
        task: task.id.clone(),
        time: Measured(ns),
        times: ns as f64 / middle.max(1.0),
        cold: task.cold,
        function: facts.function(function).name.clone(),
        share: most.time() as f64 / ns.max(1) as f64,
        apportioned: most.apportioned > 0,
        cells: task.cells,
        fuel: task.nodes.iter().map(|node| node.4).sum(),
        disturbed: task.cpu.map(|_| Measured(disturbed)),
        sure,
        limits,
    }
}

impl fmt::Display for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "outliers: {}, here {}", self.rule, brief_ns(self.threshold))?;
        let mut table = Table::new(&["", "tasks", "sum", "mean", "median", "max"], 6);
        for (name, sums) in [("all", &self.all), ("without outliers", &self.without)] {
            table.row([
                name.to_owned(),
                sums.tasks.to_string(),
                sums.total.to_string(),
                brief_ns(sums.mean),
                brief_ns(sums.median),
                sums.max.to_string(),
            ]);
        }
        writeln!(f, "{table}")?;
        if self.outliers.is_empty() {
            return writeln!(f, "no task is an outlier");
        }
        let mut table = Table::new(&["outlier", "time", "median ×", "cells", "fuel", "why"], 5);
        for it in &self.outliers {
            let mark = if it.apportioned { "~" } else { "" };
            let cold = if it.cold { ", first of its lane" } else { "" };
            let limits = if it.limits.is_empty() {
                String::new()
            } else {
                format!(", stopped: {}", it.limits.join(" "))
            };
            let disturbed = match it.disturbed {
                Some(disturbed) if !it.sure => format!(", may be disturbed: did not run for {disturbed}"),
                _ => String::new(),
            };
            table.row([
                it.task.clone(),
                it.time.to_string(),
                format!("{:.0}", it.times),
                grouped(it.cells),
                grouped(it.fuel),
                format!("{} {mark}{}{cold}{limits}{disturbed}", it.function, percent(it.share)),
            ]);
        }
        write!(f, "{table}")
    }
}
