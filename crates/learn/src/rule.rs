//! What a learner finds.

use std::fmt;
use std::sync::Arc;

use crate::Image;

type Run = dyn Fn(&Image) -> Option<Image> + Send + Sync;

/// A rule that is right on every demonstration pair it was learned from.
#[derive(Clone)]
pub struct Rule {
    cost: f64,
    text: String,
    run: Arc<Run>,
}

impl Rule {
    pub(crate) fn new(
        cost: f64,
        text: impl Into<String>,
        run: impl Fn(&Image) -> Option<Image> + Send + Sync + 'static,
    ) -> Rule {
        Rule { cost, text: text.into(), run: Arc::new(run) }
    }

    /// The answer for an input. `None`: the rule does not know this kind of input.
    pub fn apply(&self, input: &Image) -> Option<Image> {
        (self.run)(input).filter(|image| {
            (1..=crate::MAX_SIDE).contains(&image.h)
                && (1..=crate::MAX_SIDE).contains(&image.w)
                && image.cells.iter().all(|&color| color < 10)
        })
    }

    /// The rule in words.
    pub fn explain(&self) -> &str {
        &self.text
    }

    /// How complicated the rule is; what is below 6 is right in most cases, what is above 8 is a guess.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({:.2}: {})", self.cost, self.text)
    }
}
