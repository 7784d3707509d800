//! Views of a task: its pairs, and a program's answers to them.
//!
//! A [`Sheet`] holds the content. Front ends print it or draw it with [`Sheet::svg`] or [`Sheet::png`].

mod font;
mod layout;
mod png;
mod svg;

use batt_base::number::count;
use batt_dsl::{Cx, Limits};
use batt_exec::{End, Run, Sample, run};
use batt_lang::Program;
use batt_task::{Grid, Pair, Part, Task};
use batt_value::{Arena, order};

use batt_job::Stop;
use batt_job::battery::why;
use batt_job::palette::Palette;

pub(crate) use layout::cut;

/// A task and, if a program was run on it, the answers.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub id: String,
    pub program: Option<String>,
    pub pairs: Vec<PairSheet>,
}

/// One pair of a sheet.
#[derive(Clone, Debug)]
pub struct PairSheet {
    /// `train 0`, `test 1`, `arc-gen 2`
    pub label: String,
    pub part: Part,
    pub input: Field,
    pub expected: Option<Field>,
    pub answer: Option<Answer>,
}

/// The answer of a program to one pair.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The grid, if the answer is one.
    pub field: Option<Field>,
    /// Whether it is the expected output; `None` if that is unknown.
    pub right: Option<bool>,
    /// The problem in words, if there is one.
    pub note: Option<String>,
    /// Row and column of the cells that differ; empty if the shape is wrong.
    pub differing: Vec<(usize, usize)>,
    pub fuel: u64,
}

/// A rectangle of small integers: a grid, or an answer with values that are not colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub width: usize,
    pub cells: Vec<i8>,
}

/// A labelled grid, with the row and column of its marked cells.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'s> {
    pub label: &'static str,
    pub field: &'s Field,
    pub marks: &'s [(usize, usize)],
}

/// The style of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub palette: Palette,
    /// Whether to print the colour number on every cell.
    pub digits: bool,
}

impl Sheet {
    /// Returns the sheet of a task with its first `extra` extra pairs, and with the answers of `program` if given.
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

    /// Returns the number of right answers, and of answers whose expected output is known.
    pub fn right(&self) -> (usize, usize) {
        let known = self.pairs.iter().filter_map(|pair| pair.answer.as_ref()?.right);
        known.fold((0, 0), |(right, all), this| (right + usize::from(this), all + 1))
    }

    /// Returns the id of the task and, with a program, its name and its score.
    pub fn title(&self) -> String {
        match (&self.program, self.right()) {
            (None, _) => self.id.clone(),
            (Some(program), (right, all)) => {
                format!("{}: {program} is right on {right} of {}", self.id, count(all, "pair"))
            }
        }
    }

    /// Draws the sheet as SVG.
    pub fn svg(&self, style: Style) -> String {
        svg::draw(&layout::scene(self, style))
    }

    /// Draws the sheet as PNG, two pixels for every unit of the SVG.
    pub fn png(&self, style: Style) -> Vec<u8> {
        png::draw(&layout::scene(self, style))
    }
}

impl PairSheet {
    /// Returns the label, with a remark on the answer if there is one.
    pub fn title(&self) -> String {
        let Some(answer) = &self.answer else { return self.label.clone() };
        match (answer.right, &answer.note) {
            (_, Some(note)) => format!("{}: {note}", self.label),
            (Some(true), None) => format!("{}: right", self.label),
            _ => self.label.clone(),
        }
    }

    /// Returns the grids to show side by side.
    pub fn panels(&self) -> Vec<Panel<'_>> {
        let panel = |label, field| Panel { label, field, marks: &[] };
        let mut panels = vec![panel("input", &self.input)];
        panels.extend(self.expected.iter().map(|field| panel("expected", field)));
        if let Some(Answer { field: Some(field), differing, .. }) = &self.answer
            && field.drawable()
        {
            panels.push(Panel { label: "answer", field, marks: differing });
        }
        panels
    }
}

impl Field {
    /// Twice the largest side of a task's grids. Larger answers are described, not drawn.
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
    let no_grid = |note: String, fuel| {
        let right = pair.output.as_ref().map(|_| false);
        Answer { field: None, right, note: Some(note), differing: Vec::new(), fuel }
    };
    let expected = pair.output.as_ref().map(|grid| grid.value(arena)).transpose();
    let values = (pair.input.value(arena), task.samples(arena), expected);
    let (Ok(input), Ok(samples), Ok(expected)) = values else {
        return no_grid("the grids exceed the size limit for values".to_owned(), 0);
    };
    let outcome = run(program, Sample { input, samples }, Cx::new(arena, limits.fuel, stop.flag()));
    let value = match outcome.result {
        Ok(value) => value,
        Err(failure) => return no_grid(failure.describe(program), outcome.fuel),
    };
    let run = Run { end: End::new(value), fuel: outcome.fuel };
    let problem = || why(&run, pair.output.as_ref(), program);
    let Some((width, cells)) = run.end.rectangle() else {
        return no_grid(problem(), outcome.fuel);
    };
    let field = Field { width, cells: cells.into_owned() };
    let right = expected.map(|expected| order::equal(value, expected));
    let note = match (right, expected) {
        (Some(false), Some(_)) => Some(problem()),
        (None, _) if !field.drawable() => Some(format!("the answer is {}×{}", field.height(), field.width)),
        _ => None,
    };
    let differing = pair.output.as_ref().map(|grid| field.differing(&Field::from(grid)));
    Answer { field: Some(field), right, note, differing: differing.unwrap_or_default(), fuel: outcome.fuel }
}

impl Field {
    /// Returns the cells that differ from `other`; none if the shapes differ.
    fn differing(&self, other: &Field) -> Vec<(usize, usize)> {
        if (self.width, self.cells.len()) != (other.width, other.cells.len()) {
            return Vec::new();
        }
        let cells = self.cells.iter().zip(&other.cells).enumerate();
        let differing = cells.filter(|(_, (this, other))| this != other);
        differing.map(|(at, _)| (at / self.width, at % self.width)).collect()
    }
}
