//! Solver files.
//!
//! `ARCBATT_SOLVERS=FILE ARCBATT_TASKS=FOLDER cargo test -p arcbatt --test solvers` checks that every program of
//! the file parses, and that its canonical form is right on the same tasks as the program itself.

use std::path::Path;

use arcbatt::verify::verify;
use batt_dsl::Limits;
use batt_job::Pool;
use batt_job::battery::Unwatched;
use batt_lang::{parse_bytes, print};
use batt_testkit::skipped;

#[test]
fn solvers_parse_and_their_canonical_forms_give_the_same_results() {
    let (Ok(file), Ok(tasks)) = (std::env::var("ARCBATT_SOLVERS"), std::env::var("ARCBATT_TASKS")) else {
        skipped(
            "ARCBATT_SOLVERS and ARCBATT_TASKS are not set",
            "set them to solvers.py of an arc-dsl checkout and to the folder of its training tasks",
        );
        return;
    };
    let parsed = parse_bytes(&std::fs::read(file).unwrap());
    assert_eq!(parsed.problems, [], "no problem");
    let printed: String = parsed.programs.iter().map(|program| print(program) + "\n\n").collect();
    let again = batt_lang::parse(&printed);
    assert_eq!(again.problems, [], "no problem in the canonical form");
    let dataset = batt_task::load(Path::new(&tasks)).unwrap();
    let pool = Pool::new(0).unwrap();
    let right = |programs| {
        let verdicts = verify(programs, &dataset, Limits::STANDARD, &pool, &Unwatched);
        verdicts.iter().map(|verdict| (verdict.program.clone(), verdict.right())).collect::<Vec<_>>()
    };
    assert_eq!(right(&parsed.programs), right(&again.programs));
}

#[test]
fn the_example_programs_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let parsed = parse_bytes(&std::fs::read(root.join("programs/examples.py")).unwrap());
    assert_eq!(parsed.problems, []);
    let dataset = batt_task::load(&root.join("examples")).unwrap();
    let pool = Pool::new(0).unwrap();
    for verdict in verify(&parsed.programs, &dataset, Limits::STANDARD, &pool, &Unwatched) {
        assert!(verdict.right(), "{verdict:?}");
    }
}
