//! Runs `spec/*.arc`: program text with checks in between (see `spec/README.md`).

use batt_dsl::{Limits, symbol};
use batt_exec::Sample;
use batt_lang::{self as lang, Parsed};
use batt_value::{Arena, Name, Value, order, parse, parse_prefix};

use crate::Backend;

/// Runs all checks of a specification. Returns the number of checks, or a list of those that failed.
pub fn check_spec(text: &str, backend: Backend) -> Result<usize, String> {
    let (checks, program): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with("? "));
    let parsed = lang::parse(&program.join("\n"));
    let failures: Vec<_> = checks
        .iter()
        .filter_map(|line| check(&parsed, line, backend).err().map(|error| format!("{line}\n    {error}")))
        .collect();
    if failures.is_empty() { Ok(checks.len()) } else { Err(failures.join("\n")) }
}

fn check(parsed: &Parsed, line: &str, backend: Backend) -> Result<(), String> {
    let (name, rest) = line[2..].split_once('(').ok_or("expected `name(input)`")?;
    let program = parsed.programs.iter().find(|program| program.name() == name);
    let program = program.ok_or_else(|| format!("no such program; problems: {:?}", parsed.problems))?;
    let arena = Arena::new(Limits::STANDARD.caps);
    let mut names = |name: Name<'_, '_>| match name {
        Name::Alone(name) | Name::Called(name, _) => Err(Err(format!("{name} is not a value"))),
    };
    let (input, rest) = parse_prefix(rest, &arena, &mut names).map_err(|error| error.to_string())?;
    let rest = rest.trim_start().strip_prefix(')').ok_or("expected `)`")?.trim_start();
    let sample = Sample { input, samples: Value::EMPTY_TUPLE };
    let result = backend(program, sample, &arena, Limits::STANDARD.fuel).result;
    if let Some(expected) = rest.strip_prefix("= ") {
        let expected = parse(expected, &arena, &symbol).map_err(|error| error.to_string())?;
        match result {
            Ok(value) if order::identical(value, expected) => Ok(()),
            Ok(value) => Err(format!("got {value}")),
            Err(failure) => Err(failure.describe(program)),
        }
    } else if let Some(expected) = rest.strip_prefix("! ") {
        match result {
            Ok(value) => Err(format!("got {value}")),
            Err(failure) if failure.fail.name() == expected.trim() => Ok(()),
            Err(failure) => Err(failure.describe(program)),
        }
    } else {
        Err("expected `= value` or `! Failure`".to_owned())
    }
}
