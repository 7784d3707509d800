//! The last plans of this process, by what they are made of.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use batt_lang::Program;
use batt_value::ContentHash;

use crate::Plan;

/// Plans by the content and the names of their programs. A battery that was merged before is not merged again, and
/// of one that differs only the new programs are: a search changes a few programs of many from round to round.
#[derive(Default)]
pub struct Plans {
    recent: Mutex<VecDeque<Recent>>,
}

struct Recent {
    made_of: Vec<(ContentHash, String)>,
    plan: Arc<Plan>,
}

/// More would hold memory for batteries that nobody runs any more.
const KEPT: usize = 4;

impl Plans {
    /// The plan of the programs, the same bytes as [`Plan::merge`] gives.
    pub fn get(&self, programs: &[Program]) -> Arc<Plan> {
        let made_of: Vec<_> =
            programs.iter().map(|program| (program.hash(), program.name().to_owned())).collect();
        // A plan that was being filed when its thread ended is whole: it is made before the lock is taken.
        let lock = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, last) = {
            let recent = lock();
            let known = recent.iter().find(|recent| recent.made_of == made_of);
            (known.map(|recent| recent.plan.clone()), recent.front().map(|recent| recent.plan.clone()))
        };
        if let Some(plan) = known {
            return plan;
        }
        let plan = Arc::new(match last {
            Some(last) => last.updated(programs),
            None => Plan::merge(programs),
        });
        let mut recent = lock();
        recent.truncate(KEPT - 1);
        recent.push_front(Recent { made_of, plan: plan.clone() });
        plan
    }
}
