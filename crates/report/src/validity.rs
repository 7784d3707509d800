//! Whether the figures of a record can be trusted: the first line of every view.

use std::fmt;

use batt_base::number::count;
use batt_base::number::percent;
use batt_record::{Kind, Pair, Record};
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::noise::Noise;

/// Whether the figures of a record can be trusted.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Validity {
    /// False if the run was stopped early, or if more than 2 % of the time is unaccounted.
    pub valid: bool,
    /// Why it is not valid.
    pub reasons: Vec<String>,
    /// True if the programs were found by a solve or a search.
    pub search: bool,
    /// Programs that were run on the tasks they are named after.
    pub programs: usize,
    /// Number of programs that are right.
    pub right: usize,
    /// Number of programs that are wrong as expected.
    pub excused: usize,
    /// Which programs are right, in words.
    pub programs_text: String,
    /// Share of the wall time that belongs to no function, on the worst thread; from 0 to 1.
    pub unaccounted: f64,
    /// Share of the busy time that the recorder took; from 0 to 1.
    pub recorder: f64,
    /// How much other work disturbed the recording.
    pub noise: Noise,
}

impl Validity {
    /// Largest share of unaccounted time in a valid profile.
    pub const MAX_UNACCOUNTED: f64 = 0.02;

    pub fn new(facts: &Facts<'_>) -> Validity {
        let summary = ProgramSummary::new(facts.record, facts.profile.excused);
        let programs_text = summary.text();
        let unaccounted = unaccounted(facts);
        let mut reasons: Vec<String> = summary.invalid.iter().cloned().collect();
        if unaccounted > Validity::MAX_UNACCOUNTED {
            reasons.push(format!("{} of the time is unaccounted", percent(unaccounted)));
        }
        Validity {
            valid: reasons.is_empty(),
            reasons,
            search: summary.kind != Kind::Run,
            programs: summary.programs,
            right: summary.right,
            excused: summary.excused,
            programs_text,
            unaccounted,
            recorder: recorder(facts),
            noise: Noise::new(facts),
        }
    }
}

/// The results of a record's programs, and whether its figures can be trusted.
pub(crate) struct ProgramSummary {
    kind: Kind,
    finished: bool,
    programs: usize,
    right: usize,
    excused: usize,
    wrong: Vec<String>,
    /// Why the figures cannot be trusted.
    invalid: Option<String>,
}

impl ProgramSummary {
    pub(crate) fn new(record: &Record, excused: usize) -> ProgramSummary {
        let (search, right) = (record.is_search(), &record.right);
        // The times of a stopped solve or search are as good as those of a finished one.
        let stopped = !search && right.left > 0;
        let invalid = stopped.then(|| format!("stopped, {} tasks were not run", right.left));
        let wrong = wrong_programs(record).into_iter();
        let wrong = wrong.filter_map(|(place, _)| record.programs.get(place as usize)).filter(|_| !search);
        let wrong = wrong.map(|program| program.name.clone()).collect();
        let (kind, finished) = (record.kind, record.finished);
        let (programs, right) = (right.programs, right.on_all);
        ProgramSummary { kind, finished, programs, right, excused, wrong, invalid }
    }

    /// Returns whether the figures can be trusted, and the first line of the page.
    pub(crate) fn stamp(&self) -> (bool, String) {
        let prefix = self.invalid.as_ref().map(|why| format!("{INVALID}{why} · ")).unwrap_or_default();
        (self.invalid.is_none(), format!("{prefix}{}", self.text()))
    }

    fn text(&self) -> String {
        let ProgramSummary { kind, finished, programs, right, excused, ref wrong, .. } = *self;
        if kind != Kind::Run {
            let (kind, programs) = (kind.name(), count(programs, "program"));
            let stopped = if finished { "" } else { " before it was stopped" };
            return format!("a {kind}: {programs} found{stopped}, right on all demonstration pairs");
        }
        if programs == 0 {
            return "no program was run on its own task, so no answer was checked".to_owned();
        }
        let mut text = format!("{right} of {programs} programs right");
        if excused > 0 {
            text.push_str(&format!(", {excused} expected to be wrong"));
        }
        if !wrong.is_empty() {
            let more = wrong.len().saturating_sub(MAX_NAMED);
            let named = wrong[..wrong.len() - more].join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("; wrong: {named}{more}"));
        }
        text
    }
}

/// Maximum number of wrong programs that are named.
const MAX_NAMED: usize = 5;

/// Returns the programs that are wrong on their own tasks: index and task.
pub(crate) fn wrong_programs(record: &Record) -> Vec<(u32, &str)> {
    if record.is_search() {
        return Vec::new();
    }
    let fine = |pair: &Pair| pair.is_right() || pair.verdict == "unjudged";
    let wrong = record.tasks.iter().flat_map(|task| {
        let own = task.programs.iter().filter(|it| it.own);
        let wrong = own.filter(|it| !it.train.iter().chain(&it.test).all(fine));
        wrong.map(|outcome| (outcome.program, task.id.as_str()))
    });
    wrong.collect()
}

/// Prefix of the first line of a record whose figures cannot be trusted.
const INVALID: &str = "INVALID: ";

fn unaccounted(facts: &Facts<'_>) -> f64 {
    let of_lane = |lane: usize| {
        let tasks = facts.profile.tasks.iter().filter(|task| task.lane as usize == lane);
        let booked = facts.profile.lanes[lane].between.iter().chain(tasks.flat_map(|task| &task.booked));
        let mine = booked.filter(|it| facts.function(it.0).category == Category::Unaccounted.name());
        let wall = facts.profile.lanes[lane].end - facts.profile.lanes[lane].start;
        mine.map(|(_, ns, _)| ns).sum::<u64>() as f64 / wall.max(1) as f64
    };
    (0..facts.profile.lanes.len()).map(of_lane).fold(0.0, f64::max)
}

/// Returns the share of the busy time that the recorder took: measured where it ran by itself, estimated
/// where it ran inside other work.
fn recorder(facts: &Facts<'_>) -> f64 {
    let sums = facts.booked();
    let own = sums.iter().zip(&facts.profile.functions);
    let own = own.filter(|(_, function)| function.category == Category::Profiling.name());
    let own: u64 = own.map(|(ns, _)| ns).sum();
    (own as f64 + recorder_inside(facts)) / facts.busy().max(1) as f64
}

/// Estimates the cost of stamps and counted calls inside other work. It is part of that work's self time.
pub(crate) fn recorder_inside(facts: &Facts<'_>) -> f64 {
    let costs = facts.profile.costs;
    let lane = |lane: &batt_record::profile::Lane| {
        lane.stamps as f64 * costs.stamp + lane.counted as f64 * costs.call
    };
    facts.threads().map(lane).sum()
}

impl Validity {
    /// Returns the first lines of a view of some records: warnings about disturbances, then a line for each record.
    pub fn lines(list: &[Validity]) -> Vec<String> {
        let warning = |(i, it): (usize, &Validity)| {
            let warning = it.noise.warning.as_ref()?;
            Some(if list.len() > 1 { format!("record {}, {warning}", i + 1) } else { warning.clone() })
        };
        let warnings = list.iter().enumerate().filter_map(warning);
        warnings.chain(list.iter().map(Validity::to_string)).collect()
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.valid {
            write!(f, "{INVALID}{} · ", self.reasons.join("; "))?;
        }
        f.write_str(&self.programs_text)?;
        let (unaccounted, recorder) = (percent(self.unaccounted), percent(self.recorder));
        write!(f, " · unaccounted {unaccounted} · recorder {recorder} · {}", self.noise)
    }
}
