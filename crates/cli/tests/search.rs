//! `batt search`: results do not depend on threads, the store stays consistent, and errors are reported.

mod batt;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::Duration;

use arcbatt::record::{Kind, live};
use batt::Batt;
use expect_test::expect;
use serde_json::Value;

/// Two programs with one mistake each, and a right one.
const DAMAGED: &str = "\
def solve_mirror_repair(I):
    return paint(I, toobject(ofcolor(I, RED), vmirror(I)))

def solve_hidden_patch(I):
    return subgrid(ofcolor(I, BLACK), rot90(I))

def solve_kaleidoscope(I):
    x = hconcat(I, vmirror(I))
    return vconcat(x, hmirror(x))
";

/// Takes more fuel than a mutated program may.
const EXPENSIVE: &str = "\
def solve_kaleidoscope(I):
    x1 = asindices(I)
    x2 = product(x1, x1)
    x3 = apply(compose(size, rbind(product, x2)), x2)
    x4 = hconcat(I, vmirror(I))
    return branch(contained(ZERO, x3), I, vconcat(x4, hmirror(x4)))
";

fn json(text: &str) -> Value {
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

fn fresh(test: &str) -> Batt {
    let _ = std::fs::remove_dir_all(Batt::new(test).path(""));
    Batt::new(test).file("damaged.py", DAMAGED)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    check_threads("search-threads", "4GB");
}

#[test]
fn results_do_not_depend_on_threads_with_little_memory() {
    // Just enough for two threads.
    check_threads("search-memory", "800MB");
}

fn check_threads(test: &str, memory: &str) {
    let batt = fresh(test);
    for threads in [1, 2] {
        let output = batt.run(&format!(
            "search demo -n 12 --programs {{dir}}/damaged.py --store {{dir}}/{threads}.sqlite --seed 7 \
             --fuel-per-task 2000000 --memory {memory} --threads {threads} --record {{dir}}/{threads}.json"
        ));
        assert!(output.ends_with("exit 0\n"), "{output}");
        batt.run(&format!("programs export --store {{dir}}/{threads}.sqlite -o {{dir}}/{threads}.py"));
    }
    let record = |name: &str| {
        let mut record: Value = serde_json::from_str(&batt.read(name)).unwrap();
        record["environment"] = Value::Null;
        // The stores differ, so the jobs do too.
        (record["job"], record["setup"]["options"]["store"]) = (Value::Null, Value::Null);
        record
    };
    assert_eq!(record("1.json"), record("2.json"));
    assert_eq!(batt.read("1.py"), batt.read("2.py"));
    assert!(batt.read("1.py").contains("def "));
}

#[test]
fn new_programs_are_stored_with_their_lineage_and_verify() {
    let batt = fresh("search-store");
    let search = "search demo -i mirror_repair hidden_patch kaleidoscope --programs {dir}/damaged.py \
                  --store {dir}/store.sqlite";
    let output = batt.run(&format!("{search} --json"));
    let found = json(&output);
    let tasks = found["tasks"].as_array().unwrap();
    assert!(tasks.iter().all(|task| task["solved"] == true), "{output}");
    let made = tasks.iter().filter(|task| !task["found"].is_null());
    let made: Vec<&Value> = made.map(|task| &task["found"]).collect();
    assert_eq!(made.len(), 2, "one was solved before: {output}");
    for found in made {
        assert!(found["operator"].as_str().unwrap().starts_with("mutate "), "{found}");
        let hash = &found["hash"].as_str().unwrap()[..12];
        let shown = batt.run(&format!("programs show {hash} --store {{dir}}/store.sqlite --tests"));
        assert!(shown.contains("found by mutate") && shown.contains("\ntest results\n"), "{shown}");
        assert!(shown.contains(" not stored\n"), "its parent is in a file, not in the store: {shown}");
    }
    // Exporting and importing again adds nothing.
    let list = || batt.run("programs list --store {dir}/store.sqlite --json");
    let before = list();
    batt.run("programs export --store {dir}/store.sqlite -o {dir}/all.py");
    let output = batt.run("programs import {dir}/all.py --store {dir}/store.sqlite");
    assert!(output.starts_with("{dir}/all.py: 0 new, 2 known\n"), "{output}");
    assert_eq!(list(), before);
    let verified = batt.run("programs verify demo --store {dir}/store.sqlite");
    assert_eq!(
        verified,
        "2 programs parsed again, 2 results measured again on demo: 0 differences\nexit 0\n"
    );
    // Now the store has the solutions, for `solve` too.
    let again = json(&batt.run(&format!("{search} --json")));
    assert!(
        again["tasks"].as_array().unwrap().iter().all(|task| task["tried"] == 0 && task["found"].is_null())
    );
    let solved = batt.run(
        "solve demo -i hidden_patch --store {dir}/store.sqlite --fuel-per-task 1000000 -o {dir}/solved.json --json",
    );
    assert_eq!(json(&solved)["answers"][0]["mechanism"], "known program", "{solved}");
}

#[test]
fn enumeration_finds_programs_from_the_task() {
    let batt = fresh("search-enumerate");
    let output = batt.run(
        "search demo -i kaleidoscope --mode enumerate --store {dir}/store.sqlite --fuel-per-task 40000000 --json",
    );
    let found = json(&output);
    assert_eq!(found["tasks"][0]["found"]["operator"], "enumerate", "{output}");
    assert!(batt.run("programs verify demo --store {dir}/store.sqlite").ends_with("exit 0\n"));
}

#[test]
fn tasks_that_a_known_program_solves_are_skipped() {
    let batt = fresh("search-known").file("expensive.py", EXPENSIVE);
    let check = |args: &str| {
        let output = batt.run(&format!("search demo {args} --fuel-per-task 1000000 --json"));
        for task in json(&output)["tasks"].as_array().unwrap() {
            assert_eq!(
                (&task["tried"], &task["score_before"]),
                (&0.into(), &1_000_000.into()),
                "{args}: {output}"
            );
            assert!(task["solved"] == true && task["found"].is_null(), "{args}: {output}");
        }
    };
    batt.run("programs import {dir}/expensive.py --data demo --store {dir}/expensive.sqlite");
    for mode in ["enumerate", "breed"] {
        check(&format!("-n 5 --programs programs/demo.py --mode {mode} --store {{dir}}/given.sqlite"));
        check(&format!("-i kaleidoscope --mode {mode} --store {{dir}}/expensive.sqlite"));
        check(&format!(
            "-i kaleidoscope --programs {{dir}}/expensive.py --mode {mode} --store {{dir}}/given.sqlite"
        ));
    }
}

#[test]
fn solve_stores_its_programs() {
    let batt = fresh("search-solve");
    let output = batt.run("solve demo -i kaleidoscope --fuel-per-task 3000000 --store {dir}/store.sqlite");
    assert!(output.ends_with("exit 0\n"), "{output}");
    let listed = json(&batt.run("programs list --store {dir}/store.sqlite --json"));
    assert!(listed["found"].as_u64().unwrap() > 0, "{listed}");
    assert!(batt.run("programs verify demo --store {dir}/store.sqlite").ends_with("exit 0\n"));
}

/// Creates a store that refuses new results, as if the disk were full.
fn create_full_store(batt: &Batt) {
    assert!(batt.run("programs import {dir}/damaged.py --store {dir}/store.sqlite").ends_with("exit 0\n"));
    let trigger = "CREATE TRIGGER full BEFORE INSERT ON results BEGIN SELECT RAISE(ABORT, 'no space'); END";
    batt.sql("store.sqlite", trigger);
}

#[test]
fn a_failing_store_does_not_affect_other_files() {
    let batt = fresh("search-full");
    create_full_store(&batt);
    let output = batt.run(
        "solve demo -i kaleidoscope --fuel-per-task 3000000 --store {dir}/store.sqlite -o {dir}/solved.json \
         --record {dir}/solve.json --export {dir}/solved.py",
    );
    assert!(output.ends_with("error: cannot use {dir}/store.sqlite: no space\nexit 2\n"), "{output}");
    assert!(batt.read("solved.py").contains("def solve_kaleidoscope("));
    let record: Value = serde_json::from_str(&batt.read("solve.json")).unwrap();
    assert!(!record["scores"].as_array().unwrap().is_empty(), "the last save is missing");
    let output = batt.run(
        "search demo -i mirror_repair --store {dir}/store.sqlite --fuel-per-task 2000000 --record {dir}/search.json",
    );
    assert!(output.ends_with("error: cannot use {dir}/store.sqlite: no space\nexit 2\n"), "{output}");
    let record: Value = serde_json::from_str(&batt.read("search.json")).unwrap();
    assert!(!record["tasks"][0]["programs"][0].is_null(), "the new program is in the record");
}

#[test]
fn a_program_that_can_no_longer_be_read_is_skipped() {
    let batt = fresh("search-unreadable");
    assert!(
        batt.run("programs import {dir}/damaged.py --data demo --store {dir}/store.sqlite")
            .ends_with("exit 0\n")
    );
    batt.sql("store.sqlite", "UPDATE programs SET text = replace(text, 'vconcat', 'vconkat')");
    let message = "program 3f0f4edadff5 of {dir}/store.sqlite can no longer be read: `vconkat` is not a primitive; \
                `batt programs prune --store {dir}/store.sqlite` removes it\n";
    for command in [
        "programs export",
        "search demo -i kaleidoscope mirror_repair --fuel-per-task 100000",
        "solve demo -i kaleidoscope mirror_repair --fuel-per-task 100000",
    ] {
        let output = batt.run(&format!("{command} --store {{dir}}/store.sqlite"));
        assert!(output.contains(&format!("warning: 1 program skipped: {message}exit 0\n")), "{output}");
    }
    let output = batt.run("programs show solve_kaleidoscope --store {dir}/store.sqlite");
    assert_eq!(output, format!("error: {message}exit 2\n"));
    let output = batt.run("programs verify --store {dir}/store.sqlite");
    assert!(
        output.contains("3f0f4edadff5: it can no longer be read: `vconkat` is not a primitive\n"),
        "{output}"
    );
    let output = batt.run("programs prune --store {dir}/store.sqlite");
    assert!(output.contains(" (1 program could no longer be parsed); "), "{output}");
    let output = batt.run("programs verify --store {dir}/store.sqlite");
    assert!(output.ends_with(": 0 differences\nexit 0\n"), "{output}");
}

#[cfg(unix)]
#[test]
fn a_read_only_store_is_reported_at_once() {
    let batt = fresh("search-read-only");
    batt.permit("", 0o777);
    assert!(batt.run("programs import {dir}/damaged.py --store {dir}/store.sqlite").ends_with("exit 0\n"));
    batt.permit("store.sqlite", 0o444);
    for command in ["search", "solve"] {
        let args =
            format!("{command} demo --budget 10m --store {{dir}}/store.sqlite --record {{dir}}/run.json");
        let Some(output) = batt.run_as_guest(&args) else { return };
        assert_eq!(
            output,
            "error: cannot write to {dir}/store.sqlite or its folder (the file is read-only); make \
             both writable, or name another file with --store\nexit 2\n"
        );
        assert!(!batt.path("run.json").exists());
    }
}

#[test]
fn errors_are_reported_and_other_files_are_not_changed() {
    let batt = fresh("search-mistakes")
        .file("notes.txt", "no store\n")
        .file("bad.py", "def f(I): return objcts(I)\n");
    batt.check(
        "search demo --store {dir}/notes.txt",
        expect![[r#"
            error: {dir}/notes.txt is not a store of programs: it is not an SQLite file; it was not changed; name another file with --store
            exit 2
        "#]],
    );
    assert_eq!(batt.read("notes.txt"), "no store\n");
    batt.check(
        "search demo --programs {dir}/bad.py --store {dir}/store.sqlite",
        expect![[r#"
            error: no usable program in these files; see `batt programs check {dir}/bad.py`
            exit 2
        "#]],
    );
    batt.check(
        "search demo -i nowhere --store {dir}/store.sqlite",
        expect![[r#"
            error: demo has no task nowhere
            exit 2
        "#]],
    );
    batt.check(
        "search nosuch --store {dir}/store.sqlite",
        expect![[r#"
            error: there is no data set, file or folder called nosuch; `batt data list` shows the names
            exit 2
        "#]],
    );
    assert!(!batt.path("store.sqlite").exists(), "an invalid job created a store");
    let output = batt.run("search demo --store {dir}/store.sqlite --budget 10x");
    assert!(output.contains("`10x` is not a duration") && output.ends_with("exit 2\n"), "{output}");
}

#[test]
fn a_running_search_can_be_followed() {
    let batt = fresh("search-live");
    let record = batt.path("search.json");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("batt"));
    command.args(["search", "demo", "--budget", "10m", "--threads", "1", "--programs"]);
    command.arg(batt.path("damaged.py")).arg("--store").arg(batt.path("store.sqlite"));
    command.arg("--record").arg(&record).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let live_status = || live::read(&record).unwrap().filter(|live| live.status.is_some());
    let wait = |holds: &dyn Fn() -> bool| {
        while !holds() {
            assert!(is_running(&record), "the search ended");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait(&|| live_status().is_some_and(|live| live.status.unwrap().tried > 0));
    // The record is written during the search, and can be turned into a report.
    wait(&|| record.exists());
    assert!(live_status().unwrap().alive);
    assert!(batt.run("report {dir}/search.json").ends_with("exit 0\n"));
    child.kill().unwrap();
    child.wait().unwrap();
    let left = live_status().unwrap();
    assert!(!left.alive && left.status.unwrap().kind == Kind::Search);
    // A search that ends by itself removes the status file.
    let output = batt
        .run("search demo -n 2 --fuel-per-task 1000 --store {dir}/store.sqlite --record {dir}/search.json --overwrite");
    assert!(output.ends_with("exit 0\n"), "{output}");
    assert_eq!(live::read(&record).unwrap(), None);
}

/// Without a status file yet, the search counts as running: it does not end by itself within ten minutes.
fn is_running(record: &std::path::Path) -> bool {
    live::read(record).unwrap().is_none_or(|live| live.alive)
}

/// Returns the best score on each task.
fn best(batt: &Batt) -> BTreeMap<String, u64> {
    let mut best = BTreeMap::new();
    let listed = json(&batt.run("programs list --store {dir}/store.sqlite --json"));
    let programs = listed["programs"].as_array().unwrap();
    let hashes: BTreeSet<&str> = programs.iter().map(|it| it["hash"].as_str().unwrap()).collect();
    assert_eq!(hashes.len(), programs.len(), "a program is stored twice");
    for result in programs.iter().flat_map(|it| it["results"].as_array().unwrap()) {
        let (task, score) = (result["task"].as_str().unwrap().to_owned(), result["score"].as_u64().unwrap());
        let known: &mut u64 = best.entry(task).or_default();
        *known = score.max(*known);
    }
    best
}

#[test]
fn killed_processes_lose_no_stored_program() {
    let batt = fresh("search-kill");
    assert!(batt.run("programs import {dir}/damaged.py --store {dir}/store.sqlite").ends_with("exit 0\n"));
    let mut before: BTreeMap<String, u64> = BTreeMap::new();
    let mut round = 0_u64;
    // A slow machine may need more rounds until a program is found.
    while round < 6 || (before.is_empty() && round < 60) {
        round += 1;
        let start = |k: u64| {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin("batt"));
            let (seed, store) = ((2 * round + k).to_string(), batt.path("store.sqlite"));
            command.args(["search", "demo", "-n", "3", "--budget", "1m", "--threads", "1", "--seed", &seed]);
            command.arg("--store").arg(store).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let children = [start(0), start(1)];
        for (k, mut child) in children.into_iter().enumerate() {
            std::thread::sleep(Duration::from_millis(300 + (137 * round + 411 * k as u64) % 900));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let now = best(&batt);
        for (task, score) in &before {
            assert!(now.get(task).is_some_and(|now| now >= score), "{task} had {score}: {now:?}");
        }
        before = now;
    }
    assert!(batt.run("programs verify demo --store {dir}/store.sqlite").ends_with("0 differences\nexit 0\n"));
    assert!(!before.is_empty(), "no program was found, so none could be lost");
}
