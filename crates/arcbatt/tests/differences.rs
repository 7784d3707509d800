//! Every deliberate difference from Python listed in `docs/differences.md`.

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::parse;
use batt_value::{Arena, Value};

/// Runs the last program of `text` on the grid `[1 2]`. Returns its answer or failure, and the fuel used.
fn answer_with(text: &str, limits: Limits) -> (String, u64) {
    let parsed = parse(text);
    let Some(program) = parsed.programs.last() else { return (parsed.problems[0].message.clone(), 0) };
    let arena = Arena::new(limits.caps);
    let input = arena.grid(2, &[1, 2]).unwrap();
    let sample = Sample { input, samples: Value::EMPTY_TUPLE };
    let outcome = run(program, sample, Cx::new(&arena, limits.fuel, None));
    let answer = match outcome.result {
        Ok(value) => value.to_string(),
        Err(failure) => failure.fail.name().to_owned(),
    };
    (answer, outcome.fuel)
}

fn check(text: &str, expected: &str) {
    assert_eq!(answer_with(text, Limits::STANDARD).0, expected, "{text}");
}

#[test]
fn integers_have_64_bits() {
    check("def f(I): return add(9223372036854775807, ONE)", "Overflow");
    check("def f(I): return multiply(3037000500, 3037000500)", "Overflow");
    check("def f(I): return divide(-9223372036854775808, NEG_ONE)", "Overflow");
    check("def f(I): return add(9223372036854775806, ONE)", "9223372036854775807");
}

#[test]
fn sets_iterate_in_ascending_order() {
    let set = "insert(rot90, insert((2, 1), insert((1, 9), insert(initset(5), insert(None, insert(3, initset(-7)))))))";
    check(&format!("def f(I): return totuple({set})"), "(None, -7, 3, (1, 9), (2, 1), {5}, rot90)");
    check("def f(I): return totuple(insert(compose, initset(add)))", "(add, compose)");
    check(
        "def f(I): return totuple(insert(initset(2), insert(insert(9, initset(1)), initset(initset(1)))))",
        "({1}, {1, 9}, {2})",
    );
}

#[test]
fn functions_are_compared_by_structure() {
    check("def f(I): return equality(lbind(add, ONE), lbind(add, T))", "True");
    check("def f(I): return equality(lbind(add, ONE), lbind(add, TWO))", "False");
    check("def f(I): return equality(compose(first, last), compose(first, last))", "True");
    check("def f(I): return equality(power(first, TWO), compose(first, first))", "True");
}

#[test]
fn lines_that_the_result_does_not_need_are_not_run() {
    check("def f(I):\n    x = first(())\n    return ONE", "1");
}

#[test]
fn equal_calls_run_once() {
    let once = answer_with("def f(I):\n    x = rot90(I)\n    return equality(x, x)", Limits::STANDARD);
    let twice = answer_with("def f(I):\n    return equality(rot90(I), rot90(I))", Limits::STANDARD);
    assert_eq!(once, twice);
}

#[test]
fn a_program_stops_when_its_fuel_is_used_up() {
    let text = "def f(I): return hconcat(I, I)";
    let (answer, fuel) = answer_with(text, Limits::STANDARD);
    assert_eq!(answer, "[1 2 1 2]");
    assert_eq!(answer_with(text, Limits { fuel, ..Limits::STANDARD }).0, answer);
    assert_eq!(answer_with(text, Limits { fuel: fuel - 1, ..Limits::STANDARD }).0, "Fuel");
    // 1 + the weights of both arguments (1 + 1 + 2 each) + the weight of the result (1 + 1 + 4).
    assert_eq!(fuel, 1 + 4 + 4 + 6);
}

#[test]
fn calls_nest_at_most_900_deep() {
    check("def f(I):\n    g = power(increment, 890)\n    return g(ZERO)", "890");
    check("def f(I): return power(increment, 901)", "TooLarge");
    check(
        "def f(I):\n    g = compose(compose(power(increment, 900), identity), identity)\n    return g(ZERO)",
        "TooLarge",
    );
}

#[test]
fn the_third_parameter_is_none() {
    check("def f(S, I, C): return C", "None");
}

#[test]
fn errors_are_found_when_the_file_is_parsed() {
    check("def f(I): return branch(T, I, nothing)", "`nothing` is not defined");
    assert!(
        answer_with("def f(I):\n    x = rot90(I, I)\n    return I", Limits::STANDARD).0.contains("rot90")
    );
    check("def g(I): return nothing\ndef f(I): return I", "[1 2]");
}
