//! Fuel and set order, on the programs of the conformance vectors.

use std::io::{BufRead, BufReader};
use std::path::Path;

use batt_dsl::{Cx, Limits, registry};
use batt_exec::{Outcome, Sample, run};
use batt_lang::{Op, Program, parse};
use batt_value::{Arena, Fail, Owned, Value, from_json};
use flate2::read::GzDecoder;

/// Returns every program of a vector file with its first grid.
fn programs(name: &str) -> Vec<(Program, serde_json::Value)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/vectors").join(name);
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    let mut lines =
        reader.lines().map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap());
    let grids = lines.next().unwrap();
    lines
        .filter_map(|json| {
            let program = parse(json["program"].as_str().unwrap()).programs.pop()?;
            let grid = json["cases"][0]["grid"].as_u64().unwrap() as usize;
            Some((program, grids["grids"][grid].clone()))
        })
        .collect()
}

/// The parts of an outcome that must be reproducible.
fn facts(outcome: &Outcome<'_>) -> (Result<Owned, (Fail, u32)>, u64) {
    let result = outcome.result.as_ref().map(|value| Owned::new(*value));
    (result.map_err(|failure| (failure.fail, failure.node.0)), outcome.fuel)
}

#[test]
fn the_same_fuel_limit_stops_at_the_same_place() {
    let mut n_stopped = 0;
    for (i, (program, grid)) in programs("random-2.jsonl.gz").into_iter().enumerate() {
        let arena = Arena::new(Limits::STANDARD.caps);
        let sample = Sample { input: from_json(&grid, &arena).unwrap(), samples: Value::EMPTY_TUPLE };
        let run_with = |fuel| run(&program, sample, Cx::new(&arena, fuel, None));
        let complete = run_with(Limits::STANDARD.fuel);
        let needed = complete.fuel;
        assert_eq!(facts(&complete), facts(&run_with(needed)), "the fuel that was used is enough");
        // Some limits below that, chosen by the program's index only.
        for limit in [needed.saturating_sub(1), needed / 2, needed / (2 + i as u64 % 7)] {
            if limit == needed {
                continue;
            }
            let stopped = run_with(limit);
            assert_eq!(facts(&stopped), facts(&run_with(limit)));
            assert_eq!(stopped.result.as_ref().unwrap_err().fail, Fail::Fuel);
            assert_eq!(stopped.fuel, limit, "all fuel is used up");
            assert!(stopped.values.len() <= complete.values.len());
            n_stopped += 1;
        }
    }
    assert!(n_stopped > 1000, "{n_stopped}");
}

#[test]
fn only_order_sensitive_primitives_depend_on_the_order_of_sets() {
    let mut checked = 0;
    for name in ["random-1.jsonl.gz", "random-2.jsonl.gz", "deep-3.jsonl.gz"] {
        for (program, grid) in programs(name) {
            let insensitive = program.nodes().iter().all(|node| match node.op {
                Op::Call(symbol) | Op::Prim(symbol) => !registry().by_symbol(symbol).order_sensitive,
                _ => true,
            });
            if !insensitive {
                continue;
            }
            let arena = Arena::new(Limits::STANDARD.caps);
            let sample = Sample { input: from_json(&grid, &arena).unwrap(), samples: Value::EMPTY_TUPLE };
            let cx = || Cx::new(&arena, Limits::STANDARD.fuel, None);
            let (up, down) = (run(&program, sample, cx()), run(&program, sample, cx().descending()));
            let answer = |outcome: &Outcome<'_>| outcome.result.as_ref().ok().map(|value| Owned::new(*value));
            assert_eq!(answer(&up), answer(&down), "{}", program.source());
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}
