//! Replays the seeds of the fuzz target.

#[test]
fn fuzz_seeds_do_not_crash() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 7);
    for path in files {
        batt_testkit::fuzz_program(&std::fs::read(&path).unwrap());
    }
}
