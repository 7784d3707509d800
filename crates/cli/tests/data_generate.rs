//! `batt data generate`.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use expect_test::{Expect, expect};

/// Creates an empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs `batt` in a folder. Returns standard output, standard error and exit code.
fn run(folder: &PathBuf, args: &str) -> String {
    let mut command = Command::cargo_bin("batt").unwrap();
    let output = command.current_dir(folder).args(args.split_whitespace()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!("{}{}exit {}\n", text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn check(folder: &PathBuf, args: &str, expected: Expect) {
    expected.assert_eq(&run(folder, args));
}

#[test]
fn a_folder_of_task_files() {
    let folder = folder("generate-folder");
    check(
        &folder,
        "data generate --seed 7 --count 5 -o tasks",
        expect![[r#"
            wrote 5 tasks to tasks
            exit 0
        "#]],
    );
    let mut files: Vec<_> = fs::read_dir(folder.join("tasks"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    expect![[r#"
        [
            "hidden_patch_s7_000003.json",
            "kaleidoscope_s7_000000.json",
            "mirror_repair_s7_000002.json",
            "pinwheel_s7_000001.json",
            "turned_s7_000004.json",
        ]
    "#]]
    .assert_debug_eq(&files);
    check(
        &folder,
        "data generate --seed 7 --count 5 -o tasks",
        expect![[r#"
        error: tasks already exists and is not an empty folder; name a new folder
        exit 2
    "#]],
    );
}

#[test]
fn programs_solve_generated_tasks() {
    let folder = folder("generate-solve");
    run(&folder, "data generate --seed 7 --count 8 -o tasks");
    fs::write(folder.join("p.py"), "def solve_turned_s7_000004(S, I, C): return mir_rot(I, a_mr(S))\n")
        .unwrap();
    check(
        &folder,
        "programs verify tasks --programs p.py",
        expect![[r#"
            1 of 1 program right on all pairs
            exit 0
        "#]],
    );
}

#[test]
fn a_challenges_file_and_its_solutions() {
    let folder = folder("generate-challenges");
    check(
        &folder,
        "data generate --seed 7 --count 1 -o load_challenges.json",
        expect![[r#"
            wrote 1 task to load_challenges.json, solutions to load_solutions.json
            exit 0
        "#]],
    );
    expect![[r#"
        {
        "kaleidoscope_s7_000000":{"train":[{"input":[[3,0,7],[0,0,3],[0,3,3],[3,7,3],[7,0,0]],"output":[[3,0,7,7,0,3],[0,0,3,3,0,0],[0,3,3,3,3,0],[3,7,3,3,7,3],[7,0,0,0,0,7],[7,0,0,0,0,7],[3,7,3,3,7,3],[0,3,3,3,3,0],[0,0,3,3,0,0],[3,0,7,7,0,3]]},{"input":[[3,3,9,3,0],[3,0,3,9,3],[9,0,3,0,0],[9,0,0,9,0]],"output":[[3,3,9,3,0,0,3,9,3,3],[3,0,3,9,3,3,9,3,0,3],[9,0,3,0,0,0,0,3,0,9],[9,0,0,9,0,0,9,0,0,9],[9,0,0,9,0,0,9,0,0,9],[9,0,3,0,0,0,0,3,0,9],[3,0,3,9,3,3,9,3,0,3],[3,3,9,3,0,0,3,9,3,3]]},{"input":[[2,0,5],[0,2,0],[0,0,5]],"output":[[2,0,5,5,0,2],[0,2,0,0,2,0],[0,0,5,5,0,0],[0,0,5,5,0,0],[0,2,0,0,2,0],[2,0,5,5,0,2]]}],"test":[{"input":[[0,3,0,6,3],[3,0,0,3,6],[0,6,3,0,3],[0,0,0,0,6]]},{"input":[[2,0,9],[0,2,0],[9,0,9],[2,9,0]]}]}
        }
    "#]].assert_eq(&fs::read_to_string(folder.join("load_challenges.json")).unwrap());
    expect![[r#"
        {
        "kaleidoscope_s7_000000":[[[0,3,0,6,3,3,6,0,3,0],[3,0,0,3,6,6,3,0,0,3],[0,6,3,0,3,3,0,3,6,0],[0,0,0,0,6,6,0,0,0,0],[0,0,0,0,6,6,0,0,0,0],[0,6,3,0,3,3,0,3,6,0],[3,0,0,3,6,6,3,0,0,3],[0,3,0,6,3,3,6,0,3,0]],[[2,0,9,9,0,2],[0,2,0,0,2,0],[9,0,9,9,0,9],[2,9,0,0,9,2],[2,9,0,0,9,2],[9,0,9,9,0,9],[0,2,0,0,2,0],[2,0,9,9,0,2]]]
        }
    "#]].assert_eq(&fs::read_to_string(folder.join("load_solutions.json")).unwrap());
    check(
        &folder,
        "data generate --count 2 -o two_challenges.json --json",
        expect![[r#"
        {"schema":1,"seed":1,"tasks":2,"written":"two_challenges.json","solutions":"two_solutions.json"}
        exit 0
    "#]],
    );
    check(
        &folder,
        "data generate -o load.json",
        expect![[r#"
        error: load.json: the name of a file of many tasks must end in challenges.json, so that its solutions are found
        exit 2
    "#]],
    );
}

#[test]
fn tasks_are_printed_by_default() {
    let folder = folder("generate-print");
    let printed = run(&folder, "data generate --seed 7 --count 40");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!((lines.len(), lines[40]), (41, "exit 0"));
    for line in &lines[..40] {
        let task: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(task["id"].is_string() && task["train"][0]["input"].is_array(), "{line}");
    }
    let document = run(&folder, "data generate --seed 7 --count 40 --json");
    let document: serde_json::Value = serde_json::from_str(document.lines().next().unwrap()).unwrap();
    assert_eq!((&document["schema"], &document["seed"]), (&1.into(), &7.into()));
    let tasks: Vec<String> = document["tasks"].as_array().unwrap().iter().map(ToString::to_string).collect();
    let again = lines[..40].iter().map(|line| line.parse::<serde_json::Value>().unwrap().to_string());
    assert_eq!(tasks, again.collect::<Vec<_>>());
    assert_eq!(run(&folder, "data generate --count 0"), "exit 0\n");
}
