//! Tasks written one by one, and read back.

use std::fs;
use std::path::PathBuf;

use batt_task::demo::generate;
use batt_task::load;
use batt_task::series::{WriteError, write_challenges, write_folder};

/// Returns an empty folder for a test.
fn folder(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn names(folder: &PathBuf) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_is_read_back_as_written() {
    let root = folder("series-folder");
    let path = root.join("tasks");
    assert_eq!(write_folder(&path, generate(7, 9)).unwrap(), 9);
    assert_eq!(names(&root), ["tasks"], "nothing is left aside");
    let read = load(&path).unwrap();
    for task in generate(7, 9) {
        assert_eq!(format!("{:?}", read.get(&task.id)), format!("{:?}", Some(task)));
    }
    // Writing again would mix new files with old ones.
    let again = write_folder(&path, generate(8, 9));
    assert!(matches!(again, Err(WriteError::Taken { .. })), "{again:?}");
    assert_eq!(names(&path).len(), 9);
    let empty = root.join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(write_folder(&empty, generate(8, 2)).unwrap(), 2);
}

#[test]
fn challenges_and_solutions_are_separate_files() {
    let root = folder("series-challenges");
    let path = root.join("load_challenges.json");
    let (count, solutions) = write_challenges(&path, generate(7, 5)).unwrap();
    assert_eq!((count, solutions.as_path()), (5, root.join("load_solutions.json").as_path()));
    assert_eq!(names(&root), ["load_challenges.json", "load_solutions.json"], "nothing is left aside");
    let read = |path| serde_json::from_slice::<serde_json::Value>(&fs::read(path).unwrap()).unwrap();
    let (challenges, solutions) = (read(&path), read(&solutions));
    assert_eq!(challenges.as_object().unwrap().len(), 5);
    for task in generate(7, 5) {
        let challenge = &challenges[&task.id];
        assert_eq!(challenge["train"].as_array().unwrap().len(), task.train.len());
        assert!(challenge["train"][0]["output"].is_array());
        assert!(challenge["test"][0]["input"].is_array() && challenge["test"][0]["output"].is_null());
        assert_eq!(solutions[&task.id].as_array().unwrap().len(), task.test.len());
    }
    // A second run replaces both files. A file without tasks is valid too.
    assert_eq!(write_challenges(&path, generate(7, 0)).unwrap().0, 0);
    assert_eq!(read(&path), serde_json::json!({}));
}

#[test]
fn write_errors_are_reported() {
    let root = folder("series-mistakes");
    let error = write_challenges(&root.join("load.json"), generate(7, 1)).unwrap_err().to_string();
    assert!(error.ends_with("must end in challenges.json, so that its solutions are found"), "{error}");
    let nowhere = root.join("nowhere").join("load_challenges.json");
    let error = write_challenges(&nowhere, generate(7, 1)).unwrap_err().to_string();
    assert!(error.starts_with("cannot write "), "{error}");
    fs::write(root.join("file"), "").unwrap();
    let error = write_folder(&root.join("file"), generate(7, 1)).unwrap_err().to_string();
    assert!(error.contains("is not an empty folder"), "{error}");
    assert_eq!(names(&root), ["file"], "a failed write leaves no files");
}

#[test]
fn an_unfinished_write_leaves_no_files() {
    let root = folder("series-interrupted");
    let path = root.join("tasks");
    let broken = std::panic::catch_unwind(|| {
        write_folder(&path, generate(7, 5).inspect(|task| assert!(!task.id.ends_with("3"), "enough")))
    });
    assert!(broken.is_err());
    assert_eq!(names(&root), [""; 0]);
}
