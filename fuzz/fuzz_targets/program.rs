//! Fuzzes the parser, printer and evaluator with arbitrary bytes. See CONTRIBUTING.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| batt_testkit::fuzz_program(bytes));
