//! The submission file: attempts for every test output of a data set.
//!
//! [`Draft`] writes it. A draft is always valid: it starts with fallbacks for every test input and improves
//! as answers come in. [`Submission`] reads files of any origin; each defect of a file is a [`Problem`].
//!
//! There are two forms. Kaggle's `submission.json` since 2024 has two attempts for each output:
//!
//! ```json
//! {"00576224": [{"attempt_1": [[0, 0], [0, 0]], "attempt_2": [[1, 0], [0, 0]]}]}
//! ```
//!
//! The CSV of 2020 has one row for each output, with at most three predictions:
//!
//! ```csv
//! output_id,output
//! 00576224_0,|00|00| |10|00|
//! ```

mod csv;
mod json;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

use batt_base::write_atomic;

use crate::{Grid, GridError, Task};

/// The file format of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Kaggle's `submission.json`.
    Json,
    /// The CSV of 2020.
    Csv,
}

impl Form {
    /// Returns the form for a file name: CSV if it ends in `.csv`, otherwise Kaggle's.
    pub fn of(path: &Path) -> Form {
        let csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        if csv { Form::Csv } else { Form::Json }
    }

    pub fn name(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Csv => "csv",
        }
    }

    /// Returns the start of a file. It is followed by [the entry](Form::entry) of each task in the order of
    /// ids, then [the end](Form::end).
    pub fn start(self) -> &'static str {
        match self {
            Form::Json => json::START,
            Form::Csv => csv::START,
        }
    }

    /// Returns the text for one task, the `i`-th of the file.
    pub fn entry(self, i: usize, id: &str, outputs: &[[Grid; 2]]) -> String {
        match self {
            Form::Json => json::entry(i, id, outputs),
            Form::Csv => csv::entry(id, outputs),
        }
    }

    pub fn end(self) -> &'static str {
        match self {
            Form::Json => json::END,
            Form::Csv => "",
        }
    }
}

/// A submission that is being made. It is always valid: it has every task and two different attempts for
/// every test input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    tasks: BTreeMap<String, Vec<[Grid; 2]>>,
}

impl Draft {
    /// Creates a draft with fallbacks for every test input: the input itself, and the smallest grid that
    /// differs from it.
    pub fn new<T: Borrow<Task>>(tasks: impl IntoIterator<Item = T>) -> Draft {
        let mut draft = Draft { tasks: BTreeMap::new() };
        for task in tasks {
            let task = task.borrow();
            draft.tasks.entry(task.id.clone()).or_insert_with(|| fallbacks(task));
        }
        draft
    }

    /// Sets the attempts for test input `output` of a task to the first two different candidates; the best
    /// one comes first. Attempts without a candidate keep their earlier answer or fallback. Returns whether
    /// the data set has this test input.
    pub fn answer(&mut self, id: &str, output: usize, candidates: impl IntoIterator<Item = Grid>) -> bool {
        let Some(attempts) = self.tasks.get_mut(id).and_then(|outputs| outputs.get_mut(output)) else {
            return false;
        };
        let mut candidates = candidates.into_iter();
        let Some(first) = candidates.next() else { return true };
        let second = candidates.find(|candidate| *candidate != first);
        let second = second.unwrap_or_else(|| attempts[usize::from(attempts[0] == first)].clone());
        *attempts = [first, second];
        true
    }

    pub fn attempts(&self, id: &str, output: usize) -> Option<&[Grid; 2]> {
        self.tasks.get(id)?.get(output)
    }

    /// Returns the text of the file.
    pub fn text(&self, form: Form) -> String {
        let mut text = form.start().to_owned();
        for (i, (id, outputs)) in self.tasks.iter().enumerate() {
            text.push_str(&form.entry(i, id, outputs));
        }
        text + form.end()
    }

    /// Writes the file atomically, in the form that fits its name.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic(path, self.text(Form::of(path)).as_bytes())
    }

    /// Returns the draft as a reader of the file would see it.
    pub fn submission(&self) -> Submission {
        let outputs = |outputs: &Vec<[Grid; 2]>| {
            outputs.iter().map(|attempts| attempts.iter().cloned().map(Some).collect()).collect()
        };
        let answers = self.tasks.iter().map(|(id, task)| (id.clone(), outputs(task))).collect();
        Submission { form: Form::Json, answers, problems: Vec::new() }
    }
}

/// Returns the attempts for a task without answers.
pub fn fallbacks(task: &Task) -> Vec<[Grid; 2]> {
    task.test.iter().map(|pair| fallback(&pair.input)).collect()
}

fn fallback(input: &Grid) -> [Grid; 2] {
    let dot = |color| Grid::new(1, [color]).expect("a single cell is a grid");
    let other = if *input == dot(0) { dot(1) } else { dot(0) };
    [input.clone(), other]
}

/// The usable content of a submission file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submission {
    pub form: Form,
    answers: BTreeMap<String, Vec<Attempts>>,
    /// Problems of the file itself. [`Submission::check`] adds those that depend on the data set.
    pub problems: Vec<Problem>,
}

/// The attempts for one output in order: `attempt_1` is the first. `None` is one that is missing or unusable.
pub type Attempts = Vec<Option<Grid>>;

impl Submission {
    /// Parses the text of a file of either form.
    pub fn parse(text: &[u8]) -> Result<Submission, ParseError> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => json::read(text),
            _ => csv::read(text),
        }
    }

    /// Iterates over ids and their outputs, in the order of ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[Attempts])> {
        self.answers.iter().map(|(id, outputs)| (id.as_str(), &outputs[..]))
    }

    /// Returns the attempts for one output; empty if the file has none.
    pub fn attempts(&self, id: &str, output: usize) -> &[Option<Grid>] {
        self.answers.get(id).and_then(|outputs| outputs.get(output)).map_or(&[], |attempts| &attempts[..])
    }

    pub fn contains(&self, id: &str) -> bool {
        self.answers.contains_key(id)
    }

    /// Returns all problems of this submission for a data set, in the order of ids. The data set is given as
    /// ids with their numbers of test inputs.
    pub fn check<'t>(&self, tasks: impl IntoIterator<Item = (&'t str, usize)>) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        // If a task has no list at all, its length is not reported as well.
        let unlisted =
            self.problems.iter().filter(|problem| matches!(problem.defect, Defect::NotAList { .. }));
        let unlisted: BTreeSet<_> = unlisted.map(|problem| problem.place.id.as_str()).collect();
        let mut known = BTreeSet::new();
        for (id, wanted) in tasks {
            known.insert(id);
            match self.answers.get(id).map(Vec::len) {
                None => problems.push(Place::task(id).problem(Defect::MissingId)),
                Some(found) if found != wanted && !unlisted.contains(id) => {
                    problems.push(Place::task(id).problem(Defect::OutputCount { found, wanted }));
                }
                Some(_) => {}
            }
        }
        let unknown = self.answers.keys().filter(|id| !known.contains(id.as_str()));
        problems.extend(unknown.map(|id| Place::task(id).problem(Defect::UnknownId)));
        problems.sort_by(|a, b| a.place.cmp(&b.place));
        problems
    }

    /// Returns the number of outputs whose first two attempts are equal. That is allowed, but wastes an
    /// attempt.
    pub fn equal_attempts(&self) -> usize {
        let outputs = self.answers.values().flatten();
        outputs.filter(|attempts| matches!(&attempts[..], [Some(a), Some(b), ..] if a == b)).count()
    }
}

/// The reasons why a text is not a submission. The mistake is in the file.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The message includes line and column.
    #[error("not a submission: {0}")]
    Json(serde_json::Error),
    #[error(
        "not a submission: neither Kaggle's {{\"id\": [{{\"attempt_1\": …, \"attempt_2\": …}}]}} nor a CSV that \
         starts with `output_id,output`"
    )]
    Neither,
    #[error("not a submission: the text is not UTF-8 from byte {at} on")]
    NotText { at: usize },
}

/// One defect of a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub place: Place,
    pub defect: Defect,
}

/// A place in a submission. Outputs and attempts count from 0; `attempt_1` is attempt 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub id: String,
    pub output: Option<usize>,
    pub attempt: Option<usize>,
}

/// The kinds of defects.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Defect {
    #[error("missing; every task needs an answer")]
    MissingId,
    #[error("no task of the data set has this id")]
    UnknownId,
    #[error("given twice; the last one counts")]
    Twice,
    #[error("expected a list with an entry for each test input, not {found}")]
    NotAList { found: &'static str },
    #[error("the number of outputs is {found}, but the number of test inputs is {wanted}")]
    OutputCount { found: usize, wanted: usize },
    #[error("expected {{\"attempt_1\": grid, \"attempt_2\": grid}}, not {found}")]
    NotAnOutput { found: &'static str },
    #[error("no row for this output")]
    MissingOutput,
    #[error("missing; each attempt must be a grid")]
    MissingAttempt,
    #[error("unknown key `{key}`; the keys are attempt_1 and attempt_2")]
    UnknownKey { key: String },
    #[error("{found} predictions; only the first {max} count", max = csv::MAX_PREDICTIONS)]
    TooManyAttempts { found: usize },
    #[error(transparent)]
    BadGrid(#[from] GridError),
    #[error("{found} is not a grid; a grid is a list of rows of colours")]
    NotAGrid { found: &'static str },
    #[error("row {row} is {found}; a row is a list of colours")]
    NotARow { row: usize, found: &'static str },
    #[error("line {line}: {why}")]
    BadLine { line: usize, why: &'static str },
}

impl Defect {
    /// Returns the one-word name used in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Defect::MissingId => "missing_id",
            Defect::UnknownId => "unknown_id",
            Defect::Twice => "twice",
            Defect::NotAList { .. } => "not_a_list",
            Defect::OutputCount { .. } => "output_count",
            Defect::NotAnOutput { .. } => "not_an_output",
            Defect::MissingOutput => "missing_output",
            Defect::MissingAttempt => "missing_attempt",
            Defect::UnknownKey { .. } => "unknown_key",
            Defect::TooManyAttempts { .. } => "too_many_attempts",
            Defect::BadGrid(_) | Defect::NotAGrid { .. } | Defect::NotARow { .. } => "bad_grid",
            Defect::BadLine { .. } => "bad_line",
        }
    }
}

impl Place {
    fn task(id: &str) -> Place {
        Place { id: id.to_owned(), output: None, attempt: None }
    }

    fn output(id: &str, output: usize) -> Place {
        Place { output: Some(output), ..Place::task(id) }
    }

    fn attempt(id: &str, output: usize, attempt: usize) -> Place {
        Place { attempt: Some(attempt), ..Place::output(id, output) }
    }

    fn problem(self, defect: Defect) -> Problem {
        Problem { place: self, defect }
    }
}

impl fmt::Display for Place {
    /// Prints `00576224, output 0, attempt_2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        if let Some(output) = self.output {
            write!(f, ", output {output}")?;
        }
        if let Some(attempt) = self.attempt {
            write!(f, ", attempt_{}", attempt + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.defect)
    }
}

/// Makes a grid from rows of cells that `color` converts.
fn grid<T>(rows: &[Vec<T>], color: impl Fn(&T) -> Result<i8, String>) -> Result<Grid, GridError> {
    if rows.len() > Grid::MAX_SIDE {
        return Err(GridError::TooTall { rows: rows.len() });
    }
    let width = rows.first().map_or(0, Vec::len);
    let mut colors = Vec::with_capacity(rows.len() * width.min(Grid::MAX_SIDE));
    for (row, cells) in rows.iter().enumerate() {
        match cells.len() {
            0 => return Err(GridError::EmptyRow { row }),
            n if n > Grid::MAX_SIDE => return Err(GridError::TooWide { row, cells: n }),
            n if n != width => return Err(GridError::Ragged { row, cells: n, before: width }),
            _ => {}
        }
        for (col, cell) in cells.iter().enumerate() {
            colors.push(color(cell).map_err(|found| GridError::Color { row, col, found })?);
        }
    }
    Grid::new(width, colors)
}
