//! Random programs give the answers that were recorded from arc-dsl.

use std::io::BufReader;
use std::path::Path;

use arcbatt::conformance::check;
use batt_dsl::Limits;
use batt_job::Stop;
use flate2::read::GzDecoder;

fn check_file(name: &str, cases: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/vectors").join(name);
    let file = std::fs::File::open(path).unwrap();
    let tally = check(BufReader::new(GzDecoder::new(file)), Limits::STANDARD, Stop::NEVER, 5).unwrap();
    assert_eq!((tally.passed, tally.failed), (cases, 0), "{:#?}", tally.failures);
}

#[test]
fn random_programs_1() {
    check_file("random-1.jsonl.gz", 4500);
}

#[test]
fn random_programs_2() {
    check_file("random-2.jsonl.gz", 4500);
}

#[test]
fn deep_programs() {
    check_file("deep-3.jsonl.gz", 861);
}

#[test]
fn errors_in_a_vector_file_name_the_line() {
    let broken = |text: &str| check(text.as_bytes(), Limits::STANDARD, Stop::NEVER, 5).unwrap_err();
    assert_eq!(broken(""), "the file has no cases");
    assert_eq!(broken("{\"id\": 1}"), "line 1: the first line must be {\"grids\": […]}");
    assert!(broken("{\"grids\": []}\n{\"id\"").starts_with("line 2: "));
    let case = r#"{"id": "x", "program": "def f(I): return I", "cases": [{"grid": 7, "output": 1}]}"#;
    let error = broken(&format!("{{\"grids\": []}}\n{case}"));
    assert_eq!(error, "line 2: \"grid\" must be an index into the grids of the first line");
}
