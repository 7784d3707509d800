//! Tests on public program files, if given: `ARCBATT_SOLVERS=FILE[:FILE…] cargo test -p batt-lang`.

use batt_lang::Severity;
use batt_testkit::skipped;

use crate::check::{all, problems, reprinted};

#[test]
fn given_files_parse_and_round_trip() {
    let Some(files) = std::env::var_os("ARCBATT_SOLVERS") else {
        skipped(
            "ARCBATT_SOLVERS is not set",
            "set it to program files, such as solvers.py of an arc-dsl checkout",
        );
        return;
    };
    for file in std::env::split_paths(&files) {
        let text = std::fs::read_to_string(file).expect("a text file");
        let parsed = all(&text);
        let errors = parsed.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        assert_eq!(errors, 0, "{}", problems(&parsed, &text));
        assert!(!parsed.programs.is_empty());
        for program in &parsed.programs {
            reprinted(program);
        }
    }
}
