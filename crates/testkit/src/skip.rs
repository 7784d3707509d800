//! Messages of tests that pass: figures, and tests that do nothing because something is missing.

use std::fs::OpenOptions;
use std::io::Write;

/// The file that collects the reports, for `cargo xtask ci`.
const COLLECTED: &str = "ARCBATT_SKIPPED";

/// Reports that the current test is skipped because something is missing, and how to provide it.
///
/// The line is written past the output capture of `cargo test`, which hides the output of passing tests. It
/// is also appended to the file that the variable `ARCBATT_SKIPPED` names, from which `cargo xtask ci` prints
/// it at its end.
///
/// # Panics
///
/// Panics if that file cannot be written.
pub fn skipped(missing: &str, remedy: &str) {
    let thread = std::thread::current();
    // Tests run in threads that are named after them, unless there is only one thread.
    let test = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let line = format!("skipped: {test}: {missing}; {remedy}\n");
    print(&line);
    if let Some(path) = std::env::var_os(COLLECTED) {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }
}

/// Prints past the output capture of `cargo test`, which hides the output of passing tests.
pub fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
