//! Is the run right, and was all of it seen? The first line of every view.

use std::fmt;

use batt_record::Record;
use batt_trace::Category;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::percent;

/// Whether figures of a run mean something.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Validity {
    pub valid: bool,
    /// Why not.
    pub reasons: Vec<String>,
    /// The programs were searched for: nobody claimed that there are any.
    pub search: bool,
    /// Programs on the tasks they are named after.
    pub programs: usize,
    pub right: usize,
    /// Wrong, and expected to be.
    pub excused: usize,
    /// Of the wall time, on the lane where it is most.
    pub unaccounted: f64,
    /// What the recorder cost, of the busy time of all lanes.
    pub recorder: f64,
}

impl Validity {
    /// More unaccounted time than this, and the rest says little.
    pub const MAX_UNACCOUNTED: f64 = 0.02;

    pub fn new(facts: &Facts<'_>) -> Validity {
        let claim = Claim::new(facts.record, facts.profile.excused);
        let unaccounted = unaccounted(facts);
        let mut reasons: Vec<String> = claim.refuted.iter().cloned().collect();
        if unaccounted > Validity::MAX_UNACCOUNTED {
            reasons.push(format!("{} of the time is unaccounted", percent(unaccounted)));
        }
        Validity {
            valid: reasons.is_empty(),
            reasons,
            search: claim.search,
            programs: claim.programs,
            right: claim.right,
            excused: claim.excused,
            unaccounted,
            recorder: recorder(facts),
        }
    }
}

/// What a record claims of its programs, and whether that holds.
pub(crate) struct Claim {
    search: bool,
    programs: usize,
    right: usize,
    excused: usize,
    /// Why it does not.
    refuted: Option<String>,
}

impl Claim {
    pub(crate) fn new(record: &Record, excused: usize) -> Claim {
        let (search, right) = (record.search.is_some(), &record.right);
        let wrong = right.programs.saturating_sub(right.on_all + excused);
        let refuted = match right.programs {
            // A search that finds nothing, or is stopped, is as sound as another.
            _ if search => None,
            _ if right.left > 0 => Some(format!("stopped, {} tasks were not run", right.left)),
            0 => Some("no program was run on its own task, so no answer was checked".to_owned()),
            _ if wrong > 0 => Some(format!("{wrong} of {} programs are wrong", right.programs)),
            _ => None,
        };
        Claim { search, programs: right.programs, right: right.on_all, excused, refuted }
    }

    /// Whether it holds, and what is said of it.
    pub(crate) fn told(&self) -> (bool, String) {
        let begin = self.refuted.as_ref().map(|why| format!("{INVALID}{why} · ")).unwrap_or_default();
        (
            self.refuted.is_none(),
            format!("{begin}{}", counted(self.search, self.programs, self.right, self.excused)),
        )
    }
}

/// What the stamp of a run begins with whose figures mean little.
const INVALID: &str = "INVALID: ";

fn counted(search: bool, programs: usize, right: usize, excused: usize) -> String {
    match (search, excused) {
        (true, _) if programs == 1 => {
            "a search: 1 program found that is right on all demonstration pairs".to_owned()
        }
        (true, _) => format!("a search: {programs} programs found that are right on all demonstration pairs"),
        (false, 0) => format!("{right} of {programs} programs right"),
        (false, _) => format!("{right} of {programs} programs right, {excused} excused"),
    }
}

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

/// Measured where the recorder ran by itself, calibrated where it ran inside other work.
fn recorder(facts: &Facts<'_>) -> f64 {
    let sums = facts.booked();
    let own = sums.iter().zip(&facts.profile.functions);
    let own = own.filter(|(_, function)| function.category == Category::Profiling.name());
    let own: u64 = own.map(|(ns, _)| ns).sum();
    (own as f64 + inside(facts)) / facts.busy().max(1) as f64
}

/// What stamps and counted calls cost inside other work: a part of that work's own time.
pub(crate) fn inside(facts: &Facts<'_>) -> f64 {
    let costs = facts.profile.costs;
    let lane = |lane: &batt_record::profile::Lane| {
        lane.stamps as f64 * costs.stamp + lane.counted as f64 * costs.call
    };
    facts.profile.lanes.iter().map(lane).sum()
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.valid {
            write!(f, "{INVALID}{} · ", self.reasons.join("; "))?;
        }
        f.write_str(&counted(self.search, self.programs, self.right, self.excused))?;
        write!(f, " · unaccounted {} · recorder {}", percent(self.unaccounted), percent(self.recorder))
    }
}
