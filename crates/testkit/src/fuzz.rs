//! The fuzz target: reads any bytes as a program file.

use batt_dsl::Cx;
use batt_exec::{Sample, kernel, run};
use batt_lang::{self as lang, Program};
use batt_value::{Arena, Caps, Fail, Owned, Value};

/// Parses `bytes` as a program file and formats it, then prints, parses and runs its programs on small grids.
///
/// # Panics
///
/// Panics if the parser, the formatter, the printer or the evaluator breaks one of its guarantees.
pub fn fuzz_program(bytes: &[u8]) {
    let parsed = lang::parse_bytes(bytes);
    let text = String::from_utf8_lossy(bytes);
    for problem in &parsed.problems {
        problem.render("fuzz.py", &text, false);
    }
    check_format(&text);
    for program in parsed.programs.iter().take(20) {
        check_round_trip(program);
        check_answers(program);
    }
}

fn check_format(text: &str) {
    let Ok(formatted) = lang::format(text) else { return };
    assert_eq!(lang::format(&formatted).as_ref(), Ok(&formatted), "the formatted text is not a fixed point");
    let hashes = |text: &str| lang::parse(text).programs.iter().map(Program::hash).collect::<Vec<_>>();
    assert_eq!(hashes(text), hashes(&formatted), "the formatted text means something else:\n{formatted}");
}

fn check_round_trip(program: &Program) {
    let printed = lang::print(program);
    let again = lang::parse(&printed);
    let [again] = &again.programs[..] else {
        panic!("the canonical form does not parse:\n{printed}\n{:?}", again.problems);
    };
    assert_eq!(program.hash(), again.hash(), "the canonical form means something else:\n{printed}");
    assert_eq!(printed, lang::print(again), "the canonical form is not a fixed point");
}

/// Checks that kernels give the same answers, and that the fuel a program used is exactly enough.
fn check_answers(program: &Program) {
    // Small limits keep a run fast, so that a fuzzer gets through many inputs.
    const FUEL: u64 = 20_000;
    const CAPS: Caps = Caps { weight: 20_000, depth: 100 };
    const GRIDS: [(usize, &[i8]); 3] =
        [(1, &[5]), (3, &[0, 1, 0, 2, 0, 2, 0, 1, 0]), (2, &[3, 3, 0, 0, 0, 7])];
    for (width, cells) in GRIDS {
        let arena = Arena::new(CAPS);
        let Ok(input) = arena.grid(width, cells) else { panic!("a small grid exceeds the caps") };
        let sample = Sample { input, samples: Value::EMPTY_TUPLE };
        let whole = run(program, sample, Cx::new(&arena, FUEL, None));
        let answer = |result: Result<Value<'_>, batt_exec::Failure>| match result {
            Ok(value) => Ok(Owned::new(value)),
            Err(failure) => Err((failure.fail, failure.node)),
        };
        let failed = whole.result.as_ref().err().map(|failure| failure.fail);
        assert_ne!(failed, Some(Fail::Bug), "a body panicked");
        let expected = answer(whole.result);
        let fast = run(program, sample, Cx::new(&arena, FUEL, None).with_table(kernel::table()));
        assert_eq!((answer(fast.result), fast.fuel), (expected.clone(), whole.fuel), "kernels differ");
        if failed != Some(Fail::Fuel) {
            let exact = run(program, sample, Cx::new(&arena, whole.fuel, None));
            assert_eq!(answer(exact.result), expected, "{} fuel was used but is not enough", whole.fuel);
            if whole.fuel > 0 {
                let less = run(program, sample, Cx::new(&arena, whole.fuel - 1, None));
                assert_eq!(less.result.err().map(|failure| failure.fail), Some(Fail::Fuel));
            }
        }
    }
}
