//! Rules: the results of learners.

use std::fmt;
use std::sync::Arc;

use crate::code::{Code, Expr};
use crate::{Image, MAX_SIDE, Words};

/// A rule that is right on every demonstration pair it was learned from.
#[derive(Clone)]
pub struct Rule {
    cost: f64,
    words: Words,
    body: Arc<dyn Body>,
}

/// A function from input to output.
pub(crate) trait Body: Send + Sync {
    /// The output; `None` if the rule does not cover this kind of input.
    fn apply(&self, input: &Image) -> Option<Image>;

    /// The same in the language; `None` if it cannot be said there.
    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let _ = (code, input);
        None
    }
}

impl<F: Fn(&Image) -> Option<Image> + Send + Sync> Body for F {
    fn apply(&self, input: &Image) -> Option<Image> {
        self(input)
    }
}

impl Rule {
    pub(crate) fn new(cost: f64, words: impl Into<Words>, body: impl Body + 'static) -> Rule {
        Rule { cost, words: words.into(), body: Arc::new(body) }
    }

    /// Returns the answer for an input; `None` if the rule does not cover this kind of input.
    pub fn apply(&self, input: &Image) -> Option<Image> {
        self.body.apply(input).filter(|image| {
            (1..=MAX_SIDE).contains(&image.h)
                && (1..=MAX_SIDE).contains(&image.w)
                && image.cells.iter().all(|&color| color < 10)
        })
    }

    /// Writes the rule with the primitives of the language and returns the expression of its answer; `None` if that
    /// is not possible.
    pub fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        self.body.code(code, input)
    }

    /// The rule in words.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// How complicated the rule is. Most rules below 6 are right; above 8 a rule is a guess.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({:.2}: {})", self.cost, self.words)
    }
}
