//! The CSV of 2020: `output_id,output`, then rows of `id_k,|123|456| |…|`.

use std::collections::BTreeMap;

use super::{Attempts, Defect, Form, ParseError, Place, Problem, Submission, grid};
use crate::{Grid, GridError};

/// Number of predictions that counted in 2020.
pub(super) const MAX_PREDICTIONS: usize = 3;

/// More test inputs than any task has. A larger number is a mistake, not a long list of gaps.
const MAX_OUTPUTS: usize = 1000;

const HEADER: [&str; 2] = ["output_id", "output"];

pub(super) const START: &str = "output_id,output\n";

/// Returns the lines of a task, one for each output.
pub(super) fn entry(id: &str, outputs: &[[Grid; 2]]) -> String {
    let line = |(k, [first, second]): (usize, &[Grid; 2])| {
        format!("{},{} {}\n", quoted(format!("{id}_{k}")), bars(first), bars(second))
    };
    outputs.iter().enumerate().map(line).collect()
}

/// Returns `|123|456|`.
fn bars(grid: &Grid) -> String {
    let rows = grid.rows().map(|row| row.iter().map(i8::to_string).collect::<String>() + "|");
    std::iter::once("|".to_owned()).chain(rows).collect()
}

fn quoted(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

pub(super) fn read(text: &[u8]) -> Result<Submission, ParseError> {
    let text = std::str::from_utf8(text).map_err(|error| ParseError::NotText { at: error.valid_up_to() })?;
    let mut rows = rows(text).into_iter();
    let header = rows.next().ok_or(ParseError::Neither)?;
    if header.fields.iter().map(|field| field.trim()).ne(HEADER) {
        return Err(ParseError::Neither);
    }
    let mut tasks: BTreeMap<String, BTreeMap<usize, Attempts>> = BTreeMap::new();
    let mut problems = Vec::new();
    for Row { line, fields } in rows {
        let [key, predictions] = &fields[..] else {
            let why = "expected two fields, `id_k,predictions`";
            let id = fields.first().map_or("", String::as_str);
            problems.push(Place::task(id).problem(Defect::BadLine { line, why }));
            continue;
        };
        let number = key.trim().rsplit_once('_').and_then(|(id, k)| Some((id, k.parse::<usize>().ok()?)));
        let Some((id, k)) = number.filter(|(_, k)| *k < MAX_OUTPUTS) else {
            let why = "the first field must be the task's id, `_` and the number of the test input";
            problems.push(Place::task(key.trim()).problem(Defect::BadLine { line, why }));
            continue;
        };
        let attempts = read_predictions(id, k, predictions, &mut problems);
        if tasks.entry(id.to_owned()).or_default().insert(k, attempts).is_some() {
            problems.push(Place::output(id, k).problem(Defect::Twice));
        }
    }
    let mut fill_gaps = |id: &str, mut outputs: BTreeMap<usize, Attempts>| -> Vec<Attempts> {
        let n = outputs.last_key_value().map_or(0, |(last, _)| last + 1);
        let mut output = |k| {
            outputs.remove(&k).unwrap_or_else(|| {
                problems.push(Place::output(id, k).problem(Defect::MissingOutput));
                Vec::new()
            })
        };
        (0..n).map(&mut output).collect()
    };
    let answers = tasks
        .into_iter()
        .map(|(id, outputs)| {
            let outputs = fill_gaps(&id, outputs);
            (id, outputs)
        })
        .collect();
    Ok(Submission { form: Form::Csv, answers, problems })
}

fn read_predictions(id: &str, output: usize, text: &str, problems: &mut Vec<Problem>) -> Attempts {
    let predictions: Vec<&str> = text.split_whitespace().collect();
    if predictions.is_empty() {
        problems.push(Place::attempt(id, output, 0).problem(Defect::MissingAttempt));
    }
    if predictions.len() > MAX_PREDICTIONS {
        let found = predictions.len();
        problems.push(Place::output(id, output).problem(Defect::TooManyAttempts { found }));
    }
    let counting = predictions.into_iter().take(MAX_PREDICTIONS).enumerate();
    let mut read = |(n, text)| {
        let flaw = |error| problems.push(Place::attempt(id, output, n).problem(Defect::BadGrid(error)));
        read_grid(text).map_err(flaw).ok()
    };
    counting.map(&mut read).collect()
}

fn read_grid(text: &str) -> Result<Grid, GridError> {
    let inside = text.strip_prefix('|').unwrap_or(text);
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    if inside.is_empty() {
        return Err(GridError::Empty);
    }
    let rows: Vec<Vec<char>> = inside.split('|').map(|row| row.chars().collect()).collect();
    grid(&rows, |char| {
        let digit = char.to_digit(10).and_then(|digit| i8::try_from(digit).ok());
        digit.ok_or_else(|| format!("`{}`", char.escape_debug()))
    })
}

struct Row {
    /// Line on which it starts, from 1.
    line: usize,
    fields: Vec<String>,
}

/// Splits a text into rows of fields. A field in double quotes may contain commas, line breaks and doubled
/// quotes. Blank lines are skipped.
fn rows(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut line, mut start) = (1, 1);
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    let mut finish = |fields: &mut Vec<String>, line: usize| {
        let fields = std::mem::replace(fields, vec![String::new()]);
        if fields.len() > 1 || !fields[0].trim().is_empty() {
            rows.push(Row { line, fields });
        }
    };
    while let Some(char) = chars.next() {
        let field = fields.last_mut().expect("a row has at least one field");
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' if quoted || field.is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            '\n' if !quoted => {
                finish(&mut fields, start);
                start = line + 1;
            }
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            _ => field.push(char),
        }
        line += usize::from(char == '\n');
    }
    finish(&mut fields, start);
    rows
}
