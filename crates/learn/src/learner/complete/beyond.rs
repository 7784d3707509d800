//! The first part of the output is the input in other colours; the rest continues it.

use super::Repetition;
use super::isometry::{complete, with_unknown};
use crate::found::Found;
use crate::image::{Area, ColorMap, Image};
use crate::size::size_rules;
use crate::{Demos, OutOfWork, Rule, Work};

/// Costs of continuation by the period and by isometries. Chosen on ARC-AGI-1 training tasks.
const BY_PERIOD: f64 = 2.5;
const BY_ISOMETRIES: f64 = 2.8;

pub(super) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w) && !demos.same_size();
    if !grows {
        return Ok(Vec::new());
    }
    let corners: Vec<Image> =
        demos.pairs().iter().map(|(i, o)| o.crop(Area { y: 0, x: 0, h: i.h, w: i.w })).collect();
    let Some(map) = ColorMap::between(demos.inputs().zip(&corners)) else { return Ok(Vec::new()) };
    work.spend(demos.n_cells() * 4)?;
    let colors = map.words();
    for size in size_rules(demos) {
        for down in [true, false] {
            let words = format!("{}; {colors}; continued by its period", size.words());
            let rule = Rule::new(BY_PERIOD + size.surcharge(), words, move |input: &Image| {
                let (h, w) = size.of(input)?;
                by_period(&input.recolored(&map), h, w, down)
            });
            found.check(demos, rule);
        }
        for by in [Repetition::Shifts, Repetition::Mirrors, Repetition::MirrorsAndShifts] {
            for mask in [None, Some(0)] {
                work.spend(demos.outputs().map(|o| o.area() * o.area() / 60).sum::<usize>())?;
                let words = format!("{}; {colors}; continued by {}", size.words(), by.kinds().words());
                let cost = BY_ISOMETRIES + by.price() + size.surcharge();
                let rule = Rule::new(cost, words, move |input: &Image| {
                    let (h, w) = size.of(input)?;
                    complete(&with_unknown(&input.recolored(&map), h, w, mask), by.kinds())
                });
                found.check(demos, rule);
            }
        }
    }
    found.best(3, demos, work)
}

/// Repeats the shortest period of the rows, or of the columns.
fn by_period(image: &Image, h: usize, w: usize, down: bool) -> Option<Image> {
    let n = if down { image.h } else { image.w };
    let repeats = |period: usize| {
        let before = |y: usize, x: usize| if down { (y - period, x) } else { (y, x - period) };
        (0..image.h).all(|y| {
            (0..image.w).all(|x| {
                let (py, px) = if (if down { y } else { x }) < period { (y, x) } else { before(y, x) };
                image.at(y, x) == image.at(py, px)
            })
        })
    };
    let period = (1..n).find(|&period| repeats(period))?;
    let fits = if down { w == image.w } else { h == image.h };
    fits.then(|| {
        Image::from_fn(h, w, |y, x| if down { image.at(y % period, x) } else { image.at(y, x % period) })
    })
}
