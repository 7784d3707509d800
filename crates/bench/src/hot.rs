//! Calls of hot primitives on fixed arguments, whose instructions are counted.
//!
//! A count hardly depends on other load on the machine, so it shows a regression of one percent that would be
//! lost in the noise of a clock. `cargo xtask instructions` runs the calls under valgrind and compares the
//! counts with `docs/instructions.tsv`.

use std::hint::black_box;

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, kernel, run};
use batt_lang as lang;
use batt_value::{Arena, Value};

/// A named call.
pub struct Case {
    pub name: &'static str,
    /// An expression over the grid `I`, whose value is the tuple `(function, argument…)`.
    call: &'static str,
}

const fn case(name: &'static str, call: &'static str) -> Case {
    Case { name, call }
}

/// All cases.
pub const CASES: &[Case] = &[
    case("add", "(add, THREE, FOUR)"),
    case("add pairs", "(add, (1, 2), (3, 4))"),
    case("first", "(first, objects(I, T, F, T))"),
    case("compose call", "(compose(increment, double), THREE)"),
    case("objects univalued", "(objects, I, T, F, T)"),
    case("objects multivalued diagonal", "(objects, I, F, T, T)"),
    case("fill", "(fill, I, TWO, ofcolor(I, THREE))"),
    case("paint", "(paint, I, argmax(objects(I, T, F, T), size))"),
    case("underfill", "(underfill, I, TWO, ofcolor(I, THREE))"),
    case("shift", "(shift, ofcolor(I, THREE), (1, 2))"),
    case("mapply shift", "(mapply, lbind(shift, ofcolor(I, THREE)), neighbors((2, 2)))"),
    case("sfilter", "(sfilter, objects(I, T, F, T), matcher(color, THREE))"),
    case("colorfilter", "(colorfilter, objects(I, T, F, T), THREE)"),
    case("argmax", "(argmax, objects(I, T, F, T), size)"),
    case("merge", "(merge, objects(I, T, F, T))"),
    case("occurrences", "(occurrences, I, asobject(crop(I, (2, 3), (2, 2))))"),
    case("ofcolor", "(ofcolor, I, THREE)"),
    case("subgrid", "(subgrid, ofcolor(I, THREE), I)"),
    case("rot90", "(rot90, I)"),
    case("hconcat", "(hconcat, I, I)"),
    case("upscale", "(upscale, I, THREE)"),
    case("replace", "(replace, I, THREE, FOUR)"),
    case("palette", "(palette, I)"),
    case("normalize", "(normalize, argmax(objects(I, T, F, T), size))"),
    case("connect", "(connect, (0, 0), (14, 14))"),
    case("shoot", "(shoot, (3, 3), (1, 1))"),
];

/// Runs the case called `name` a number of times. The caller counts what one more call adds.
pub fn repeat(name: &str, times: usize) -> Result<(), String> {
    let case = CASES.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| format!("there is no case called {name}"))?;
    let parsed = lang::parse(&format!("def case(I):\n    return {}\n", case.call));
    let program = parsed.programs.first().ok_or_else(|| format!("{name}: {:?}", parsed.problems))?;
    let failed = |what: &str| format!("{name}: {what}");

    let arena = Arena::new(Limits::STANDARD.caps);
    let input = input_grid(&arena).ok_or_else(|| failed("the input grid does not fit"))?;
    let sample = Sample { input, samples: Value::EMPTY_TUPLE };
    let call = run(program, sample, Cx::new(&arena, Limits::STANDARD.fuel, None)).result;
    let call = call.map_err(|failure| failure.describe(program))?;
    let items: Vec<_> = (0..call.len().unwrap_or(0)).filter_map(|index| call.get(&arena, index)).collect();
    let [function, args @ ..] = &items[..] else { return Err(failed("the case is not a call")) };

    let mut work = Arena::new(Limits::STANDARD.caps);
    for _ in 0..times {
        work.reset();
        let mut cx = Cx::new(&work, Limits::STANDARD.fuel, None).with_table(kernel::table());
        let answer = cx.call(black_box(*function), black_box(args));
        black_box(answer).map_err(|fail| failed(fail.name()))?;
    }
    Ok(())
}

/// A fixed grid of 15×15 cells: blocks of several sizes and colours on black.
fn input_grid(arena: &Arena) -> Option<Value<'_>> {
    const SIDE: usize = 15;
    let mut cells = [0i8; SIDE * SIDE];
    // (row, column, height, width, colour). The second and the last touch at a corner.
    let blocks = [
        (1, 1, 3, 4, 3),
        (2, 8, 2, 2, 5),
        (6, 2, 5, 2, 3),
        (7, 6, 1, 6, 8),
        (10, 9, 4, 4, 1),
        (4, 10, 2, 3, 3),
    ];
    for (row, column, height, width, color) in blocks {
        for i in row..row + height {
            cells[i * SIDE + column..i * SIDE + column + width].fill(color);
        }
    }
    arena.grid(SIDE, &cells).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_a_value() {
        for case in CASES {
            assert_eq!(repeat(case.name, 2), Ok(()));
        }
    }
}
