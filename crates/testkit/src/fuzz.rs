//! The fuzz target: bytes as a program file.

use batt_dsl::Cx;
use batt_exec::{Sample, kernel, run};
use batt_lang::{self as lang, Program};
use batt_value::{Arena, Caps, Fail, Owned, Value};

/// Reads `bytes` as a program file and formats it; prints every program, reads it again, and runs it on small grids.
/// Panics if anything that must hold does not.
pub fn fuzz_program(bytes: &[u8]) {
    let parsed = lang::parse_bytes(bytes);
    let text = String::from_utf8_lossy(bytes);
    for problem in &parsed.problems {
        problem.render("fuzz.py", &text, false);
    }
    formats(&text);
    for program in parsed.programs.iter().take(20) {
        round_trips(program);
        answers_are_repeatable(program);
    }
}

fn formats(text: &str) {
    let Ok(formatted) = lang::format(text) else { return };
    assert_eq!(lang::format(&formatted).as_ref(), Ok(&formatted), "the formatted text is not a fixed point");
    let hashes = |text: &str| lang::parse(text).programs.iter().map(Program::hash).collect::<Vec<_>>();
    assert_eq!(hashes(text), hashes(&formatted), "the formatted text means something else:\n{formatted}");
}

fn round_trips(program: &Program) {
    let printed = lang::print(program);
    let again = lang::parse(&printed);
    let [again] = &again.programs[..] else {
        panic!("the canonical form does not parse:\n{printed}\n{:?}", again.problems);
    };
    assert_eq!(program.hash(), again.hash(), "the canonical form means something else:\n{printed}");
    assert_eq!(printed, lang::print(again), "the canonical form is not a fixed point");
}

fn answers_are_repeatable(program: &Program) {
    // Small, so that a fuzzer gets far; the caps keep any one value within a few milliseconds.
    const FUEL: u64 = 20_000;
    const CAPS: Caps = Caps { weight: 20_000, depth: 100 };
    const GRIDS: [(usize, &[i8]); 3] =
        [(1, &[5]), (3, &[0, 1, 0, 2, 0, 2, 0, 1, 0]), (2, &[3, 3, 0, 0, 0, 7])];
    for (width, cells) in GRIDS {
        let arena = Arena::new(CAPS);
        let Ok(input) = arena.grid(width, cells) else { panic!("a small grid fits") };
        let sample = Sample { input, samples: Value::EMPTY_TUPLE };
        let whole = run(program, sample, Cx::new(&arena, FUEL, None));
        let answer = |result: Result<Value<'_>, batt_exec::Failure>| match result {
            Ok(value) => Ok(Owned::new(value)),
            Err(failure) => Err((failure.fail, failure.node)),
        };
        let failed = whole.result.as_ref().err().map(|failure| failure.fail);
        assert_ne!(failed, Some(Fail::Bug), "a body panicked");
        let expected = answer(whole.result);
        let quick = run(program, sample, Cx::new(&arena, FUEL, None).with_table(kernel::table()));
        assert_eq!((answer(quick.result), quick.fuel), (expected.clone(), whole.fuel), "kernels differ");
        // The same again with just enough fuel; out of fuel with less.
        if failed != Some(Fail::Fuel) {
            let exact = run(program, sample, Cx::new(&arena, whole.fuel, None));
            assert_eq!(answer(exact.result), expected, "the bill of {} is not the bill", whole.fuel);
            if whole.fuel > 0 {
                let less = run(program, sample, Cx::new(&arena, whole.fuel - 1, None));
                assert_eq!(less.result.err().map(|failure| failure.fail), Some(Fail::Fuel));
            }
        }
    }
}
