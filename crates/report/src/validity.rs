//! Is the run right, and was all of it seen? The first line of every view.

use std::fmt;

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
        let right = &facts.record.right;
        let excused = facts.profile.excused;
        let unaccounted = unaccounted(facts);
        let mut reasons = Vec::new();
        if right.programs == 0 {
            reasons.push("no program was run on its own task, so no answer was checked".to_owned());
        } else if right.on_all + excused < right.programs {
            let wrong = right.programs - right.on_all - excused;
            reasons.push(format!("{wrong} of {} programs are wrong", right.programs));
        }
        if unaccounted > Validity::MAX_UNACCOUNTED {
            reasons.push(format!("{} of the time is unaccounted", percent(unaccounted)));
        }
        Validity {
            valid: reasons.is_empty(),
            reasons,
            programs: right.programs,
            right: right.on_all,
            excused,
            unaccounted,
            recorder: recorder(facts),
        }
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
            write!(f, "INVALID: {} · ", self.reasons.join("; "))?;
        }
        write!(f, "{} of {} programs right", self.right, self.programs)?;
        if self.excused > 0 {
            write!(f, ", {} excused", self.excused)?;
        }
        write!(f, " · unaccounted {} · recorder {}", percent(self.unaccounted), percent(self.recorder))
    }
}
