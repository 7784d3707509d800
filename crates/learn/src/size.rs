//! The size of the output as a function of numbers of the input.

use crate::Demos;
use crate::code::{Code, Expr, number};
use crate::image::{Image, MAX_SIDE};
use crate::scalar::{Scalar, Scalars};

/// One side of the output: `(a · x + b) · y`, where x and y are numbers of the input.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Side {
    /// y; none for 1.
    times: Option<Scalar>,
    /// x; none for 0.
    of: Option<Scalar>,
    a: i32,
    b: i32,
}

impl Side {
    fn value(self, scalars: &Scalars) -> i32 {
        let x = self.of.map_or(0, |scalar| scalars.get(scalar));
        (self.a * x + self.b) * self.times.map_or(1, |scalar| scalars.get(scalar))
    }

    fn words(self) -> String {
        let Some(of) = self.of else { return self.b.to_string() };
        let mut text = if self.a == 1 { String::new() } else { format!("{} · ", self.a) };
        text += &of.words().to_string();
        if self.b != 0 {
            text += &format!(" {} {}", if self.b > 0 { '+' } else { '−' }, self.b.abs());
        }
        match self.times {
            Some(times) => format!("({text}) · {}", times.words()),
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

/// A size rule costs at most this much, however odd it is. Chosen on ARC-AGI-1 training tasks, as all prices of
/// this file.
const MAX_SURCHARGE: f64 = 1.5;

impl SizeRule {
    pub(crate) fn of(&self, input: &Image) -> Option<(usize, usize)> {
        let scalars = Scalars::of(input);
        let side =
            |side: Side| usize::try_from(side.value(&scalars)).ok().filter(|n| (1..=MAX_SIDE).contains(n));
        Some((side(self.h)?, side(self.w)?))
    }

    /// The additional cost of a rule with this size.
    pub(crate) fn surcharge(&self) -> f64 {
        self.surcharge.min(MAX_SURCHARGE)
    }

    pub(crate) fn words(&self) -> String {
        format!("the height is {}, the width is {}", self.h.words(), self.w.words())
    }

    /// The size in the language, as a pair of height and width.
    pub(crate) fn code(&self, code: &mut Code, grid: &Expr) -> Option<Expr> {
        let (h, w) = (self.h.code(grid)?, self.w.code(grid)?);
        Some(code.line(format!("astuple({h}, {w})")))
    }
}

impl Side {
    fn code(self, grid: &Expr) -> Option<String> {
        let mut text = match self.of {
            None => number(self.b.into()),
            Some(of) => of.code(grid)?,
        };
        if self.of.is_some() && self.a != 1 {
            text = format!("multiply({text}, {})", number(self.a.into()));
        }
        if self.of.is_some() && self.b != 0 {
            text = format!("add({text}, {})", number(self.b.into()));
        }
        match self.times {
            None => Some(text),
            Some(times) => Some(format!("multiply({text}, {})", times.code(grid)?)),
        }
    }
}

/// The size rules that hold on all pairs, the simplest first; at most three.
pub(crate) fn size_rules(demos: &Demos) -> Vec<SizeRule> {
    let measured: Vec<Scalars> = demos.inputs().map(Scalars::of).collect();
    let heights: Vec<i32> = demos.outputs().map(|output| output.h as i32).collect();
    let widths: Vec<i32> = demos.outputs().map(|output| output.w as i32).collect();
    let widths = explanations(&measured, &widths, Scalar::Width);
    let mut rules = Vec::new();
    for (price_h, h) in explanations(&measured, &heights, Scalar::Height) {
        for (price_w, w) in &widths {
            let times = h.times.map(Scalar::mirrored) == w.times;
            let mirrored = h.of.map(Scalar::mirrored) == w.of;
            let same = h.of == w.of && h.of.is_none_or(|scalar| !scalar.is_side());
            let alike = times && (mirrored || same);
            let surcharge = price_h + price_w + if alike { 0.0 } else { 0.5 };
            rules.push(SizeRule { h, w: *w, surcharge });
        }
    }
    rules.sort_by(|a, b| a.surcharge.total_cmp(&b.surcharge));
    rules.truncate(3);
    rules
}

/// The cheapest ways to get the wanted numbers for one side.
fn explanations(measured: &[Scalars], wanted: &[i32], side: Scalar) -> Vec<(f64, Side)> {
    let mut found: Vec<(f64, Side)> = Vec::new();
    let holds = |s: Side| measured.iter().zip(wanted).all(|(m, w)| s.value(m) == *w);
    let constant = |scalar: Scalar| measured.iter().all(|m| m.get(scalar) == measured[0].get(scalar));
    for scalar in [side, side.mirrored()] {
        let other = if scalar == side { 0.0 } else { 0.3 };
        let mut linear = Vec::new();
        for a in 1..6 {
            for b in -2..9 {
                let price = if a > 1 && b != 0 { 0.6 } else { 0.0 };
                let s = Side { times: None, of: Some(scalar), a, b };
                if holds(s) {
                    linear.push((price + other + if a > 1 { 0.0 } else { 0.01 * f64::from(b.abs()) }, s));
                }
            }
        }
        // If the input's side never changes, all these say the same: one multiple is enough.
        linear.sort_by(|a, b| a.0.total_cmp(&b.0));
        linear.truncate(if constant(scalar) { 1 } else { 2 });
        found.extend(linear);
    }
    if wanted.iter().all(|w| *w == wanted[0]) {
        found.push((0.2, Side { times: None, of: None, a: 0, b: wanted[0] }));
    }
    for (k, &scalar) in Scalar::all().iter().enumerate() {
        if scalar.is_color() || constant(scalar) {
            continue;
        }
        let order = 0.01 * k as f64;
        for (a, b) in [(1, 0), (1, 1), (1, -1), (2, 0), (2, 1)] {
            for times in [Scalar::Height, Scalar::Width] {
                let s = Side { times: Some(times), of: Some(scalar), a, b };
                // A side squared is a natural size.
                let price = if scalar == times && a == 1 && b == 0 { 0.1 } else { 0.4 };
                if holds(s) {
                    found.push((price + order, s));
                }
            }
            let s = Side { times: None, of: Some(scalar), a, b };
            if !scalar.is_side() && holds(s) {
                found.push((0.6 + order, s));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(4);
    found
}
