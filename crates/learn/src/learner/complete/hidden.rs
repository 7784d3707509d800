//! Cells of one colour, or cells beyond the input, filled in.

use super::Repetition;
use super::isometry::{complete, with_unknown};
use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::{Image, color_name};
use crate::rule::Body;
use crate::size::{SizeRule, size_rules};
use crate::{Demos, OutOfWork, Rule, Work};

/// Costs of a rule that replaces a colour, that shows only the replaced cells, and that continues. Chosen on
/// ARC-AGI-1 training tasks.
const REPLACING: f64 = 2.0;
const ONLY_REPLACED: f64 = 0.2;
const CONTINUING: f64 = 2.3;
const PER_SIZE: f64 = 0.5;

pub(super) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    let colors: Vec<u8> =
        (0..10).filter(|color| demos.inputs().all(|input| input.cells.contains(color))).collect();
    work.spend(demos.n_cells() * 4)?;
    let sizes = if demos.same_size() { Vec::new() } else { size_rules(demos) };
    for &by in Repetition::ALL {
        for &color in &colors {
            for only_replaced in [false, true] {
                let size_fits =
                    demos.pairs().iter().all(|(input, output)| match input.bounds(|c| c == color) {
                        Some(area) if only_replaced => (area.h, area.w) == (output.h, output.w),
                        _ => !only_replaced && input.same_size(output),
                    });
                if !size_fits || !(only_replaced || only_color_changes(demos, color)) {
                    continue;
                }
                work.spend(demos.inputs().map(|i| i.area() * i.area() / 40).sum::<usize>())?;
                let rule = Hidden { by, color, only_replaced };
                let cost = REPLACING + by.price() + if only_replaced { ONLY_REPLACED } else { 0.0 };
                found.check(demos, Rule::new(cost, rule.words(), rule));
            }
        }
        for &size in &sizes {
            let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w && i.area() < o.area());
            if !grows {
                continue;
            }
            for mask in [None, Some(0)] {
                work.spend(demos.outputs().map(|o| o.area() * o.area() / 60).sum::<usize>())?;
                let words = format!("{}; continued by {}", size.words(), by.kinds().words());
                let cost = CONTINUING + by.price() + PER_SIZE * size.surcharge();
                found.check(demos, Rule::new(cost, words, Continued { by, size, mask }));
            }
        }
    }
    found.best(3, demos, work)
}

/// A cheap check before the expensive one: nothing but one colour changes.
fn only_color_changes(demos: &Demos, color: u8) -> bool {
    demos.pairs().iter().all(|(input, output)| {
        input.cells.iter().zip(&output.cells).all(|(&a, &b)| a == color || a == b) && input != output
    })
}

/// The cells of one colour are replaced.
#[derive(Clone, Copy)]
struct Hidden {
    by: Repetition,
    color: u8,
    /// The output shows the replaced cells only.
    only_replaced: bool,
}

impl Hidden {
    fn words(self) -> String {
        let what = if self.only_replaced { "only what replaces" } else { "replacing" };
        format!("completed by {}, {what} {}", self.by.kinds().words(), color_name(self.color))
    }
}

impl Body for Hidden {
    fn apply(&self, input: &Image) -> Option<Image> {
        let completed = self.by.complete(input, self.color)?;
        if self.only_replaced {
            Some(completed.crop(input.bounds(|c| c == self.color)?))
        } else {
            Some(completed)
        }
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        // arc-dsl has no words for it.
        if !code.is_extended() {
            return None;
        }
        let color = number(self.color.into());
        let completed = code.line(format!("complete({input}, {color}, {})", self.by.name()));
        Some(if self.only_replaced {
            code.line(format!("subgrid(ofcolor({input}, {color}), {completed})"))
        } else {
            completed
        })
    }
}

/// The input is continued on a larger canvas.
struct Continued {
    by: Repetition,
    size: SizeRule,
    /// A colour of the input that is unknown too.
    mask: Option<u8>,
}

impl Body for Continued {
    fn apply(&self, input: &Image) -> Option<Image> {
        let (h, w) = self.size.of(input)?;
        complete(&with_unknown(input, h, w, self.mask), self.by.kinds())
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        if !code.is_extended() || self.mask.is_some() {
            return None;
        }
        let size = self.size.code(code, input)?;
        // Ten is a colour that no input has.
        let canvas = code.line(format!("paint(canvas(TEN, {size}), asobject({input}))"));
        Some(code.line(format!("complete({canvas}, TEN, {})", self.by.name())))
    }
}
