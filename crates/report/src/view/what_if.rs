//! What if something were faster? Arithmetic for one worker, a replay of the recorded schedule for several.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::facts::{Facts, ReportError};
use crate::figure::{Measured, Projected, percent, time};

/// `objects=3x`: a function, category, family or phase, and how many times faster it gets. Below 1 is slower.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Speedup {
    pub name: String,
    pub factor: f64,
}

impl FromStr for Speedup {
    type Err = String;

    fn from_str(text: &str) -> Result<Speedup, String> {
        let wrong = || format!("`{text}` is no what-if; write `objects=3x`");
        let (name, factor) = text.rsplit_once('=').ok_or_else(wrong)?;
        let factor: f64 = factor.trim().trim_end_matches(['x', '×']).parse().map_err(|_| wrong())?;
        if !(factor.is_finite() && factor > 0.0) || name.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Speedup { name: name.trim().to_owned(), factor })
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WhatIf {
    pub speedups: Vec<Speedup>,
    pub workers: usize,
    pub wall: Measured,
    /// The schedule replayed with nothing changed.
    pub replayed: f64,
    /// How far that is from the wall time.
    pub error: f64,
    pub predicted: Projected,
    /// Of the lane time that is saved, how much rests on apportioned figures.
    pub apportioned: f64,
}

impl WhatIf {
    /// A replay that is further off than this predicts nothing.
    pub const MAX_ERROR: f64 = 0.03;

    pub fn new(facts: &Facts<'_>, speedups: &[Speedup]) -> Result<WhatIf, ReportError> {
        let factors = factors(facts, speedups)?;
        let savings = Savings::new(facts, &factors);
        let wall = facts.wall();
        let workers = facts.workers();
        let schedule = |saved: &[f64]| match workers {
            // One worker: what it saves is saved.
            1 => -saved.iter().sum::<f64>(),
            _ => replay(facts, saved) - replay_base(facts),
        };
        let nothing = vec![0.0; facts.profile.tasks.len()];
        let replayed = wall as f64 + schedule(&nothing);
        let error = replayed / wall.max(1) as f64 - 1.0;
        if error.abs() > WhatIf::MAX_ERROR {
            return Err(ReportError::Question(format!(
                "the replay of the recorded schedule is off by {} with nothing changed, so it can predict nothing; record again, with --threads 1 to be exact",
                percent(error)
            )));
        }
        let predicted = wall as f64 - savings.main + schedule(&savings.tasks);
        let saved = savings.main + savings.tasks.iter().sum::<f64>();
        let off = (replayed - wall as f64).abs();
        Ok(WhatIf {
            speedups: speedups.to_vec(),
            workers,
            wall: Measured(wall),
            replayed,
            error,
            predicted: Projected { low: predicted - off, middle: predicted, high: predicted + off },
            apportioned: if saved == 0.0 { 0.0 } else { savings.apportioned / saved },
        })
    }
}

/// How many times faster each function gets. The name of a function counts for more than that of a category, and that
/// for more than that of a phase.
fn factors(facts: &Facts<'_>, speedups: &[Speedup]) -> Result<Vec<f64>, ReportError> {
    let functions = &facts.profile.functions;
    let mut factors = vec![(0, 1.0); functions.len()];
    for Speedup { name, factor } in speedups {
        let mut known = false;
        for (function, entry) in functions.iter().zip(&mut factors) {
            let family = function.category.strip_prefix("primitives: ");
            let rank = match () {
                () if function.name == *name => 3,
                () if function.category == *name || family == Some(name) => 2,
                () if function.phase == *name => 1,
                () => 0,
            };
            known |= rank > 0;
            if rank > entry.0 {
                *entry = (rank, *factor);
            }
        }
        if !known {
            return Err(ReportError::Question(format!(
                "nothing is called `{name}`; name a primitive, a family, or a category or function of `batt profile framework`"
            )));
        }
        if name == "idle" || name == "waiting" {
            return Err(ReportError::Question(
                "waiting cannot be made faster; what is waited for can".to_owned(),
            ));
        }
    }
    Ok(factors.into_iter().map(|(_, factor)| factor).collect())
}

/// What is saved: on the main lane, and in each task of the profile.
struct Savings {
    main: f64,
    tasks: Vec<f64>,
    apportioned: f64,
}

impl Savings {
    fn new(facts: &Facts<'_>, factors: &[f64]) -> Savings {
        let saved = |function: u32, ns: u64| ns as f64 * (1.0 - 1.0 / factors[function as usize]);
        let main = facts.profile.lanes[0].between.iter().map(|(function, ns, _)| saved(*function, *ns)).sum();
        let mut is_node = vec![false; facts.profile.functions.len()];
        facts.profile.nodes.iter().for_each(|node| is_node[node.function as usize] = true);
        facts.profile.functions.iter().enumerate().for_each(|(i, it)| is_node[i] |= it.primitive);
        let mut apportioned = 0.0;
        let tasks = facts.profile.tasks.iter().map(|task| {
            let engine = task.booked.iter().filter(|it| !is_node[it.0 as usize]);
            let engine: f64 = engine.map(|(function, ns, _)| saved(*function, *ns)).sum();
            let mut nodes = 0.0;
            for (function, sum) in facts.task_functions(task) {
                nodes += saved(function, sum.time());
                apportioned += saved(function, sum.apportioned);
            }
            engine + nodes
        });
        let tasks = tasks.collect();
        Savings { main, tasks, apportioned }
    }
}

/// How long the main lane would wait in all, if each task took as much less as `saved` says. Tasks begin in the
/// recorded order, each on the worker that is free first, after the pause it had in the recording.
fn replay(facts: &Facts<'_>, saved: &[f64]) -> f64 {
    let tasks = &facts.profile.tasks;
    let n_lanes = facts.profile.lanes.len();
    let lanes: Vec<usize> =
        (1..n_lanes).filter(|lane| tasks.iter().any(|task| task.lane as usize == *lane)).collect();
    let mut total = 0.0;
    for (from, to) in &facts.profile.lanes[0].waits {
        let (from, to) = (*from as f64, *to as f64);
        let mut ended = vec![from; n_lanes];
        let mut free = vec![from; n_lanes];
        let (mut last, mut last_replayed) = (from, from);
        for (task, saved) in tasks.iter().zip(saved) {
            let (start, end) = (task.start as f64, task.end as f64);
            if start < from || start >= to {
                continue;
            }
            let pause = start - ended[task.lane as usize];
            ended[task.lane as usize] = end;
            let lane = lanes.iter().copied().min_by(|a, b| free[*a].total_cmp(&free[*b])).unwrap_or(0);
            free[lane] += pause + (end - start - saved).max(0.0);
            last = f64::max(last, end);
            last_replayed = f64::max(last_replayed, free[lane]);
        }
        total += last_replayed - from + (to - last);
    }
    total
}

/// How long the main lane waited.
fn replay_base(facts: &Facts<'_>) -> f64 {
    facts.profile.lanes[0].waits.iter().map(|(from, to)| (to - from) as f64).sum()
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what: Vec<_> =
            self.speedups.iter().map(|it| format!("{} {}× faster", it.name, it.factor)).collect();
        writeln!(f, "{}", what.join(", "))?;
        let change = self.predicted.middle / self.wall.0.max(1) as f64 - 1.0;
        writeln!(f, "wall {} → {}, {}", self.wall, self.predicted, percent(change))?;
        match self.workers {
            1 => writeln!(f, "one worker: exact arithmetic")?,
            n => writeln!(
                f,
                "{n} workers: the schedule replayed; with nothing changed it gives {}, off by {}",
                time(self.replayed),
                percent(self.error)
            )?,
        }
        if self.apportioned > 0.0 {
            writeln!(f, "~ {} of what is saved is apportioned, not measured", percent(self.apportioned))?;
        }
        Ok(())
    }
}
