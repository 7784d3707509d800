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
    pub fn learn(&self, demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
        Some(self.learn_ranked(demos, work)?.into_iter().map(|(_, rule)| rule).collect())
    }

    /// The same, each with its rank among the rules of the learner inside all contexts: what a program says.
    pub fn learn_ranked(&self, demos: &Demos, work: &Work<'_>) -> Option<Vec<(usize, Rule)>> {
        match self {
            Spec::Learn(learner) => Some(learner.learn(demos, work)?.into_iter().enumerate().collect()),
            Spec::In(context, spec) => {
                let Some(inside) = demos.inside(*context, work)? else { return Some(Vec::new()) };
                let rules = spec.learn_ranked(inside.demos(), work)?;
                // Parts that were left out may make a difference on whole inputs.
                let whole = rules.iter().map(|(rank, rule)| (*rank, inside.wrap(rule)));
                Some(whole.filter(|(_, rule)| demos.all(|input| rule.apply(input))).collect())
            }
        }
    }

    /// Whether colours or directions are written into it, so that it need not hold when the task is turned or
    /// recoloured.
    pub fn is_fixed(&self) -> bool {
        match self {
            Spec::Learn(_) => false,
            Spec::In(context, spec) => context.is_fixed() || spec.is_fixed(),
        }
    }
}
