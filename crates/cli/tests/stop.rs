//! `batt run`, stopped by Ctrl-C or SIGTERM at any moment: its files are complete.

#![cfg(unix)]

mod batt;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use arcbatt::record::Record;
use batt::Batt;

/// More tasks than can run before the signal comes.
const TASKS: usize = 3000;

fn start(batt: &Batt) -> Child {
    for file in ["run.json", "submission.json"] {
        let _ = std::fs::remove_file(batt.path(file));
    }
    Command::new(env!("CARGO_BIN_EXE_batt"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(["run", batt.path("tasks").to_str().unwrap(), "--programs", "programs/demo.py", "--all-pairs"])
        .args(["--record", batt.path("run.json").to_str().unwrap()])
        .args(["-o", batt.path("submission.json").to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn stop(child: Child, signal: &str) -> Output {
    // Twice, as when both a terminal and a wrapper command send it.
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(sent.success());
    let _ = Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status().unwrap();
    child.wait_with_output().unwrap()
}

/// Checks that the existing files are complete. Returns the number of tasks in the record.
fn check_files(batt: &Batt) -> Option<usize> {
    if batt.path("submission.json").exists() {
        let output = batt.run("check {dir}/submission.json {dir}/tasks");
        assert!(output.ends_with("exit 0\n"), "{output}");
    }
    batt.path("run.json").exists().then(|| {
        let record = Record::parse(batt.read("run.json").as_bytes()).unwrap();
        assert_eq!(record.setup.data.tasks, TASKS);
        assert_eq!(record.tasks.len() + record.right.left, TASKS);
        assert!(record.tasks.is_sorted_by(|a, b| a.id < b.id));
        assert!(record.tasks.iter().all(|task| task.programs.len() == record.programs.len()));
        let cut = |task: &arcbatt::record::Task| {
            let pairs = task.programs.iter().flat_map(|program| program.train.iter().chain(&program.test));
            pairs.into_iter().any(|pair| pair.verdict == "deadline")
        };
        assert!(!record.tasks.iter().any(cut), "a stopped task is in the record");
        record.tasks.len()
    })
}

/// Counts temporary files.
fn temporary_files(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".part")).count()
}

#[test]
fn a_stopped_run_leaves_complete_files() {
    let batt = Batt::new("run-stopped");
    let tasks = batt.path("tasks");
    let _ = std::fs::remove_dir_all(&tasks);
    batt.run(&format!("data generate --seed 7 --count {TASKS} -o {{dir}}/tasks"));

    // At any moment, even before `main` starts.
    for (delay, signal) in [(0, "-INT"), (10, "-TERM"), (40, "-INT"), (150, "-TERM"), (600, "-INT")] {
        let child = start(&batt);
        std::thread::sleep(Duration::from_millis(delay));
        let process = stop(child, signal);
        let done = check_files(&batt);
        if let Some(code) = process.status.code() {
            // On a loaded machine, the run may finish before the signal comes.
            let expected = if done == Some(TASKS) { 0 } else { 1 };
            assert_eq!(code, expected, "{}", String::from_utf8_lossy(&process.stderr));
            assert_eq!(temporary_files(&batt.path("")), 0);
        }
    }

    // While tasks run: the submission is written before the first of them.
    for signal in ["-TERM", "-INT"] {
        let child = start(&batt);
        while !batt.path("submission.json").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let process = stop(child, signal);
        assert_eq!(process.status.code(), Some(1));
        let done = check_files(&batt).expect("a record of the finished tasks");
        assert!(batt.path("submission.json").exists());
        let output = String::from_utf8(process.stdout).unwrap();
        assert!(output.contains(&format!("note: stopped after {done} of {TASKS} tasks\n")), "{output}");
        assert_eq!(temporary_files(&batt.path("")), 0);
    }
}
