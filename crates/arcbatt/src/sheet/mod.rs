//! A task to look at: its pairs, and what a program makes of them.
//!
//! A [`Sheet`] says what is shown. A front door prints it, or makes a picture of it: [`Sheet::svg`], [`Sheet::png`].

mod font;
mod layout;
mod png;
mod svg;

use batt_dsl::{Cx, Limits};
use batt_exec::{End, Run, Sample, run};
use batt_lang::Program;
use batt_task::{Grid, Pair, Part, Task};
use batt_value::{Arena, Value, order};

use batt_job::Stop;
use batt_job::battery::why;
use batt_job::palette::Palette;

pub(crate) use layout::cut;

/// A task and, if a program was run on it, its answers.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub id: String,
    pub program: Option<String>,
    pub pairs: Vec<PairSheet>,
}

/// One pair.
#[derive(Clone, Debug)]
pub struct PairSheet {
    /// `train 0`, `test 1`, `arc-gen 2`
    pub label: String,
    pub part: Part,
    pub input: Field,
    pub expected: Option<Field>,
    pub answer: Option<Answer>,
}

/// What a program came to.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The grid, if the answer is one.
    pub field: Option<Field>,
    /// `None` if nobody knows.
    pub right: Option<bool>,
    /// What is wrong with it, if anything is.
    pub note: Option<String>,
    /// Row and column of the cells that differ, where the shape is right.
    pub differing: Vec<(usize, usize)>,
    pub fuel: u64,
}

/// A rectangle of small integers: a grid, or what a program answers in place of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub width: usize,
    pub cells: Vec<i8>,
}

/// A grid under its word, with the row and column of cells that are marked.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'s> {
    pub word: &'static str,
    pub field: &'s Field,
    pub marks: &'s [(usize, usize)],
}

/// How a picture is made.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub palette: Palette,
    /// Write the number of its colour on every cell.
    pub digits: bool,
}

impl Sheet {
    /// A task with the first `extra` of its extra pairs, and the answers of a program if there is one.
    pub fn new(
        task: &Task,
        extra: usize,
        program: Option<&Program>,
        limits: Limits,
        stop: Stop<'_>,
    ) -> Sheet {
        let mut arena = Arena::new(limits.caps);
        let mut pair = |part: Part, (i, pair): (usize, &Pair)| {
            stop.restart();
            arena.reset();
            PairSheet {
                label: format!("{} {i}", part.name()),
                part,
                input: Field::from(&pair.input),
                expected: pair.output.as_ref().map(Field::from),
                answer: program.map(|program| answer(program, task, pair, limits, stop, &arena)),
            }
        };
        let mut pairs = Vec::new();
        for (part, most) in [(Part::Train, usize::MAX), (Part::Test, usize::MAX), (Part::Extra, extra)] {
            pairs.extend(task.part(part).iter().take(most).enumerate().map(|it| pair(part, it)));
        }
        Sheet { id: task.id.clone(), program: program.map(|program| program.name().to_owned()), pairs }
    }

    /// How many of the answers are right, and how many could be.
    pub fn right(&self) -> (usize, usize) {
        let known = self.pairs.iter().filter_map(|pair| pair.answer.as_ref()?.right);
        known.fold((0, 0), |(right, all), this| (right + usize::from(this), all + 1))
    }

    /// The name of the task, and of the program with how right it is.
    pub fn title(&self) -> String {
        match (&self.program, self.right()) {
            (None, _) => self.id.clone(),
            (Some(program), (right, all)) => {
                format!("{}: {program} is right on {right} of {all} pairs", self.id)
            }
        }
    }

    /// The picture as SVG.
    pub fn svg(&self, look: Look) -> String {
        svg::draw(&layout::scene(self, look))
    }

    /// The picture as PNG, two pixels for every unit of the SVG.
    pub fn png(&self, look: Look) -> Vec<u8> {
        png::draw(&layout::scene(self, look))
    }
}

impl PairSheet {
    /// The label, and what is to be said about the answer.
    pub fn title(&self) -> String {
        let Some(answer) = &self.answer else { return self.label.clone() };
        match (answer.right, &answer.note) {
            (_, Some(note)) => format!("{}: {note}", self.label),
            (Some(true), None) => format!("{}: right", self.label),
            _ => self.label.clone(),
        }
    }

    /// What stands side by side.
    pub fn panels(&self) -> Vec<Panel<'_>> {
        let panel = |word, field| Panel { word, field, marks: &[] };
        let mut panels = vec![panel("input", &self.input)];
        panels.extend(self.expected.iter().map(|field| panel("expected", field)));
        if let Some(Answer { field: Some(field), differing, .. }) = &self.answer
            && field.drawable()
        {
            panels.push(Panel { word: "answer", field, marks: differing });
        }
        panels
    }
}

impl Field {
    /// Twice the largest grid of a task: what is larger is described, not drawn.
    const MAX_DRAWN: usize = 2 * Grid::MAX_SIDE;

    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width)
    }

    fn drawable(&self) -> bool {
        self.width <= Self::MAX_DRAWN && self.height() <= Self::MAX_DRAWN
    }
}

impl From<&Grid> for Field {
    fn from(grid: &Grid) -> Field {
        Field { width: grid.width(), cells: grid.cells().to_vec() }
    }
}

fn answer(
    program: &Program,
    task: &Task,
    pair: &Pair,
    limits: Limits,
    stop: Stop<'_>,
    arena: &Arena,
) -> Answer {
    let nothing = |note: String, fuel| {
        let right = pair.output.as_ref().map(|_| false);
        Answer { field: None, right, note: Some(note), differing: Vec::new(), fuel }
    };
    let expected = pair.output.as_ref().map(|grid| grid.value(arena)).transpose();
    let values = (pair.input.value(arena), task.samples(arena), expected);
    let (Ok(input), Ok(samples), Ok(expected)) = values else {
        return nothing("too large for the caps".to_owned(), 0);
    };
    let outcome = run(program, Sample { input, samples }, Cx::new(arena, limits.fuel, stop.flag()));
    let value = match outcome.result {
        Ok(value) => value,
        Err(failure) => return nothing(failure.describe(program), outcome.fuel),
    };
    let words = |value| why(&Run { end: End::new(value), fuel: outcome.fuel }, pair.output.as_ref(), program);
    let Value::Grid(grid) = value else {
        return nothing(words(value), outcome.fuel);
    };
    let field = Field { width: grid.width(), cells: grid.cells().to_vec() };
    let right = expected.map(|expected| order::equal(value, expected));
    let note = match (right, expected) {
        (Some(false), Some(_)) => Some(words(value)),
        (None, _) if !field.drawable() => Some(format!("the answer is {}×{}", field.height(), field.width)),
        _ => None,
    };
    let differing = pair.output.as_ref().map(|grid| field.differing(&Field::from(grid)));
    Answer { field: Some(field), right, note, differing: differing.unwrap_or_default(), fuel: outcome.fuel }
}

impl Field {
    /// The cells that differ from those of a field of the same shape.
    fn differing(&self, other: &Field) -> Vec<(usize, usize)> {
        if (self.width, self.cells.len()) != (other.width, other.cells.len()) {
            return Vec::new();
        }
        let cells = self.cells.iter().zip(&other.cells).enumerate();
        let differing = cells.filter(|(_, (this, other))| this != other);
        differing.map(|(at, _)| (at / self.width, at % self.width)).collect()
    }
}
