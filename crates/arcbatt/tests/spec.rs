//! Runs `spec/*.arc` on every backend.

use batt_testkit::{BACKENDS, check_spec};

#[test]
fn every_backend_passes_every_specification() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "arc"));
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        for (name, backend) in BACKENDS {
            match check_spec(&text, *backend) {
                Ok(checks) => assert!(checks > 0, "{} checks nothing", path.display()),
                Err(error) => panic!("{} on the {name} backend:\n{error}", path.display()),
            }
        }
    }
}
