//! Everything that could be made faster, sorted by what that would bring.

use std::collections::BTreeMap;
use std::fmt;

use batt_base::number::percent;
use batt_record::profile::Function;
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, FunctionTime, ReportError, is_of_device, is_waiting};
use crate::figure::{Measured, Projected};
use crate::table::Table;
use crate::view::dsl::{tie, tied};
use crate::view::what_if::{Kind, Schedule};

/// Everything that could be made faster, sorted by what that would bring.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Levers {
    /// Wall time of the record.
    pub wall: Measured,
    /// Number of threads that ran tasks.
    pub workers: usize,
    /// Error of the replayed schedule with nothing changed, as a share of the wall time. 0 with one worker.
    pub error: f64,
    /// Categories, functions and primitives. The time of a category includes that of its functions.
    pub levers: Vec<Lever>,
    /// Number of functions and primitives that are not listed: each takes less than 0.1 % of the busy time.
    pub others: usize,
    /// Names of the functions and primitives of which any may bring the most. Empty if one certainly does.
    pub tied: Vec<String>,
}

/// Something that could be made faster.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Lever {
    /// Name for a what-if, such as `category:scoring` or `primitive:objects`.
    pub what: String,
    /// Name of the category, function or primitive.
    pub name: String,
    /// Kind of the name: `category`, `function` or `primitive`.
    pub kind: Kind,
    /// Its category; for a category its own name.
    pub category: String,
    /// Its time over all threads, measured and apportioned, in nanoseconds.
    pub time: u64,
    /// Share of the busy time, from 0 to 1.
    pub share: f64,
    /// Wall time saved if it were twice as fast. The range contains the disturbance and the usual difference between
    /// recordings.
    pub twice: Projected,
    /// Wall time saved if it took no time at all, with the same kind of range.
    pub at_most: Projected,
}

/// Levers with a smaller share of the busy time are only counted.
const LEAST: f64 = 0.001;

impl Levers {
    pub fn new(facts: &Facts<'_>) -> Result<Levers, ReportError> {
        let schedule = Schedule::new(facts)?;
        let times = times(facts);
        let busy = facts.busy().max(1) as f64;
        let is_lever = |function: &Function| {
            let fixed = [Category::Unaccounted, Category::Profiling].map(Category::name);
            !is_waiting(function) && !is_of_device(function) && !fixed.contains(&&*function.category)
        };
        let functions = facts.profile.functions.iter().zip(&times);
        let functions = functions.map(|(it, time)| (it, time.time()));
        let functions: Vec<_> = functions.filter(|(it, ns)| is_lever(it) && *ns > 0).collect();
        // The time of each category, and of its largest function.
        let mut categories: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (function, ns) in &functions {
            let all = function.primitive.then_some(Category::Primitives.name());
            for category in all.into_iter().chain([&*function.category]) {
                let sum = categories.entry(category).or_default();
                *sum = (sum.0 + *ns, sum.1.max(*ns));
            }
        }
        // A category that is nearly one function stands for it.
        let is_single = |category: &str| {
            let is_family = category.starts_with(Category::Primitives.name());
            !is_family && categories.get(category).is_some_and(|(all, largest)| 100 * largest >= 99 * all)
        };
        let lever = |kind: Kind, name: &str, category: &str, time: u64| {
            let is_mine = |function: &Function| kind.matches(name, function);
            let mine: Vec<bool> = facts.profile.functions.iter().map(is_mine).collect();
            let primitive = mine.iter().position(|it| *it).filter(|_| kind == Kind::Primitive);
            let spread = match primitive {
                Some(number) => facts.primitive_spread(number as u32, times[number].hits),
                None => facts.spread(is_mine),
            };
            let saved = |factor: f64| {
                schedule.saved(|function| if mine[function as usize] { factor } else { 1.0 }, spread)
            };
            Lever {
                what: format!("{}:{name}", kind.name()),
                name: name.to_owned(),
                kind,
                category: category.to_owned(),
                time,
                share: time as f64 / busy,
                twice: saved(2.0),
                at_most: saved(f64::INFINITY),
            }
        };
        let is_listed = |ns: u64| ns as f64 >= LEAST * busy;
        let mut levers: Vec<Lever> = Vec::new();
        for (category, (ns, _)) in categories.iter().filter(|(_, (ns, _))| is_listed(*ns)) {
            levers.push(lever(Kind::Category, category, category, *ns));
        }
        let mut others = 0;
        for (function, ns) in functions {
            if !is_listed(ns) {
                others += 1;
            } else if !is_single(&function.category) {
                let kind = if function.primitive { Kind::Primitive } else { Kind::Function };
                levers.push(lever(kind, &function.name, &function.category, ns));
            }
        }
        levers.sort_by(|a, b| b.twice.middle.total_cmp(&a.twice.middle).then_with(|| a.what.cmp(&b.what)));
        let singles = levers.iter().filter(|it| it.kind != Kind::Category || is_single(&it.name));
        let tied = tied(singles.map(|it| (&*it.name, (it.twice.low, it.twice.high))));
        let (wall, workers) = (Measured(facts.wall()), facts.workers());
        Ok(Levers { wall, workers, error: schedule.error, levers, others, tied })
    }
}

/// Returns the cost of each function over all threads.
fn times(facts: &Facts<'_>) -> Vec<FunctionTime> {
    let mut times = vec![FunctionTime::default(); facts.profile.functions.len()];
    for (function, ns, _) in facts.threads().flat_map(|lane| &lane.between) {
        times[*function as usize].measured += ns;
    }
    for task in &facts.every {
        for (function, time) in facts.task_functions(task) {
            times[function as usize].add(&time);
        }
    }
    times
}

impl fmt::Display for Levers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 25;
        writeln!(f, "wall {}; saved if it were twice as fast, and if it took no time:", self.wall)?;
        let wall = self.wall.0.max(1) as f64;
        let mut table =
            Table::new(&["what", "of busy", "twice as fast", "range", "no time at all", "range"], 6);
        for lever in self.levers.iter().take(SHOWN) {
            let share = |ns: f64| percent(ns / wall);
            let range = |it: Projected| format!("{} to {}", share(it.low), share(it.high));
            let Lever { twice, at_most, .. } = lever;
            table.row([
                lever.what.clone(),
                percent(lever.share),
                share(twice.middle),
                range(*twice),
                share(at_most.middle),
                range(*at_most),
            ]);
        }
        write!(f, "{table}")?;
        if self.levers.len() > SHOWN {
            writeln!(f, "and {} that bring less; --json lists them", self.levers.len() - SHOWN)?;
        }
        if !self.tied.is_empty() {
            writeln!(f, "{}", tie(&self.tied))?;
        }
        match self.workers {
            1 => writeln!(f, "one worker: all savings count")?,
            n => writeln!(
                f,
                "{n} workers: replayed schedule, off by {} without any change",
                percent(self.error)
            )?,
        }
        writeln!(f, "for other factors: `batt profile what-if RECORD {}=3x`", self.example())
    }
}

impl Levers {
    /// Returns a name for the example, in quotes if it has spaces.
    fn example(&self) -> String {
        let what = self.levers.first().map_or("category:scoring", |lever| &lever.what);
        if what.contains(' ') { format!("\"{what}\"") } else { what.to_owned() }
    }
}
