//! Public data, if it is available in `../shared/arc` next to the repository.

use std::path::{Path, PathBuf};

use batt_task::install::install;
use batt_task::{DataFolder, Options, PINNED, diff, load, open};
use batt_testkit::skipped;

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/arc").join(name);
    if !path.exists() {
        skipped(&format!("there is no ../shared/arc/{name}"), "put these tasks there, beside the repository");
        return None;
    }
    Some(path)
}

#[test]
fn the_training_tasks_have_the_pinned_hash() {
    let Some(path) = shared("arc1-training") else { return };
    let pinned = &PINNED[0];
    assert_eq!(pinned.name, "arc1-training");
    let dataset = load(&path).unwrap();
    let pairs = |test: bool| {
        dataset.tasks.iter().map(|task| if test { task.test.len() } else { task.train.len() }).sum::<usize>()
    };
    assert_eq!((dataset.tasks.len(), pairs(false), pairs(true)), (400, 1302, 416));
    assert_eq!(dataset.content_hash().to_string(), pinned.hash);

    // Any copy of a set can be installed.
    let folder = DataFolder::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-install"));
    let installed = install(&path, &folder).unwrap();
    assert_eq!(installed.iter().map(|installed| installed.set.name).collect::<Vec<_>>(), ["arc1-training"]);
    assert!(diff(&folder.open(pinned).unwrap(), &dataset).is_empty());
    std::fs::remove_dir_all(folder.path()).unwrap();
}

#[test]
fn kaggle_files_have_their_solutions() {
    let Some(path) = shared("dev_challenges.json") else { return };
    let dataset = open(path.to_str().unwrap(), &Options::STRICT).unwrap();
    assert_eq!(dataset.tasks.len(), 624);
    assert!(dataset.tasks.iter().flat_map(|task| &task.test).all(|pair| pair.output.is_some()));
    // 391 of them are tasks of the other set, with their pairs in another order.
    let Some(path) = shared("arc1-training") else { return };
    let diff = diff(&load(&path).unwrap(), &dataset);
    assert_eq!((diff.same, diff.changed.len()), (0, 391));
    for task in &diff.changed {
        assert!(task.changes.iter().all(|change| change.kind() == "reordered"), "{task:?}");
    }
}
