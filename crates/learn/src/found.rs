//! The rules that a learner has found so far.

use crate::work::OutOfWork;
use crate::{Demos, Image, Rule, Work};

#[derive(Default)]
pub(crate) struct Found(Vec<Rule>);

/// Rules beyond this number are mostly other ways to say the same.
const MAX_COMPARED: usize = 60;

impl Found {
    pub(crate) fn push(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// Keeps the rule if it is right on all pairs.
    pub(crate) fn check(&mut self, demos: &Demos, rule: Rule) -> bool {
        let right = demos.all(|input| rule.apply(input));
        if right {
            self.push(rule);
        }
        right
    }

    /// Returns the `n` cheapest rules, without those that answer all probe inputs like a cheaper one.
    pub(crate) fn best(mut self, n: usize, demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
        self.0.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        self.0.truncate(MAX_COMPARED);
        if self.0.len() <= 1 {
            return Ok(self.0);
        }
        let mut kept: Vec<(Vec<Option<Image>>, Rule)> = Vec::new();
        for rule in self.0 {
            work.spend(demos.n_cells())?;
            let answers: Vec<_> = demos.probes().iter().map(|probe| rule.apply(probe)).collect();
            if kept.iter().all(|(known, _)| *known != answers) {
                kept.push((answers, rule));
                if kept.len() == n {
                    break;
                }
            }
        }
        Ok(kept.into_iter().map(|(_, rule)| rule).collect())
    }
}
