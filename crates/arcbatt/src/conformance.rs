//! Conformance vectors: answers recorded from arc-dsl in CPython, compared with ours.
//!
//! A vector file is JSON lines. The first line is `{"grids": […]}`. Every other line is a program,
//! `{"id", "program", "cases": [{"grid": index, "output": value}]}`, with values in their JSON form;
//! `{"error": true}` means that Python raised an exception. A program that our parser rejects counts as an error.
//!
//! CPython's sets iterate in hash order, ours in ascending order. Answers that depend on the order cannot be
//! compared directly, so a case also passes if it matches with sets in descending order. Such cases are counted
//! separately.

use std::io::BufRead;

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::Parsed;
use batt_value::{Arena, Fail, Value, from_json, order, to_json};
use serde_json::Value as Json;

use batt_job::Stop;

/// The result of a vector file.
#[derive(Default, Debug)]
pub struct Tally {
    pub passed: usize,
    /// Passed cases that match only with sets in descending order.
    pub order_dependent: usize,
    pub failed: usize,
    /// The first failures, up to the requested number.
    pub failures: Vec<Mismatch>,
}

/// A case whose answer differs from the recorded one.
#[derive(Debug)]
pub struct Mismatch {
    pub id: String,
    pub program: String,
    /// The input as JSON; `expected` and `got` too.
    pub input: String,
    pub expected: String,
    pub got: String,
}

/// Runs every case of a vector file and keeps the first `keep` mismatches. Errors name the line.
pub fn check(reader: impl BufRead, limits: Limits, stop: Stop<'_>, keep: usize) -> Result<Tally, String> {
    let mut grids = None;
    let mut tally = Tally::default();
    for (i, line) in reader.lines().enumerate() {
        let place = |what: &str| format!("line {}: {what}", i + 1);
        let line = line.map_err(|error| place(&error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let json: Json = serde_json::from_str(&line).map_err(|error| place(&error.to_string()))?;
        match (&grids, json.get("grids")) {
            (None, Some(Json::Array(list))) => grids = Some(list.clone()),
            (Some(grids), None) => {
                check_program(&json, grids, limits, stop, keep, &mut tally).map_err(|what| place(&what))?;
            }
            (None, _) => return Err(place("the first line must be {\"grids\": […]}")),
            (Some(_), _) => {
                return Err(place("the grids are listed twice; only the first line may list them"));
            }
        }
    }
    match grids {
        Some(_) if tally.passed + tally.failed > 0 => Ok(tally),
        _ => Err("the file has no cases".to_owned()),
    }
}

fn check_program(
    json: &Json,
    grids: &[Json],
    limits: Limits,
    stop: Stop<'_>,
    keep: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = json["program"].as_str().ok_or("\"program\" must be a string")?;
    let cases = json["cases"].as_array().ok_or("\"cases\" must be a list")?;
    let parsed = batt_lang::parse(text);
    for case in cases {
        let grid = case["grid"].as_u64().and_then(|index| grids.get(index as usize));
        let grid = grid.ok_or("\"grid\" must be an index into the grids of the first line")?;
        let expected = case.get("output").ok_or("\"output\" is missing")?;
        let case = Case { grid, expected, limits };
        stop.restart();
        let (right, got) = case.compare(&parsed, stop, false)?;
        let right_descending = !right && case.compare(&parsed, stop, true)?.0;
        if right || right_descending {
            tally.passed += 1;
            tally.order_dependent += usize::from(right_descending);
            continue;
        }
        tally.failed += 1;
        if tally.failures.len() < keep {
            tally.failures.push(Mismatch {
                id: json["id"].as_str().unwrap_or("?").to_owned(),
                program: text.to_owned(),
                input: grid.to_string(),
                expected: expected.to_string(),
                got,
            });
        }
    }
    Ok(())
}

struct Case<'c> {
    grid: &'c Json,
    expected: &'c Json,
    limits: Limits,
}

impl Case<'_> {
    /// Returns whether the last program of the text answers as expected, and its answer. With `descending`, sets
    /// iterate in descending order.
    fn compare(&self, parsed: &Parsed, stop: Stop<'_>, descending: bool) -> Result<(bool, String), String> {
        let error_expected = self.expected.get("error").is_some();
        let Some(program) = parsed.programs.last() else {
            let first = parsed.problems.first().map_or("no program", |problem| &problem.message);
            return Ok((error_expected, first.to_owned()));
        };
        let arena = Arena::new(self.limits.caps);
        let cx = Cx::new(&arena, self.limits.fuel, stop.flag());
        let cx = if descending { cx.descending() } else { cx };
        let input = from_json(self.grid, &arena)?;
        let outcome = run(program, Sample { input, samples: Value::EMPTY_TUPLE }, cx);
        Ok(match outcome.result {
            Ok(value) => {
                let right = !error_expected && order::identical(value, from_json(self.expected, &arena)?);
                let mut json = String::new();
                to_json(value, &mut json);
                (right, json)
            }
            // Python raised an exception. Our bugs and timeouts are not the same failure.
            Err(failure) => {
                let of_program = !matches!(failure.fail, Fail::Bug | Fail::Deadline);
                (error_expected && of_program, format!("failure: {}", failure.describe(program)))
            }
        })
    }
}
