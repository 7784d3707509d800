//! One of a few stored outputs, chosen by one number of the input.

use std::collections::{BTreeMap, HashSet};

use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::Image;
use crate::rule::Body;
use crate::scalar::{Scalar, Scalars};
use crate::{Demos, OutOfWork, Rule, Work};

/// Costs of a constant output, of a table, and of each of its outputs. Chosen on ARC-AGI-1 training tasks.
const CONSTANT_COST: f64 = 1.0;
const TABLE_COST: f64 = 3.0;
const PER_OUTPUT: f64 = 0.5;
const PER_SCALAR: f64 = 0.01;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let first = &demos.pairs()[0].1;
    if demos.outputs().all(|output| output == first) {
        return Ok(vec![Rule::new(CONSTANT_COST, "always the same output", Constant(first.clone()))]);
    }
    let distinct: HashSet<&Image> = demos.outputs().collect();
    if distinct.len() >= demos.pairs().len() {
        return Ok(Vec::new());
    }
    work.spend(demos.n_cells() * 4)?;
    let mut found = Found::default();
    let measured: Vec<Scalars> = demos.inputs().map(Scalars::of).collect();
    for (k, &scalar) in Scalar::all().iter().enumerate() {
        let mut table: BTreeMap<i32, &Image> = BTreeMap::new();
        let consistent =
            measured.iter().zip(demos.outputs()).all(|(m, o)| *table.entry(m.get(scalar)).or_insert(o) == o);
        if !consistent || table.len() >= demos.pairs().len() {
            continue;
        }
        let outputs: BTreeMap<i32, Image> =
            table.into_iter().map(|(key, image)| (key, image.clone())).collect();
        let words = format!("one of {} stored outputs, by {}", outputs.len(), scalar.words());
        let cost = TABLE_COST + PER_OUTPUT * outputs.len() as f64 + PER_SCALAR * k as f64;
        found.push(Rule::new(cost, words, Table { scalar, outputs }));
    }
    found.best(3, demos, work)
}

/// The same output for every input.
struct Constant(Image);

impl Body for Constant {
    fn apply(&self, _: &Image) -> Option<Image> {
        Some(self.0.clone())
    }

    fn code(&self, code: &mut Code, _: &Expr) -> Option<Expr> {
        Some(code.line(literal(&self.0)))
    }
}

/// An output for each value of a number.
struct Table {
    scalar: Scalar,
    outputs: BTreeMap<i32, Image>,
}

impl Body for Table {
    fn apply(&self, input: &Image) -> Option<Image> {
        self.outputs.get(&Scalars::of(input).get(self.scalar)).cloned()
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let key = code.line(self.scalar.code(input)?);
        let mut outputs = self.outputs.iter().rev();
        let (_, last) = outputs.next()?;
        let mut answer = code.line(literal(last));
        for (value, output) in outputs {
            let is_key = code.line(format!("equality({key}, {})", number((*value).into())));
            let output = code.line(literal(output));
            answer = code.line(format!("branch({is_key}, {output}, {answer})"));
        }
        Some(answer)
    }
}

/// An image as a literal of the language: a tuple of rows.
fn literal(image: &Image) -> String {
    let row = |cells: &[u8]| {
        let cells: Vec<String> = cells.iter().map(u8::to_string).collect();
        format!("({},)", cells.join(", "))
    };
    let rows: Vec<String> = image.cells.chunks(image.w).map(row).collect();
    format!("({},)", rows.join(", "))
}
