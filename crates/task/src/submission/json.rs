//! Kaggle's `submission.json`.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Attempts, Defect, Form, ParseError, Place, Problem, Submission, grid};
use crate::Grid;

const KEYS: [&str; 2] = ["attempt_1", "attempt_2"];

pub(super) const START: &str = "{";
pub(super) const END: &str = "\n}\n";

/// Returns the line of a task. One line per task makes files easy to compare with `diff`.
pub(super) fn entry(i: usize, id: &str, outputs: &[[Grid; 2]]) -> String {
    let mut out = format!("{}\n{}:[", if i == 0 { "" } else { "," }, Value::from(id));
    for (k, attempts) in outputs.iter().enumerate() {
        out.push_str(if k == 0 { "{" } else { ",{" });
        for (n, (key, attempt)) in KEYS.iter().zip(attempts).enumerate() {
            write!(out, "{}\"{key}\":", if n == 0 { "" } else { "," })
                .expect("writing to a string never fails");
            write_grid(attempt, &mut out);
        }
        out.push('}');
    }
    out.push(']');
    out
}

fn write_grid(grid: &Grid, out: &mut String) {
    for (i, row) in grid.rows().enumerate() {
        out.push_str(if i == 0 { "[[" } else { ",[" });
        for (j, color) in row.iter().enumerate() {
            write!(out, "{}{color}", if j == 0 { "" } else { "," }).expect("writing to a string never fails");
        }
        out.push(']');
    }
    out.push(']');
}

/// Parses level by level, each piece by itself, so that a broken piece does not affect the others.
pub(super) fn read(text: &[u8]) -> Result<Submission, ParseError> {
    let tasks: Members<'_> = serde_json::from_slice(text).map_err(ParseError::Json)?;
    let mut answers = BTreeMap::new();
    let mut problems = Vec::new();
    for (id, task) in tasks.0 {
        let outputs = match serde_json::from_str::<Vec<&RawValue>>(task.get()) {
            Ok(outputs) => {
                let outputs = outputs.into_iter().enumerate();
                outputs.map(|(k, output)| read_output(&id, k, output, &mut problems)).collect()
            }
            Err(_) => {
                problems.push(Place::task(&id).problem(Defect::NotAList { found: kind(task.get()) }));
                Vec::new()
            }
        };
        if answers.contains_key(&id) {
            problems.push(Place::task(&id).problem(Defect::Twice));
        }
        answers.insert(id, outputs);
    }
    Ok(Submission { form: Form::Json, answers, problems })
}

fn read_output(id: &str, output: usize, text: &RawValue, problems: &mut Vec<Problem>) -> Attempts {
    let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(text.get()) else {
        let found = kind(text.get());
        problems.push(Place::output(id, output).problem(Defect::NotAnOutput { found }));
        return Vec::new();
    };
    for (key, _) in members.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
        problems.push(Place::output(id, output).problem(Defect::UnknownKey { key: key.clone() }));
    }
    let mut attempt = |n: usize| {
        let place = Place::attempt(id, output, n);
        let mut given = members.iter().filter(|(key, _)| key == KEYS[n]).map(|(_, text)| text.get());
        // Python's reader takes the last of several.
        let last = given.next_back().filter(|text| *text != "null");
        if given.next().is_some() {
            problems.push(place.clone().problem(Defect::Twice));
        }
        let read = last.ok_or(Defect::MissingAttempt).and_then(read_grid);
        read.map_err(|defect| problems.push(place.problem(defect))).ok()
    };
    vec![attempt(0), attempt(1)]
}

fn read_grid<'a>(text: &'a str) -> Result<Grid, Defect> {
    // Nearly every grid is valid. Only an invalid one is read again, to find out what is wrong.
    if let Ok(rows) = serde_json::from_str::<Vec<Vec<u8>>>(text) {
        let color = |color: &u8| i8::try_from(*color).map_err(|_| color.to_string());
        return Ok(grid(&rows, color)?);
    }
    let rows: Vec<&'a RawValue> =
        serde_json::from_str(text).map_err(|_| Defect::NotAGrid { found: kind(text) })?;
    let row = |(row, text): (usize, &'a RawValue)| {
        let found = || Defect::NotARow { row, found: kind(text.get()) };
        serde_json::from_str::<Vec<&RawValue>>(text.get()).map_err(|_| found())
    };
    let rows = rows.into_iter().enumerate().map(row).collect::<Result<Vec<_>, _>>()?;
    let color = |cell: &&RawValue| {
        let text = cell.get();
        // A number is shown as it is written, unless it is long.
        let found = || if kind(text) == NUMBER && text.len() <= 24 { text } else { kind(text) };
        text.parse().map_err(|_| found().to_owned())
    };
    Ok(grid(&rows, color)?)
}

const NUMBER: &str = "a number";

/// Returns the kind of a JSON value in words.
fn kind(text: &str) -> &'static str {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't') => "true",
        Some(b'f') => "false",
        Some(b'n') => "null",
        _ => NUMBER,
    }
}

/// The members of an object in the order of the file, including duplicate keys.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Each).map(Members)
    }
}
