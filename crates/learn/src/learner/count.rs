//! Outputs drawn from numbers of the input: size, colour and number of coloured cells.

use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::{Image, MAX_SIDE, most_frequent};
use crate::option::choices;
use crate::rule::Body;
use crate::scalar::{Scalar, Scalars};
use crate::{Demos, OutOfWork, Rule, Work};

/// A number: constant, or `a · scalar + b`.
#[derive(Clone, Copy)]
struct Number {
    of: Option<Scalar>,
    a: i32,
    b: i32,
}

impl Number {
    fn constant(b: i32) -> Number {
        Number { of: None, a: 0, b }
    }

    fn value(self, scalars: &Scalars) -> i32 {
        self.of.map_or(0, |scalar| self.a * scalars.get(scalar)) + self.b
    }

    fn words(self) -> String {
        match self.of {
            None => self.b.to_string(),
            Some(scalar) if (self.a, self.b) == (1, 0) => scalar.words().to_string(),
            Some(scalar) => format!("{} · {} + {}", self.a, scalar.words(), self.b),
        }
    }

    fn code(self, grid: &Expr) -> Option<String> {
        let Some(scalar) = self.of else { return Some(number(self.b.into())) };
        let mut text = scalar.code(grid)?;
        if self.a != 1 {
            text = format!("multiply({text}, {})", number(self.a.into()));
        }
        if self.b != 0 {
            text = format!("add({text}, {})", number(self.b.into()));
        }
        Some(text)
    }
}

choices! {
    /// The coloured cells of an output.
    Shape {
        All: "all of them",
        Diagonal: "the diagonal",
        ReadingOrder: "the first in reading order",
        ColumnByColumn: "the first column by column",
        Snake: "the first in snake order",
        EverySecond: "the first of every second cell",
        Chessboard: "the first cells of a chessboard",
    }
}

impl Shape {
    /// Whether the number of coloured cells matters.
    fn has_amount(self) -> bool {
        !matches!(self, Shape::All | Shape::Diagonal)
    }

    fn draw(self, h: usize, w: usize, color: u8, n: usize) -> Image {
        Image::from_fn(h, w, |y, x| {
            let place = y * w + x;
            let on = match self {
                Shape::All => true,
                Shape::Diagonal => y == x,
                Shape::ReadingOrder => place < n,
                Shape::ColumnByColumn => x * h + y < n,
                Shape::Snake => y * w + if y % 2 == 0 { x } else { w - 1 - x } < n,
                Shape::EverySecond => place.is_multiple_of(2) && place / 2 < n,
                Shape::Chessboard => {
                    let before = (0..place).filter(|p| (p / w + p % w).is_multiple_of(2)).count();
                    (y + x) % 2 == 0 && before < n
                }
            };
            if on { color } else { 0 }
        })
    }
}

/// A rule: the numbers from which an output is drawn.
#[derive(Clone, Copy)]
struct Drawing {
    height: Number,
    width: Number,
    color: Number,
    shape: Shape,
    amount: Number,
}

/// The cost of a rule, of each number that is not constant, and of a later shape. Chosen on ARC-AGI-1 training
/// tasks.
const BASE_COST: f64 = 2.0;
const PER_NUMBER: f64 = 0.7;
const PER_SHAPE: f64 = 0.1;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    work.spend(demos.n_cells() * 4)?;
    let mut found = Found::default();
    let measured: Vec<Scalars> = demos.inputs().map(Scalars::of).collect();
    let numbers = |wanted: Vec<i32>| explained(&measured, &wanted);
    let heights = numbers(demos.outputs().map(|o| o.h as i32).collect());
    let widths = numbers(demos.outputs().map(|o| o.w as i32).collect());
    let colors = color_rules(demos, &measured);
    let amounts =
        numbers(demos.outputs().map(|o| o.cells.iter().filter(|&&c| c != 0).count() as i32).collect());
    for &height in &heights {
        for &width in &widths {
            for &color in &colors {
                for (k, &shape) in Shape::ALL.iter().enumerate() {
                    let amounts = if shape.has_amount() { &amounts[..] } else { &[Number::constant(0)][..] };
                    for &amount in amounts {
                        work.spend(demos.pairs().len())?;
                        let drawing = Drawing { height, width, color, shape, amount };
                        let right = measured
                            .iter()
                            .zip(demos.outputs())
                            .all(|(m, o)| drawing.draw(m).as_ref() == Some(o));
                        if right {
                            let cost =
                                BASE_COST + PER_NUMBER * drawing.n_variable() as f64 + PER_SHAPE * k as f64;
                            found.push(Rule::new(cost, drawing.words(), drawing));
                        }
                    }
                }
            }
        }
    }
    found.best(4, demos, work)
}

/// The colours of the outputs as a constant, or as a colour of the input.
fn color_rules(demos: &Demos, measured: &[Scalars]) -> Vec<Number> {
    let colors: Vec<i32> =
        demos.outputs().map(|o| most_frequent(&o.counts(), |c| c != 0).unwrap_or(1).into()).collect();
    let mut rules = Vec::new();
    if colors.iter().all(|c| *c == colors[0]) {
        rules.push(Number::constant(colors[0]));
    }
    for &scalar in Scalar::all().iter().filter(|scalar| scalar.is_color()) {
        if measured.iter().zip(&colors).all(|(m, c)| m.get(scalar) == *c) {
            rules.push(Number { of: Some(scalar), a: 1, b: 0 });
        }
    }
    rules
}

/// At most three ways to get the wanted numbers.
fn explained(measured: &[Scalars], wanted: &[i32]) -> Vec<Number> {
    if wanted.iter().all(|w| *w == wanted[0]) {
        return vec![Number::constant(wanted[0])];
    }
    let mut found = Vec::new();
    for &scalar in Scalar::all().iter().filter(|scalar| !scalar.is_color()) {
        for a in 1..4 {
            for b in [0, 1, -1, 2, -2] {
                let number = Number { of: Some(scalar), a, b };
                if found.len() < 3 && measured.iter().zip(wanted).all(|(m, w)| number.value(m) == *w) {
                    found.push(number);
                }
            }
        }
    }
    found
}

impl Drawing {
    fn draw(self, scalars: &Scalars) -> Option<Image> {
        let side = |n: Number| usize::try_from(n.value(scalars)).ok().filter(|n| (1..=MAX_SIDE).contains(n));
        let color = u8::try_from(self.color.value(scalars)).ok().filter(|c| *c < 10)?;
        let amount = self.amount.value(scalars).max(0) as usize;
        Some(self.shape.draw(side(self.height)?, side(self.width)?, color, amount))
    }

    fn n_variable(self) -> usize {
        let parts = [self.height, self.width, self.color, self.amount];
        parts.iter().filter(|number| number.of.is_some()).count()
    }

    fn words(self) -> String {
        let mut words = format!(
            "{} × {} cells, {} in colour number {}",
            self.height.words(),
            self.width.words(),
            self.shape.words(),
            self.color.words()
        );
        if self.shape.has_amount() {
            words += &format!(", their number {}", self.amount.words());
        }
        words
    }
}

impl Body for Drawing {
    fn apply(&self, input: &Image) -> Option<Image> {
        self.draw(&Scalars::of(input))
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let (height, width) = (self.height.code(input)?, self.width.code(input)?);
        let (color, amount) = (self.color.code(input)?, self.amount.code(input)?);
        let size = code.line(format!("astuple({height}, {width})"));
        let canvas = code.line(format!("canvas(ZERO, {size})"));
        let all = code.line(format!("asindices({canvas})"));
        // Places in reading order, numbered from 0.
        let place = format!("fork(add, compose(rbind(multiply, {width}), first), last)");
        let cells = match self.shape {
            Shape::All => return Some(code.line(format!("canvas({color}, {size})"))),
            Shape::Diagonal => format!("sfilter({all}, fork(equality, first, last))"),
            Shape::ReadingOrder => format!("sfilter({all}, compose(lbind(greater, {amount}), {place}))"),
            Shape::ColumnByColumn => {
                let place = format!("fork(add, compose(rbind(multiply, {height}), last), first)");
                format!("sfilter({all}, compose(lbind(greater, {amount}), {place}))")
            }
            Shape::EverySecond => {
                let few = format!("compose(lbind(greater, double({amount})), {place})");
                format!("sfilter({all}, fork(both, compose(even, {place}), {few}))")
            }
            Shape::Snake | Shape::Chessboard => return None,
        };
        let cells = code.line(cells);
        Some(code.line(format!("fill({canvas}, {color}, {cells})")))
    }
}
