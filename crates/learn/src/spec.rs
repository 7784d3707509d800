//! A learner in its contexts: what a program names.

use std::sync::Arc;

use crate::{Context, Demos, Learner, OutOfWork, Rule, Work};

/// A learner in its contexts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Spec {
    Learn(Learner),
    In(Context, Arc<Spec>),
}

impl Spec {
    pub fn within(self, context: Context) -> Spec {
        Spec::In(context, Arc::new(self))
    }

    /// The learner inside all contexts.
    pub fn learner(&self) -> Learner {
        match self {
            Spec::Learn(learner) => *learner,
            Spec::In(_, spec) => spec.learner(),
        }
    }

    /// The rules that are right on all pairs, the simplest first.
    pub fn learn(&self, demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
        Ok(self.learn_ranked(demos, work)?.into_iter().map(|(_, rule)| rule).collect())
    }

    /// The same, each with its rank among the rules of the learner inside all contexts, which programs name.
    pub fn learn_ranked(&self, demos: &Demos, work: &Work<'_>) -> Result<Vec<(usize, Rule)>, OutOfWork> {
        match self {
            Spec::Learn(learner) => Ok(learner.learn(demos, work)?.into_iter().enumerate().collect()),
            Spec::In(context, spec) => {
                let Some(inside) = demos.inside(*context, work)? else { return Ok(Vec::new()) };
                let rules = spec.learn_ranked(inside.demos(), work)?;
                // Parts without a pair of their own may make a difference on whole inputs.
                let whole = rules.iter().map(|(rank, rule)| (*rank, inside.wrap(rule)));
                Ok(whole.filter(|(_, rule)| demos.all(|input| rule.apply(input))).collect())
            }
        }
    }

    /// Whether colours or directions are written into it, so that it need not hold on the turned or recoloured task.
    pub fn is_fixed(&self) -> bool {
        match self {
            Spec::Learn(_) => false,
            Spec::In(context, spec) => context.is_fixed() || spec.is_fixed(),
        }
    }
}
