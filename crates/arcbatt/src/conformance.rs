//! Conformance vectors: what the reference answers, compared with what we answer.
//!
//! A vector file is JSON lines. The first is `{"grids": […]}`; each other one is a program,
//! `{"id", "program", "cases": [{"grid": index, "output": value}]}`, where a value is in its JSON form and
//! `{"error": true}` says that Python raised. A program that our front end refuses counts as an error.
//!
//! CPython's sets iterate in the order of their hashes, ours ascend. An answer that depends on that order cannot
//! be compared, so a case passes too if its answer comes out when sets iterate the other way round, and such cases
//! are counted apart.

use std::io::BufRead;

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::Parsed;
use batt_value::{Arena, Value, from_json, order, to_json};
use serde_json::Value as Json;

/// What became of a file.
#[derive(Default, Debug)]
pub struct Tally {
    pub passed: usize,
    /// Those among the passed whose answer comes out only when sets descend.
    pub order_dependent: usize,
    pub failed: usize,
    /// The first failures, at most as many as were asked for.
    pub failures: Vec<Mismatch>,
}

/// One case that did not come out as the reference says.
#[derive(Debug)]
pub struct Mismatch {
    pub id: String,
    pub program: String,
    /// Input, expected and got, in JSON.
    pub input: String,
    pub expected: String,
    pub got: String,
}

/// Runs every case of a vector file and keeps the first `keep` mismatches. The error names the line.
pub fn check(reader: impl BufRead, limits: Limits, keep: usize) -> Result<Tally, String> {
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
                check_program(&json, grids, limits, keep, &mut tally).map_err(|what| place(&what))?;
            }
            (None, _) => return Err(place("the first line must be {\"grids\": […]}")),
            (Some(_), _) => return Err(place("a second list of grids")),
        }
    }
    match grids {
        Some(_) => Ok(tally),
        None => Err("no vectors: the file is empty".to_owned()),
    }
}

fn check_program(
    json: &Json,
    grids: &[Json],
    limits: Limits,
    keep: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = json["program"].as_str().ok_or("\"program\" must be a text")?;
    let cases = json["cases"].as_array().ok_or("\"cases\" must be a list")?;
    let parsed = batt_lang::parse(text);
    for case in cases {
        let grid = case["grid"].as_u64().and_then(|index| grids.get(index as usize));
        let grid = grid.ok_or("\"grid\" must be the index of a grid of the first line")?;
        let arena = Arena::new(limits.caps);
        let input = from_json(grid, &arena)?;
        let expected = case.get("output").ok_or("\"output\" is missing")?;
        let right = |got: &Result<Value<'_>, String>| match (got, expected.get("error")) {
            (Err(_), Some(_)) => Ok(true),
            (Ok(value), None) => Ok(order::identical(*value, from_json(expected, &arena)?)),
            _ => Ok::<_, String>(false),
        };
        let got = answer(&parsed, input, Cx::new(&arena, limits.fuel, None));
        if right(&got)? {
            tally.passed += 1;
            continue;
        }
        if right(&answer(&parsed, input, Cx::new(&arena, limits.fuel, None).descending()))? {
            tally.passed += 1;
            tally.order_dependent += 1;
            continue;
        }
        tally.failed += 1;
        if tally.failures.len() < keep {
            tally.failures.push(Mismatch {
                id: json["id"].as_str().unwrap_or("?").to_owned(),
                program: text.to_owned(),
                input: grid.to_string(),
                expected: expected.to_string(),
                got: got.map_or_else(
                    |why| format!("failure: {why}"),
                    |value| {
                        let mut json = String::new();
                        to_json(value, &mut json);
                        json
                    },
                ),
            });
        }
    }
    Ok(())
}

/// The answer of the last program of the text, or why there is none.
fn answer<'a>(parsed: &Parsed, input: Value<'a>, cx: Cx<'a>) -> Result<Value<'a>, String> {
    let Some(program) = parsed.programs.last() else {
        let first = parsed.problems.first().map(|problem| problem.message.clone());
        return Err(first.unwrap_or_else(|| "no program".to_owned()));
    };
    let outcome = run(program, Sample { input, samples: Value::EMPTY_TUPLE }, cx);
    outcome.result.map_err(|failure| failure.describe(program))
}
