//! How much fits into a time budget.

use std::fmt;

use batt_base::number::{count, grouped, percent};
use batt_base::time::brief_ns;
use batt_record::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError};
use crate::figure::{Measured, Projected};
use crate::stats::median;
use crate::table::Table;
use crate::view::devices::same_devices;
use crate::view::dsl::warm;
use crate::view::what_if::{Speedup, WhatIf};

/// The usable part of the budget, and the speed of the machine.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Quota {
    /// Usable share of the time, from 0 to 1.
    pub share: f64,
    /// Speed of the target machine, relative to this one.
    pub speed: f64,
}

/// How much fits into a time budget.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Budget {
    /// The budget in nanoseconds.
    pub budget_ns: f64,
    pub quota: Quota,
    /// Wall time of the recorded run.
    pub wall: Measured,
    /// Extra time of the first run in a process, in nanoseconds.
    pub cold_start: f64,
    /// True if the recorded run was not the first in its process.
    pub warm: bool,
    /// How the cold start is known, in words.
    pub cold_from: &'static str,
    /// Pairs of a program and a task in one run. Null for a solve or a search.
    pub candidates: Option<u64>,
    /// How many runs fit, as a sentence.
    pub sentence: String,
    /// The assumptions of the sentence.
    pub assumptions: Vec<String>,
    /// Limits of the projection, in words.
    pub limits: Vec<String>,
    /// As recorded, with each what-if, and with all of them.
    pub rows: Vec<BudgetRow>,
}

/// Number of runs that fit into the budget.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct BudgetRow {
    /// `as recorded`, or the what-if.
    pub name: String,
    /// Time of one run on the target machine.
    pub wall: Projected,
    /// Number of runs, each in its own process.
    pub runs_cold: u64,
    /// Number of runs, all in one process.
    pub runs_warm: u64,
    /// Range of `runs_warm`, by the range of the time of one run.
    pub runs_warm_range: (u64, u64),
    /// Pairs of a program and a task in `runs_warm` runs. Null for a solve or a search.
    pub candidates: Option<u64>,
}

impl Budget {
    /// Computes the budget as recorded, with each what-if by itself, and with all of them.
    pub fn new(
        facts: &Facts<'_>,
        budget_ns: f64,
        quota: Quota,
        what_ifs: &[Speedup],
    ) -> Result<Budget, ReportError> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        if !positive(budget_ns) || !positive(quota.speed) || !positive(quota.share) || quota.share > 1.0 {
            return Err(ReportError::Question(
                "budget and speed must be above 0, and the quota above 0 and at most 1".to_owned(),
            ));
        }
        let wall = facts.wall() as f64;
        let (cold_start, cold_from) = cold_start(facts);
        let warm = facts.profile.repeats.len() > 1;
        let cold_start = if warm { cold_start } else { cold_start.min(wall) };
        let pairs = facts.record.tasks.iter().map(|task| task.programs.len() as u64);
        let candidates = (!facts.record.is_search()).then(|| pairs.sum::<u64>());
        let usable = budget_ns * quota.share * quota.speed;
        let first_and_next = |run: f64| {
            let run = run.max(1.0);
            if warm { (run + cold_start, run) } else { (run, (run - cold_start).max(1.0)) }
        };
        let runs_warm = |run: f64| {
            let (first, next) = first_and_next(run);
            if usable < first { 0 } else { 1 + ((usable - first) / next) as u64 }
        };
        let row = |name: String, predicted: Projected| {
            let Projected { low, middle, high } = predicted;
            let runs_warm_range = (runs_warm(high), runs_warm(low));
            let runs_warm = runs_warm(middle);
            BudgetRow {
                name,
                wall: predicted.over(quota.speed),
                runs_cold: (usable / first_and_next(middle).0) as u64,
                runs_warm,
                runs_warm_range,
                candidates: candidates.map(|each| runs_warm.saturating_mul(each)),
            }
        };
        // Without the disturbance, the run may have been shorter.
        let recorded = Projected { low: wall - facts.disturbed_wall() as f64, middle: wall, high: wall };
        let mut rows = vec![row("as recorded".to_owned(), recorded)];
        for one in what_ifs {
            let predicted = WhatIf::new(facts, std::slice::from_ref(one))?.predicted;
            rows.push(row(format!("{}={}x", one.name, one.factor), predicted));
        }
        if what_ifs.len() > 1 {
            rows.push(row("all of these".to_owned(), WhatIf::new(facts, what_ifs)?.predicted));
        }
        let wall = Measured(facts.wall());
        let limits = same_devices(facts).into_iter().collect();
        let sentence = sentence(facts, budget_ns, &rows[0]);
        let assumptions = assumptions(facts, quota, cold_start);
        Ok(Budget {
            budget_ns,
            quota,
            wall,
            cold_start,
            warm,
            cold_from,
            candidates,
            sentence,
            assumptions,
            limits,
            rows,
        })
    }
}

fn sentence(facts: &Facts<'_>, budget_ns: f64, row: &BudgetRow) -> String {
    let noun = match facts.record.kind {
        Kind::Run => "run",
        Kind::Solve => "solve",
        Kind::Search => "search",
    };
    let plural = match (row.runs_warm, noun) {
        (1, noun) => noun.to_owned(),
        (_, "search") => "searches".to_owned(),
        (_, noun) => format!("{noun}s"),
    };
    let (least, most) = row.runs_warm_range;
    let range = match least == most {
        true => String::new(),
        false => format!(" ({} to {})", grouped(least), grouped(most)),
    };
    format!(
        "{} {plural} of {}{range} fit into {}, one after the other in one process, at {} each.",
        grouped(row.runs_warm),
        count(facts.every.len(), "task"),
        brief_ns(budget_ns),
        row.wall
    )
}

fn assumptions(facts: &Facts<'_>, quota: Quota, cold_start: f64) -> Vec<String> {
    let mut list =
        vec![format!("every {} is like the recorded one, with the recorder on", facts.record.kind.name())];
    list.push(match quota.speed {
        1.0 => "the machine is as fast as the recorded one".to_owned(),
        speed => format!("the machine is {speed} times as fast as the recorded one"),
    });
    if quota.share < 1.0 {
        list.push(format!("{} of the time can be used", percent(quota.share)));
    }
    list.push(format!("only the first starts cold, which takes {} more", brief_ns(cold_start)));
    if facts.disturbed_wall() > 0 {
        list.push(
            "other work disturbs each like the recorded one; the range goes to no disturbance".to_owned(),
        );
    }
    list
}

/// Measured directly if the run was repeated in one process; otherwise estimated from first computations.
fn cold_start(facts: &Facts<'_>) -> (f64, &'static str) {
    let walls: Vec<f64> = facts.profile.repeats.iter().map(|repeat| repeat.wall as f64).collect();
    if let [first, later @ ..] = &walls[..]
        && let Some(later) = median(later)
    {
        return ((first - later).max(0.0), "the first repetition minus the others");
    }
    let sums = facts.booked();
    let warm_up = sums.iter().zip(&facts.profile.functions);
    let warm_up =
        warm_up.filter(|(_, it)| it.phase == batt_trace::Phase::WarmUp.name()).map(|(ns, _)| *ns as f64);
    let primitives = facts.profile.lanes.iter().flat_map(|lane| &lane.primitives);
    let first = primitives.map(|it| {
        let usual = warm(facts, it.function).quantile(0.5).unwrap_or(it.cold);
        it.cold.saturating_sub(usual) as f64
    });
    let workers = facts.workers() as f64;
    (
        warm_up.sum::<f64>() + first.sum::<f64>() / workers,
        "warm-up and first computations; --repeat measures it",
    )
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence)?;
        writeln!(f, "assumed: {}", self.assumptions.join("; "))?;
        let Quota { share, speed } = self.quota;
        let pairs = self.candidates.map(|n| format!("{} pairs of program and task in ", grouped(n)));
        writeln!(
            f,
            "{} of time, {} of it usable, on a machine {speed} times as fast as this one; {}a run of {}",
            brief_ns(self.budget_ns),
            percent(share),
            pairs.unwrap_or_default(),
            self.wall
        )?;
        let included = if self.warm { "not in the recorded run" } else { "in the recorded run" };
        writeln!(f, "cold start ≈ {}, {included} ({})", brief_ns(self.cold_start), self.cold_from)?;
        let mut head = vec!["", "a run", "runs, one process each", "runs in one process"];
        head.extend(self.candidates.map(|_| "candidates"));
        let mut table = Table::new(&head, head.len());
        for row in &self.rows {
            let cells =
                [row.name.clone(), row.wall.to_string(), grouped(row.runs_cold), grouped(row.runs_warm)];
            table.row(cells.into_iter().chain(row.candidates.map(grouped)));
        }
        write!(f, "{table}")?;
        self.limits.iter().try_for_each(|limit| writeln!(f, "limit: {limit}"))
    }
}
