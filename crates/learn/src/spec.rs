//! A learner in its contexts: what a program says.

use std::sync::Arc;

use crate::{Context, Demos, Learner, Rule, Work};

/// What to learn and where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Spec {
    Learn(Learner),
    In(Context, Arc<Spec>),
}

impl Spec {
    pub fn within(self, context: Context) -> Spec {
        Spec::In(context, Arc::new(self))
    }

    /// The rules that are right on all pairs, the simplest first. `None`: out of work.
    pub fn learn(&self, demos: &Demos, work: &Work) -> Option<Vec<Rule>> {
        match self {
            Spec::Learn(learner) => learner.learn(demos, work),
            Spec::In(context, spec) => {
                let Some(inside) = demos.inside(*context, work)? else { return Some(Vec::new()) };
                let rules = spec.learn(inside.demos(), work)?;
                // Parts that were left out may make a difference on whole inputs.
                let right = |rule: &Rule| demos.all(|input| rule.apply(input));
                Some(rules.iter().map(|rule| inside.wrap(rule)).filter(right).collect())
            }
        }
    }
}
