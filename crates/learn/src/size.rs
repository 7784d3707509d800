//! Numbers read off an image, and the size of the output as a function of them.

use std::sync::LazyLock;

use crate::Demos;
use crate::image::{Image, MAX_SIDE, color_name, least_frequent, most_frequent};
use crate::object::{Lines, Object, Seg};

/// A number or colour read off an image.
pub(crate) struct Scalar {
    pub name: String,
    pub is_color: bool,
}

/// What [`measure`] returns, in its order.
pub(crate) fn scalars() -> &'static [Scalar] {
    static SCALARS: LazyLock<Vec<Scalar>> = LazyLock::new(|| {
        let mut list = Vec::new();
        let mut number = |name: String, is_color: bool| list.push(Scalar { name, is_color });
        for name in [
            "the height",
            "the width",
            "the number of colours, black too",
            "the number of colours",
            "the number of coloured cells",
            "the number of one-colour objects joined by edges",
            "the number of one-colour objects",
            "the number of objects",
            "the number of objects joined by edges",
        ] {
            number(name.to_owned(), false);
        }
        for color in 0..10 {
            number(format!("the number of objects in {}", color_name(color)), false);
        }
        for color in 0..10 {
            number(format!("the amount of {}", color_name(color)), false);
        }
        number("the commonest colour".to_owned(), true);
        number("the rarest colour".to_owned(), true);
        number("the commonest colour of all".to_owned(), true);
        number("the colour of the largest object".to_owned(), true);
        for name in [
            "the size of the largest object",
            "left-right symmetry",
            "up-down symmetry",
            "diagonal symmetry",
            "the number of objects of more than one cell",
            "the number of colours with more than one object",
        ] {
            number(name.to_owned(), false);
        }
        number("the colour with the most objects".to_owned(), true);
        for name in [
            "the number of rows between lines",
            "the number of columns between lines",
            "the number of black cells",
            "the amount of the commonest colour",
        ] {
            number(name.to_owned(), false);
        }
        list
    });
    &SCALARS
}

/// The values of [`scalars`] for an image.
pub(crate) fn measure(g: &Image) -> Vec<i32> {
    let counts = g.counts();
    let n_colors = |from: usize| counts[from..].iter().filter(|&&n| n > 0).count();
    let objects = Seg::Mono4.objects(g);
    let n_of = |color: u8| objects.iter().filter(|o| o.color == color).count();
    let colored = g.cells.iter().filter(|&&c| c != 0).count();
    let mut values = vec![g.h, g.w, n_colors(0), n_colors(1), colored, objects.len()];
    values.extend([Seg::Mono8, Seg::Multi8, Seg::Multi4].map(|seg| seg.objects(g).len()));
    values.extend((0..10).map(n_of));
    values.extend(counts);
    let color = |c: Option<u8>| usize::from(c.unwrap_or(0));
    let commonest = most_frequent(&counts, |c| c != 0);
    values.push(color(commonest));
    values.push(color(least_frequent(&counts, |c| c != 0)));
    values.push(usize::from(g.majority()));
    values.push(color(objects.iter().max_by_key(|o| o.size()).map(|o| o.color)));
    values.push(objects.iter().map(Object::size).max().unwrap_or(0));
    values.push(usize::from(*g == g.turned(1)));
    values.push(usize::from(*g == g.turned(2)));
    values.push(usize::from(g.h == g.w && *g == g.turned(4)));
    values.push(objects.iter().filter(|o| o.size() > 1).count());
    values.push((0..10).filter(|&c| n_of(c) > 1).count());
    values.push((0..10u8).rev().max_by_key(|&c| n_of(c)).map_or(0, usize::from));
    let lines = Lines::find(g);
    values.push(lines.as_ref().map_or(0, |lines| lines.rows.len()));
    values.push(lines.as_ref().map_or(0, |lines| lines.cols.len()));
    values.push(counts[0]);
    values.push(commonest.map_or(0, |c| counts[usize::from(c)]));
    debug_assert_eq!(values.len(), scalars().len());
    values.into_iter().map(|value| value.min(250) as i32).collect()
}

/// One side of the output: `(a · x + b) · y`, where x and y are numbers of the input.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Side {
    /// A place in [`scalars`]; none for 1.
    times: Option<usize>,
    of: Option<usize>,
    a: i32,
    b: i32,
}

/// The places of height and width in [`scalars`].
const SIDES: [usize; 2] = [0, 1];

impl Side {
    fn value(self, scalars: &[i32]) -> i32 {
        let x = self.of.map_or(0, |k| scalars[k]);
        (self.a * x + self.b) * self.times.map_or(1, |k| scalars[k])
    }

    fn words(self) -> String {
        let Some(of) = self.of else { return self.b.to_string() };
        let mut text = if self.a == 1 { String::new() } else { format!("{} · ", self.a) };
        text += &scalars()[of].name;
        if self.b != 0 {
            text += &format!(" {} {}", if self.b > 0 { '+' } else { '−' }, self.b.abs());
        }
        match self.times {
            Some(k) => format!("({text}) · {}", scalars()[k].name),
            None => text,
        }
    }
}

/// The size of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeRule {
    h: Side,
    w: Side,
    surcharge: f64,
}

impl SizeRule {
    pub(crate) fn of(&self, input: &Image) -> Option<(usize, usize)> {
        let scalars = measure(input);
        let side =
            |side: Side| usize::try_from(side.value(&scalars)).ok().filter(|n| (1..=MAX_SIDE).contains(n));
        Some((side(self.h)?, side(self.w)?))
    }

    /// What a rule with this size costs more than one without.
    pub(crate) fn surcharge(&self) -> f64 {
        self.surcharge.min(1.5)
    }

    pub(crate) fn words(&self) -> String {
        format!("the height is {}, the width is {}", self.h.words(), self.w.words())
    }
}

/// The size rules that hold on all pairs, the simplest first; at most three.
pub(crate) fn size_rules(demos: &Demos) -> Vec<SizeRule> {
    let measured: Vec<Vec<i32>> = demos.inputs().map(measure).collect();
    let sides = |side: usize| {
        let wanted: Vec<i32> = demos.outputs().map(|o| if side == 0 { o.h } else { o.w } as i32).collect();
        explanations(&measured, &wanted, side)
    };
    let mut rules = Vec::new();
    let widths = sides(1);
    for (price_h, h) in sides(0) {
        for (price_w, w) in &widths {
            let alike = h.of.map(mirrored) == w.of && h.times.map(mirrored) == w.times
                || (h.of == w.of && h.times.map(mirrored) == w.times && (h.of.is_none_or(|k| k > 1)));
            let surcharge = price_h + price_w + if alike { 0.0 } else { 0.5 };
            rules.push(SizeRule { h, w: *w, surcharge });
        }
    }
    rules.sort_by(|a, b| a.surcharge.total_cmp(&b.surcharge));
    rules.truncate(3);
    rules
}

/// Height for width and width for height.
fn mirrored(scalar: usize) -> usize {
    match scalar {
        0 => 1,
        1 => 0,
        other => other,
    }
}

fn explanations(measured: &[Vec<i32>], wanted: &[i32], side: usize) -> Vec<(f64, Side)> {
    let mut found: Vec<(f64, Side)> = Vec::new();
    let holds = |s: Side| measured.iter().zip(wanted).all(|(m, w)| s.value(m) == *w);
    let constant = |k: usize| measured.iter().all(|m| m[k] == measured[0][k]);
    for k in [SIDES[side], SIDES[1 - side]] {
        let other = if k == SIDES[side] { 0.0 } else { 0.3 };
        let mut linear = Vec::new();
        for a in 1..6 {
            for b in -2..9 {
                let price = if a > 1 && b != 0 { 0.6 } else { 0.0 };
                let s = Side { times: None, of: Some(k), a, b };
                if holds(s) {
                    linear.push((price + other + if a > 1 { 0.0 } else { 0.01 * f64::from(b.abs()) }, s));
                }
            }
        }
        // Where the input's side never changes, all these say the same: one multiple is enough.
        linear.sort_by(|a, b| a.0.total_cmp(&b.0));
        linear.truncate(if constant(k) { 1 } else { 2 });
        found.extend(linear);
    }
    if wanted.iter().all(|w| *w == wanted[0]) {
        found.push((0.2, Side { times: None, of: None, a: 0, b: wanted[0] }));
    }
    for k in (0..scalars().len()).filter(|&k| !scalars()[k].is_color && !constant(k)) {
        let order = 0.01 * k as f64;
        for (a, b) in [(1, 0), (1, 1), (1, -1), (2, 0), (2, 1)] {
            for times in SIDES {
                let s = Side { times: Some(times), of: Some(k), a, b };
                // A side squared is a natural size.
                let price = if k == times && a == 1 && b == 0 { 0.1 } else { 0.4 };
                if holds(s) {
                    found.push((price + order, s));
                }
            }
            let s = Side { times: None, of: Some(k), a, b };
            if k > 1 && holds(s) {
                found.push((0.6 + order, s));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(4);
    found
}
