//! Rules on the result of a view.

use super::{Inside, Passage, surcharge};
use crate::code::{Code, Expr};
use crate::view::ViewId;
use crate::{Demos, Image, Rule};

pub(super) fn fit(demos: &Demos, view: ViewId) -> Option<Inside> {
    let inputs: Vec<Image> = demos.inputs().map(|input| view.apply(input)).collect::<Option<_>>()?;
    if inputs.iter().zip(demos.inputs()).all(|(a, b)| a == b) {
        return None;
    }
    let pairs = inputs.into_iter().zip(demos.outputs().cloned()).collect();
    Inside::new(pairs, surcharge::AFTER, format!("after “{}”", view.words()), view)
}

impl Passage for ViewId {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(vec![self.apply(input)?])
    }

    fn leave(&self, _: &Image, answers: Vec<Image>) -> Option<Image> {
        answers.into_iter().next()
    }

    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        let view = ViewId::code(*self, code, input)?;
        rule.code(code, &view)
    }
}
