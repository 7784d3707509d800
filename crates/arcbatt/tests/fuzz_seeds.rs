//! The seeds of the fuzz target, replayed.

#[test]
fn the_seeds_of_the_fuzzer_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 7);
    for path in files {
        batt_testkit::fuzz_program(&std::fs::read(&path).unwrap());
    }
}
