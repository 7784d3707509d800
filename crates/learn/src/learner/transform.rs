//! One or two views after each other, with a colour map if need be.

use std::collections::HashSet;

use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::ColorMap;
use crate::option::options;
use crate::rule::Body;
use crate::view::ViewId;
use crate::{Demos, Image, OutOfWork, Rule, Work};

options! {
    /// The views that a transform rule may use.
    Steps {
        /// One plain view.
        One = "ONE_STEP",
        /// Two plain views.
        Two = "TWO_STEPS",
        /// A special view, alone or beside a plain one.
        Special = "SPECIAL_STEPS",
    }
}

/// Costs of transforms: for one view, two, and a colour map. Later views cost a little more, so that of equal rules the
/// simplest wins. Chosen on ARC-AGI-1 training tasks.
mod cost {
    pub(super) const ONE: f64 = 1.0;
    pub(super) const ONE_SPECIAL: f64 = 1.3;
    pub(super) const TWO: f64 = 2.0;
    pub(super) const TWO_SPECIAL: f64 = 2.4;
    pub(super) const COLOR_MAP: f64 = 0.5;
    pub(super) const PER_PLACE: f64 = 0.001;
    pub(super) const PER_SPECIAL_PLACE: f64 = 0.002;
}

pub(crate) fn learn(demos: &Demos, steps: Steps, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if steps != Steps::Two {
        for (id, images) in demos.views(work)? {
            if id.uses().special == (steps == Steps::Special) {
                let cost = if steps == Steps::Special {
                    cost::ONE_SPECIAL + cost::PER_SPECIAL_PLACE * id.special_place() as f64
                } else {
                    cost::ONE + cost::PER_PLACE * id.place() as f64
                };
                keep(demos, &mut found, vec![*id], images, cost);
            }
        }
    }
    if steps != Steps::One {
        two_steps(demos, steps == Steps::Special, &mut found, work)?;
    }
    found.best(3, demos, work)
}

fn two_steps(demos: &Demos, special: bool, found: &mut Found, work: &Work<'_>) -> Result<(), OutOfWork> {
    let mut seen = HashSet::new();
    let starts = demos.views(work)?;
    let first_output = &demos.pairs()[0].1;
    for (id, images) in starts.iter().filter(|(id, _)| *id != ViewId::IDENTITY && id.uses().step) {
        work.spend(images[0].area() * 40)?;
        for next in ViewId::all().skip(1) {
            if (next.uses().special || id.uses().special) != special {
                continue;
            }
            // The first pair rejects almost everything.
            let Some(first) = next.apply(&images[0]) else { continue };
            if ColorMap::between(std::iter::once((&first, first_output))).is_none() {
                continue;
            }
            let rest: Option<Vec<Image>> = images[1..].iter().map(|image| next.apply(image)).collect();
            let Some(mut rest) = rest else { continue };
            rest.insert(0, first);
            if seen.insert(rest.clone()) {
                let base = if special { cost::TWO_SPECIAL } else { cost::TWO };
                let cost = base + cost::PER_PLACE * (id.place() + next.place()) as f64;
                keep(demos, found, vec![*id, next], &rest, cost);
            }
        }
    }
    Ok(())
}

/// Keeps a chain of views whose images are the outputs, up to a colour map at most.
fn keep(demos: &Demos, found: &mut Found, chain: Vec<ViewId>, images: &[Image], cost: f64) {
    let Some(map) = ColorMap::between(images.iter().zip(demos.outputs())) else { return };
    let exact = images.iter().zip(demos.outputs()).all(|(image, output)| image == output);
    let mut words = chain_words(&chain);
    if !exact {
        words += &format!(", then {}", map.words());
    }
    let surcharge = if exact { 0.0 } else { cost::COLOR_MAP };
    found.push(Rule::new(cost + surcharge, words, Transform { chain, map: (!exact).then_some(map) }));
}

/// A chain of views in words.
pub(super) fn chain_words(chain: &[ViewId]) -> String {
    chain.iter().map(|id| id.words().to_string()).collect::<Vec<_>>().join(", then ")
}

/// Views and a colour map.
struct Transform {
    chain: Vec<ViewId>,
    map: Option<ColorMap>,
}

impl Body for Transform {
    fn apply(&self, input: &Image) -> Option<Image> {
        let image = self.chain.iter().try_fold(input.clone(), |image, id| id.apply(&image))?;
        Some(match &self.map {
            Some(map) => image.recolored(map),
            None => image,
        })
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let grid = self.chain.iter().try_fold(input.clone(), |grid, id| id.code(code, &grid))?;
        Some(match &self.map {
            Some(map) => color_map_code(map, code, &grid),
            None => grid,
        })
    }
}

/// A colour map in the language: `switch` for two colours that change places, `replace` for one that goes, else one
/// `fill` for each colour.
pub(super) fn color_map_code(map: &ColorMap, code: &mut Code, grid: &Expr) -> Expr {
    let changes: Vec<(u8, u8)> = map.changes().collect();
    let mut output = grid.clone();
    let disjoint = changes.iter().all(|(from, _)| changes.iter().all(|(_, to)| from != to));
    for &(from, to) in &changes {
        let (from_code, to_code) = (number(from.into()), number(to.into()));
        if disjoint {
            output = code.line(format!("replace({output}, {from_code}, {to_code})"));
        } else if map.of(to) == from {
            if from < to {
                output = code.line(format!("switch({output}, {from_code}, {to_code})"));
            }
        } else {
            output = code.line(format!("fill({output}, {to_code}, ofcolor({grid}, {from_code}))"));
        }
    }
    output
}
