//! Tests of breeding: every mutant is a valid program, the same seed gives the same programs, and programs
//! with one mistake are repaired.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use batt_base::Rng;
use batt_dsl::Limits;
use batt_lang::{Program, parse, print};
use batt_search::breed::{Breeder, Brood, Capacity, Mutator, Operator, Sources, Trials, palette};
use batt_search::{Allowance, Puzzle, simplify};
use batt_task::demo;
use batt_task::{Dataset, Task};
use proptest::prelude::*;

const PROGRAMS: &str = include_str!("../../../programs/demo.py");
const CAPACITY: Capacity = Capacity { elites: 64, tried: 1 << 14 };
static NEVER: AtomicBool = AtomicBool::new(false);

fn programs() -> Vec<Program> {
    parse(PROGRAMS).programs
}

fn program(text: &str) -> Program {
    let parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.programs.into_iter().next().unwrap()
}

/// Returns the task that a program is named after.
fn task(dataset: &Dataset, program: &Program) -> Task {
    dataset.get(program.name().strip_prefix("solve_").unwrap()).unwrap().clone()
}

#[test]
fn the_text_of_every_mutant_parses_without_problems() {
    let (dataset, programs) = (demo::dataset(), programs());
    let mut made: BTreeMap<Operator, usize> = BTreeMap::new();
    let mut mutator = Mutator::default();
    for (number, parent) in programs.iter().enumerate() {
        let palette = palette(&task(&dataset, parent));
        let sources = Sources { donors: &programs, palette: &palette };
        let mut mutants = mutator.parent(parent).unwrap();
        for (seed, operator) in (0..12).flat_map(|seed| Operator::ALL.map(|operator| (seed, operator))) {
            let mut rng = Rng::of(seed, operator.name(), number as u64);
            let Some(mutant) = mutants.apply(operator, sources, &mut rng) else { continue };
            check_valid(&mutant);
            check_independent(
                operator,
                parent,
                sources,
                Rng::of(seed, operator.name(), number as u64),
                &mutant,
            );
            *made.entry(operator).or_default() += 1;
        }
    }
    for operator in Operator::ALL {
        let n = made.get(&operator).copied().unwrap_or(0);
        assert!(n > 50, "{} made only {n} mutants", operator.name());
    }
}

/// Checks that a mutant does not depend on the mutants that were made before it.
fn check_independent(
    operator: Operator,
    parent: &Program,
    sources: Sources<'_>,
    mut rng: Rng,
    mutant: &Program,
) {
    let mut mutator = Mutator::default();
    let alone = mutator.parent(parent).unwrap().apply(operator, sources, &mut rng).unwrap();
    assert_eq!(print(&alone), print(mutant));
}

/// Checks that the text of a program parses without problems, to the same program.
fn check_valid(program: &Program) {
    let text = print(program);
    let parsed = parse(&text);
    assert!(parsed.problems.is_empty(), "{:?} in\n{text}", parsed.problems);
    assert_eq!(parsed.programs[0].hash(), program.hash(), "{text}");
    assert_eq!(print(&parsed.programs[0]), text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A program stays valid through a long series of mutations.
    #[test]
    fn descendants_stay_valid(seed: u64, start in 0..79usize) {
        let programs = programs();
        let sources = Sources { donors: &programs, palette: &[0, 3, 5] };
        let mut mutator = Mutator::default();
        let mut rng = Rng::of(seed, "descendants", 0);
        let mut program = programs[start].clone();
        for _ in 0..60 {
            if let Some((mutant, operators)) = mutator.parent(&program).unwrap().mutate(sources, &mut rng) {
                prop_assert!(!operators.is_empty());
                check_valid(&mutant);
                program = mutant;
            }
        }
    }
}

fn breed(seed: u64, task: &Task, from: &Program, donors: &[Program], fuel: u64) -> Brood {
    let (breeder, puzzle) = (Breeder { seed, capacity: CAPACITY, devices: None }, Puzzle::new(task));
    let mut brood = breeder.start(&puzzle, &[], std::slice::from_ref(from), &NEVER).unwrap();
    while brood.solution.is_none() && brood.fuel < fuel {
        breeder.advance(&puzzle, &mut brood, donors, Allowance { fuel, stop: &NEVER, lane: None });
    }
    brood
}

#[test]
fn the_same_seed_gives_the_same_programs() {
    let (dataset, programs) = (demo::dataset(), programs());
    let task = dataset.get("podium").unwrap();
    let result = |seed| {
        let brood = breed(seed, task, &programs[0], &programs[..20], 3_000_000);
        (brood.best().unwrap().hash, brood.tried, brood.fuel, brood.tallies)
    };
    assert_eq!(result(1), result(1));
    assert_ne!(result(1), result(2));
}

#[test]
fn breeding_stays_within_its_fuel() {
    let (dataset, programs) = (demo::dataset(), programs());
    let task = dataset.get("podium").unwrap();
    let (breeder, puzzle) = (Breeder { seed: 0, capacity: CAPACITY, devices: None }, Puzzle::new(task));
    // An expensive starter, so that mutants can be expensive too.
    let expensive = program(
        "def f(I):\n x = asindices(I)\n y = product(x, x)\n return branch(contained(I, apply(size, y)), I, hmirror(I))",
    );
    let start = breeder.start(&puzzle, &programs[..2], std::slice::from_ref(&expensive), &NEVER).unwrap();
    assert!(start.overhead_fuel > 100_000, "the start uses {} fuel", start.overhead_fuel);
    for fuel in [0, 1000, 50_000, 2_000_000] {
        let mut brood = start.clone();
        while brood.solution.is_none() && brood.fuel < fuel {
            breeder.try_programs(&puzzle, &mut brood, &programs[2..4], fuel, &NEVER);
            breeder.advance(&puzzle, &mut brood, &programs, Allowance { fuel, stop: &NEVER, lane: None });
        }
        assert!(brood.fuel <= fuel, "{} of {fuel}", brood.fuel);
        assert_eq!(brood.tried > 0, fuel > 500);
    }
}

#[test]
fn programs_with_one_mistake_are_repaired() {
    let dataset = demo::dataset();
    // A constant, a function and an argument are wrong.
    let damaged = [
        "def solve_mirror_repair(I):\n hole = ofcolor(I, RED)\n return paint(I, toobject(hole, vmirror(I)))",
        "def solve_hidden_patch(I):\n hole = ofcolor(I, BLACK)\n return subgrid(hole, rot90(I))",
        "def solve_kaleidoscope(I):\n top = hconcat(I, vmirror(I))\n return vconcat(top, hmirror(I))",
    ];
    for text in damaged {
        let damaged = program(text);
        let task = task(&dataset, &damaged);
        let brood = breed(0, &task, &damaged, &[], 80_000_000);
        let solution = brood.solution.unwrap_or_else(|| panic!("{text}\nis not repaired"));
        assert!(solution.trial.solves());
        assert!(!solution.operators.is_empty() && !solution.parents.is_empty());
        check_valid(&solution.program);
    }
}

#[test]
fn near_misses_are_simplified() {
    let (dataset, programs) = (demo::dataset(), programs());
    let mut near = 0;
    for task in dataset.tasks.iter().step_by(5) {
        let brood = breed(0, task, &programs[0], &programs[..20], 2_000_000);
        let Some(find) = brood.best_bred().filter(|_| brood.solution.is_none()) else { continue };
        assert_eq!(find.trial.score, brood.best().unwrap().trial.score);
        let puzzle = Puzzle::new(task);
        let mut trials = Trials::new(&puzzle, Limits::STANDARD, None);
        assert!(simplify(&find.program, &mut trials, &NEVER).program.is_none(), "{}", print(&find.program));
        near += 1;
    }
    assert!(near > 3, "only {near} near misses");
}

/// Checks the simplified form of a program on a task of the built-in set.
fn check_simplified(task: &str, text: &str, expected: &str) {
    let dataset = demo::dataset();
    let puzzle = Puzzle::new(dataset.get(task).unwrap());
    let mut trials = Trials::new(&puzzle, Limits::STANDARD, None);
    let program = program(text);
    let simple = simplify(&program, &mut trials, &NEVER).program.map_or(program, |(simple, _)| simple);
    assert_eq!(print(&simple), expected);
}

#[test]
fn calls_without_effect_are_removed() {
    check_simplified(
        "kaleidoscope",
        "def solve(I):\n x = hconcat(rot180(rot180(I)), vmirror(I))\n return vconcat(x, hmirror(dmirror(dmirror(x))))",
        "def solve(I):\n    x1 = vmirror(I)\n    x2 = hconcat(I, x1)\n    x3 = hmirror(x2)\n    O = vconcat(x2, x3)\n    return O\n",
    );
    // A branch that is never taken, and the calls that only it depends on.
    check_simplified(
        "mirror_repair",
        "def solve(I):\n x = toobject(ofcolor(I, GRAY), vmirror(I))\n y = branch(equality(I, vmirror(I)), I, paint(I, x))\n return y",
        "def solve(I):\n    x1 = ofcolor(I, GRAY)\n    x2 = vmirror(I)\n    x3 = toobject(x1, x2)\n    O = paint(I, x3)\n    return O\n",
    );
}

#[test]
fn programs_that_cannot_be_shortened_stay() {
    let text = "def solve(I):\n    x1 = vmirror(I)\n    O = hconcat(I, x1)\n    return O\n";
    check_simplified("kaleidoscope", text, text);
}
