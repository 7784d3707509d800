//! Outputs looked up by a number of the input, and outputs drawn from numbers.

use std::collections::BTreeMap;

use crate::found::Found;
use crate::image::{Image, MAX_SIDE, most_frequent};
use crate::size::{measure, scalars};
use crate::{Demos, Rule, Work};

/// One of a few stored outputs, told by one number of the input.
pub(crate) fn learn_table(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let first = &demos.pairs()[0].1;
    if demos.outputs().all(|output| output == first) {
        let first = first.clone();
        return Some(vec![Rule::new(1.0, "always the same output", move |_| Some(first.clone()))]);
    }
    let distinct: std::collections::HashSet<&Image> = demos.outputs().collect();
    if distinct.len() >= demos.pairs().len() {
        return Some(Vec::new());
    }
    work.spend(demos.n_cells() * 4)?;
    let mut found = Found::default();
    let measured: Vec<Vec<i32>> = demos.inputs().map(measure).collect();
    for (k, scalar) in scalars().iter().enumerate() {
        let mut table: BTreeMap<i32, &Image> = BTreeMap::new();
        let consistent =
            measured.iter().zip(demos.outputs()).all(|(m, o)| *table.entry(m[k]).or_insert(o) == o);
        if !consistent || table.len() >= demos.pairs().len() {
            continue;
        }
        let table: BTreeMap<i32, Image> =
            table.into_iter().map(|(key, image)| (key, image.clone())).collect();
        let text = format!("one of {} stored outputs, by {}", table.len(), scalar.name);
        let cost = 3.0 + 0.5 * table.len() as f64 + 0.01 * k as f64;
        found.push(Rule::new(cost, text, move |input| table.get(&measure(input)[k]).cloned()));
    }
    found.best(3, demos, work)
}

/// A number: constant, or `a · scalar + b`.
#[derive(Clone, Copy)]
struct Number {
    of: Option<usize>,
    a: i32,
    b: i32,
}

impl Number {
    fn constant(b: i32) -> Number {
        Number { of: None, a: 0, b }
    }

    fn value(self, scalars: &[i32]) -> i32 {
        self.of.map_or(0, |k| self.a * scalars[k]) + self.b
    }

    fn words(self) -> String {
        match self.of {
            None => self.b.to_string(),
            Some(k) if (self.a, self.b) == (1, 0) => scalars()[k].name.clone(),
            Some(k) => format!("{} · {} + {}", self.a, scalars()[k].name, self.b),
        }
    }
}

const SHAPES: [&str; 7] = [
    "the whole",
    "the diagonal",
    "so many cells in reading order",
    "so many cells column by column",
    "so many cells in snake order",
    "so many of every second cell",
    "so many cells of a chessboard",
];

/// Height, width, colour and number of coloured cells are numbers of the input.
pub(crate) fn learn_count(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    work.spend(demos.n_cells() * 4)?;
    let mut found = Found::default();
    let measured: Vec<Vec<i32>> = demos.inputs().map(measure).collect();
    let numbers = |wanted: Vec<i32>| explained(&measured, &wanted);
    let heights = numbers(demos.outputs().map(|o| o.h as i32).collect());
    let widths = numbers(demos.outputs().map(|o| o.w as i32).collect());
    let colors: Vec<i32> =
        demos.outputs().map(|o| most_frequent(&o.counts(), |c| c != 0).unwrap_or(1).into()).collect();
    let mut color_rules = Vec::new();
    if colors.iter().all(|c| *c == colors[0]) {
        color_rules.push(Number::constant(colors[0]));
    }
    for (k, _) in scalars().iter().enumerate().filter(|(_, scalar)| scalar.is_color) {
        if measured.iter().zip(&colors).all(|(m, c)| m[k] == *c) {
            color_rules.push(Number { of: Some(k), a: 1, b: 0 });
        }
    }
    let amounts =
        numbers(demos.outputs().map(|o| o.cells.iter().filter(|&&c| c != 0).count() as i32).collect());
    for &h in &heights {
        for &w in &widths {
            for &color in &color_rules {
                for (shape, shape_words) in SHAPES.iter().enumerate() {
                    let amounts = if shape < 2 { &[Number::constant(0)][..] } else { &amounts[..] };
                    for &amount in amounts {
                        work.spend(demos.pairs().len())?;
                        let draw = move |scalars: &[i32]| {
                            let side = |n: Number| {
                                usize::try_from(n.value(scalars)).ok().filter(|n| (1..=MAX_SIDE).contains(n))
                            };
                            let color = u8::try_from(color.value(scalars)).ok().filter(|c| *c < 10)?;
                            Some(drawn(
                                shape,
                                side(h)?,
                                side(w)?,
                                color,
                                amount.value(scalars).max(0) as usize,
                            ))
                        };
                        let right =
                            measured.iter().zip(demos.outputs()).all(|(m, o)| draw(m).as_ref() == Some(o));
                        if right {
                            let parts = [h, w, color, amount];
                            let free = parts.iter().filter(|n| n.of.is_some()).count();
                            let text = format!(
                                "{} × {} cells, {} in colour number {} (amount {})",
                                h.words(),
                                w.words(),
                                shape_words,
                                color.words(),
                                amount.words()
                            );
                            let cost = 2.0 + 0.7 * free as f64 + 0.1 * shape as f64;
                            found.push(Rule::new(cost, text, move |input| draw(&measure(input))));
                        }
                    }
                }
            }
        }
    }
    found.best(4, demos, work)
}

fn explained(measured: &[Vec<i32>], wanted: &[i32]) -> Vec<Number> {
    if wanted.iter().all(|w| *w == wanted[0]) {
        return vec![Number::constant(wanted[0])];
    }
    let mut found = Vec::new();
    for (k, scalar) in scalars().iter().enumerate() {
        if scalar.is_color {
            continue;
        }
        for a in 1..4 {
            for b in [0, 1, -1, 2, -2] {
                let number = Number { of: Some(k), a, b };
                if found.len() < 3 && measured.iter().zip(wanted).all(|(m, w)| number.value(m) == *w) {
                    found.push(number);
                }
            }
        }
    }
    found
}

fn drawn(shape: usize, h: usize, w: usize, color: u8, n: usize) -> Image {
    Image::from_fn(h, w, |y, x| {
        let place = y * w + x;
        let on = match shape {
            0 => true,
            1 => y == x,
            2 => place < n,
            3 => x * h + y < n,
            4 => y * w + if y % 2 == 0 { x } else { w - 1 - x } < n,
            5 => place.is_multiple_of(2) && place / 2 < n,
            _ => {
                let before = (0..place).filter(|p| (p / w + p % w).is_multiple_of(2)).count();
                (y + x) % 2 == 0 && before < n
            }
        };
        if on { color } else { 0 }
    })
}
